"""A table that Moodle imports: *Grades*, *Import*, *CSV file*.

The format is that of https://docs.moodle.org/en/Grade_import, and how it is read is in Moodle's
source, https://github.com/moodle/moodle/blob/main/grade/import/csv/classes/load_data.php:

- the teacher says which column identifies a student and which belongs to which grade item;
- the grades of a row that identifies nobody go to the student of the row before, and one that
  identifies an unknown student ends the import;
- an empty grade is no grade, and takes one away that is there;
- a feedback column must be imported together with its grades;
- feedback is read as HTML;
- no grade may be above 100, unless the site allows it.

Moodle reads CSV with PHP's `fgetcsv`, to which a backslash in front of a quote means that the quote
does not end the cell: https://www.php.net/manual/en/function.fgetcsv.php.
"""

from html import escape
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from traitlets import Bool, Enum

from autograder.checks.card.spreadsheet import write_table
from autograder.nbgrading.exports.found import in_words
from autograder.nbgrading.exports.to_lms import LmsExport

# What Moodle calls it, and the gradebook's column for it.
_IDENTIFIERS = {
    "id_number": ("ID number", "lms_user_id"),
    "email": ("Email address", "email"),
    "username": ("Username", "id"),
}
_MOST = 100


class MoodleExport(LmsExport):
    """Scores for Moodle, with what was found as feedback."""

    identify_by = Enum(
        list(_IDENTIFIERS),
        "id_number",
        help="How Moodle knows a student: `id_number` is what nbgrader calls lms_user_id, `email` "
        "the email address, and `username` nbgrader's student.",
    ).tag(config=True)
    feedback = Bool(True, help="Add a column with what was found to each lesson.").tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Write the table, to moodle.csv where nothing else is asked for."""
        destination = self.to or "moodle.csv"
        self.log.info("Exporting grades for Moodle to %s", destination)
        rows = [[_for_php(value) for value in row] for row in self._rows(gradebook)]
        write_table(Path(destination), rows)

    def _rows(self, gradebook: Gradebook) -> list[list[Any]]:
        title, column = _IDENTIFIERS[self.identify_by]
        students = self.known_there(gradebook, column)
        header = ["First name", "Last name", title]
        rows = {
            name: [student.first_name or "", student.last_name or "", name]
            for name, student in students.items()
        }
        for lesson in self.lessons(gradebook):
            if lesson.max_score > _MOST:
                self.log.warning(
                    "%s is worth %g points: Moodle refuses grades above %d, unless "
                    "`unlimitedgrades` is on.", lesson.name, lesson.max_score, _MOST,
                )  # fmt: skip
            scores = self.scores(lesson, [*students.values()])
            self.say_who_waits(lesson.name, [*scores.items()])
            header += [lesson.name, *([f"{lesson.name} (Feedback)"] if self.feedback else ())]
            for name, student in students.items():
                score = scores[student.id]
                rows[name].append(self.final(score))
                if self.feedback:
                    rows[name].append(escape(in_words(self, score), quote=False) if score else "")
        return [header, *rows.values()]


def _for_php(value: Any) -> Any:
    """A text in which no backslash stands in front of a quote, that at its end included."""
    if not isinstance(value, str):
        return value
    return value.replace('\\"', '\\ "') + (" " if value.endswith("\\") else "")
