"""What a student's code may have the grader go through, by each type that can arrive."""

from collections import Counter, deque
from fractions import Fraction
from types import EllipsisType, NoneType
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.values.random_sources import SOURCES
from autograder.student.limits import Limits
from autograder.student.rpc.codec.grammar import Reference, Unsupported
from autograder.student.rpc.codec.reader import decode
from autograder.student.rpc.codec.wrapped import WRAPPINGS
from autograder.student.rpc.codec.writer import _WRITERS, _tensor_writers, encode
from autograder.student.rpc.weight import weight_of

LARGE = 50_000
# One of each type, in which there is so much to go through, or to do.
HEAVY: tuple[Any, ...] = (
    *(LARGE, LARGE * "x", LARGE * b"x", bytearray(LARGE)),
    *([0] * LARGE, (0,) * LARGE, dict.fromkeys(map(str, range(LARGE)), 0)),
    *({str(n) for n in range(LARGE)}, frozenset(str(n) for n in range(LARGE)), deque([0] * LARGE)),
    *(Counter(a=LARGE), range(LARGE), slice(LARGE)),
    *(np.zeros(LARGE), torch.zeros(LARGE), torch.nn.Parameter(torch.zeros(LARGE))),
    torch.Size([LARGE]),
)
# Those that are one thing each, and that no loop can count to.
LIGHT = {NoneType, EllipsisType, bool, float, complex, Fraction, Reference, Unsupported, *SOURCES}


@pytest.mark.parametrize("value", HEAVY, ids=lambda value: type(value).__name__)
def test_what_is_large_weighs_as_much(value: Any) -> None:
    arrived = decode(encode(value, Limits()), Limits())
    for one in (arrived, [arrived], {"key": (arrived,)}):
        assert LARGE <= weight_of(one) <= 8 * LARGE


def test_every_type_that_can_arrive_is_weighed() -> None:
    """A new type of the codec's has to be put above."""
    scalars = {np.dtype(char).type for char in "?bBhHiIlLqQefdFD"}
    known = {*map(type, HEAVY), *LIGHT, *scalars}
    assert {*_WRITERS, *_tensor_writers(), *map(id, WRAPPINGS)} == set(map(id, known))


@pytest.mark.parametrize("kind", [np.int16, np.uint64, np.int64], ids=lambda kind: kind.__name__)
def test_integers_weigh_what_they_count(kind: type[Any]) -> None:
    for one in (kind(30_000), np.array(30_000, kind), np.array([[30_000]], kind)):
        assert weight_of(one) >= 30_000


RANGES = [
    (range(10**12), 10**12),
    (range(10**30), 10**30),
    (range(0, -(10**12), -1), 10**12),
    (range(10**12, 10**12 + 1), 10**12),
]


@pytest.mark.parametrize(("numbers", "most"), RANGES, ids=str)
def test_long_ranges(numbers: range, most: int) -> None:
    assert weight_of((numbers,)) >= most


@pytest.mark.parametrize("numbers", [range(9), range(0), range(9, 1, -3), range(0, 10, 3)], ids=str)
def test_short_ranges_are_light(numbers: range) -> None:
    ends = abs(numbers.start) + abs(numbers.stop) + abs(numbers.step)
    assert weight_of(numbers) == len(numbers) + ends + 4


def test_unknown_collections_weigh_their_length() -> None:
    assert weight_of(dict.fromkeys(range(LARGE)).keys()) >= LARGE
    assert weight_of(memoryview(bytes(LARGE))) >= LARGE
