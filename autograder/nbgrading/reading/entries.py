"""What the gradebook has of each answer to one question, in the order in which they are read."""

import hashlib
from dataclasses import dataclass
from typing import Any

from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Select, and_, or_, select

from autograder.errors import NotSaved
from autograder.nbgrading.inbox.student_ids import is_student_id
from autograder.nbgrading.reading.questions import (
    Question,
    as_a_whole,
    question_of,
    shown_name,
)

_GONE = "the gradebook no longer has this answer: go back to the list of questions"


@dataclass(frozen=True)
class Marks:
    """What a tutor gives for an answer: points, or None for none yet, and a comment."""

    points: float | None
    comment: str


@dataclass(frozen=True)
class Entry:
    """An answer in the gradebook.

    Attributes:
        grade: the gradebook's id of its points.
        remark: the gradebook's id of its comment; "" where it can have none.
        student: whose it is.
        name: how the gradebook calls the student.
        given: what a human gave.
        automatic: the points without a human, such as 0 for a blank answer.
        extra: points beyond what the question is worth.
        waits: whether a human has still to read it.
    """

    grade: str
    remark: str
    student: str
    name: str
    given: Marks
    automatic: float | None
    extra: float
    waits: bool


def entries(gradebook: Gradebook, question: Question, *, named: bool) -> list[Entry]:
    """All answers to a question.

    Args:
        gradebook: whose rows they are.
        question: what was asked.
        named: in the order of names; otherwise in one that tells nothing of them.
    """
    asked = _asked(question).where(Grade.notebook_id.not_in(as_a_whole()))
    if question.kind == "test":
        asked = asked.where(or_(Grade.needs_manual_grade, Grade.manual_score.is_not(None)))
    found = map(_entry, gradebook.db.execute(asked))
    order = _by_name if named else _by_digest
    return sorted((one for one in found if is_student_id(one.student)), key=order)


def find_entry(gradebook: Gradebook, grade: str) -> tuple[Question, Entry]:
    """One answer, by the gradebook's id of its points, as it is now.

    Raises:
        NotSaved: when the gradebook no longer has it.
    """
    cell = gradebook.db.scalar(select(Grade.cell_id).where(Grade.id == grade))
    question = question_of(gradebook, cell) if cell else None
    row = (
        gradebook.db.execute(_asked(question).where(Grade.id == grade)).first()
        if question
        else None
    )
    if question is None or row is None:
        raise NotSaved(_GONE)
    return question, _entry(row)


def _asked(question: Question) -> Select[Any]:
    of_it = and_(
        Comment.notebook_id == SubmittedNotebook.id, Comment.cell_id == question.comment_on
    )
    points = (
        Grade.id, Grade.manual_score, Grade.auto_score, Grade.extra_credit, Grade.needs_manual_grade
    )  # fmt: skip
    return (
        select(*points, Comment.id, Comment.manual_comment)
        .add_columns(Student.id, Student.last_name, Student.first_name)
        .select_from(Grade)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Student, SubmittedAssignment.student_id == Student.id)
        .join(Comment, of_it, isouter=True)
        .where(Grade.cell_id == question.cell)
    )


def _entry(row: Any) -> Entry:
    grade, by_hand, automatic, extra, waits, remark, comment, student, last, first = row
    return Entry(
        grade=grade,
        remark=remark or "",
        student=student,
        name=shown_name(student, last, first),
        given=Marks(by_hand, comment or ""),
        automatic=automatic,
        extra=extra or 0.0,
        waits=bool(waits),
    )


def _by_name(entry: Entry) -> tuple[str, str]:
    return entry.name, entry.student


def _by_digest(entry: Entry) -> tuple[str, str]:
    return hashlib.sha256(entry.grade.encode()).hexdigest(), entry.grade
