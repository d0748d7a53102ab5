"""The exam of `softmax`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.families import (
    ARRAY_DTYPE,
    NO_SOFTMAX,
    SOFTMAX_AXIS,
    SOFTMAX_BARE,
    SOFTMAX_SHIFT,
    Softmax,
)
from solutions.exams.foundations._specimens import FAR_OUT, SQUARE, TWO_BY_THREE

stable = Exam(reference.softmax, forbids=("companion", "torch_softmax"))

HIDDEN = np.array([[0.5, -np.inf, 1.5, 0.0], [-np.inf, -np.inf, -2.0, -np.inf]])


@stable.example
def each_row() -> tuple[np.ndarray, int]:
    """two rows of three scores, axis -1"""
    return TWO_BY_THREE, -1


@stable.example
def each_column() -> tuple[np.ndarray, int]:
    """two rows of three scores, axis 0"""
    return TWO_BY_THREE, 0


@stable.example
def no_axis_named() -> np.ndarray:
    """three rows of two scores, no axis given"""
    return TWO_BY_THREE.T.copy()


@stable.example
def a_vector() -> np.ndarray:
    """a vector of four scores, no axis given"""
    return np.array([0.5, -1.0, 2.0, 1.5])


@stable.example
def a_square() -> tuple[np.ndarray, int]:
    """a square matrix, axis 1"""
    return SQUARE, 1


@stable.example
def tables_of_three_axes() -> tuple[np.ndarray, int]:
    """two tables of three rows and two columns, axis 1"""
    return np.stack([TWO_BY_THREE.T, TWO_BY_THREE.T[::-1] * 2]), 1


@stable.example
def far_from_zero() -> tuple[np.ndarray, int]:
    """scores near 1000 and -1000"""
    return FAR_OUT, -1


@stable.example
def with_minus_infinity() -> tuple[np.ndarray, int]:
    """scores of -inf, in one row all but one"""
    return HIDDEN, -1


@stable.case
def drawn_scores(draw: Draw) -> tuple[np.ndarray, int]:
    """scores drawn at random"""
    return draw("rows columns", scale=2), -1


@stable.case(times=1)
def axis_left_out(draw: Draw) -> np.ndarray:
    """a matrix, no axis given"""
    return draw("rows columns")


@stable.case(times=1)
def one_axis_only(draw: Draw) -> np.ndarray:
    """a vector, no axis given"""
    return draw("n")


@stable.case(times=1)
def three_axes(draw: Draw) -> tuple[np.ndarray, int]:
    """three axes, the softmax over the middle one"""
    return draw("batch rows columns"), 1


@stable.case(times=1)
def first_of_four(draw: Draw) -> tuple[np.ndarray, int]:
    """four axes, the softmax over the first one"""
    return draw("batch heads rows columns"), 0


@stable.case(times=1)
def last_of_a_cube(draw: Draw) -> tuple[np.ndarray, int]:
    """three axes of the same length"""
    return draw.fix(batch=3, rows=3, columns=3)("batch rows columns"), -2


@stable.case
def spread_wide(draw: Draw) -> tuple[np.ndarray, int]:
    """scores hundreds apart"""
    return draw("rows columns", scale=300), 0


@stable.case(times=1)
def hidden_triangle(draw: Draw) -> tuple[np.ndarray, int]:
    """-inf above the diagonal"""
    n = draw.size("n")
    scores = draw("n n")
    scores[np.triu_indices(n, k=1)] = -np.inf
    return scores, 1


# In float32, such scores have few digits left for what tells them apart.
@stable.case(times=1, dtypes=("float64",))
def hidden_far_below(draw: Draw) -> tuple[np.ndarray, int]:
    """-inf among scores far below zero"""
    scores = draw("rows columns") - 20000
    scores[:, int(draw.rng.integers(scores.shape[1]))] = -np.inf
    return scores, -1


@stable.case(times=1)
def a_single_score(draw: Draw) -> tuple[np.ndarray, int]:
    """one score per row"""
    return draw.fix(columns=1)("rows columns"), -1


stable.half_but_for("scores far from 0", far_from_zero, spread_wide, hidden_far_below)


@stable.holds
def sum_is_one(softmax: Callable[..., np.ndarray], x: np.ndarray, axis: int = -1) -> bool:
    """the weights sum to 1 along the axis"""
    return bool(np.allclose(softmax(x, axis).sum(axis=axis), 1, atol=1e-4))


@stable.holds
def hidden_is_zero(softmax: Callable[..., np.ndarray], x: np.ndarray, axis: int = -1) -> bool:
    """the weight of a score of -inf is 0, and not just small"""
    # Of an exponential that was cut off, less is left than a rounding error.
    return bool((softmax(x, axis)[np.isneginf(x)] < 1e-30).all())


@stable.holds
def shift_changes_nothing(
    softmax: Callable[..., np.ndarray], x: np.ndarray, axis: int = -1
) -> bool:
    """the same number added to all scores changes no weight"""
    return bool(np.allclose(softmax(x + 2, axis), softmax(x, axis), atol=1e-4))


SOFTMAX_AXIS.apply(stable, Softmax)
SOFTMAX_BARE.apply(stable, Softmax)
SOFTMAX_SHIFT.apply(stable, Softmax)
NO_SOFTMAX.apply(stable, Softmax, called={"Shares": "divided_by_sum"})


@stable.misconception
def axis_not_moved_back(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The weights are right, but their axes are in another order: the axis of the softmax was moved
    to the end. Move it back.
    """
    moved = np.moveaxis(x, axis, -1)
    exponentials = np.exp(moved - moved.max(axis=-1, keepdims=True))
    weights: np.ndarray = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights


@stable.misconception
def always_the_last_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your weights sum to 1 along the last axis, whatever axis was asked for. Use the argument
    `axis`.
    """
    return reference.softmax(x)


@stable.misconception
def always_the_first_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your weights sum to 1 along the first axis, whatever axis was asked for. Use the argument
    `axis`.
    """
    return reference.softmax(x, 0)


@stable.misconception
def always_the_last_axis_unshifted(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your weights sum to 1 along the last axis, whatever axis was asked for: use the argument
    `axis`. And exponentials of large scores overflow: subtract the largest score first.
    """
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


@stable.misconception
def always_the_first_axis_unshifted(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your weights sum to 1 along the first axis, whatever axis was asked for: use the argument
    `axis`. And exponentials of large scores overflow: subtract the largest score first.
    """
    return np.exp(x) / np.exp(x).sum(axis=0)


@stable.misconception
def the_first_axis_by_default(x: np.ndarray, axis: int = 0) -> np.ndarray:
    """Where no axis is given, your softmax runs over the first one. Let `axis` be -1 in the first
    line of the function, as it was.
    """
    return reference.softmax(x, axis)


@stable.misconception
def the_second_axis_by_default(x: np.ndarray, axis: int = 1) -> np.ndarray:
    """A vector has no second axis, and somewhere you ask for axis 1. Count from the end, and let
    `axis` be -1 in the first line of the function, as it was.
    """
    return reference.softmax(x, axis)


@stable.misconception
def sum_along_the_last_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your sum runs along the last axis, whatever axis was asked for. It needs the same `axis` as
    the maximum.
    """
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@stable.misconception
def maximum_along_the_last_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You subtracted the maximum along the last axis, whatever axis was asked for, so that scores
    which belong together were not lowered by the same number. The maximum needs the same `axis` as
    the sum.
    """
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@stable.misconception
def nothing_for_nan(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Where the exponentials overflow or all become 0, your weights are 0, and no longer sum to 1.
    Subtract the largest score first: then nothing has to be replaced.
    """
    exponentials = np.exp(x)
    return np.nan_to_num(exponentials / exponentials.sum(axis=axis, keepdims=True))


@stable.misconception
def clipped_far_out(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You cut the scores off, so that 1000 and 1001 became the same; and in float32, `exp` is inf
    from 89 on. Subtract the largest score instead: that keeps the differences.
    """
    exponentials = np.exp(np.clip(x, -500, 500))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@stable.misconception
def clipped_above(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You cut large scores off, so that 1000 and 1001 became the same, and scores near -1000 still
    end as 0 / 0. Subtract the largest score instead: that cures both.
    """
    exponentials = np.exp(np.minimum(x, 80))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


ARRAY_DTYPE.apply(stable, called={"InFloat64": "softmax_in_float64"})


@stable.accepts
def softmax_slice_by_slice(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """One vector at a time.

    `np.apply_along_axis` cuts the array into vectors, and calls a softmax of one vector for each.
    That is easy to read and slow, because the loop runs in Python.
    """

    def weights(scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores - max(scores))
        return exponentials / sum(exponentials)

    return np.apply_along_axis(weights, axis, x)


@stable.accepts
def softmax_by_logarithms(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """exp(x - log-sum-exp).

    Subtracting the logarithm of the sum of the exponentials is the same as dividing by that sum.
    `np.logaddexp` computes it without overflow, so no maximum has to be subtracted.
    """
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))


@stable.accepts
def softmax_on_the_last_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The axis moved to the end and back.

    The axis is moved to the end and back again, so what stands in between has to be written for the
    last axis only.
    """
    moved = np.moveaxis(x, axis, -1)
    exponentials = np.exp(moved - np.max(moved, axis=-1)[..., np.newaxis])
    weights = exponentials / np.sum(exponentials, axis=-1)[..., np.newaxis]
    return np.moveaxis(weights, -1, axis)
