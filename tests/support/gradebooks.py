"""A gradebook of a class with everything that an export has to think of."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from nbgrader.api import Gradebook
from traitlets.config import Config

from autograder.checks.exam.report import Place, Verdict
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record

# Names that spreadsheets would calculate or take apart.
NAMES = (
    '=HYPERLINK("http:report.html")', "=cmd()|' /C calc'!A0", "+1+1", "-2", "@SUM(1)", "\t=1",
    " =1", "|calc", "%0A=1", "a,b", 'a"b', "a\nb", "\r=1", "a;b", 'back\\', 'back\\"', "Ada",
)  # fmt: skip
HINT = "Divide by the root of the width, not by the width: <b>2</b> < 3."
LESSONS = ("week1", "week2")
CELLS = {"scale_check": 4.0, "mix_check": 2.0, "why": 3.0}


@contextmanager
def gradebook_in(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gradebook]:
    """A new gradebook, without students or lessons."""
    # It calls a program that lies beside Python.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    (root / "gradebook.db").write_bytes(_empty())
    with warnings.catch_warnings():
        # nbgrader's own use of SQLAlchemy, as when it grades.
        warnings.filterwarnings("ignore", message="Object of type .* not in session")
        with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "course") as gradebook:
            yield gradebook


@cache
def _empty() -> bytes:
    """An empty gradebook, which takes seconds to make."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gradebook.db"
        with Gradebook(f"sqlite:///{path}", "course"):
            pass
        return path.read_bytes()


def add_lessons(gradebook: Gradebook) -> None:
    """Two lessons of 9 points: two tests and an answer in words."""
    for lesson in LESSONS:
        gradebook.add_assignment(lesson)
        gradebook.add_notebook(lesson, lesson)
        for name, points in CELLS.items():
            kind = "markdown" if name == "why" else "code"
            gradebook.add_grade_cell(name, lesson, lesson, max_score=points, cell_type=kind)
        for name in ("scale", "why"):
            gradebook.add_solution_cell(name, lesson, lesson)


def hand_in(
    gradebook: Gradebook, lesson: str, student: str, scale: float, mix: float, why: float | None,
    penalty: float | None = None,
) -> None:  # fmt: skip
    """A graded submission; its answer in words waits where `why` is None."""
    gradebook.add_submission(lesson, student)
    for name, points in {"scale_check": scale, "mix_check": mix, "why": why}.items():
        grade = gradebook.find_grade(name, lesson, lesson, student)
        grade.needs_manual_grade = points is None
        # A human has the last word about answers in words.
        setattr(grade, "manual_score" if name == "why" else "auto_score", points)
    notebook = gradebook.find_submission_notebook(lesson, lesson, student)
    notebook.late_submission_penalty = penalty
    gradebook.db.commit()


def keep_record(root: Path, lesson: str, student: str, places: tuple[Place, ...] = ()) -> None:
    """The record beside a graded notebook: one exercise with a hint, one that was stopped.

    Or the other one is wrong in these places.
    """
    folder = root / "autograded" / student / lesson
    folder.mkdir(parents=True)
    worth: dict[str, Any] = {"points": 0.0, "max_points": 2.0}
    cells = (
        CellRecord(grade_id="scale_check", verdict=Verdict.WRONG, hint=HINT, **worth),
        CellRecord(
            grade_id="mix_check",
            verdict=Verdict.WRONG if places else Verdict.TIMEOUT,
            places=places,
            **worth,
        ),
    )
    (folder / f"{lesson}{RECORD_SUFFIX}").write_text(Record(cells=cells).text())


def course_at(root: Path) -> Config:
    """What tells a plugin where the course is."""
    return Config({"CourseDirectory": {"root": str(root)}})
