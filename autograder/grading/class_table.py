"""What came of the submissions of a class, in a table for whoever graded it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from autograder.checks.card.terminal import as_written
from autograder.checks.exam.report import Verdict
from autograder.grading.record import Record

# So many exercises, or remarks, are named; of more, one line says what there is.
_MANY = 3


@dataclass(frozen=True)
class StudentResult:
    """What came of one submission. `failure` is our own: the score from before, if any, stands.

    `to_read` says how many answers wait for a human.
    """

    student: str
    score: float = 0.0
    max_score: float = 0.0
    to_read: int = 0
    seconds: float = 0.0
    found: tuple[str, ...] = ()
    failure: str = ""

    @property
    def points(self) -> str:
        """The score of what could be earned."""
        return "–" if self.failure else f"{self.score:g} / {self.max_score:g}"

    @property
    def told(self) -> str:
        """What was found, in a line for each thing."""
        return self.failure or "\n".join(self.found) or "all right"


def as_table(results: Sequence[StudentResult], lesson: str) -> Table:
    """Who scored what, and what was found; first of all, who was not graded."""
    table = Table(title=as_written(lesson), title_justify="left", caption=_summary(results))
    for heading in ("student", "points", "by hand", "seconds"):
        table.add_column(heading, justify="left" if heading == "student" else "right")
    table.add_column("what was found", overflow="fold")
    for result in sorted(results, key=lambda one: not one.failure):
        seconds = "–" if result.failure else f"{result.seconds:.1f}"
        waiting = f"{result.to_read} to read" if result.to_read else "–"
        name, told = as_written(result.student), as_written(result.told)
        table.add_row(name, result.points, waiting, seconds, told)
    return table


def found_in(record: Record) -> list[str]:
    """What was remarked, and what became of the exercises that lost points, the same ones once."""
    lost = [cell for cell in record.cells if cell.verdict is not Verdict.PASSED]
    exercises: dict[str, list[str]] = {}
    for cell in lost:
        what = cell.misconception.replace("_", " ") or cell.verdict.value
        exercises.setdefault(what, []).append(cell.exercise)
    return [
        *_remarks(record.remarks, [cell.message for cell in lost]),
        *(f"{_named(names)}: {what}" for what, names in exercises.items()),
    ]


def _remarks(remarks: Sequence[str], said: Sequence[str]) -> list[str]:
    """What was remarked, but for what the exercises say; of many the first, which is the cause."""
    told = remarks if len(remarks) <= _MANY else remarks[:1]
    return [remark for remark in told if not any(one.startswith(remark) for one in said)]


def _named(exercises: Sequence[str]) -> str:
    return ", ".join(exercises) if len(exercises) <= _MANY else f"{len(exercises)} exercises"


def _summary(results: Sequence[StudentResult]) -> str:
    failures = sum(bool(result.failure) for result in results)
    text = f"{len(results) - failures} of {len(results)} graded"
    failed = f"{failures} failed on our side: earlier scores stand, run it again"
    return f"{text}, {failed}" if failures else text
