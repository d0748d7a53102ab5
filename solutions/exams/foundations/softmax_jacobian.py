"""The exam of `softmax_jacobian`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.families import ARRAY_DTYPE

jacobian = Exam(reference.softmax_jacobian)


@jacobian.example
def three_weights() -> np.ndarray:
    """the weights 0.5, 0.3 and 0.2"""
    return np.array([0.5, 0.3, 0.2])


@jacobian.example
def four_weights() -> np.ndarray:
    """the weights 0.1, 0.6, 0.05 and 0.25"""
    return np.array([0.1, 0.6, 0.05, 0.25])


@jacobian.case
def any_distribution(draw: Draw) -> np.ndarray:
    """weights drawn at random"""
    return draw.weights("n")


@jacobian.case(times=1)
def all_on_one(draw: Draw) -> np.ndarray:
    """all the weight on one score"""
    return np.eye(draw.size("n"))[0]


@jacobian.case(times=1)
def all_alike(draw: Draw) -> np.ndarray:
    """40 equal weights"""
    return np.full(40, 1 / 40)


@jacobian.case(times=1)
def two_weights_only(draw: Draw) -> np.ndarray:
    """two weights"""
    return draw.fix(n=2).weights("n")


@jacobian.holds
def rows_sum_to_zero(softmax_jacobian: Callable[..., np.ndarray], p: np.ndarray) -> bool:
    """each row sums to 0"""
    return bool(np.allclose(softmax_jacobian(p).sum(axis=1), 0, atol=1e-6))


@jacobian.holds
def weights_move_so(softmax_jacobian: Callable[..., np.ndarray], p: np.ndarray) -> bool:
    """a small step of the scores moves the weights as the derivatives say"""
    scores = np.log(np.maximum(p.astype(np.float64), 1e-300))
    step = 1e-4 * np.sin(np.arange(len(p)))
    moved = reference.softmax(scores + step) - reference.softmax(scores - step)
    return bool(np.allclose(softmax_jacobian(p) @ (2 * step), moved, atol=1e-9))


@jacobian.misconception
def only_the_diagonal(p: np.ndarray) -> np.ndarray:
    """The diagonal is right, and the rest is 0. But when one score grows, the other weights shrink:
    fill in what stands beside the diagonal.
    """
    return np.diag(p * (1 - p))


@jacobian.misconception
def number_for_outer(p: np.ndarray) -> np.ndarray:
    """You subtracted one number from all entries: p transposed is still a vector, and two vectors
    make a dot product. Every pair (i, j) needs a product of its own.
    """
    return np.diag(p) - p @ p.T


@jacobian.misconception
def squares_in_each_row(p: np.ndarray) -> np.ndarray:
    """You subtracted the squares of p, the same in each row. Entry (i, j) needs the product of
    weight i and weight j.
    """
    return np.diag(p) - p * p


@jacobian.misconception
def sign_turned(p: np.ndarray) -> np.ndarray:
    """Every sign is reversed. A weight grows with its own score, so the diagonal is positive."""
    return np.outer(p, p) - np.diag(p)


@jacobian.misconception
def outer_added(p: np.ndarray) -> np.ndarray:
    """You added the products. Beside the diagonal the entries are below zero: subtract."""
    return np.diag(p) + np.outer(p, p)


@jacobian.misconception
def sign_beside_the_diagonal(p: np.ndarray) -> np.ndarray:
    """The diagonal is right; beside it the sign is not. When one score grows, the other weights
    shrink.
    """
    return np.diag(p) + np.outer(p, p) - 2 * np.diag(p * p)


@jacobian.misconception
def p_in_each_row(p: np.ndarray) -> np.ndarray:
    """Entry (i, j) is p_j − p_i · p_j here: p stands in every row of the first term. It belongs on
    the diagonal alone.
    """
    return p - np.outer(p, p)


@jacobian.misconception
def outer_only(p: np.ndarray) -> np.ndarray:
    """These are the products of every two weights alone. They are subtracted from a matrix with p
    on its diagonal.
    """
    return np.outer(p, p)


@jacobian.misconception
def minus_outer_only(p: np.ndarray) -> np.ndarray:
    """Beside the diagonal this is right. On it, p_i is missing: a weight grows with its own
    score.
    """
    return -np.outer(p, p)


@jacobian.misconception
def outer_left_out(p: np.ndarray) -> np.ndarray:
    """Only p on the diagonal is here. The product of weight i and weight j is to be subtracted
    everywhere.
    """
    return np.diag(p)


@jacobian.misconception
def ones_on_the_diagonal(p: np.ndarray) -> np.ndarray:
    """You began with 1 on the diagonal. It is p that belongs there."""
    return np.eye(len(p), dtype=p.dtype) - np.outer(p, p)


@jacobian.misconception
def a_vector(p: np.ndarray) -> np.ndarray:
    """These are the diagonal entries alone, as a vector. Each weight depends on every score: the
    derivatives are a matrix.
    """
    return p * (1 - p)


@jacobian.misconception
def p_in_each_column(p: np.ndarray) -> np.ndarray:
    """Entry (i, j) is p_i · (1 − p_j) here, as if p stood in every column of the first term. It
    belongs on the diagonal alone.
    """
    return p[:, None] - np.outer(p, p)


@jacobian.misconception
def softmax_once_more(p: np.ndarray) -> np.ndarray:
    """You sent p through a softmax. It has been through one already: p holds the weights."""
    weights = reference.softmax(p)
    return np.diag(weights) - np.outer(weights, weights)


ARRAY_DTYPE.apply(jacobian, called={"InFloat64": "jacobian_in_float64"})


@jacobian.accepts
def jacobian_in_loops(p: np.ndarray) -> np.ndarray:
    """Loops."""
    J = np.empty((len(p), len(p)), dtype=p.dtype)
    for i, one in enumerate(p):
        for j, other in enumerate(p):
            J[i, j] = one * (1 - one) if i == j else -one * other
    return J


@jacobian.accepts
def jacobian_by_broadcasting(p: np.ndarray) -> np.ndarray:
    """The Kronecker delta as a matrix."""
    return p[:, None] * (np.eye(len(p), dtype=p.dtype) - p[None, :])


@jacobian.accepts
def jacobian_by_diagonal(p: np.ndarray) -> np.ndarray:
    """The products first, then the diagonal."""
    J = -p.reshape(-1, 1) @ p.reshape(1, -1)
    J[np.diag_indices(len(p))] += p
    return J
