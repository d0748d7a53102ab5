"""The named mistakes of a student in a lesson, as comments that a tutor may use."""

from pathlib import Path

from autograder.errors import GradingFailed
from autograder.grading.record import Record


def named_mistakes(record: Path) -> list[str]:
    """A line for each mistake that a check has named, without those said twice.

    Args:
        record: the one beside the graded notebook. Without one that can be read, there are none.
    """
    try:
        cells = Record.read(record).cells
    except (FileNotFoundError, GradingFailed):
        return []
    found = (f"`{one.exercise}`: {one.hint}" for one in cells if one.misconception and one.hint)
    return [*dict.fromkeys(found)]
