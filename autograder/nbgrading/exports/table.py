"""The table of grades that `nbgrader export` writes, for spreadsheets and programs.

It has nbgrader's columns, and behind them whether a part of the score still waits for a human,
which nbgrader counts as 0, what was noticed of the submission as a whole, and by how much it was
due later than others'. Times are in UTC and say so, as `2026-11-30T22:59:00Z`.
https://nbgrader.readthedocs.io/en/stable/plugins/export-plugin.html
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from nbgrader.api import Assignment, Gradebook, Student

from autograder.grading.record import noticed
from autograder.nbgrading.exports.found import records_of
from autograder.nbgrading.exports.scores import NOT_GRADED, Score, TableExport

_COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score", "needs_manual_grade",
    "noticed", "extension",
)  # fmt: skip


class SafeCsvExport(TableExport):
    """nbgrader's table, with every name as text."""

    default = "grades.csv"
    # Later ones are newer than some tables that are to be written again.
    first_columns = _COLUMNS[:4]

    def rows(self, gradebook: Gradebook) -> Iterator[Sequence[Any]]:
        """A row for each student and lesson."""
        yield _COLUMNS
        students = self.students(gradebook)
        for lesson in self.lessons(gradebook):
            scores = self.scores(lesson, students)
            for student in students:
                yield self._row(lesson, student, scores[student.id])

    def _row(self, lesson: Assignment, student: Student, score: Score | None) -> list[Any]:
        names = student.id, student.last_name, student.first_name, student.email
        if score is None or score is NOT_GRADED:
            told = ("True", "not graded yet") if score else ("False", "")
            none = 0.0, 0.0, 0.0, lesson.max_score, *told, ""
            return [lesson.name, _in_utc(lesson.duedate), "", *names, *none]
        earned = score.earned, score.penalty, score.total, lesson.max_score
        submission = score.submission
        times = _in_utc(lesson.duedate), _in_utc(submission.timestamp)
        notices = noticed(records_of(self, submission).values(), waits=score.waits)
        last = str(score.waits), "; ".join(notices), str(submission.extension or "")
        return [lesson.name, *times, *names, *earned, *last]


def _in_utc(time: datetime | None) -> str:
    """A time of the gradebook's, which keeps them in UTC and without a zone."""
    return f"{time.isoformat()}Z" if time else ""
