"""The exam of `row_softmax`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.families import (
    ARRAY_DTYPE,
    LOOP,
    NO_SOFTMAX,
    SOFTMAX_AXIS,
    SOFTMAX_BARE,
    SOFTMAX_SHIFT,
    Softmax,
)
from solutions.exams.foundations._specimens import FAR_OUT, SQUARE, TWO_BY_THREE

rows = Exam(reference.row_softmax, forbids=("companion",))


@rows.example
def wider_than_high() -> np.ndarray:
    """two rows of three scores"""
    return TWO_BY_THREE


@rows.example
def square() -> np.ndarray:
    """a square matrix"""
    return SQUARE


@rows.example
def large_scores() -> np.ndarray:
    """scores near 1000 and -1000"""
    return FAR_OUT


@rows.example
def one_row() -> np.ndarray:
    """one row of three scores"""
    return TWO_BY_THREE[:1]


@rows.case
def any_rows(draw: Draw) -> np.ndarray:
    """scores drawn at random"""
    return draw("rows columns", scale=2)


@rows.case(times=1)
def large_square(draw: Draw) -> np.ndarray:
    """a square matrix of 20 rows"""
    return draw.fix(n=20)("n n")


@rows.case(times=1)
def rows_far_apart(draw: Draw) -> np.ndarray:
    """a square matrix, some of its rows near 1000, the others near -1000"""
    scores = draw.fix(n=6)("n n")
    scores[::2] += 1000
    scores[1::2] -= 1000
    return scores


@rows.case(times=1)
def a_single_row(draw: Draw) -> np.ndarray:
    """one row"""
    return draw.fix(rows=1)("rows columns")


@rows.case(times=1)
def single_scores(draw: Draw) -> np.ndarray:
    """rows of one score"""
    return draw.fix(columns=1)("rows columns")


@rows.holds
def row_sum_is_one(row_softmax: Callable[..., np.ndarray], x: np.ndarray) -> bool:
    """each row sums to 1"""
    return bool(np.allclose(row_softmax(x).sum(axis=1), 1, atol=1e-5))


@rows.holds
def rows_are_alone(row_softmax: Callable[..., np.ndarray], x: np.ndarray) -> bool:
    """a change in the last row changes no other"""
    changed = x.copy()
    changed[-1] += np.arange(x.shape[1], dtype=x.dtype)
    return bool(np.allclose(row_softmax(changed)[:-1], row_softmax(x)[:-1], atol=1e-6))


SOFTMAX_AXIS.apply(
    rows,
    Softmax,
    called={
        "OverEverything": "all_rows_together",
        "OneMaximumForAll": "one_maximum",
        "KeepdimsForgotten": "as_given",
        "MaximumWithoutKeepdims": "only_the_total_repaired",
        "SumWithoutKeepdims": "only_the_maximum_repaired",
    },
    says={
        "OverEverything": "The whole matrix sums to 1, as without an axis. Each row needs its own "
        "maximum and its own total.",
        "OneSumForAll": "All your weights together sum to 1: the exponentials were divided by one "
        "sum of them all. Each row has a sum of its own.",
        "OneMaximumForAll": "In a row of low scores you subtracted a maximum that is not its own, "
        "so every exponential is 0, and 0 / 0 is NaN. Each row has its own maximum.",
        "KeepdimsForgotten": "These are still the results of the broken cell. Print the shapes of "
        "`x` and of `largest`: how does NumPy line them up?",
        "MaximumWithoutKeepdims": "The total is repaired, but the maximum is not: row i's maximum "
        "is still subtracted from column i.",
        "SumWithoutKeepdims": "The maximum is repaired, but the total is not: row i's total still "
        "divides column i.",
    },
)
SOFTMAX_BARE.apply(
    rows,
    Softmax,
    says={
        "OverEverythingUnshifted": "The whole matrix sums to 1, as without an axis. Each row needs "
        "its own total. Also, exponentials of large scores overflow: subtract each row's own "
        "maximum first."
    },
)
SOFTMAX_SHIFT.apply(
    rows,
    Softmax,
    called={"Overflowing": "maximum_dropped"},
    says={
        "Overflowing": "Without the maximum, exp(1000) overflows, and inf / inf is NaN. Keep the "
        "line and repair it.",
        "ShiftedByTheMean": "Scores far above the others still overflow, as when the mean is "
        "subtracted. Subtract the largest score of each row.",
    },
)
NO_SOFTMAX.apply(rows, Softmax)


@rows.misconception
def columns_now(x: np.ndarray) -> np.ndarray:
    """It no longer stops with an error, but now each column sums to 1, as with axis 0. Use the last
    axis, and keep it with `keepdims=True`.
    """
    return reference.softmax(x, 0)


@rows.misconception
def summed_down_the_columns(x: np.ndarray) -> np.ndarray:
    """You subtract each row's own maximum, but divide by the sums over axis 0, down the columns.
    Add up along the last axis, with `keepdims=True`.
    """
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=0)


@rows.misconception
def maxima_of_the_columns(x: np.ndarray) -> np.ndarray:
    """You divide by each row's own total, but you subtract the maxima over axis 0, those of the
    columns, so the scores of a row are not all lowered by the same number. Take the maximum along
    the last axis as well, with `keepdims=True`.
    """
    exponentials = np.exp(x - x.max(axis=0))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@rows.misconception
def left_transposed(x: np.ndarray) -> np.ndarray:
    """The numbers are right, but rows and columns are swapped. Transpose back at the end."""
    return reference.softmax(x.T, 0)


ARRAY_DTYPE.apply(rows)
LOOP.apply(rows)


@rows.accepts
def repaired_by_newaxis(x: np.ndarray) -> np.ndarray:
    """A new axis for each.

    `np.newaxis` puts back the axis that the maximum and the sum have removed. `keepdims=True`
    spares you that.
    """
    exponentials = np.exp(x - x.max(axis=-1)[:, np.newaxis])
    return exponentials / exponentials.sum(axis=-1)[:, np.newaxis]


@rows.accepts
def repaired_by_transposing(x: np.ndarray) -> np.ndarray:
    """There and back.

    Transposed, the rows are columns, and a vector with one number for each of them broadcasts along
    as it is. A second transpose turns the result back.
    """
    exponentials = np.exp(x.T - x.max(axis=-1))
    return (exponentials / exponentials.sum(axis=0)).T


@rows.accepts
def repaired_row_by_row(x: np.ndarray) -> np.ndarray:
    """A loop.

    A loop takes one row at a time. Its maximum and its sum are plain numbers, so there is no axis
    to lose.
    """
    result = np.empty_like(x)
    for i, row in enumerate(x):
        exponentials = np.exp(row - row.max())
        result[i] = exponentials / exponentials.sum()
    return result
