"""What the grading of a class of the tiny course came to, to be compared with another one."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook

from autograder.grading.exam_seed import exam_seed_of
from autograder.grading.record import RECORD_SUFFIX
from tests.support.course import ROOT
from tests.support.tiny_course import ANSWERS, DOUBLE, LESSON, hand_in, tiny_course

_RIGHT = {**ANSWERS, "why": "It is what it is."}
_WRONG = "def double(x):\n    return 7"
# Two of each: right, wrong, an unfinished one, one that ends its process, one that prints much.
STUDENTS = [
    _RIGHT,
    {**_RIGHT, "double": _WRONG},
    {**_RIGHT, "fourfold": "def fourfold(x):\n    raise NotImplementedError"},
    {**_RIGHT, "double": "import os\nos._exit(1)"},
    {**_RIGHT, "double": f"{DOUBLE}\nfor n in range(10_000):\n    print('x' * 90)"},
    {**_RIGHT, "why": "YOUR ANSWER HERE"},
] * 2


@dataclass(frozen=True)
class Outcome:
    """What a class came to: scores in the gradebook, and records without their times."""

    scores: dict[str, dict[str, float | None]]
    records: dict[str, dict[str, Any]]
    files: list[str]

    @classmethod
    def of(cls, root: Path, gradebook: str = "") -> "Outcome":
        """What is there now.

        Args:
            root: the course's folder.
            gradebook: where the gradebook is, if not in that folder.
        """
        scores, records = {}, {}
        where = gradebook or f"sqlite:///{root / 'gradebook.db'}"
        with Gradebook(where, "attention") as book:
            for submission in book.assignment_submissions(LESSON):
                (notebook,) = submission.notebooks
                grades = {grade.cell.name: grade.auto_score for grade in notebook.grades}
                scores[submission.student.id] = grades
        for path in folders(root):
            nbformat.validate(nbformat.read(path / f"{LESSON}.ipynb", as_version=4))
            record = read_record(path)
            del record["time"]
            for part in (record, *record["cells"]):
                del part["seconds"]
            records[path.parent.name] = record
        graded = root / "autograded"
        return cls(scores, records, sorted(str(p.relative_to(graded)) for p in graded.rglob("*")))


def folders(root: Path) -> list[Path]:
    return sorted((root / "autograded").glob(f"*/{LESSON}"))


def read_record(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / f"{LESSON}{RECORD_SUFFIX}").read_text())
    return record


def class_of_twelve(root: Path) -> Path:
    """A new tiny course, in which a class of twelve has handed in and nothing is graded."""
    root.mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", root)
    tiny_course(root)
    # As `autograder generate` does: the copies of a course draw their hidden cases alike.
    exam_seed_of(root)
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for number, answers in enumerate(STUDENTS):
        for cell in released.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            cell.source = answers.get(grade_id, cell.source)
        hand_in(root, f"student-{number:02}", nbformat.writes(released).encode())
    return root
