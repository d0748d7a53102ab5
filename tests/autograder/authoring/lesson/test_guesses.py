"""A line to write a guess on, wherever a lesson asks what the next cell will do."""

from pathlib import Path

import nbformat
import pytest

from autograder.authoring.lesson.guesses import question_of
from autograder.authoring.lesson.notebook import source_notebook
from autograder.authoring.lesson.release import student_notebook
from autograder.checks.source.cells import grade_id_of
from tests.support.course import COURSE
from tests.support.samples import make_lesson

CODE = "```{code-cell} ipython3\nprint(1 + 1)\n```"
ASKED = "**Before you run this:** what will it print?"


def notebook(folder: Path, body: str) -> nbformat.NotebookNode:
    return student_notebook(source_notebook(make_lesson(folder / "02_words.md", body), {}, {}))


def test_line_stands_between_a_question_and_its_code(tmp_path: Path) -> None:
    made = notebook(tmp_path, f"# Title\n\nHere is a sum.\n\n{ASKED}\n\n{CODE}\n\nIt is 2.")
    asked, guess, code, _ = made.cells
    assert asked.source.endswith(ASKED)
    assert guess.cell_type == "markdown"
    assert len(guess.source.splitlines()) == 1
    assert code.source == "print(1 + 1)"
    assert question_of(guess)
    assert not any(map(question_of, (asked, code)))
    assert not grade_id_of(guess)
    nbformat.validate(made)


@pytest.mark.parametrize(
    "body",
    [
        f"{ASKED}\n\nNothing follows.",
        f"{ASKED}\n\nA paragraph more.\n\n{CODE}",
        f"See: {ASKED}\n\n{CODE}",
        f"**Before you run it again:** what now?\n\n{CODE}",
        f"{CODE}\n\n{ASKED}",
    ],
)
def test_no_line_where_no_question_stands_above_code(tmp_path: Path, body: str) -> None:
    assert not any(map(question_of, notebook(tmp_path, f"# Title\n\n{body}").cells))


def test_line_is_known_again_when_the_lesson_changes(tmp_path: Path) -> None:
    others = "**Before you run this:** and now?"
    before = notebook(tmp_path, f"# Title\n\n{ASKED}\n\n{CODE}").cells
    after = notebook(tmp_path, f"# Title\n\n{others}\n\n{CODE}\n\nMore.\n\n{ASKED}\n\n{CODE}").cells
    (guess,) = (cell for cell in before if question_of(cell))
    first, second = (cell for cell in after if question_of(cell))
    assert first.id != second.id
    assert (second.id, question_of(second)) == (guess.id, question_of(guess))


def test_each_question_of_the_course_has_one() -> None:
    for lesson in COURSE.lessons():
        text = COURSE.lesson_file(lesson).read_text("utf-8")
        path = COURSE.release_folder(lesson) / f"{lesson}.ipynb"
        cells = nbformat.read(path, as_version=4).cells
        guesses = [one for one in cells if question_of(one)]
        assert len(guesses) == text.count("\n**Before you run this:**") > 0, lesson
        assert len({cell.id for cell in guesses}) == len(guesses)


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_nothing_is_begun_by_a_double_click(lesson: str) -> None:
    """What is typed after one is taken for commands by JupyterLab, and some of these delete cells:
    the lesson says how else a text is opened.
    """
    path = COURSE.release_folder(lesson) / f"{lesson}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    assert not [cell.source for cell in cells if "double-click" in cell.source.lower()]
