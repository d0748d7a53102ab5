"""What a lesson's exams say a retake may have otherwise, each in its place:

    FIVE_WORDS = varied(
        "FIVE_WORDS",
        np.array([[0.6, -0.4], [-0.8, 0.5]]),
        lambda chance: chance.numbers((2, 2), 0.1, 0.9, decimals=1, signed=True),
    )

In the lesson that is the array as it stands. In a retake it is what is drawn from the retake's own
number, of the same kind.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

Value = TypeVar("Value")


class Chance:
    """What a specimen of a retake is drawn from: the same number and name give the same."""

    def __init__(self, number: int, name: str) -> None:
        # Python promises that this stays the same in later versions, which NumPy does not.
        self._random = random.Random(f"{number} {name}")

    def one_of(self, count: int) -> int:
        """A whole number from 0 to `count` - 1."""
        return int(self._random.random() * count)

    def numbers(
        self,
        shape: tuple[int, ...],
        least: float,
        most: float,
        *,
        decimals: int,
        signed: bool = False,
    ) -> np.ndarray:
        """Numbers that are written with just so many decimals, so none ends in a zero.

        Args:
            shape: of the array.
            least: how small each may be.
            most: how large each may be.
            decimals: behind the point.
            signed: whether some are below zero, and some above.

        Raises:
            ValueError: when one number alone is to be both.
        """
        count = int(np.prod(shape))
        if signed and count < 2:
            raise ValueError("one number alone can't be below zero and above: draw two or more")
        unit = 10**decimals
        steps = range(round(least * unit), round(most * unit) + 1)
        written = [step for step in steps if step % 10 or not decimals]
        drawn = [written[self.one_of(len(written))] / unit for _ in range(count)]
        signs = [1] * count
        while signed and len({*signs}) < 2:
            signs = [1 - 2 * self.one_of(2) for _ in range(count)]
        made: np.ndarray = np.array(drawn).reshape(shape) * np.array(signs).reshape(shape)
        return made

    def weights(self, count: int, *, decimals: int) -> np.ndarray:
        """Positive numbers of so many decimals that sum to 1.

        Raises:
            ValueError: when so many can't.
        """
        unit = 10**decimals
        if count > unit:
            raise ValueError(f"{count} positive numbers of {decimals} decimals sum to more than 1")
        cuts: set[int] = set()
        while len(cuts) < count - 1:
            cuts.add(1 + self.one_of(unit - 1))
        made: np.ndarray = np.diff([0, *sorted(cuts), unit]) / unit
        return made


class Specimens:
    """What has been drawn for a retake: in place of what, and by which name."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._replaced: list[tuple[Any, Any]] = []
        self.by_name: dict[str, Any] = {}

    def draw(self, name: str, original: Value, by: Callable[[Chance], Value]) -> Value:
        """Draw one."""
        drawn = by(Chance(self._number, name))
        self._replaced.append((original, drawn))
        self.by_name[name] = drawn
        return drawn

    def in_place_of(self, value: object) -> Any:
        """What was drawn in place of this very object, or the object itself."""
        return next((drawn for original, drawn in self._replaced if original is value), value)


_drawn_now: ContextVar[Specimens | None] = ContextVar("specimens", default=None)


@contextmanager
def drawing(number: int) -> Iterator[Specimens]:
    """Have the exams that are imported here draw their specimens from a retake's number."""
    specimens = Specimens(number)
    token = _drawn_now.set(specimens)
    try:
        yield specimens
    finally:
        _drawn_now.reset(token)


def varied(name: str, original: Value, draw: Callable[[Chance], Value]) -> Value:
    """A specimen of a lesson's exams, or what a retake has in its place.

    Args:
        name: what the retake's text calls it. Another name would draw others for retakes that have
            been given out.
        original: the lesson's.
        draw: makes one of the same kind.
    """
    specimens = _drawn_now.get()
    return original if specimens is None else specimens.draw(name, original, draw)
