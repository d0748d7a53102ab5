"""A table that Canvas imports into its gradebook.

The columns are those of "How do I import grades in the Gradebook?",
https://community.instructure.com/en/kb/articles/660862-how-do-i-import-grades-in-the-gradebook,
and how they are read is in Canvas's source,
https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_importer.rb:

- the first row names the columns, and the last before the assignments holds the word Section;
- an assignment is `Title (id)`; without a known id it is looked for by its title, and a new one is
  offered to be made where there is none;
- a row whose first cell includes `Points Possible`, whoever's it is, sets what each is worth;
- who a row belongs to is read from `ID`, then from `SIS User ID`, then from `SIS Login ID`, and at
  last from the name. `ID` is read as a number, and "12abc" as 12;
- an empty cell is no score, and takes one away that is there.
"""

from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, Student
from traitlets import Dict, Enum, Unicode

from autograder.checks.card.spreadsheet import write_table
from autograder.nbgrading.exports.to_lms import LmsExport

_IDENTIFIERS = {"id": "ID", "sis_user_id": "SIS User ID", "sis_login_id": "SIS Login ID"}
_WORTH = "Points Possible"
# A student who is called so would be taken for the row that says what each assignment is worth.
_NO_WORTH = _WORTH.replace(" ", "\u00a0")


class CanvasExport(LmsExport):
    """Scores for Canvas: *Grades*, *Import*."""

    identify_by = Enum(
        list(_IDENTIFIERS),
        "id",
        help="How Canvas knows a student: `id` (the number in Canvas's own export) and "
        "`sis_user_id` are what nbgrader calls lms_user_id; `sis_login_id` is nbgrader's student.",
    ).tag(config=True)
    assignment_ids = Dict(
        help="Canvas's number for each lesson, as in its own export: {'week1': 1234}. A lesson "
        "without one is matched by its title."
    ).tag(config=True)
    section = Unicode(help="What stands in the column Section.").tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Write the table, to canvas.csv where nothing else is asked for."""
        destination = self.to or "canvas.csv"
        self.log.info("Exporting grades for Canvas to %s", destination)
        write_table(Path(destination), self._rows(gradebook))

    def _rows(self, gradebook: Gradebook) -> list[list[Any]]:
        lessons = self.lessons(gradebook)
        students = self._students(gradebook)
        columns = [self.scores(lesson, [*students.values()]) for lesson in lessons]
        for lesson, scores in zip(lessons, columns, strict=True):
            self.say_who_waits(lesson.name, [*scores.items()])
        worth = [float(lesson.max_score) for lesson in lessons]
        return [
            ["Student", *_IDENTIFIERS.values(), "Section", *(self._title(one) for one in lessons)],
            [f"    {_WORTH}", "", "", "", "", *worth],
            *(
                [
                    _name(student),
                    *(name if one == self.identify_by else "" for one in _IDENTIFIERS),
                    self.section,
                    *(self.final(scores[student.id]) for scores in columns),
                ]
                for name, student in students.items()
            ),
        ]

    def _students(self, gradebook: Gradebook) -> dict[str, Student]:
        if self.identify_by == "sis_login_id":
            return self.known_there(gradebook, "id")
        found = self.known_there(gradebook, "lms_user_id")
        if self.identify_by == "sis_user_id":
            return found
        numbers = {name: one for name, one in found.items() if name.isascii() and name.isdigit()}
        self.say(
            "left out, as their lms user id is no number of Canvas's (if it is their SIS User ID, "
            "export with --CanvasExport.identify_by=sis_user_id)",
            [one.id for name, one in found.items() if name not in numbers],
        )
        if not numbers:
            self.fail("no student has a number of Canvas's: nothing was exported")
        return numbers

    def _title(self, lesson: Any) -> str:
        number = self.assignment_ids.get(lesson.name)
        return lesson.name if number is None else f"{lesson.name} ({number})"


def _name(student: Student) -> str:
    name = ", ".join(filter(None, (student.last_name, student.first_name))) or str(student.id)
    return name.replace(_WORTH, _NO_WORTH)
