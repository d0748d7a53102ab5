"""What is remembered of a learner's checks, and when an exercise counts as done."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_notebook

from autograder import check
from autograder.authoring.build import shipping
from autograder.checks import examples, progress, purpose
from autograder.checks.card.as_html import bundle
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.progress import FOLDER, MANIFEST, Standing
from autograder.checks.source.opening import cells_in
from tests.support.samples import affine_exam, make_cell, mixing_exam, run_cell

RIGHT = "import numpy as np\n\ndef mix(weights, values):\n    return weights @ values\n"
OTHER = RIGHT.replace("weights @ values", "weights.dot(values)")
WRONG = "def mix(weights, values):\n    return values.mean(axis=0)\n"
STUB = "def mix(weights, values):\n    raise NotImplementedError()\n"
AFFINE = """\
import torch

class Affine(torch.nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W = torch.nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        return self.W(x)
"""
AT_NIGHT = 3600.0


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson in a learner's folder, where cells are run and nothing is saved yet."""
    folder = tmp_path / "02_mixing"
    folder.mkdir()
    (tmp_path / MANIFEST).write_text("{}")
    exams = {"mix": mixing_exam(), "Affine": affine_exam()}
    (folder / examples.FILE).write_text(shipping.write(exams), encoding="utf-8")
    save(folder, STUB)
    monkeypatch.chdir(folder)
    monkeypatch.delenv(purpose.VARIABLE, raising=False)
    return folder


def save(lesson: Path, mix: str, affine: str = "") -> None:
    """Save the notebook with these answers, an hour ago if nothing else is said."""
    path = lesson / f"{lesson.name}.ipynb"
    cells = [
        make_cell("code", text, name, solution=True)
        for name, text in (("mix", mix), ("Affine", affine))
    ]
    nbformat.write(new_notebook(cells=cells), path)
    when = path.stat().st_mtime - AT_NIGHT
    os.utime(path, (when, when))


def saved_now(lesson: Path) -> None:
    path = lesson / f"{lesson.name}.ipynb"
    when = path.stat().st_mtime + 2 * AT_NIGHT
    os.utime(path, (when, when))


def run(*cells: str) -> None:
    namespace: dict[str, object] = {"check": check}
    for cell in cells:
        run_cell(cell, namespace)


def standing(lesson: Path) -> Standing:
    return progress.standings(lesson, ["mix"])["mix"]


def test_passed_answer_is_done_once_it_is_saved(
    lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(RIGHT, "check(mix)")
    assert capsys.readouterr().out.endswith("  1 of 2 done; next: Affine.\n")
    assert standing(lesson) is Standing.NOT_SAVED
    save(lesson, RIGHT)
    assert standing(lesson) is Standing.DONE
    saved_now(lesson)
    assert standing(lesson) is Standing.DONE


def test_changed_answer_is_open_and_one_changed_back_is_done(lesson: Path) -> None:
    run(RIGHT, "check(mix)")
    for text, expected in (
        (WRONG, Standing.OPEN),
        (OTHER, Standing.OPEN),
        (RIGHT.replace("values\n", "values  \n\n"), Standing.DONE),
    ):
        save(lesson, text)
        saved_now(lesson)
        assert standing(lesson) is expected


def test_failed_check_of_another_answer_forgets_nothing(
    lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(lesson, RIGHT)
    run(RIGHT, "check(mix)", WRONG, "check(mix)")
    # A card that says what is wrong counts no exercise of its own as done.
    assert capsys.readouterr().out.endswith("0 of 2 done; next: mix.\n")
    assert standing(lesson) is Standing.DONE
    assert "plain average" in progress.recall(lesson, "mix").mistake


def test_answer_that_no_longer_passes_is_open(lesson: Path) -> None:
    calls = "def mix(weights, values):\n    return helper(weights, values)\n"
    helper = "import numpy as np\nhelper = np.dot\n"
    run(helper, calls, "check(mix)")
    save(lesson, calls)
    assert standing(lesson) is Standing.DONE
    run("import numpy as np\nhelper = np.multiply\n", calls, "check(mix)")
    assert standing(lesson) is Standing.OPEN


def test_next_is_what_failed_and_then_what_is_open_before_it(
    lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(WRONG, "check(mix)")
    assert capsys.readouterr().out.endswith("0 of 2 done; next: mix.\n")
    run(AFFINE, "check(Affine)")
    assert capsys.readouterr().out.endswith("1 of 2 done; next: mix.\n")
    run(RIGHT, "check(mix)")
    assert capsys.readouterr().out.endswith("2 of 2 done.\n")


@pytest.mark.parametrize("where", ["graded", "validated", "no folder of ours", "unwritable"])
def test_nothing_is_kept_elsewhere(
    lesson: Path,
    where: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if where == "no folder of ours":
        (lesson.parent / MANIFEST).unlink()
    elif where == "unwritable":
        (lesson.parent / FOLDER).touch()
    else:
        purposes = {"graded": "autograde", "validated": "validate"}
        monkeypatch.setenv(purpose.VARIABLE, purposes[where])
    run(RIGHT, "check(mix)")
    assert " done" not in capsys.readouterr().out
    assert not (lesson.parent / FOLDER).is_dir()


def test_what_can_not_be_known_again_is_not_kept(lesson: Path) -> None:
    exec(f"{RIGHT}\ncheck(mix)", {"check": check})
    assert standing(lesson) is Standing.OPEN


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"passed": 7}', '{"passed_at": "x"}', '{"no": 1}', "null"]
)
def test_damaged_file_counts_as_none(lesson: Path, text: str) -> None:
    path = lesson.parent / FOLDER / lesson.name / "mix.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert progress.recall(lesson, "mix") == progress.Remembered()
    run(RIGHT, "check(mix)")
    assert standing(lesson) is Standing.NOT_SAVED


@pytest.mark.parametrize("text", [None, "", "{", '{"cells": 3}', '{"cells": ["x"]}'])
def test_notebook_that_can_not_be_read_has_nothing_done(lesson: Path, text: str | None) -> None:
    run(RIGHT, "check(mix)")
    notebook = lesson / f"{lesson.name}.ipynb"
    if text is None:
        notebook.unlink()
    else:
        notebook.write_text(text)
        saved_now(lesson)
    assert progress.answers_in(cells_in(notebook)) == {}
    assert standing(lesson) is (Standing.NOT_SAVED if text is None else Standing.OPEN)


def test_two_kernels_at_once_lose_nothing(lesson: Path) -> None:
    names = [f"exercise_{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as kernels:
        for name in names:
            kernels.submit(progress.remember, lesson, name, check, passed=True)
    files = (lesson.parent / FOLDER / lesson.name).iterdir()
    assert {json.loads(path.read_text())["passed"] for path in files} == {
        progress.digest_of(progress.text_of(check))
    }
    assert all(progress.recall(lesson, name).passed for name in names)


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "check", "save", "restart"]), st.sampled_from("rgwx")),
    max_size=25,
)
TEXTS = {"r": RIGHT, "g": OTHER, "w": WRONG, "x": STUB}


@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_done_is_what_passed_and_is_saved_whatever_happens_before(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    """A learner writes, checks, saves and loses what was not saved, in any order."""
    work = tmp_path_factory.mktemp("work")
    (work / MANIFEST).write_text("{}")
    lesson = work / "02_mixing"
    lesson.mkdir()
    notebook, saved, written = lesson / f"{lesson.name}.ipynb", "x", "x"
    save(lesson, TEXTS[saved])
    os.utime(notebook, (0, 0))
    last_passed, unsaved = "", False
    for now, (step, letter) in enumerate(steps, start=1):
        if step == "write":
            written = letter
        elif step == "restart":
            written = saved
        elif step == "save":
            saved, unsaved = written, False
            save(lesson, TEXTS[saved])
            os.utime(notebook, (now, now))
        else:
            namespace: dict[str, object] = {}
            run_cell(TEXTS[written], namespace)
            passes = written in "rg"
            with pytest.MonkeyPatch.context() as clock:
                clock.setattr(progress, "time", partial(float, now))
                progress.remember(lesson, "mix", namespace["mix"], passed=passes)
            if passes:
                last_passed, unsaved = written, True
        expected = Standing.OPEN
        if saved == last_passed:
            expected = Standing.DONE
        elif unsaved:
            expected = Standing.NOT_SAVED
        assert standing(lesson) is expected, step


def test_magics_are_known_as_they_run() -> None:
    from IPython.core.inputtransformer2 import TransformerManager

    text = f"{RIGHT}%timeit mix([1], [2])"
    run_as = TransformerManager().transform_cell(text)
    assert run_as != text
    assert progress.digest_of(text) == progress.digest_of(run_as) != progress.digest_of(RIGHT)


def test_decorated_function_is_known_by_its_own_cell() -> None:
    cell = "import torch\n\n@torch.no_grad()\ndef half(x):\n    return x / 2\n"
    namespace: dict[str, object] = {}
    run_cell(cell, namespace)
    assert progress.text_of(namespace["half"]) == cell


def test_line_stands_on_the_card_and_in_the_text() -> None:
    data = bundle(Report("mix", Verdict.PASSED, total=2), "1 of 2 done; next: <b>.")
    assert "1 of 2 done; next: &lt;b&gt;." in str(data["text/html"])
    assert str(data["text/plain"]).endswith("\n  1 of 2 done; next: <b>.")
