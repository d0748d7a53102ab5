"""What crosses as something plain with a word before it: a set as a list, say."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from autograder.checks.values.random_sources import SOURCES, source_of, state_of


@dataclass(frozen=True)
class Wrapping:
    """How one exact type crosses: as what, and how it is made again of that.

    Either way may raise ValueError, for what can't be taken apart or put together.
    """

    made_of: type
    take: Callable[[Any], Any]
    make: Callable[[Any], Any]
    is_hashed: bool = False  # its entries are looked up by their hashes


def _range(ends: tuple[Any, ...]) -> range:
    if len(ends) != 3 or any(type(end) is not int for end in ends) or not ends[2]:
        raise ValueError("a range of what can't be its ends")
    return range(*ends)


def _fraction(parts: tuple[Any, ...]) -> Fraction:
    if len(parts) != 2 or any(type(part) is not int for part in parts) or not parts[1]:
        raise ValueError("a fraction of what can't be its parts")
    return Fraction(*parts)


# The place of a type in this table is what is sent.
WRAPPINGS: dict[type, Wrapping] = {
    set: Wrapping(list, list, set, is_hashed=True),
    frozenset: Wrapping(list, list, frozenset, is_hashed=True),
    Counter: Wrapping(dict, lambda value: dict(value.items()), lambda found: _counter(found)),
    deque: Wrapping(list, list, deque),
    bytearray: Wrapping(bytes, bytes, bytearray),
    range: Wrapping(tuple, lambda value: (value.start, value.stop, value.step), _range),
    Fraction: Wrapping(tuple, lambda value: (value.numerator, value.denominator), _fraction),
    **{kind: Wrapping(dict, state_of, partial(source_of, kind)) for kind in SOURCES},
}


def _counter(found: dict[Any, Any]) -> "Counter[Any]":
    counter: Counter[Any] = Counter()
    dict.update(counter, found)  # as they are: a student's counts may be anything
    return counter
