"""Values in the dtypes of others: floating-point numbers alone, and only where shapes allow it."""

import numpy as np
import torch

from autograder.checks.values.compare import identical
from autograder.checks.values.set_aside import with_dtypes_of

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
