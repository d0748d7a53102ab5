"""What in the replies to one test's questions could make it pass without a right answer.

What comes back empty, blank, nan or infinite: a comparison with it may compare nothing. What has
fewer entries than it should: one that ends with it, as `zip` does, compares too little. So may one
with what a function of the test's has gathered that was never called. And what the student's code
writes to an argument: the test may compare with what was made of that. None is wrong by itself, so
each is noted by the number of its reply, and the instructor's solution shows whether it belongs
there (`grading/cell_verdict.py`).
"""

import cmath
import math
from collections import deque
from collections.abc import Iterable, Iterator, Sized
from typing import Any

import numpy as np

from autograder.checks.values.tensors import is_tensor
from autograder.student.rpc.stand_in import RemoteObject, Unsent

WRITTEN = "written"
# More than a test has that was written by hand; what comes first decides.
_MOST = 1000
_HOLLOW = (
    "the test may have compared nothing: what this code gave back is empty, blank, infinite or not "
    "a number, where what the solution gives back is none of these"
)
_WRAPS = (
    "the test may have compared nothing: this code gave back numbers of an integer type so large "
    "that what is computed with them can wrap around, where the solution gives back none"
)
NEVER_CALLED = {
    "never called": "the test may have compared nothing: this code never called the function that "
    "it was given, which the solution calls"
}
# A text that says a number which no difference shows is no longer.
_MOST_LETTERS = 100
_KINDS = {"ndarray": "array", "Tensor": "tensor"}

_LISTS = (list, tuple, set, frozenset, deque)
# Rows of numbers, of which each is finite.
_NUMBERS = (range, bytes, bytearray)

# Where in the arguments of a call something was written to: the first number is the argument's.
Place = tuple[int, ...]


class Doubts:
    """What was noted of the replies so far: where, and what is said of it."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        # How many entries each reply that has some has, by its number; of a text, its letters.
        self.sizes: dict[str, int] = {}
        # Of the next reply. Questions are counted by their replies, so that those which the
        # student's code had to ask first come first.
        self.number = 0

    def count(self, value: object = None) -> int:
        """Note what is hollow in the next reply; its number."""
        self.number += 1
        self.note_hollow(self.number - 1, value)
        self.note_size(self.number - 1, entries_in(value))
        if type(value) is str:
            self._note_size(letters_of(self.number - 1), len(value))
        return self.number - 1

    def note_size(self, number: int, entries: int) -> None:
        """Note how many entries came with this reply, unless it has none."""
        self._note_size(str(number), entries)

    def _note_size(self, place: str, entries: int) -> None:
        if entries and len(self.sizes) < _MOST:
            self.sizes[place] = entries

    def note_hollow(self, number: int, value: object) -> None:
        """Note a value that came with this reply, if it is hollow."""
        if is_hollow(value):
            self._note(f"hollow {number}", _HOLLOW)
        if may_wrap(value):
            self._note(f"wraps {number}", _WRAPS)

    def note_written(
        self, number: int, name: str, args: tuple[object, ...], places: Iterable[Place]
    ) -> None:
        """Note what a function has written to its arguments."""
        for place in places:
            kind = type(args[place[0]]).__name__
            self._note(
                f"{WRITTEN} {number} {'.'.join(map(str, place))}",
                f"{f'`{name}`' if name else 'your code'} writes to the {_KINDS.get(kind, kind)} "
                "that it is given, which the solution leaves as it is",
            )

    def _note(self, place: str, sentence: str) -> None:
        if len(self.found) < _MOST:
            self.found.setdefault(place, sentence)


def letters_of(number: int | str) -> str:
    """Where the letters of a reply are counted, which is a text."""
    return f"{number} letters"


def is_hollow(value: object) -> bool:
    """Whether a value, or a part of it, is empty, blank, infinite or not a number, also as a text.

    All numbers of an empty array are right, no difference from nan is too large, and none from −∞
    is above a tolerance.
    """
    for one in _parts_of(value):
        if type(one) is np.ndarray or is_tensor(one):
            if 0 in one.shape or not _is_finite(one):
                return True
        elif type(one) in (float, complex) or isinstance(one, np.inexact):
            if not np.isfinite(one):
                return True
        elif type(one) is str:
            if _is_no_number(one):
                return True
        elif type(one) not in (RemoteObject, Unsent) and isinstance(one, Sized) and not len(one):
            return True
    return False


def may_wrap(value: object) -> bool:
    """Whether a value has numbers of a fixed width whose squares that width does not hold.

    With these a difference can come out below 0 once its sign was taken away, and a square as 0.
    """
    return any(_is_wide(one) for one in _parts_of(value))


def _is_wide(one: Any) -> bool:
    if is_tensor(one):
        if one.is_floating_point() or one.is_complex():
            return False
        one = one.detach().numpy()
    if not isinstance(one, np.ndarray | np.generic) or one.dtype.kind not in "iu" or not one.size:
        return False
    most = math.isqrt(int(np.iinfo(one.dtype).max))
    return int(one.max()) > most or int(one.min()) < -most


def entries_in(value: object) -> int:
    """How many numbers, texts and the like a list, an array or the like has; 0 if it is neither."""
    found = 0
    for one in _parts_of(value):
        if type(one) is np.ndarray or is_tensor(one):
            found += math.prod(one.shape) if one.shape or one is not value else 0
        elif type(one) in _NUMBERS:
            found += len(one)
        elif one is not value and type(one) not in _LISTS and not isinstance(one, dict):
            found += 1
    return found


def _parts_of(value: object) -> Iterator[Any]:
    """A value and, of lists in lists and the like, all that is in them."""
    left = [value]
    while left:
        one: Any = left.pop()
        if type(one) in _LISTS:
            left.extend(one)
        elif isinstance(one, dict):
            left.extend(one.values())
        yield one


def _is_no_number(text: str) -> bool:
    """Whether nothing is left of a text, or what is left is nan or infinite once it is a number."""
    left = text.strip()
    try:
        return not left or (len(left) < _MOST_LETTERS and not cmath.isfinite(complex(left)))
    except (ValueError, OverflowError):
        return False


def _is_finite(array: Any) -> bool:
    # The smallest number is nan if any is, and these two take no memory.
    if type(array) is np.ndarray:
        return array.dtype.kind not in "fc" or bool(np.isfinite([array.min(), array.max()]).all())
    if not array.is_floating_point():
        return True
    return all(bool(one.isfinite()) for one in array.detach().aminmax())
