"""What is advised of a value of another kind makes the expected one of it, tried here and now."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.values.compare import Tolerance, differences, identical
from autograder.checks.values.kinds import as_received, with_dtypes_of

ROWS = torch.arange(6.0).reshape(2, 3)
ARRAY = ROWS.numpy()
EXACT = Tolerance(0.0)

# What came, what was expected, a part of the advice, and the expected value as it is made by it.
ADVISED: list[tuple[Any, Any, str, Any]] = [
    (ARRAY, ROWS, "`torch.from_numpy`", torch.from_numpy(ARRAY)),
    (ROWS, ARRAY, "`.numpy()`", ROWS.numpy()),
    ([0.0, 1.0], torch.arange(2.0), "`torch.tensor(…)`", torch.tensor([0.0, 1.0])),
    (ARRAY.tolist(), ROWS, "`torch.tensor(…)`", torch.tensor(ARRAY.tolist())),
    (ARRAY.tolist(), ARRAY.astype(float), "`np.array(…)`", np.array(ARRAY.tolist())),
    (list(ROWS), ROWS, "`torch.stack`", torch.stack(list(ROWS))),
    (ROWS.unbind(dim=1), ROWS, "`torch.stack`", torch.stack(ROWS.unbind(dim=1), dim=1)),
    (ROWS.split(1), ROWS, "`torch.cat`", torch.cat(ROWS.split(1))),
    (1.5, torch.tensor(1.5), "not its `.item()`", torch.tensor(1.5)),
    (ARRAY == ARRAY, True, "`np.array_equal`", np.array_equal(ARRAY, ARRAY)),
    (ARRAY == ARRAY, True, "`np.allclose`", np.allclose(ARRAY, ARRAY)),
    (ROWS == ROWS, True, "`torch.equal`", torch.equal(ROWS, ROWS)),
    (ROWS == ROWS, True, "`torch.allclose`", torch.allclose(ROWS, ROWS)),
    ((ROWS,), ROWS, "a comma behind a value", ROWS),
    ((ROWS, ARRAY), ROWS, "one value is wanted", ROWS),
    ((ARRAY, ROWS), ARRAY, "one value is wanted", ARRAY),
    (ROWS, (ROWS, ROWS), "commas between them", (ROWS, ROWS)),
    (["l", "ow"], "low", '`"".join(…)`', "".join(["l", "ow"])),
    (ROWS.sum, torch.tensor(15.0), "round brackets", ROWS.sum()),
    ((one for one in "ab"), ["a", "b"], "`list(…)`", list("ab")),
]


@pytest.mark.parametrize(("came", "expected", "part", "made"), ADVISED)
def test_advice_makes_what_was_expected(came: Any, expected: Any, part: str, made: Any) -> None:
    (found, *_) = differences(expected, came, EXACT)
    assert part in found.text
    assert not [*differences(expected, made, EXACT)]


# Of each, something is near, and what makes the expected value of the one would not of the other.
SILENT: list[tuple[Any, Any]] = [
    ([ROWS, ROWS], ROWS),
    ([ROWS, ROWS[0]], ROWS),
    ([], ROWS),
    ([[1.0], [1.0, 2.0]], ROWS),
    (["a", 1], "a"),
    (ROWS, True),
    (torch.tensor(True), ROWS),
    (1.5, ROWS),
    (None, ROWS),
    ("text", ROWS),
    ([1.0] * 65, torch.ones(65)),
]


@pytest.mark.parametrize(("came", "expected"), SILENT)
def test_nothing_is_advised_that_would_not_do(came: Any, expected: Any) -> None:
    assert ";" not in as_received(came, expected)


SINGLE = np.array([1.5, 2.0], dtype=np.float32)
DOUBLE = np.array([0.5, 1.0])


def test_floating_point_numbers_are_cast() -> None:
    assert with_dtypes_of(SINGLE, DOUBLE).dtype == np.float32
    single = torch.tensor([1.5])
    assert with_dtypes_of(single.double(), single).dtype == torch.float64
    pair = with_dtypes_of((SINGLE, 3), (DOUBLE, 4))
    assert identical(pair, (DOUBLE.astype(np.float32), 4))
    parts = with_dtypes_of({"a": [SINGLE]}, {"a": [DOUBLE]})
    assert identical(parts, {"a": [DOUBLE.astype(np.float32)]})


def test_what_is_alike_or_no_number_stays_itself() -> None:
    whole = np.array([1, 2])
    for wanted, value in (
        (SINGLE, SINGLE.copy()),
        (SINGLE, whole),
        (whole, DOUBLE),
        (SINGLE, torch.tensor([0.5])),
        (SINGLE, [0.5, 1.0]),
        ((SINGLE,), (DOUBLE, DOUBLE)),
        ({"a": SINGLE}, {"b": DOUBLE}),
        (SINGLE, None),
        (1.5, 2),
    ):
        assert with_dtypes_of(wanted, value) is value


def test_numbers_too_large_become_infinite_quietly() -> None:
    cast = with_dtypes_of(SINGLE, np.array([1e300, 0.0]))
    assert cast.tolist() == [np.inf, 0.0]
