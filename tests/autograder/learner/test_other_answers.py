"""Other right answers, shown to somebody who learns alone in a clone of the course."""

from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_notebook

from autograder import check
from autograder.authoring.build import shipping
from autograder.checks import after_a_pass, examples, purpose
from autograder.checks.card.as_html import card
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.progress import MANIFEST
from autograder.learner.other_answers import load_ipython_extension, other_answers
from tests.support.samples import make_cell, mixing_exam, run_cell

EXAM = '''\
import numpy as np

mixing = Exam(reference.mix)
other = Exam(reference.swap)


@mixing.misconception
def averaged(weights, values):
    """A plain average.

    Of wrong answers, nothing is told.
    """
    return values.mean(axis=0)


@mixing.accepts
def mixed_in_loops(
    weights: np.ndarray, values: np.ndarray, *, dtype: str = "float64"
) -> np.ndarray:
    """Loops.

    Adds one value after another, each
    times its weight.
    """
    total: float = 0.0
    for weight, value in zip(weights, values):  # each
        total = total + weight * value
    return total if weights.ndim == 1 else mixed_in_loops(*weights, values)


@mixing.accepts
def mixed_by_einsum(weights, values):
    """An index expression."""
    return np.einsum("v,v...->...", weights, values)


@mixing.accepts
class Mixed(Module):
    """A class.

    Is a <b>module</b>.
    """

    def forward(self, weights: np.ndarray) -> np.ndarray:
        """Mix."""
        return weights @ self.values


@other.accepts
def swapped(pair):
    """Slices.

    Belongs to another exercise.
    """
    return pair[::-1]
'''
LOOPS = """\
def mix(weights, values, *, dtype='float64'):
    total = 0.0
    for weight, value in zip(weights, values):  # each
        total = total + weight * value
    return total if weights.ndim == 1 else mix(*weights, values)"""
MODULE = """\
class mix(Module):
    def forward(self, weights):
        return weights @ self.values"""
TOLD = {
    "Adds one value after another, each times its weight.": LOOPS,
    "Is a <b>module</b>.": MODULE,
}
RIGHT = "import numpy as np\n\ndef mix(weights, values):\n    return weights @ values\n"
WRONG = RIGHT.replace("weights @ values", "values.mean(axis=0)")


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's copy of a lesson, in a clone of its course."""
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "source").mkdir()
    write(tmp_path / "solutions" / "exams" / "mixing" / "mix.py")
    folder = tmp_path / "work" / "02_mixing"
    folder.mkdir(parents=True)
    (folder.parent / MANIFEST).write_text("{}")
    (folder / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    cells = [make_cell("code", RIGHT, "mix", solution=True)]
    nbformat.write(new_notebook(cells=cells), folder / f"{folder.name}.ipynb")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(after_a_pass, "_tellers", [])
    load_ipython_extension(InteractiveShell.instance())
    monkeypatch.delenv(purpose.VARIABLE, raising=False)
    return folder


def write(path: Path, text: str = EXAM) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def checked(answer: str, capsys: pytest.CaptureFixture[str]) -> str:
    namespace: dict[str, object] = {"check": check}
    run_cell(answer, namespace)
    run_cell("check(mix)", namespace)
    return capsys.readouterr().out


def test_answers_are_told_as_a_learner_would_have_written_them(lesson: Path) -> None:
    assert other_answers(lesson, "mix") == TOLD
    for code in TOLD.values():
        compile(code, "answer", "exec")


@pytest.mark.parametrize(
    "place",
    [
        "solutions/exams/mixing/mix/accepted.py",
        "solutions/exams/mixing.py",
        "mine/exams/mixing/mix.py",
    ],
)
def test_they_are_found_wherever_an_exam_may_stand(lesson: Path, place: str) -> None:
    root = lesson.parent.parent
    (root / "solutions" / "exams" / "mixing" / "mix.py").rename(root / "kept.py")
    assert other_answers(lesson, "mix") == {}
    write(root / place)
    assert other_answers(lesson, "mix") == TOLD
    assert other_answers(lesson, "nothing") == {}


@pytest.mark.parametrize(
    ("own", "others"),
    [
        (LOOPS.replace("total", "sum_so_far").replace("weights", "w"), 1),
        (LOOPS.replace("total = 0.0", "total: float = 0.0"), 1),
        (f'%time x = 1\n{LOOPS.replace("values):", "values: list) -> float:")}', 2),
        (LOOPS.replace("mix(weights, values, *, dtype='float64')",
                       "mix(weights: list, values, *, dtype='float64') -> float"), 1),
        (MODULE, 1),
        (LOOPS.replace("total + weight", "total - weight"), 2),
        (LOOPS.replace("def mix", "def blend"), 2),
        ("def mix(", 2),
        ("", 2),
    ],
)  # fmt: skip
def test_ones_own_answer_is_no_other(lesson: Path, own: str, others: int) -> None:
    assert len(other_answers(lesson, "mix", own)) == others


def test_no_more_than_three_are_told(lesson: Path) -> None:
    one = '@mixing.accepts\ndef way{n}(x):\n    """A way.\n\n    Way {n}.\n    """\n    return x\n'
    write(
        lesson.parent.parent / "solutions/exams/mixing/mix.py",
        "\n".join(one.format(n=n) for n in range(5)),
    )
    assert [*other_answers(lesson, "mix")] == ["Way 0.", "Way 1.", "Way 2."]


def test_file_that_is_no_python_tells_nothing(lesson: Path) -> None:
    write(lesson.parent.parent / "solutions/exams/mixing/mix.py", "def mix(:\n")
    assert other_answers(lesson, "mix") == {}


def test_they_stand_below_an_answer_that_passed(
    lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = checked(RIGHT, capsys)
    assert "  Other right answers:\n    Adds one value after another, each times" in shown
    assert "\n      def mix(weights, values, *, dtype='float64'):\n          total = 0.0" in shown


def test_wrong_answer_is_shown_none(lesson: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Other right" not in checked(WRONG, capsys)


@pytest.mark.parametrize("missing", ["solutions", "source", f"work/{MANIFEST}"])
def test_whoever_is_not_alone_in_a_clone_is_shown_none(
    lesson: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = lesson.parent.parent
    (root / missing).rename(root / "elsewhere")
    shown = checked(RIGHT, capsys)
    assert shown.startswith("mix: passed")
    assert "Other right" not in shown


@pytest.mark.parametrize("what_for", ["validate", "grade"])
def test_nor_is_whoever_validates_or_grades(
    lesson: Path,
    what_for: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(purpose.VARIABLE, what_for)
    assert "Other right" not in checked(RIGHT, capsys)


def test_card_keeps_them_behind_a_fold_and_inert() -> None:
    html = card(Report("mix", Verdict.PASSED), "1 of 1 done.", {**TOLD, "Compares.": "a < b"})
    fold = html[html.index("<details>") :]
    assert fold.startswith("<details><summary>Other right answers</summary>")
    assert "Is a &lt;b&gt;module&lt;/b&gt;." in fold
    assert "<pre>a &lt; b</pre></details>" in fold
    assert "<details>" not in card(Report("mix", Verdict.PASSED), "1 of 1 done.")
