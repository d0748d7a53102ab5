"""What came of the submissions of a class, in a table for whoever graded it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from autograder.checks.card.terminal import as_written
from autograder.checks.exam.report import Verdict
from autograder.counted import counted
from autograder.grading.record import Record

# So many exercises, or remarks, are named; of more, one line says what there is.
_MANY = 3
# So many students are named in a line.
_NAMED = 12


@dataclass(frozen=True)
class StudentResult:
    """What came of one submission.

    Attributes:
        student: whose it is.
        score: the points that stand, before anything is taken off.
        max_score: what could be earned.
        to_read: the names of the answers that wait for a human.
        waiting: the points that these could earn.
        penalty: what is taken off because it was late.
        seconds: how long grading took.
        found: what was remarked and what was wrong, a line each.
        not_graded: why a human has to look first; nothing is scored then.
        failure: what failed on our side: the score from before, if any, stands.
        is_outdated: whether exams, a reference or what lies in source/ have changed since it was
            graded, or it was with another exam seed, or fewer walls.
    """

    student: str
    score: float = 0.0
    max_score: float = 0.0
    to_read: tuple[str, ...] = ()
    waiting: float = 0.0
    penalty: float = 0.0
    seconds: float = 0.0
    found: tuple[str, ...] = ()
    not_graded: str = ""
    failure: str = ""
    is_outdated: bool = False

    @property
    def points(self) -> str:
        """The score of what could be earned, and how much of that is open."""
        if self.failure:
            return "–"
        if self.not_graded:
            return "not graded"
        open_points = f", {self.waiting:g} wait" if self.waiting else ""
        return f"{self.score:g} / {self.max_score:g}{open_points}"

    @property
    def told(self) -> str:
        """What was found, in a line for each thing."""
        right = "all right" if self.score >= self.max_score else "no mistake found by the tests"
        if self.waiting:
            right = "no mistake found; the rest waits for you"
        return self.failure or self.not_graded or "\n".join(self.found) or right

    @property
    def is_graded(self) -> bool:
        """Whether anything was scored."""
        return not (self.failure or self.not_graded)


def as_table(results: Sequence[StudentResult], lesson: str) -> Table:
    """Who scored what, and what was found; first of all, who was not graded."""
    table = Table(title=as_written(lesson), title_justify="left", caption=_summary(results))
    late = any(result.penalty for result in results)
    for heading in ("student", "points", *(["late"] if late else []), "by hand", "seconds"):
        table.add_column(heading, justify="left" if heading == "student" else "right")
    table.add_column("what was found", overflow="fold")
    for result in sorted(results, key=lambda one: (not one.failure, not one.not_graded)):
        penalty = [f"−{result.penalty:g}" if result.penalty else "–"] if late else []
        seconds = f"{result.seconds:.1f}" if result.is_graded else "–"
        is_read = result.to_read and not result.not_graded
        waiting = f"{len(result.to_read)} to read" if is_read else "–"
        name, told = as_written(result.student), as_written(result.told)
        table.add_row(name, result.points, *penalty, waiting, seconds, told)
    return table


def found_in(record: Record) -> list[str]:
    """What was remarked, and what became of the exercises that lost points, the same ones once."""
    if record.not_graded:
        return []
    # Of many the first is the cause.
    notices = record.notices
    lost = [cell for cell in record.cells if cell.verdict is not Verdict.PASSED]
    exercises: dict[str, list[str]] = {}
    for cell in lost:
        what = cell.misconception.replace("_", " ") or cell.verdict.value
        exercises.setdefault(what, []).append(cell.exercise)
    if blank := record.unanswered:
        exercises.setdefault("not answered", []).extend(blank)
    return [
        *(notices if len(notices) <= _MANY else notices[:1]),
        *(f"{_named(names)}: {what}" for what, names in exercises.items()),
    ]


def _named(exercises: Sequence[str]) -> str:
    return ", ".join(exercises) if len(exercises) <= _MANY else counted(len(exercises), "exercise")


def _summary(results: Sequence[StudentResult]) -> str:
    graded = sum(result.is_graded for result in results)
    told = [f"{graded} of {len(results)} graded"]
    if waiting := sum(bool(result.not_graded) for result in results):
        told.append(f"{waiting} wait{'s' * (waiting == 1)} for you to look")
    if failures := sum(bool(result.failure) for result in results):
        told.append(f"{failures} failed on our side: earlier scores stand, run it again")
    names = Counter(name for result in results if result.is_graded for name in result.to_read)
    asked = ", ".join(f"{as_written(name)} ({count})" for name, count in names.most_common(_MANY))
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(told) + (f"; to read: {asked}{more}" if names else "")


def without_submission(missing: Sequence[str], known: int) -> str:
    """A sentence about those of whom nothing is there; "" if there are none."""
    if not missing:
        return ""
    if len(missing) > known / 2:
        # As of a retake, which most of a class need not take.
        return f"Nothing is there of {len(missing)} of {counted(known, 'student')}."
    return f"Nothing is there of {len(missing)} of {counted(known, 'student')}: {some_of(missing)}."


def some_of(students: Sequence[str]) -> str:
    """Students by their ids, as far as somebody reads a line of them."""
    more = len(students) - _NAMED
    return ", ".join(students[:_NAMED]) + (f" and {more} more" if more > 0 else "")
