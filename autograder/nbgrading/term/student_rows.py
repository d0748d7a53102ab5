"""What the roster and the gradebook hold of one student: row by row, under another id, or gone."""

import codecs
import csv
import io
from datetime import timedelta
from typing import Any

from nbgrader.api import Comment, Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import delete, insert, literal, select, text, update

from autograder.course import Course
from autograder.errors import RosterError
from autograder.nbgrading.term.roster import FILE, read_roster
from autograder.whole_file import write_whole

_SEPARATORS = ",;\t"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

Rows = list[list[Any]]


class RosterFile:
    """The roster as somebody has written it, of which one row changes and all else stays."""

    def __init__(self, course: Course) -> None:
        """Read it; a course without a roster has one without rows.

        Raises:
            RosterError: when it can't be read.
        """
        self._path = course.root / FILE
        self._encoding, self._lines, self._rows = "utf-8", list[str](), list[_Row]()
        if self._path.exists():
            read_roster(self._path, course.lesson_named)
            self._read(self._path.read_bytes())

    def _read(self, content: bytes) -> None:
        found = [name for mark, name in _MARKS.items() if content.startswith(mark)]
        self._encoding = found[0] if found else "utf-8"
        written = content.decode(self._encoding)
        self._separator = max(_SEPARATORS, key=written.partition("\n")[0].count)
        self._lines = [*io.StringIO(written, newline="")]
        reader, first = csv.reader(self._lines, delimiter=self._separator), 0
        for cells in reader:
            self._rows.append((slice(first, reader.line_num), cells))
            first = reader.line_num

    @property
    def columns(self) -> list[str]:
        """What the columns are called."""
        return self._rows[0][1] if self._rows else []

    def row(self, student: str) -> list[str]:
        """The cells of a student's row; none where there is no such row."""
        _, cells = self._find(student)
        return [cell.strip() for cell in cells]

    def rename(self, student: str, new: str) -> bool:
        """Give a row another id, or take it out where that is empty; whether there was one.

        Raises:
            RosterError: when another row has that id.
        """
        where, cells = self._find(student)
        if not cells:
            return False
        if new and self.row(new):
            raise RosterError(f"{self._path} has a row for {student} and one for {new}: delete one")
        self._lines[where] = [self._line(cells, new, self._lines[where][-1])] if new else []
        write_whole(self._path, "".join(self._lines).encode(self._encoding))
        return True

    def _line(self, cells: list[str], new: str, before: str) -> str:
        cells = [new if place == self._id else cell for place, cell in enumerate(cells)]
        ending = before[len(before.rstrip("\r\n")) :]
        line = io.StringIO(newline="")
        csv.writer(line, delimiter=self._separator, lineterminator=ending).writerow(cells)
        return line.getvalue()

    @property
    def _id(self) -> int:
        return [" ".join(name.split()).lower() for name in self.columns].index("id")

    def _find(self, student: str) -> "_Row":
        for where, cells in self._rows[1:]:
            if len(cells) > self._id and cells[self._id].strip() == student:
                return where, cells
        return slice(0), []


# Its lines, and its cells.
_Row = tuple[slice, list[str]]


def submissions_of(gradebook: Gradebook, student: str) -> list[Any]:
    """What the gradebook knows of what a student has handed in, by the lesson's name."""
    known = gradebook.db.get(Student, student)
    return sorted(known.submissions if known else (), key=lambda one: str(one.name))


def is_in(gradebook: Gradebook, student: str) -> bool:
    """Whether the gradebook knows a student."""
    return gradebook.db.get(Student, student) is not None


def tables(gradebook: Gradebook, student: str) -> dict[str, Rows]:
    """All rows of the gradebook that belong to a student, as tables with a row of headings."""
    known = gradebook.db.get(Student, student)
    if known is None:
        return {}
    columns = [column.name for column in Student.__table__.columns]
    found: dict[str, Rows] = {
        "student": [columns, [getattr(known, name) for name in columns]],
        "submissions": [_SUBMISSION],
        "grades": [[*_PLACE, *_GRADE]],
        "comments": [[*_PLACE, *_COMMENT]],
    }
    for submission in submissions_of(gradebook, student):
        for notebook in sorted(submission.notebooks, key=lambda one: str(one.name)):
            found["submissions"].append(_submission(submission, notebook))
            place = [submission.name, notebook.name]
            found["grades"] += _cells(place, notebook.grades, _GRADE)
            found["comments"] += _cells(place, notebook.comments, _COMMENT)
    return found


_PLACE = ["lesson", "notebook", "cell"]
_GRADE = ["auto_score", "manual_score", "extra_credit", "needs_manual_grade", "max_score"]
_COMMENT = ["auto_comment", "manual_comment"]
_SUBMISSION = [
    "lesson", "notebook", "handed_in", "due", "extension_days", "points", "out_of", "late_penalty",
]  # fmt: skip


def _submission(submission: Any, notebook: Any) -> list[Any]:
    extension = submission.extension
    return [
        submission.name, notebook.name, submission.timestamp, submission.assignment.duedate,
        extension / timedelta(days=1) if extension else None,
        notebook.score, notebook.max_score, notebook.late_submission_penalty,
    ]  # fmt: skip


def _cells(place: list[str], cells: Any, columns: list[str]) -> Rows:
    in_order = sorted(cells, key=lambda one: (str(one.name), str(one.id)))
    return [[*place, one.name, *(getattr(one, name) for name in columns)] for one in in_order]


def rename_rows(gradebook: Gradebook, student: str, new: str) -> None:
    """Have a student's row, and all that belongs to it, be under another id."""
    own = Student.__table__
    others = [column for column in own.columns if column.name != "id"]
    copied = select(literal(new), *others).where(own.c.id == student)
    submitted = SubmittedAssignment.__table__
    _at_once(
        gradebook,
        # A new row and not another id: PostgreSQL wants each submission to have a student.
        insert(own).from_select(["id", *(column.name for column in others)], copied),
        update(submitted).where(submitted.c.student_id == student).values(student_id=new),
        delete(own).where(own.c.id == student),
    )


def remove_rows(gradebook: Gradebook, student: str) -> None:
    """Delete a student's row, and all that belongs to it."""
    own, submitted = Student.__table__, SubmittedAssignment.__table__
    notebook, grade, comment = (kind.__table__ for kind in (SubmittedNotebook, Grade, Comment))
    handed_in = select(submitted.c.id).where(submitted.c.student_id == student)
    notebooks = select(notebook.c.id).where(notebook.c.assignment_id.in_(handed_in))
    # SQLite leaves the text of deleted rows in its file otherwise.
    is_sqlite = gradebook.db.get_bind().dialect.name == "sqlite"
    _at_once(
        gradebook,
        *([text("PRAGMA secure_delete = ON")] if is_sqlite else []),
        delete(grade).where(grade.c.notebook_id.in_(notebooks)),
        delete(comment).where(comment.c.notebook_id.in_(notebooks)),
        delete(notebook).where(notebook.c.assignment_id.in_(handed_in)),
        delete(submitted).where(submitted.c.student_id == student),
        delete(own).where(own.c.id == student),
    )


def _at_once(gradebook: Gradebook, *statements: Any) -> None:
    try:
        for one in statements:
            gradebook.db.execute(one)
        gradebook.db.commit()
    except BaseException:
        gradebook.db.rollback()
        raise
    # What was read before is of rows that are others now.
    gradebook.db.expire_all()
