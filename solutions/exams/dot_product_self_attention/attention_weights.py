"""The exam of `attention_weights`, lesson 02."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from companion import softmax as given_softmax
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    BIG_SCORES,
    FOUR_SCORES,
    OPPOSED_SCORES,
    YOUR_JOURNEY,
)
from solutions.exams.families import (
    ARRAY_DTYPE,
    LOOP,
    NO_SOFTMAX,
    SOFTMAX_AXIS,
    SOFTMAX_BARE,
    SOFTMAX_SHIFT,
    Softmax,
)
from solutions.foundations import softmax

_REASON = "lesson 00 has written it; which axis it runs along is the exercise"

weights = Exam(
    reference.attention_weights, allows=dict.fromkeys(("softmax", "torch_softmax"), _REASON)
)


@weights.example
def six_by_six() -> np.ndarray:
    """the scores of all six words"""
    return YOUR_JOURNEY.vectors @ YOUR_JOURNEY.vectors.T


@weights.example
def opposed() -> np.ndarray:
    """a sentence with scores below zero"""
    return OPPOSED_SCORES


@weights.example
def single_query() -> np.ndarray:
    """the scores of one query, on one axis"""
    return FOUR_SCORES


@weights.example
def large() -> np.ndarray:
    """scores near 1000 and -1000"""
    return BIG_SCORES


@weights.case
def one_query(draw: Draw) -> np.ndarray:
    """the scores of one query"""
    return draw("keys", scale=2)


@weights.case
def several_queries(draw: Draw) -> np.ndarray:
    """the scores of several queries"""
    return draw("queries keys", scale=2)


@weights.case
def wide(draw: Draw) -> np.ndarray:
    """scores of ±1000"""
    # A thousand apart at least: nearer ones could not be told apart in single precision.
    return 1000.0 * (2 * draw("queries keys").argsort(axis=-1) - 1)


weights.half_but_for("scores far from 0", large, wide)


@weights.holds
def rows_sum_to_one(attention_weights: Callable[..., np.ndarray], s: np.ndarray) -> bool:
    """the weights of each query sum to 1"""
    return bool(np.allclose(attention_weights(s).sum(axis=-1), 1, atol=1e-4))


@weights.holds
def shifting_changes_nothing(attention_weights: Callable[..., np.ndarray], s: np.ndarray) -> bool:
    """the same number added to all scores of a query changes no weight"""
    return bool(np.allclose(attention_weights(s + 2), attention_weights(s), atol=1e-4))


SOFTMAX_AXIS.apply(
    weights,
    Softmax,
    says={
        "OverEverything": "All your weights together sum to 1. Each query has its own softmax: "
        "every row sums to 1.",
        "OneSumForAll": "All your weights together sum to 1: the exponentials were divided by one "
        "sum of them all. Each query has its own sum, that of its row.",
    },
)
SOFTMAX_BARE.apply(
    weights,
    Softmax,
    says={
        "OverEverythingUnshifted": "All your weights together sum to 1. Each query has its own "
        "softmax: every row sums to 1. Also, exponentials of large scores overflow: subtract each "
        "row's maximum first."
    },
)
SOFTMAX_SHIFT.apply(weights, Softmax)
NO_SOFTMAX.apply(weights, Softmax, called={"NeverDivided": "unnormalised"})


@weights.misconception
def over_the_queries(scores: np.ndarray) -> np.ndarray:
    """This is what comes out when the softmax runs over the queries. It should run over the keys,
    the last axis: each row sums to 1.
    """
    return softmax(scores, axis=0)


@weights.misconception
def over_the_queries_unshifted(scores: np.ndarray) -> np.ndarray:
    """Each column of your weights sums to 1, as after a softmax over the queries. It should run
    over the keys, the last axis. And exponentials of large scores overflow: subtract each row's
    maximum first.
    """
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=0)


@weights.misconception
def over_the_last_but_one(scores: np.ndarray) -> np.ndarray:
    """This is what comes out when the softmax runs over the axis before the last, the queries. It
    should run over the keys, the last axis, which is there even for a single query.
    """
    return given_softmax(scores, axis=-2)


@weights.misconception
def divided_by_the_columns(scores: np.ndarray) -> np.ndarray:
    """You took each row's maximum, but divided by the sums of the columns. Both run over the keys,
    the last axis.
    """
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=0)


@weights.misconception
def transposed(scores: np.ndarray) -> np.ndarray:
    """Your weights are transposed. Return them in the shape of the scores: queries on rows, keys on
    columns.
    """
    return softmax(scores).T


@weights.misconception
def scores_over_the_largest(scores: np.ndarray) -> np.ndarray:
    """You divide the scores of each row by the largest of them, which changes the weights. Subtract
    the largest instead: that leaves the weights as they are.
    """
    return softmax(scores / scores.max(axis=-1, keepdims=True))


@weights.misconception
def scores_over_the_largest_size(scores: np.ndarray) -> np.ndarray:
    """You divide the scores of each row by the largest absolute value among them, which changes the
    weights. Subtract the largest score instead: that leaves the weights as they are.
    """
    return softmax(scores / np.abs(scores).max(axis=-1, keepdims=True))


@weights.misconception
def nothing_for_inf(scores: np.ndarray) -> np.ndarray:
    """Where the exponentials overflow, your weights are 0, and a row no longer sums to 1. Subtract
    each row's maximum first: then nothing has to be replaced.
    """
    exponentials = np.exp(scores)
    return np.nan_to_num(exponentials / exponentials.sum(axis=-1, keepdims=True))


@weights.misconception
def over_the_second_axis(scores: np.ndarray) -> np.ndarray:
    """The table comes out right, but the scores of one query alone have no second axis, so that
    `axis=1` is an error. Count the axis from the end.
    """
    return given_softmax(scores, axis=1)


@weights.misconception
def always_a_table(scores: np.ndarray) -> np.ndarray:
    """The scores of one query went in with one axis, and came out with two. Return them in the
    shape in which they came.
    """
    return softmax(np.atleast_2d(scores))


ARRAY_DTYPE.apply(weights)
LOOP.apply(weights)


@weights.accepts
def weights_row_by_row(scores: np.ndarray) -> np.ndarray:
    """Loops.

    A softmax for each row, in a loop, so that there is no axis to get wrong. `np.atleast_2d`
    makes the scores of a single query a table of one row.
    """
    rows = np.atleast_2d(scores)
    result = np.empty_like(rows)
    for i, row in enumerate(rows):
        exponentials = np.exp(row - max(row))
        result[i] = exponentials / sum(exponentials)
    return result.reshape(scores.shape)


@weights.accepts
def weights_in_one_expression(scores: np.ndarray) -> np.ndarray:
    """Broadcasting.

    Broadcasting does all rows at once, which `keepdims=True` makes possible: the maximum and
    the sum stay columns.
    """
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@weights.accepts
def weights_by_logarithms(scores: np.ndarray) -> np.ndarray:
    """exp(score - log-sum-exp).

    It stays with logarithms until the last step: subtracting log-sum-exp is the same as
    dividing by the sum, and overflows nowhere. This is also how losses are computed.
    """
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
