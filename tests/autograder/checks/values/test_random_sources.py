"""Sources of random numbers by their state: what draws on, and what is no state of any."""

import random
from typing import Any

import numpy as np
import pytest

from autograder.checks.values.random_sources import draw_on, source_of, state_of
from autograder.errors import ReplyNotUnderstood
from autograder.student.limits import Limits
from autograder.student.rpc.codec.grammar import Unsupported
from autograder.student.rpc.codec.reader import decode
from autograder.student.rpc.codec.wrapped import WRAPPINGS
from autograder.student.rpc.codec.writer import encode

LIMITS = Limits()
BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def made(name: str) -> np.random.Generator:
    return np.random.Generator(getattr(np.random, name)(5))


def through(value: object) -> Any:
    return decode(encode(value, LIMITS), LIMITS)


def numbers(rng: np.random.Generator) -> list[float]:
    return [*rng.random(9), *rng.integers(9, size=9, dtype=np.int32)]


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("drawn", [0, 1, 3, 700])
def test_generators_draw_on(name: str, drawn: int) -> None:
    rng = made(name)
    rng.random(drawn, dtype=np.float32)  # half of what a bit generator gives at a time
    assert numbers(through(rng)) == numbers(rng)


def test_second_normal_number_crosses() -> None:
    one, other = random.Random(5), np.random.RandomState(5)
    assert one.gauss(0, 1) != through(one).gauss(0, 1) == one.gauss(0, 1)
    assert other.normal() != through(other).normal() == other.normal()


def test_sources_of_other_kinds_do_not_cross() -> None:
    class Own(random.Random):
        pass

    class Bits(np.random.PCG64):
        pass

    for one in (Own(1), np.random.Generator(Bits(1)), np.random.PCG64(1), random.SystemRandom()):
        assert type(through(one)) is Unsupported


def altered(name: str, **changes: Any) -> dict[str, Any]:
    """The state of a generator, with another value for a part of it, or of its inner state."""
    state = dict(state_of(made(name)))
    inner = dict(state["state"])
    for part, value in changes.items():
        (inner if part in inner else state)[part] = value
    return {**state, "state": inner}


FORGED = [
    altered("MT19937", pos=625),
    altered("MT19937", pos=-1),
    altered("MT19937", pos=2.0),
    altered("MT19937", pos=True),
    altered("MT19937", key=np.zeros(3, np.uint32)),
    altered("MT19937", key=np.zeros(624, np.uint64)),
    altered("MT19937", key=[0] * 624),
    altered("Philox", buffer_pos=5),
    altered("Philox", buffer_pos=-(2**31)),
    altered("Philox", buffer=np.zeros(0, np.uint64)),
    altered("Philox", counter=np.zeros((2, 2), np.uint64)),
    altered("SFC64", state=np.zeros(3, np.uint64)),
    altered("PCG64", inc=2**128),
    altered("PCG64", has_uint32=2),
    altered("PCG64", uinteger=2**32),
    altered("PCG64", bit_generator="MT19937"),
    altered("PCG64", bit_generator="__class__"),
    altered("PCG64", bit_generator=["PCG64"]),
    altered("PCG64", more=1),
    {"bit_generator": "PCG64"},
    {},
    {1: 2},
]


@pytest.mark.parametrize("state", FORGED, ids=range(len(FORGED)))
def test_forged_states_are_refused(state: dict[str, Any]) -> None:
    """NumPy would look up a position in its buffer wherever that leads."""
    for kind in (np.random.Generator, np.random.RandomState, random.Random):
        place = list(WRAPPINGS).index(kind)
        with pytest.raises(ReplyNotUnderstood):
            decode(b"w" + bytes([place]) + encode(state, LIMITS), LIMITS)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"numbers": (0,) * 625},
        {"numbers": [0] * 624},
        {"numbers": [0] * 624 + [625]},
        {"numbers": [2**32] * 625},
        {"numbers": [0.0] * 625},
        {"gauss": 1},
        {"more": 1},
    ],
    ids=range(8),
)
def test_forged_states_of_python_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"none|state"):
        source_of(random.Random, {**state_of(random.Random(1)), **change})


def test_state_of_another_kind_is_refused() -> None:
    rng = made("PCG64")
    with pytest.raises(ValueError, match="none"):
        draw_on(rng, state_of(made("SFC64")))
    with pytest.raises(ValueError, match="none"):
        draw_on(np.random.RandomState(1), {**state_of(rng), "has_gauss": 0, "gauss": 0.0})
