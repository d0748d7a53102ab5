"""The table of grades that `nbgrader export` writes, for programs that calculate.

They take a name that begins with `=` for a formula, which may fetch a page or start a program; and
nbgrader writes names as they are, so that a comma in one moves all scores behind it.
"""

import csv
import re
from collections.abc import Iterator
from typing import Any

from nbgrader.api import Assignment, Gradebook, MissingEntry, Student
from nbgrader.plugins import CsvExportPlugin

_FORMULA = re.compile(r"[\s\x00-\x1f]*[=+\-@|%]")
_COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip


class SafeCsvExport(CsvExportPlugin):  # type: ignore[misc]
    """nbgrader's table, with every name as text."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the table, to grades.csv where nothing else is asked for."""
        destination = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", destination)
        with open(destination, "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
            table.writerow(_COLUMNS)
            table.writerows(self._rows(gradebook))

    def _rows(self, gradebook: Gradebook) -> Iterator[list[Any]]:
        lessons, students = set(map(str, self.assignment)), set(map(str, self.student))
        for lesson in gradebook.assignments:
            for student in gradebook.students:
                wanted = (not lessons or lesson.name in lessons) and (
                    not students or student.id in students
                )
                if wanted:
                    yield [as_text(value) for value in _row(gradebook, lesson, student)]


def as_text(value: Any) -> Any:
    """A value as a cell that nobody calculates."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return "" if value is None else value


def _row(gradebook: Gradebook, lesson: Assignment, student: Student) -> list[Any]:
    try:
        submission = gradebook.find_submission(lesson.name, student.id)
        score, penalty = submission.score, submission.late_submission_penalty
        timestamp = submission.timestamp
    except MissingEntry:
        score, penalty, timestamp = 0.0, 0.0, ""
    names = student.id, student.last_name, student.first_name, student.email
    earned = score, penalty, max(0.0, score - penalty), lesson.max_score
    return [lesson.name, lesson.duedate, timestamp, *names, *earned]
