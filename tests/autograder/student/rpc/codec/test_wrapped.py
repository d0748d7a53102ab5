"""Containers that cross as something plain: what arrives, and what is refused."""

from collections import Counter, deque
from fractions import Fraction

import pytest

from autograder.errors import ReplyNotUnderstood, ValueTooLarge
from autograder.student.limits import Limits
from autograder.student.rpc.codec.grammar import Unsupported
from autograder.student.rpc.codec.reader import decode
from autograder.student.rpc.codec.wrapped import WRAPPINGS
from autograder.student.rpc.codec.writer import encode

LIMITS = Limits(key_bytes=200)


@pytest.mark.parametrize(
    "value",
    [
        {1, 2, (3, "x")},
        frozenset({"a", None, 2.5}),
        set(),
        Counter("abca"),
        deque([1, [2]]),
        bytearray(b"ab"),
        range(3, 30, -2),
        Fraction(1, -3),
        {"a": [{1}, {"b": frozenset({2})}]},
    ],
)
def test_what_crosses(value: object) -> None:
    found = decode(encode(value, LIMITS), LIMITS)
    assert (type(found), found) == (type(value), value)


def test_what_is_no_key_is_in_no_set() -> None:
    class Liar:
        def __hash__(self) -> int:
            raise AssertionError("asked")

    hidden = object.__new__(Liar)
    values = {frozenset({1}): 1}
    assert decode(encode([set(values)], LIMITS), LIMITS) == [
        Unsupported("set with a frozenset in it")
    ]
    assert type(decode(encode(hidden, LIMITS), LIMITS)) is Unsupported


def test_hashes_of_a_set_are_bounded() -> None:
    """Numbers can be chosen that all have one hash: a set of them takes the square of its size."""
    with pytest.raises(ValueTooLarge):
        encode(set(range(100)), LIMITS)
    plain = encode(set(range(100)), Limits())
    with pytest.raises(ReplyNotUnderstood):
        decode(plain, LIMITS)
    text = {str(n) for n in range(100)}
    assert decode(encode(text, LIMITS), LIMITS) == text


@pytest.mark.parametrize(
    ("place", "inside"),
    [
        (0, (1,)),  # a set of a tuple
        (0, [[1]]),  # with a list in it
        (2, [1]),
        (4, "ab"),
        (5, (1, 2)),
        (5, (1, 2, 0)),
        (5, (1.0, 2, 3)),
        (6, (1, 0)),
        (6, (1, True)),
        (len(WRAPPINGS), [1]),
    ],
)
def test_what_is_made_of_something_else_is_refused(place: int, inside: object) -> None:
    with pytest.raises(ReplyNotUnderstood):
        decode(b"w" + bytes([place]) + encode(inside, LIMITS), LIMITS)
