"""Numbers as they ship: with the digits that a comparison with them needs, and no more.

Processors add in different orders, and so differ in the last digits of a sum. Numbers that ship are
therefore rounded to a part of what the comparison with them allows, far above those digits. Two
machines may still round a number to neighbouring steps: what is shipped is `current` if it is as
near as that to what is computed anew.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.checks.values.compare import PART, Tolerance
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.tensors import as_array, cast, dtype_name, is_tensor
from autograder.errors import ExamError

if TYPE_CHECKING:
    import torch

# The decimals of a printed example's arguments, and how far these may be from such numbers.
_DECIMALS = 6
_DUST = 1e-13
# How far a shipped number may be from the one computed anew, as a share of what is allowed.
MOVED = 2 * PART
# A number so near to the middle of two steps, in steps, is shipped as that middle.
_NEAR = 1e-3

Leaf = Callable[[np.ndarray], np.ndarray]


def without_dust(arguments: Any) -> Any:
    """Arguments of a printed example, rounded to six decimals, as everybody gets them.

    Raises:
        ExamError: for a number with more decimals: computed ones are not the same everywhere.
    """
    return with_numbers(arguments, _of_few_decimals)


def shipped(outcome: Outcome, precise: Outcome, tolerance: Tolerance) -> Outcome:
    """An outcome with its numbers rounded to what a comparison within `tolerance` needs.

    `precise` is what the same call gives in double precision. Its numbers are taken where they are
    the same ones, as single precision has too few digits to round them alike everywhere.
    """
    return replace(outcome, value=_rounded(outcome.value, precise.value, tolerance, tolerance))


def current(tolerance: Tolerance) -> Tolerance:
    """How far a shipped number may be from the one that is computed anew: two steps.

    What a check decides must not hang on that much: `tests/whole/test_processors.py` tries it.
    """
    return tolerance.times(MOVED)


def with_numbers(value: Any, leaf: Leaf) -> Any:
    """The value with `leaf` applied to all floating-point numbers in it, which keep their types.

    Args:
        value: numbers, arrays and tensors in lists, tuples and dicts; all else stays.
        leaf: is given an array in double precision, and returns one of its shape.
    """
    if type(value) is list or type(value) is tuple:
        return type(value)(with_numbers(entry, leaf) for entry in value)
    if type(value) is dict:
        return {key: with_numbers(entry, leaf) for key, entry in value.items()}
    numbers = _numbers(value)
    if numbers is None:
        return value
    made = leaf(numbers)
    if is_tensor(value):
        return _tensor_like(value, made)
    return made.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(made[()])


def _of_few_decimals(numbers: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        rounded = np.where(np.isfinite(numbers), np.round(numbers, _DECIMALS), numbers)
        dust = np.abs(numbers - rounded) > _DUST * np.maximum(1, np.abs(numbers))
    if dust.any():
        raise ExamError(
            f"a printed example holds {numbers[dust][0]!r}: round what you compute for it to at "
            f"most {_DECIMALS} decimals, so that it is the same number on every machine"
        )
    return np.asarray(rounded + 0.0)


def _rounded(value: Any, precise: Any, tolerance: Tolerance, same: Tolerance) -> Any:
    """The value in steps of a tolerance, with the precise numbers that are the `same` within one.

    What is nothing but noise in single precision, such as the gradient of a bias that a softmax
    takes out again, is then the zero that it means.
    """
    if isinstance(value, dict):
        known = precise if isinstance(precise, dict) else {}
        return {
            key: _rounded(one, known.get(key), tolerance, same.of(key))
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        is_alike = isinstance(precise, list | tuple) and len(precise) == len(value)
        others = precise if is_alike else [None] * len(value)
        pairs = zip(value, others, strict=True)
        return type(value)(_rounded(one, other, tolerance, same) for one, other in pairs)

    def in_steps(numbers: np.ndarray) -> np.ndarray:
        return _in_steps(_more_precise(numbers, _numbers(precise), same), tolerance)

    return with_numbers(value, in_steps)


def _more_precise(
    numbers: np.ndarray, precise: np.ndarray | None, tolerance: Tolerance
) -> np.ndarray:
    if precise is None or precise.shape != numbers.shape:
        return numbers
    return precise if tolerance.allows(precise, numbers).all() else numbers


def _in_steps(numbers: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    rounded = [_in_step(float(number), tolerance) for number in numbers.ravel()]
    return np.array(rounded).reshape(numbers.shape)


def _in_step(number: float, tolerance: Tolerance) -> float:
    digits = tolerance.decimals(number)
    if not math.isfinite(number) or digits is None:
        return number
    from_middle = abs(number * 10.0**digits % 1 - 0.5)
    # Adding zero takes the sign from a zero.
    return round(number, digits + (from_middle < _NEAR)) + 0.0


def _tensor_like(tensor: "torch.Tensor", numbers: np.ndarray) -> "torch.Tensor":
    # A copy of what was computed would be a leaf.
    made = cast(tensor if tensor.is_leaf else tensor.detach(), dtype_name(tensor))
    made.detach().copy_(made.new_tensor(numbers))
    return made


def _numbers(value: Any) -> np.ndarray | None:
    """A floating-point value's numbers in double precision, None for all that is no such value."""
    if is_tensor(value):
        value = as_array(value)
    if isinstance(value, np.ndarray | np.floating | float) and np.asarray(value).dtype.kind == "f":
        return np.asarray(value, dtype=np.float64)
    return None
