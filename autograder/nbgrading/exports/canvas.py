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
- of a cell of digits, points and commas, all points and commas but the last are taken out, and
  that one is made a point;
- an empty cell is no score, and takes one away that is there.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from nbgrader.api import Gradebook, Student
from traitlets import Dict, Enum, Unicode

from autograder.nbgrading.exports.to_lms import LmsExport

_IDENTIFIERS = {"id": "ID", "sis_user_id": "SIS User ID", "sis_login_id": "SIS Login ID"}
_WORTH = "Points Possible"
# A student who is called so would be taken for the row that says what each assignment is worth.
_NO_WORTH = _WORTH.replace(" ", "\u00a0")
# A cell that Canvas takes for a number, and writes in another way.
_REWRITTEN = re.compile(r"-?(?![0-9]*(\.[0-9]+)?%?$)[0-9.,]+%?")


class CanvasExport(LmsExport):
    """Scores for Canvas: *Grades*, *Import*."""

    default = "canvas.csv"
    first_columns = ("Student", *_IDENTIFIERS.values(), "Section")

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

    def rows(self, gradebook: Gradebook) -> list[Sequence[Any]]:
        """What each lesson is worth, and a row for each student."""
        self._check_numbers([one.name for one in gradebook.assignments])
        lessons = self.lessons(gradebook)
        students = self._students(gradebook)
        columns = [self.scores(lesson, [*students.values()]) for lesson in lessons]
        for lesson, scores in zip(lessons, columns, strict=True):
            self.say_who_waits(lesson.name, scores)
        worth = [float(lesson.max_score) for lesson in lessons]
        return [
            [*self.first_columns, *(self._title(one) for one in lessons)],
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
        numbers = {name: one for name, one in found.items() if _is_number(name)}
        self.say(
            "left out, as their lms user id is no number of Canvas's (if it is their SIS User ID, "
            "export with --CanvasExport.identify_by=sis_user_id)",
            [one.id for name, one in found.items() if name not in numbers],
        )
        if not numbers:
            self.fail("no student has a number of Canvas's: nothing was exported")
        return numbers

    def as_compared(self, name: str) -> str:
        """Without the zeros in front, where Canvas reads a number."""
        return (name.lstrip("0") if self.identify_by == "id" else name).casefold()

    def reads_another(self, name: str) -> bool:
        """Whether Canvas takes it for a number that it writes in another way."""
        return self.identify_by != "id" and bool(_REWRITTEN.fullmatch(name))

    def _check_numbers(self, lessons: Sequence[str]) -> None:
        """End where a column would be another assignment's, or where two would be the same."""
        setting = "CanvasExport.assignment_ids"
        often = Counter(str(number).lstrip("0") for number in self.assignment_ids.values())
        for lesson, number in self.assignment_ids.items():
            if lesson not in lessons:
                known = ", ".join(lessons)
                self.fail(
                    f"{setting} names {lesson!r}, which is no assignment of the gradebook: name "
                    f"one of {known}"
                )
            if not _is_number(str(number)):
                self.fail(
                    f"{setting} has {number!r} for {lesson}: write Canvas's number, a positive "
                    "whole one"
                )
            if often[str(number).lstrip("0")] > 1:
                self.fail(
                    f"{setting} has {number} for {lesson} and for another lesson as well: write "
                    "each lesson's own number"
                )

    def _title(self, lesson: Any) -> str:
        number = self.assignment_ids.get(lesson.name)
        return lesson.name if number is None else f"{lesson.name} ({number})"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and bool(text.strip("0"))


def _name(student: Student) -> str:
    """A name that is nobody's at Canvas, which looks for it where it does not know the rest."""
    name = ", ".join(filter(None, (student.last_name, student.first_name)))
    return " ".join(filter(None, (name, f"[{student.id}]"))).replace(_WORTH, _NO_WORTH)
