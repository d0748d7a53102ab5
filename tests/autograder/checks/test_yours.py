"""The learner's own code where it passed its check, and what stands in for it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import yours
from autograder.authoring.build import shipping
from autograder.checks import examples
from autograder.errors import CheckError
from tests.support.samples import mixing_exam, run_cell

RIGHT = "def mix(weights, values):\n    return weights @ values\n"
WRONG = "def mix(weights, values):\n    return values.mean(axis=0)\n"
UNWRITTEN = "def mix(weights, values):\n    raise NotImplementedError()\n"
FAILS = "def mix(weights, values):\n    return weights[7]\n"
USE = "used = yours(mix, otherwise=library_mix)"

Notebook = dict[str, object]


def library_mix() -> None:
    """What stands in."""


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Notebook]:
    (tmp_path / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(answer: str) -> Notebook:
        names: Notebook = {"yours": yours, "library_mix": library_mix}
        run_cell(answer, names)
        run_cell(USE, names)
        return names

    return run


def test_right_answer_is_used(
    notebook: Callable[[str], Notebook], capsys: pytest.CaptureFixture[str]
) -> None:
    names = notebook(RIGHT)
    assert names["used"] is names["mix"]
    assert capsys.readouterr().out == "Your mix has passed its check: this cell uses it.\n"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (WRONG, "has not passed its check yet"),
        (FAILS, "has not passed its check yet"),
        (UNWRITTEN, "is not written yet"),
    ],
)
def test_stand_in(
    notebook: Callable[[str], Notebook],
    capsys: pytest.CaptureFixture[str],
    answer: str,
    why: str,
) -> None:
    assert notebook(answer)["used"] is library_mix
    assert capsys.readouterr().out == (
        f"Your mix {why}: this cell uses library_mix in its place. "
        "Run it again when yours has passed.\n"
    )


def test_no_exercise(notebook: Callable[[str], Notebook]) -> None:
    with pytest.raises(CheckError, match="one of: mix"):
        run_cell("yours(print, otherwise=library_mix)", notebook(RIGHT))
