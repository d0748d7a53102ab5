"""The table of grades that `nbgrader export` writes, for spreadsheets and programs.

It has nbgrader's columns, and behind them whether a part of the score still waits for a human,
which nbgrader counts as 0, what was noticed of the submission as a whole, and by how much it was
due later than others'. Times are in UTC and say so, as `2026-11-30T22:59:00Z`.
https://nbgrader.readthedocs.io/en/stable/plugins/export-plugin.html
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Gradebook, Student

from autograder.checks.card.spreadsheet import write_table
from autograder.grading.record import noticed, records_in
from autograder.nbgrading.exports.found import graded_folder
from autograder.nbgrading.exports.scores import Score, ScoresExport

_COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score", "needs_manual_grade",
    "noticed", "extension",
)  # fmt: skip


class SafeCsvExport(ScoresExport):
    """nbgrader's table, with every name as text."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the table, to grades.csv where nothing else is asked for."""
        destination = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", destination)
        write_table(Path(destination), [_COLUMNS, *self._rows(gradebook)])

    def _rows(self, gradebook: Gradebook) -> Iterator[list[Any]]:
        students = self.students(gradebook)
        for lesson in self.lessons(gradebook):
            scores = self.scores(lesson, students)
            for student in students:
                yield self._row(lesson, student, scores[student.id])

    def _row(self, lesson: Assignment, student: Student, score: Score | None) -> list[Any]:
        names = student.id, student.last_name, student.first_name, student.email
        if score is None:
            none = 0.0, 0.0, 0.0, lesson.max_score, "False", "", ""
            return [lesson.name, _in_utc(lesson.duedate), "", *names, *none]
        earned = score.earned, score.penalty, score.total, lesson.max_score
        submission = score.submission
        times = _in_utc(lesson.duedate), _in_utc(submission.timestamp)
        notices = noticed(records_in(graded_folder(self, submission)), waits=score.waits)
        told = str(score.waits), "; ".join(notices), str(submission.extension or "")
        return [lesson.name, *times, *names, *earned, *told]


def _in_utc(time: datetime | None) -> str:
    """A time of the gradebook's, which keeps them in UTC and without a zone."""
    return f"{time.isoformat()}Z" if time else ""
