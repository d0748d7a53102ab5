"""What Canvas and Moodle have in common: who is who there, and which score is final.

Both match rows to people. A row that matches nobody, or the wrong person, is worse than none: so
whoever can't be matched for sure is left out, and the log says who and why.
"""

from collections import Counter

from nbgrader.api import Gradebook, Student
from traitlets import Bool

from autograder.checks.card.spreadsheet import as_text
from autograder.nbgrading.exports.scores import FEW, Score, Scores, TableExport


class LmsExport(TableExport):
    """An export with a row for each student, whom the other program knows by an identifier."""

    missing_as_zero = Bool(
        False, help="Write 0, and not an empty cell, for a student who handed nothing in."
    ).tag(config=True)

    def known_there(self, gradebook: Gradebook, column: str) -> dict[str, Student]:
        """The students by a column of the gradebook, without those who can't be told for sure."""
        students = self.students(gradebook)
        # Whoever is not asked for may be who a row would be taken for.
        everybody = filter(None, (_named(one, column) for one in gradebook.students))
        often = Counter(map(self.as_compared, everybody))
        named = {one.id: _named(one, column) for one in students}
        what = column.replace("_", " ")
        self.say(
            f"left out, as the gradebook has no {what} for them (`autograder roster FILE.csv` "
            f"adds it, from columns id and {column})",
            [student for student, name in named.items() if not name],
        )
        twice = [
            student for student, name in named.items() if name and often[self.as_compared(name)] > 1
        ]
        self.say(f"left out, as they share their {what}", twice)
        # It would need a mark in front, with which it is another's or nobody's.
        formulas = [student for student, name in named.items() if as_text(name) != name]
        self.say(f"left out, as a spreadsheet would calculate their {what}", formulas)
        others = [student for student, name in named.items() if self.reads_another(name)]
        self.say(f"left out, as their {what} would be read as another one", others)
        out = {*twice, *formulas, *others}
        found = {named[one.id]: one for one in students if named[one.id] and one.id not in out}
        if not found:
            self.fail(f"no student can be told by their {what}: nothing was exported")
        return found

    def as_compared(self, name: str) -> str:
        """What two identifiers have in common that are one to the other program."""
        return name.casefold()

    def reads_another(self, name: str) -> bool:
        """Whether the other program would read another identifier than this one."""
        return False

    def final(self, score: Score | None) -> float | str:
        """A score as the other program takes it: empty where no human has had the last word."""
        if score is None:
            return 0.0 if self.missing_as_zero else ""
        return "" if score.waits else score.total

    def say_who_waits(self, lesson: str, scores: Scores) -> None:
        """Warn about the cells that are empty."""
        self.say(
            f"{lesson}: an empty cell, as a part of the score waits for your grade",
            self.waiting(scores),
            FEW,
        )
        missing = sum(score is None for score in scores.values())
        if missing and not self.missing_as_zero:
            self.log.warning("%s: an empty cell for %d who handed nothing in", lesson, missing)


def _named(student: Student, column: str) -> str:
    return str(getattr(student, column) or "").strip()
