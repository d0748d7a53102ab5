import math
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.values.compare import Tolerance
from autograder.checks.values.outcome import Outcome, Raised
from autograder.checks.values.rounding import current, shipped, without_dust
from autograder.errors import ExamError

DOUBLE, SINGLE = Tolerance(absolute=1e-9, relative=1e-7), Tolerance(absolute=1e-5, relative=1e-4)


def rounded(value: object, tolerance: Tolerance = DOUBLE, precise: object = None) -> Any:
    return shipped(Outcome(value), Outcome(value if precise is None else precise), tolerance).value


@pytest.mark.parametrize("tolerance", [DOUBLE, SINGLE, Tolerance(6e-5), Tolerance(0.0, 0.25)])
def test_far_below_the_tolerance(tolerance: Tolerance) -> None:
    rng = np.random.default_rng(1)
    for number in (rng.normal(size=500) * 10.0 ** rng.integers(-6, 7, size=500)).tolist():
        allowed = tolerance.absolute + tolerance.relative * abs(number)
        assert abs(rounded(number, tolerance) - number) <= 0.06 * allowed


@pytest.mark.parametrize("number", [1 / 3, 100 / 7, 1e-5 / 3, 0.75, 3 / 2048, 0.0])
def test_last_digits_make_no_difference(number: float) -> None:
    dust = 1e-15 * max(1.0, abs(number))
    assert rounded(number) == rounded(number + dust) == rounded(number - dust)


def test_half_a_step_is_shipped_as_it_is() -> None:
    """Such a number would be rounded up on one machine and down on another."""
    half = 1 / 2048
    assert rounded(half + 1e-16) == rounded(half - 1e-16) == half


def test_neighbouring_steps_are_current() -> None:
    """Two machines may round the same number to two steps next to each other, but not further."""
    for number in (0.012, 1 / 3, 1e-7, 12345.678):
        step = abs(rounded(number) - rounded(number * (1 + 1e-9) + 2e-10)) or 1e-10
        assert current(DOUBLE).allows_number(rounded(number), rounded(number) + step)
        allowed = DOUBLE.absolute + DOUBLE.relative * number
        assert not current(DOUBLE).allows_number(rounded(number), rounded(number) + allowed / 4)


@pytest.mark.parametrize("number", [-0.0, 3e-17, -3e-17])
def test_dust_becomes_a_zero_without_a_sign(number: float) -> None:
    for value in (rounded(number), rounded(np.array([number]))[0]):
        assert repr(float(value)) == "0.0"


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 1e300])
def test_unusual_numbers_stay(number: float) -> None:
    assert repr(rounded(number)) == repr(number)


def test_parts_keep_their_types() -> None:
    value = {"a": (1, True, None, "text"), "b": [np.float32(1 / 3), np.array([1, 2])], "c": 1 / 3}
    found = rounded(value, SINGLE)
    assert found["a"] == value["a"]
    assert type(found["b"][0]) is np.float32
    assert found["b"][1] is value["b"][1]
    assert found["c"] == 0.333333


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_tensors_keep_dtype_and_gradients(dtype: torch.dtype) -> None:
    leaf = torch.tensor([[0.1, 1 / 3]], dtype=dtype, requires_grad=True)
    found = rounded(leaf, SINGLE)
    assert (found.dtype, found.shape, found.requires_grad) == (dtype, leaf.shape, True)
    assert not rounded(2 * leaf, SINGLE).requires_grad
    assert type(rounded(torch.nn.Parameter(leaf), SINGLE)) is torch.nn.Parameter


def test_single_precision_is_rounded_by_the_double() -> None:
    """The same bytes come of two machines' float32 where what they mean is one number."""
    precise = np.array([0.22438], dtype=np.float64)
    for noise in (-6e-6, 6e-6):
        found = rounded(np.array([0.22438 + noise], dtype=np.float32), SINGLE, precise)
        assert found.dtype == np.float32
        assert found[0] == np.float32(0.22438)


def test_another_number_in_double_precision_is_not_taken() -> None:
    for precise in (np.array([9.0]), np.array([1.0, 1.0]), "text", [1.0]):
        assert rounded(np.array([1.0], dtype=np.float32), SINGLE, precise)[0] == 1.0


def test_what_else_happened_stays() -> None:
    raised = Outcome(raised=Raised("ValueError", "no"), changed=("x",))
    assert shipped(raised, raised, DOUBLE) == raised


def test_arguments_of_few_decimals_lose_their_dust() -> None:
    scores = np.array([[0.1 + 0.2, 1.4950000000000001], [-1e-17, -np.inf]])
    mask = torch.tensor([True])
    found = without_dust((scores, [mask, 7, "x"], {"weights": torch.tensor([0.5])}))
    assert repr(found[0].tolist()) == "[[0.3, 1.495], [0.0, -inf]]"
    assert found[1][0] is mask
    assert found[2]["weights"].dtype == torch.float32


@pytest.mark.parametrize("number", [1 / 3, 1e-7, math.cos(1)])
def test_computed_arguments_are_refused(number: float) -> None:
    with pytest.raises(ExamError, match=r"a printed example holds .*: round what you compute"):
        without_dust({"weights": [np.array([0.5, number])]})
