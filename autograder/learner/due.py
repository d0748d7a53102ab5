"""Which exercise is to be done once more, from memory: one that has passed a day ago or earlier.

It is offered once: where its notebook in the folder for second tries is younger than the pass, it
has been given already.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import time

_FOLDER = "again"
_A_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Passed:
    """An exercise that has passed, and when."""

    lesson: Path
    exercise: str
    at: float


def due(passed: Iterable[Passed], now: float | None = None) -> Passed | None:
    """The exercise to do once more: of those that have not been given again since, the oldest pass.

    Args:
        passed: each exercise that is done.
        now: in seconds; a pass has to be a day old.
    """
    latest = (time() if now is None else now) - _A_DAY
    waiting = [one for one in passed if one.at <= latest and _given_at(one) < one.at]
    return min(waiting, key=lambda one: one.at, default=None)


def _given_at(one: Passed) -> float:
    path = place_again(one.lesson.parent, one.lesson.name, one.exercise)
    return path.stat().st_mtime if path.is_file() else 0.0


def place_again(folder: Path, lesson: str, exercise: str) -> Path:
    """The notebook in which an exercise is done once more, in a learner's folder."""
    return folder / _FOLDER / lesson / f"{exercise}.ipynb"
