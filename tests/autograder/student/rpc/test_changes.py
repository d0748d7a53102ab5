"""What a student's code writes to its arguments is seen, and taken back at the end."""

import copy
import random
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.values.compare import identical
from autograder.student.rpc.changes import Changes, imprint, left_of
from autograder.student.rpc.codec.grammar import Reference, Unsupported
from autograder.student.rpc.stand_in import RemoteObject


def half(number: int) -> torch.Tensor:
    return torch.full((2,), number, dtype=torch.bfloat16)


WRITTEN = [
    (np.zeros(3), np.arange(3.0)),
    (np.zeros((2, 2)).T, np.ones((2, 2))),
    (np.zeros(0), np.zeros(0)),
    (torch.zeros(3), torch.arange(3.0)),
    (torch.zeros(2, 3).T, torch.ones(3, 2)),
    (half(0), half(3)),
    ([1, 2], [1, 3]),
    ([1, 2], [1, 2, 3]),
    ([1, 2], [1]),
    ([], [1]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, {}),
    ([np.zeros(2)], [np.ones(2)]),
    ([np.zeros(2)], [np.ones(3)]),
    ([[1], {"a": torch.zeros(1)}], [[1, 2], {"a": torch.ones(1)}]),
    ({"a": [np.zeros(2)]}, {"a": [np.ones(2)]}),
    ([(1, 2)], [(1, 3)]),
    ([None], ["x"]),
    (np.zeros((2, 3)), np.zeros(6)),
    (np.zeros((2, 3)), np.ones((1, 2, 3))),
    (torch.zeros(3), torch.zeros(1, 3)),
    (torch.zeros(3), torch.ones(7, 7)),
    ((np.zeros(2), 1), (np.ones(2), 1)),
    (([1], (torch.zeros(2),)), ([1, 2], (torch.ones(2),))),
    ({1, 2}, {1, 2, 3}),
    (Counter("ab"), Counter("abb")),
    (deque([1, 2]), deque([2, 1])),
    (bytearray(b"ab"), bytearray(b"a")),
    ([{1}, (deque([1]),)], [{2}, (deque([1, 2]),)]),
]


@pytest.mark.parametrize(("mine", "theirs"), WRITTEN, ids=lambda value: repr(value)[:40])
def test_written_and_taken_back(mine: object, theirs: object) -> None:
    mine, before, changes = copy.deepcopy(mine), copy.deepcopy(mine), Changes()
    held = mine
    changes.write((mine,), (theirs,))
    assert held is mine
    assert identical(mine, theirs)
    assert not isinstance(mine, dict) or list(mine) == list(theirs)  # type: ignore[call-overload]
    changes.take_back()
    assert identical(mine, before)
    assert not isinstance(mine, dict) or list(mine) == list(before)  # type: ignore[call-overload]


REFUSED = [
    (np.zeros(3), np.ones(2)),
    (np.zeros(3), np.ones(3, "float32")),
    (np.zeros(3), torch.ones(3)),
    (np.zeros(3), [1.0, 1.0, 1.0]),
    (np.zeros(3), Unsupported("numpy.ndarray")),
    (torch.zeros(2), torch.ones(2, dtype=torch.float64)),
    (torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.ones(2))),
    ([1], (2,)),
    ([1], {"a": 1}),
    ((1,), (2,)),
    (1, 2),
    ("a", "b"),
]


@pytest.mark.parametrize(("mine", "theirs"), REFUSED, ids=lambda value: repr(value)[:40])
def test_other_kinds_change_nothing(mine: object, theirs: object) -> None:
    before, changes = copy.deepcopy(mine), Changes()
    changes.write((mine,), (theirs,))
    assert str(mine) == str(before)
    changes.take_back()
    assert str(mine) == str(before)


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState, random.Random])
def test_sources_of_random_numbers_are_taken_back(kind) -> None:
    mine, theirs, changes = kind(3), kind(3), Changes()
    theirs.random()
    changes.write((mine,), (theirs,))
    assert mine.random() == theirs.random()
    changes.take_back()
    assert mine.random() == kind(3).random()


def test_view_shares_its_memory() -> None:
    whole, changes = np.zeros((3, 2)), Changes()
    changes.write((whole[1],), (np.ones(2),))
    assert whole.tolist() == [[0, 0], [1, 1], [0, 0]]
    changes.take_back()
    assert not whole.any()


def test_read_only_stays() -> None:
    mine = np.zeros(2)
    mine.setflags(write=False)
    Changes().write((mine,), (np.ones(2),))
    assert not mine.any()


def test_entries_keep_their_identity() -> None:
    leaf = torch.ones(2, requires_grad=True)
    array, inner = np.zeros(2), [1]
    mine = [leaf, array, inner, {"leaf": leaf}]
    theirs = [leaf.detach().clone().requires_grad_(), np.ones(2), [2], {"leaf": leaf.clone()}]
    Changes().write((mine,), (theirs,))
    assert mine[0] is leaf
    assert mine[1] is array
    assert mine[2] is inner
    assert mine[3]["leaf"] is leaf  # type: ignore[index]
    assert array.tolist() == [1, 1]
    assert inner == [2]


def test_functions_stay_functions() -> None:
    stand_in = RemoteObject(None, Reference("function", 0))  # type: ignore[arg-type]
    mine = [abs, {"f": abs}, (stand_in, 1)]
    again = RemoteObject(None, Reference("function", 1))  # type: ignore[arg-type]
    Changes().write((mine,), ([stand_in, {"f": stand_in}, (again, 1)],))
    assert mine[0] is abs
    assert mine[1] == {"f": abs}
    assert mine[2][0] is stand_in  # type: ignore[index]


def test_what_could_not_be_sent_stays() -> None:
    mine = [{1}, 2]
    Changes().write((mine,), ([Unsupported("set"), 3],))
    assert mine == [{1}, 3]


def test_first_content_comes_back() -> None:
    array, numbers, changes = np.zeros(2), [0], Changes()
    for n in (1, 2, 3):
        changes.write((array, numbers), (np.full(2, float(n)), [n] * n))
    assert numbers == [3, 3, 3]
    changes.take_back()
    assert not array.any()
    assert numbers == [0]


def test_fewer_and_more_come_back() -> None:
    first, second = np.zeros(1), np.zeros(1)
    Changes().write((first, second), (np.ones(1),))
    Changes().write((second,), (np.ones(1), np.ones(9)))
    assert (first.item(), second.item()) == (1, 1)


def scaled(value: Any) -> None:
    value *= 2


def filled(value: Any) -> None:
    value["a"].fill_(0)


def put(value: Any) -> None:
    value["b"] = torch.ones(2)


@pytest.mark.parametrize(
    ("value", "write"),
    [
        (np.arange(3), scaled),
        (np.array([np.nan, 1.0]), lambda value: value.__setitem__(1, 2.0)),
        (torch.ones(2), scaled),
        (torch.ones(2, 3), lambda value: value.t_()),
        (torch.ones(2, dtype=torch.complex64), scaled),
        ({"a": torch.ones(2)}, filled),
        ({"a": torch.ones(2)}, put),
        ({}, put),
    ],
)
def test_argument_is_sent_back_once_it_is_written_to(
    value: object, write: Callable[[Any], object]
) -> None:
    before = imprint(value)
    assert type(left_of(value, before)) is Unsupported
    write(value)
    assert left_of(value, before) is value


@pytest.mark.parametrize(
    "value",
    [torch.ones(2, dtype=torch.bfloat16), np.zeros(10_000), [1], {"a": 1}, {1: np.ones(1)}],
    ids=["bfloat16", "large", "list", "number", "number as a key"],
)
def test_argument_is_sent_back_where_that_is_not_seen(value: object) -> None:
    assert left_of(value, imprint(value)) is value
