"""What is hollow, and how many entries something has, of each kind that can be sent."""

from collections import Counter, deque

import numpy as np
import pytest
import torch

from autograder.student.rpc.doubts import entries_in, is_hollow, may_wrap

HOLLOW = [
    [], (), {}, set(), deque(), range(0), b"", bytearray(), "", " \n", np.zeros((0, 2)),
    torch.zeros(0), float("nan"), complex("nan"), [1.0, float("inf")], deque([float("nan")]),
    {"a": [np.array([np.nan])]}, "nan", " -Infinity ", "nan+0j", "(1+infj)", np.float32("inf"),
]  # fmt: skip
SOLID = [0, False, None, "x", "nano", "1e9999999 apples", [0], deque([0]), range(2), b"\0",
         np.zeros(1), torch.zeros(1), Counter("a"), "information", "9" * 5000]  # fmt: skip


@pytest.mark.parametrize("value", HOLLOW, ids=repr)
def test_what_is_hollow(value: object) -> None:
    assert is_hollow(value)
    assert is_hollow([1, value])


@pytest.mark.parametrize("value", SOLID, ids=lambda value: repr(value)[:40])
def test_what_is_not(value: object) -> None:
    assert not is_hollow(value)


@pytest.mark.parametrize(
    "value",
    [
        [1, 2, 3], (1, 2, 3), {1, 2, 3}, {"a": 1, "b": [2, 3]}, deque([1, 2, 3]), range(3), b"abc",
        bytearray(3), np.zeros(3), torch.zeros(3), [np.zeros(2), 1], deque([(1, 2), "text"]),
    ],
    ids=repr,
)  # fmt: skip
def test_three_entries(value: object) -> None:
    assert entries_in(value) == 3


def test_a_long_range_is_not_walked_through() -> None:
    assert entries_in(range(10**15)) == 10**15


WIDE = [np.int8(-124), np.arange(3) + 2**32, torch.arange(3) - 2**40, [torch.ones(2).byte() * 200]]
NARROW = [
    *(np.int8(3), np.arange(3), torch.arange(3), torch.ones(2).bool(), torch.ones(2) * 1e30),
    *(np.array([]), torch.tensor([], dtype=torch.int8), 2**70, np.float64(1e30), np.bool_(True)),
    *(
        np.array(["a"]),
        torch.ones(2).byte(),
        torch.ones(2).to(torch.uint16),
        [1, "a", None],
        np.array([2**31], dtype="int64"),
    ),
]


@pytest.mark.parametrize("value", WIDE)
def test_what_may_wrap_around(value: object) -> None:
    assert may_wrap(value)


@pytest.mark.parametrize("value", NARROW)
def test_what_does_not(value: object) -> None:
    assert not may_wrap(value)
