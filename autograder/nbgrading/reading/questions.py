"""The questions of a course that a human reads, and how much of each is done.

These are answers in words, tasks, and tests that could not be graded by themselves, for whoever
those wait. Where nothing of a submission could be graded, such as of a broken upload, it stands
there itself and not with each of its tests.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import Select, and_, case, exists, func, select

from autograder.nbgrading.inbox.student_ids import is_student_id

Kind = Literal["answer", "task", "test"]


@dataclass(frozen=True)
class Question:
    """A graded cell of a lesson, whose answers a human reads.

    Attributes:
        cell: the gradebook's id of it.
        comment_on: the gradebook's id of the cell that comments belong to; "" where there is none.
        left: how many answers still wait.
        done: how many have been read, or were left blank.
    """

    lesson: str
    notebook: str
    name: str
    kind: Kind
    out_of: float
    cell: str
    comment_on: str
    left: int
    done: int


@dataclass(frozen=True)
class NotGraded:
    """A submitted notebook of which no test could be graded.

    Attributes:
        student: whose it is.
        name: how the gradebook calls the student.
        id: the gradebook's id of the notebook.
    """

    lesson: str
    student: str
    name: str
    id: str


def questions(gradebook: Gradebook) -> list[Question]:
    """All that is to be read or has been, lesson by lesson; tests come last in each."""
    found = _questions(gradebook, _counted())
    return sorted(found, key=lambda one: (one.lesson, one.kind == "test"))


def find_question(gradebook: Gradebook, lesson: str, notebook: str, name: str) -> Question | None:
    """One of them, by its names."""
    asked = (Assignment.name == lesson, Notebook.name == notebook, BaseCell.name == name)
    return next(_questions(gradebook, _counted().where(*asked)), None)


def question_of(gradebook: Gradebook, cell: str) -> Question | None:
    """One of them, by the gradebook's id of its cell."""
    return next(_questions(gradebook, _counted().where(BaseCell.id == cell)), None)


def not_graded(gradebook: Gradebook) -> list[NotGraded]:
    """The submissions that wait as a whole."""
    asked = (
        select(Assignment.name, SubmittedNotebook.id)
        .add_columns(Student.id, Student.last_name, Student.first_name)
        .select_from(SubmittedNotebook)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Student, SubmittedAssignment.student_id == Student.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .where(SubmittedNotebook.id.in_(as_a_whole()))
        .order_by(Assignment.name, SubmittedAssignment.student_id)
    )
    return [
        NotGraded(lesson, student, shown_name(student, *names), notebook)
        for lesson, notebook, student, *names in gradebook.db.execute(asked)
        if is_student_id(student)
    ]


def shown_name(student: str, last: str | None, first: str | None) -> str:
    """How a student is called where names are shown."""
    return ", ".join(filter(None, (last, first))) or student


def as_a_whole() -> Select[Any]:
    """The submitted notebooks with several tests, none of which could be graded."""
    other = BaseCell.__table__.alias()
    is_written = exists().where(
        other.c.notebook_id == BaseCell.notebook_id,
        other.c.name == BaseCell.name,
        other.c.type == SolutionCell.__name__,
    )
    waits = and_(Grade.needs_manual_grade, Grade.auto_score.is_(None))
    return (
        select(Grade.notebook_id)
        .join(BaseCell.__table__, Grade.cell_id == BaseCell.id)
        .where(BaseCell.type == GradeCell.__name__, ~is_written)
        .group_by(Grade.notebook_id)
        .having(func.count() > 1, func.count() == func.sum(case((waits, 1), else_=0)))
    )


def _counted() -> Select[Any]:
    waits = func.sum(case((Grade.needs_manual_grade, 1), else_=0))
    is_done = and_(Grade.manual_score.is_not(None), ~Grade.needs_manual_grade)
    by_hand = func.sum(case((is_done, 1), else_=0))
    out_of = func.coalesce(GradeCell.__table__.c.max_score, TaskCell.__table__.c.max_score)
    names = (Assignment.name, Notebook.name, BaseCell.name)
    which = (*names, BaseCell.type, BaseCell.id, Notebook.id, out_of)
    return (
        select(*which, func.count(), waits, by_hand)
        .select_from(Grade)
        .join(BaseCell.__table__, Grade.cell_id == BaseCell.id)
        .join(GradeCell.__table__, GradeCell.__table__.c.id == BaseCell.id, isouter=True)
        .join(TaskCell.__table__, TaskCell.__table__.c.id == BaseCell.id, isouter=True)
        .join(Notebook, BaseCell.notebook_id == Notebook.id)
        .join(Assignment, Notebook.assignment_id == Assignment.id)
        .where(Grade.notebook_id.not_in(as_a_whole()))
        .group_by(*which)
        .order_by(*names)
    )


def _questions(gradebook: Gradebook, counted: Select[Any]) -> Iterator[Question]:
    written = {(cell.notebook_id, cell.name): cell.id for cell in _solutions(gradebook)}
    for row in gradebook.db.execute(counted):
        lesson, notebook, name, type_, cell, in_notebook, out_of, given, waits, by_hand = row
        own = written.get((in_notebook, name), "")
        kind: Kind = "task" if type_ == TaskCell.__name__ else "answer" if own else "test"
        examined = written.get((in_notebook, name.removesuffix("_check")), "")
        comment_on = cell if kind == "task" else own or examined
        total = waits + by_hand if kind == "test" else given
        if total:
            yield Question(
                lesson, notebook, name, kind, out_of, cell, comment_on, waits, max(0, total - waits)
            )


def _solutions(gradebook: Gradebook) -> list[SolutionCell]:
    return list(gradebook.db.scalars(select(SolutionCell)))
