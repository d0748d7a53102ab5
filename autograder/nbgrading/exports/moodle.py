"""A table that Moodle imports: *Grades*, *Import*, *CSV file*.

The format is that of https://docs.moodle.org/en/Grade_import, and how it is read is in Moodle's
source, https://github.com/moodle/moodle/blob/main/grade/import/csv/classes/load_data.php:

- the teacher says which column identifies a student and which belongs to which grade item;
- the grades of a row that identifies nobody go to the student of the row before, and one that
  identifies an unknown student ends the import;
- to PHP, an identifier `0` is none;
- an empty grade is no grade, and takes one away that is there;
- a feedback column must be imported together with its grades;
- feedback is read as HTML;
- no grade may be above 100, unless the site allows it.

Moodle reads CSV with PHP's `fgetcsv`, to which a backslash in front of a quote means that the quote
does not end the cell: https://www.php.net/manual/en/function.fgetcsv.php.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from nbgrader.api import Gradebook
from traitlets import Bool, Enum

from autograder.nbgrading.exports.found import in_words
from autograder.nbgrading.exports.scores import FEW, NOT_GRADED
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

    default = "moodle.csv"
    first_columns = ("First name", "Last name")

    identify_by = Enum(
        list(_IDENTIFIERS),
        "id_number",
        help="How Moodle knows a student: `id_number` is what nbgrader calls lms_user_id, `email` "
        "the email address, and `username` nbgrader's student.",
    ).tag(config=True)
    feedback = Bool(True, help="Add a column with what was found to each lesson.").tag(config=True)

    def rows(self, gradebook: Gradebook) -> Iterator[Sequence[Any]]:
        """A row for each student, as PHP is to read it."""
        for row in self._rows(gradebook):
            yield [_for_php(value) for value in row]

    def reads_another(self, name: str) -> bool:
        """Whether PHP would read nothing, or what has to be changed for it."""
        return name == "0" or _for_php(name) != name

    def _rows(self, gradebook: Gradebook) -> list[list[Any]]:
        title, column = _IDENTIFIERS[self.identify_by]
        students = self.known_there(gradebook, column)
        header = [*self.first_columns, title]
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
            self.say_who_waits(lesson.name, scores)
            self.say(
                f"{lesson.name}: Moodle refuses a score above {_MOST}, unless `unlimitedgrades` "
                "is on",
                [
                    name
                    for name, score in scores.items()
                    if score and not score.waits and score.total > _MOST
                ],
                FEW,
            )
            header += [lesson.name, *([f"{lesson.name} (Feedback)"] if self.feedback else ())]
            for name, student in students.items():
                score = scores[student.id]
                rows[name].append(self.final(score))
                if self.feedback:
                    words = in_words(self, score) if score and score is not NOT_GRADED else ""
                    rows[name].append(escape(words, quote=False))
        return [header, *rows.values()]


def _for_php(value: Any) -> Any:
    """A text in which no backslash stands in front of a quote, that at its end included."""
    if not isinstance(value, str):
        return value
    return value.replace('\\"', '\\ "') + (" " if value.endswith("\\") else "")
