"""What is advised of a value of another kind makes the expected one of it, tried here and now."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.values.compare import Tolerance, differences
from autograder.checks.values.kinds import as_received

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
