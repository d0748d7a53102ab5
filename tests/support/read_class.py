"""A class whose answers wait to be read: graded notebooks, records, and the gradebook."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook

from autograder.checks.exam.report import Verdict
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record
from tests.support.gradebooks import gradebook_in
from tests.support.samples import make_cell

LESSON, WHY, TEST = "week1", "why", "double_check"
OUT_OF = 4
QUESTION = "Why is $2x$ even?"
SCHEME = "- 2 points: it has the factor 2."
MISTAKE = "It triples: look at the factor."
# Nobody wrote anything here.
BLANK = "YOUR ANSWER HERE"
# Left out of the notebook is who must not be found in a page.
NAMES = {"ada": ("Lovelace", "Augusta"), "ben": ("Jonson", "Benjamin"), "cleo": ("", "")}


def source_notebook() -> NotebookNode:
    """An exercise with its test, and a question with its marking scheme."""
    asked = f"{QUESTION}\n\n### BEGIN MARK SCHEME\n{SCHEME}\n### END MARK SCHEME"
    return new_notebook(
        cells=[
            make_cell("markdown", "Write `double`.", "double_question"),
            make_cell("code", "def double(x):\n    return 2 * x", "double", solution=True),
            make_cell("code", "assert double(3) == 6", TEST, grade=True, points=2),
            make_cell("markdown", asked, f"{WHY}_question"),
            make_cell("markdown", BLANK, WHY, solution=True, grade=True, points=OUT_OF),
        ]
    )


def answered_class(root: Path, answers: Mapping[str, str]) -> dict[str, str]:
    """A course in a folder, with these answers to its question.

    Returns:
        the gradebook's id of each student's points.
    """
    write(root / "source" / LESSON, source_notebook())
    for student, text in answers.items():
        answer(root, student, text)
    with pytest.MonkeyPatch.context() as patch, gradebook_in(root, patch) as gradebook:
        return entered(gradebook, answers)


def entered(gradebook: Gradebook, answers: Mapping[str, str]) -> dict[str, str]:
    """The class in a new gradebook: the id of each student's points."""
    gradebook.add_assignment(LESSON)
    gradebook.add_notebook(LESSON, LESSON)
    place = (LESSON, LESSON)
    gradebook.add_grade_cell(TEST, *place, max_score=2.0, cell_type="code")
    gradebook.add_grade_cell(WHY, *place, max_score=float(OUT_OF), cell_type="markdown")
    for name in ("double", WHY):
        gradebook.add_solution_cell(name, *place)
    found = {
        student: _hand_in(gradebook, student, is_blank=text == BLANK)
        for student, text in answers.items()
    }
    gradebook.db.commit()
    return found


def answer(root: Path, student: str, text: str) -> None:
    """Have a student's graded notebook, and its record, say this."""
    notebook = source_notebook()
    notebook.cells[-1].source = text
    folder = root / "autograded" / student / LESSON
    write(folder, notebook)
    cell = CellRecord(
        grade_id=TEST, verdict=Verdict.WRONG, points=0, max_points=2, misconception="triples",
        hint=MISTAKE,
    )  # fmt: skip
    (folder / f"{LESSON}{RECORD_SUFFIX}").write_text(Record(cells=(cell, cell)).text())


def write(folder: Path, notebook: NotebookNode) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")


@contextmanager
def gradebook_at(root: Path) -> Iterator[Gradebook]:
    """The gradebook, as somebody else opens it."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "course") as gradebook:
        yield gradebook


def row(root: Path, student: str) -> dict[str, Any]:
    """What the gradebook has of a student's answer."""
    with gradebook_at(root) as gradebook:
        grade = gradebook.find_grade(WHY, LESSON, LESSON, student)
        comment = gradebook.find_comment(WHY, LESSON, LESSON, student)
        return {
            "points": grade.manual_score,
            "extra": grade.extra_credit,
            "waits": grade.needs_manual_grade,
            "comment": comment.manual_comment,
            "score": grade.score,
        }


def _hand_in(gradebook: Gradebook, student: str, *, is_blank: bool) -> str:
    last, first = NAMES.get(student, ("", ""))
    gradebook.add_student(student, last_name=last or None, first_name=first or None)
    gradebook.add_submission(LESSON, student)
    test = gradebook.find_grade(TEST, LESSON, LESSON, student)
    test.auto_score, test.needs_manual_grade = 0.0, False
    grade = gradebook.find_grade(WHY, LESSON, LESSON, student)
    if is_blank:
        grade.auto_score, grade.needs_manual_grade = 0.0, False
    return str(grade.id)
