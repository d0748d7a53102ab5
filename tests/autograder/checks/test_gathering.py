"""Parts from the lessons beside a notebook: the learner's own where they passed their check."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.authoring.build import shipping
from autograder.checks import examples, purpose
from autograder.checks.exam.exam import Exam
from autograder.checks.gathering import Gathered, State, gather
from autograder.checks.stopping import VARIABLE
from autograder.course import lesson_number
from tests.support.samples import affine_exam, make_cell, mixing_exam, run_cell

IMPORTS = "import numpy as np\nimport torch\nfrom torch import nn"
MIX = "def mix(weights, values):\n    return weights @ values"
WRONG = "def mix(weights, values):\n    return values.mean(axis=0)"
STUB = "def mix(weights, values):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
AFFINE = """\
class Affine(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        return self.W(x)"""


def library_mix() -> None:
    """What stands in for `mix`."""


def library_affine() -> None:
    """What stands in for `Affine`."""


@dataclass(frozen=True)
class Parts:
    mix: Callable[..., Any]
    Affine: Callable[..., Any]


LIBRARY = Parts(library_mix, library_affine)


def lesson(folder: Path, exam: Exam, answer: str, *around: str) -> Path:
    """A learner's lesson of one exercise, as it was saved."""
    folder.mkdir()
    checks = shipping.write({exam.name: exam}, lesson=lesson_number(folder.name))
    (folder / examples.FILE).write_text(checks, encoding="utf-8")
    cells = [
        new_code_cell(IMPORTS),
        *map(new_code_cell, around),
        make_cell("code", answer, exam.name, solution=True),
        make_cell("code", f"check({exam.name})", f"{exam.name}_check", grade=True, points=1),
    ]
    path = folder / f"{folder.name}.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the lesson that asks for parts."""
    folder = tmp_path / "10_whole"
    folder.mkdir()
    monkeypatch.delenv(purpose.VARIABLE, raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def mixing(here: Path) -> Callable[..., Path]:
    """Makes the lesson of `mix`, with an answer and with other cells."""
    return lambda *cells: lesson(here.parent / "04_mixing", mixing_exam(), *cells)


def test_cell_that_does_not_end_is_left_to_the_stand_in(
    here: Path, mixing: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "0.2")
    mixing(f"while True:\n    pass\n{MIX}")
    found = gathered()
    assert found.parts.mix is library_mix
    assert found.found[0].why == "its cell in lesson 04 ran for too long"


def gathered() -> Gathered[Parts]:
    return gather(LIBRARY)


def states(found: Gathered[Parts]) -> dict[str, State]:
    return {one.name: one.state for one in found.found}


def test_parts_that_passed_are_used(
    here: Path, mixing: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    mixing(MIX)
    lesson(here.parent / "05_maps", affine_exam(), AFFINE)
    found = gathered()
    assert found.parts.mix.__name__ == "mix"
    assert found.parts.Affine(3, 2).W.weight.shape == (2, 3)
    assert [(one.lesson, one.is_yours) for one in found.found] == [
        ("04_mixing", True),
        ("05_maps", True),
    ]
    assert capsys.readouterr().out == (
        "mix     yours, from lesson 04\nAffine  yours, from lesson 05\n2 of 2 parts are yours.\n"
    )


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        (STUB, State.NOT_WRITTEN, "not written yet in lesson 04"),
        ("", State.NOT_WRITTEN, "not written yet in lesson 04"),
        (WRONG, State.NOT_PASSED, "has not passed its check in lesson 04 yet"),
        ("def mix(:", State.NOT_PASSED, "its cell in lesson 04 stops with SyntaxError: "),
        (f"1 / 0\n{MIX}", State.NOT_PASSED, "stops with ZeroDivisionError: division by zero\n"),
        (f"{{}}['mix']\n{MIX}", State.NOT_PASSED, "stops with KeyError: 'mix'\n"),
        (f"raise SystemExit\n{MIX}", State.NOT_PASSED, "stops with SystemExit"),
    ],
)
def test_stand_ins(
    mixing: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    answer: str,
    state: State,
    said: str,
) -> None:
    mixing(answer)
    found = gathered()
    assert found.parts is not LIBRARY
    assert found.parts == LIBRARY
    assert states(found) == {"mix": state, "Affine": State.NO_LESSON}
    out = capsys.readouterr().out
    assert out.startswith("mix     stand-in: ")
    assert said in out
    assert "Affine  stand-in: no lesson beside this one asks for it\n" in out
    assert "0 of 2 parts are yours.\nA lesson counts as it was saved" in out


def test_only_what_an_answer_needs_is_run(
    mixing: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Helpers and values of other cells are found, wherever they are; nothing is tried out."""
    answer = (
        "print('in the cell')\n"
        "def mix(weights, values):\n    return helped(weights, values)\n"
        "%time mix(np.ones(2), np.ones((2, 3)))\n"
        "while True:\n    pass"
    )
    mixing(
        answer,
        "raise RuntimeError('a figure that nobody needs')",
        "def helped(weights, values):\n    return ONCE * product(weights, values)\n1 / 0",
        "ONCE = int(str(1))\nprint('made')\nwhile True:\n    pass",
        "from operator import *",
        "product, mix = matmul, None\nproduct = matmul",
    )
    assert states(gathered())["mix"] is State.YOURS
    assert "in the cell" not in capsys.readouterr().out


def test_answer_need_not_be_a_definition(mixing: Callable[..., Path]) -> None:
    mixing("def product(weights, values):\n    return weights @ values\nmix = product\nmix(1, 2)")
    assert states(gathered())["mix"] is State.YOURS


def test_code_has_the_lessons_folder_and_leaves_no_trace(
    here: Path, mixing: Callable[..., Path]
) -> None:
    path = mixing(MIX.replace("return", "return one *"), "from beside_it import one")
    (path.parent / "beside_it.py").write_text("one = 1\n")
    before = list(sys.path)
    assert states(gathered())["mix"] is State.YOURS
    assert Path.cwd() == here
    assert sys.path == before
    sys.modules.pop("beside_it")


def test_rules_about_how_it_is_written_hold(here: Path) -> None:
    exam = mixing_exam()
    exam.forbids = ("dot",)
    path = lesson(
        here.parent / "04_mixing",
        exam,
        MIX.replace("weights @ values", "dot(weights, values)"),
        "from numpy import dot",
    )
    assert states(gathered())["mix"] is State.NOT_PASSED
    path.write_text(path.read_text().replace("dot(weights, values)", "weights @ values"))
    assert states(gathered())["mix"] is State.YOURS


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (Path.unlink, "04_mixing.ipynb does not exist"),
        (lambda path: path.write_text(""), "04_mixing.ipynb is not a notebook: "),
        (lambda path: path.write_text(path.read_text()[:200]), "is not a notebook: "),
        (lambda path: path.write_text("[" * 100_000), "is not a notebook: "),
        (lambda path: path.write_bytes(b"\xff\xfe"), "is not a notebook: "),
        (lambda path: path.write_text("{}"), "is not a notebook: "),
        (
            lambda path: nbformat.write(new_notebook(), path),
            "lesson 04 has lost its cell for",
        ),
    ],
    ids=["missing", "empty", "cut off", "deep", "no text", "no notebook", "no cell"],
)
def test_damaged_notebook_costs_its_parts(
    here: Path,
    mixing: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], object],
    said: str,
) -> None:
    damage(mixing(MIX))
    lesson(here.parent / "05_maps", affine_exam(), AFFINE)
    found = gathered()
    assert states(found) == {"mix": State.UNREADABLE, "Affine": State.YOURS}
    assert found.parts.mix is library_mix
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "mix     stand-in: lesson 04 can't be read, see below"
    assert said in lines[2]


def test_damaged_examples_are_told(
    mixing: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (mixing(MIX).parent / examples.FILE).write_text("{")
    assert states(gathered())["mix"] is State.NO_LESSON
    assert "checks.json is damaged" in capsys.readouterr().out


def test_without_lessons_one_sentence_is_said(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here.parent / "notes").mkdir()
    assert gathered().parts == LIBRARY
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize("what_for", ["autograde", "validate"])
def test_nothing_is_run_where_others_work_may_be(
    mixing: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    what_for: str,
) -> None:
    trace = tmp_path / "trace"
    mixing(f"open({str(trace)!r}, 'w')\n{MIX}")
    monkeypatch.setenv(purpose.VARIABLE, what_for)
    found = gathered()
    assert found.parts is LIBRARY
    assert states(found) == dict.fromkeys(("mix", "Affine"), State.NO_LESSON)
    assert capsys.readouterr().out.count("\n") == 1
    assert not trace.exists()
    monkeypatch.delenv(purpose.VARIABLE)
    gathered()
    assert trace.exists()


def test_own_lessons_part_is_that_of_this_notebook(
    here: Path, mixing: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    mixing(MIX)
    (here / examples.FILE).write_text(shipping.write({"Affine": affine_exam()}), encoding="utf-8")
    names: dict[str, Any] = {"gather": gather, "LIBRARY": LIBRARY}
    ask = "gathered = gather(LIBRARY)"
    run_cell(ask, names)
    assert names["gathered"].parts.Affine is library_affine
    assert "Affine  stand-in: not written yet in this lesson" in capsys.readouterr().out
    run_cell(f"from torch import nn\n{AFFINE}", names)
    run_cell(ask, names)
    assert names["gathered"].parts.Affine is names["Affine"]
    assert "Affine  yours, from this lesson" in capsys.readouterr().out


def test_own_lessons_part_away_from_its_examples(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / examples.FILE).write_text(shipping.write({"Affine": affine_exam()}), encoding="utf-8")
    lesson = examples.read(here)
    (here / examples.FILE).unlink()
    monkeypatch.setattr(examples, "INSTALLED", here)
    monkeypatch.setattr(examples, "installed", lambda: (lesson,))
    run_cell(f"from torch import nn\n{AFFINE}", names := {"gather": gather, "LIBRARY": LIBRARY})
    run_cell("gather(LIBRARY)", names)
    assert "Affine  yours, from this lesson" in capsys.readouterr().out


def test_interrupt_is_passed_on(mixing: Callable[..., Path]) -> None:
    mixing(f"raise KeyboardInterrupt\n{MIX}")
    with pytest.raises(KeyboardInterrupt):
        gathered()
