"""The exam of `weighted_sum`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.families import ARRAY_DTYPE
from solutions.exams.foundations._specimens import Pair
from solutions.exams.library_products import PRODUCTS

mixing = Exam(reference.weighted_sum, allows=PRODUCTS)


@mixing.example
def one_mixture() -> Pair:
    """one row of weights"""
    values = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
    return np.array([0.5, 0.3, 0.2]), values


@mixing.example
def four_mixtures() -> Pair:
    """four rows of weights, of any sign and sum"""
    weights = np.array([[0.2, 0.5, 0.3], [1.0, -0.5, 0.0], [2.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    return weights, np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])


@mixing.example
def all_square() -> Pair:
    """two rows of weights, two vectors of two entries"""
    return np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[1.0, 2.0], [-3.0, 5.0]])


@mixing.case
def any_weights(draw: Draw) -> Pair:
    """one row of weights drawn at random"""
    return draw("n"), draw("n d")


@mixing.case
def any_rows_of_weights(draw: Draw) -> Pair:
    """rows of weights drawn at random"""
    return draw("m n"), draw("n d")


@mixing.case(times=1)
def attention_weights(draw: Draw) -> Pair:
    """rows of weights that sum to 1"""
    return draw.weights("m n"), draw("n d")


@mixing.case(times=1)
def all_on_the_last(draw: Draw) -> Pair:
    """all the weight on the last vector"""
    values = draw("n d")
    return np.eye(len(values))[-1], values


@mixing.case(times=1)
def one_row_of_many(draw: Draw) -> Pair:
    """a matrix with one row of weights"""
    draw.fix(m=1, n=50)
    return draw("m n"), draw("n d")


@mixing.holds
def twice_the_weights(
    weighted_sum: Callable[..., np.ndarray], weights: np.ndarray, values: np.ndarray
) -> bool:
    """twice the weights give twice the sum"""
    doubled = weighted_sum(2 * weights, values)
    return bool(np.allclose(doubled, 2 * weighted_sum(weights, values), atol=1e-4))


@mixing.misconception
def not_added_up(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """These are the weighted vectors, one by one. Add them up."""
    return weights[..., None] * values


@mixing.misconception
def last_mixture_alone(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several rows, only the last mixture comes back: return them
    all, one below the other.
    """
    mixtures: np.ndarray = np.atleast_2d(weights) @ values
    return mixtures[-1]


@mixing.misconception
def plain_sum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the sum of the vectors without their weights."""
    return values.sum(axis=0)


@mixing.misconception
def plain_average(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the plain average of the vectors. Multiply each one by its weight instead."""
    return values.mean(axis=0)


@mixing.misconception
def averaged_twice(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You also divided by the number of vectors. The weights alone decide how much each counts."""
    return (weights[..., None] * values).mean(axis=-2)


@mixing.misconception
def rescaled(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the weighted sum divided by the sum of the weights, as `np.average` computes it. Use
    the weights as they are, even if they do not sum to 1.
    """
    return weights @ values / weights.sum(axis=-1, keepdims=True)


@mixing.misconception
def numpys_average(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """`np.average` also divides by the sum of the weights, and with several rows of weights it
    raises an error, or returns a single row. Multiply and add up yourself.
    """
    return np.asarray(np.average(values, axis=0, weights=weights))


@mixing.misconception
def rescaled_by_all(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the weighted sum divided by the sum of all the weights. Use the weights as they are,
    even if they do not sum to 1.
    """
    return weights @ values / weights.sum()


@mixing.misconception
def through_a_softmax(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You applied a softmax to the weights. They are given here: use them as they are."""
    return reference.softmax(weights) @ values


@mixing.misconception
def largest_only(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is only the vector with the largest weight. Mix in the others, each by its weight."""
    return values[weights.argmax(axis=-1)]


@mixing.misconception
def added_over_the_entries(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You summed over the entries of each vector. Sum over the vectors: the mixture has as many
    entries as each of them.
    """
    return (weights[..., None] * values).sum(axis=-1)


@mixing.misconception
def weights_transposed(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You mixed with the columns of the weights. Each row is one set of weights, so no transpose is
    needed.
    """
    return weights.T @ values


@mixing.misconception
def values_first(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The vectors are on the left of your product. Put the weights there, so that each row of
    weights meets the columns of the vectors.
    """
    return values @ weights


@mixing.misconception
def entry_by_entry_mixed(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You multiplied entry by entry, so each weight met a single entry. Each weight multiplies a
    whole vector.
    """
    return weights * values


@mixing.misconception
def one_row_at_most(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works but several do not. With several, axis 0 counts the rows, and the
    vectors are on the axis after it. Try a matrix product, or count axes from the end.
    """
    return (weights[:, None] * values).sum(axis=0)


@mixing.misconception
def added_over_the_mixtures(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, axis 0 counts the mixtures, and you added those up.
    Sum over the vectors: count their axis from the end.
    """
    return (weights[..., None] * values).sum(axis=0)


@mixing.misconception
def vectors_on_the_left(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, a row of the transposed vectors meets a column of the
    weights. Each row of weights should meet the columns of the vectors.
    """
    return values.T @ weights


@mixing.misconception
def rows_for_numbers(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, a whole row is used as the weight of a single vector.
    Take the rows one by one: each gives its own mixture.
    """
    total = np.zeros(values.shape[1], dtype=values.dtype)
    for weight, vector in zip(weights, values, strict=False):
        total = total + weight * vector
    return total


@mixing.misconception
def first_row_for_all(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """All your mixtures use the first row of weights. Mixture i should use row i."""
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    return np.stack([weights[0] @ values] * len(weights))


@mixing.misconception
def last_row_for_all(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """All your mixtures use the last row of weights. Mixture i should use row i."""
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    return np.stack([weights[-1] @ values] * len(weights))


@mixing.misconception
def returned_after_first_row(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is only the first mixture. Each row of weights gives one: is `return` inside the loop
    over the rows?
    """
    return np.atleast_2d(weights)[0] @ values


@mixing.misconception
def only_the_first_row_filled(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Only the first row of the result is filled in; the rest is still 0. Is `return` inside the
    loop over the rows?
    """
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    mixtures = np.zeros((len(weights), values.shape[1]), dtype=values.dtype)
    mixtures[0] = weights[0] @ values
    return mixtures


@mixing.misconception
def returned_after_first_vector(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is only the first vector, times its weight. Is `return` inside the loop?"""
    return np.asarray(np.atleast_2d(weights)[0, 0] * values[0])


@mixing.misconception
def last_vector_only(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Only the last vector is left, times its weight. If you have a loop, add each product to what
    is already in the total.
    """
    return weights[..., -1:] * values[-1]


@mixing.misconception
def total_carried_on(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Each of your mixtures contains those above it, as when a total carries on from row to row.
    Start each row of weights from zeros.
    """
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    return (weights @ values).cumsum(axis=0)


@mixing.misconception
def one_row_as_a_table(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For a single row of weights you return a table with one row. Return one vector, (d,), without
    a second axis.
    """
    return np.atleast_2d(weights) @ values


@mixing.misconception
def mixtures_added_up(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, your mixtures were added up into one vector. Each row
    of weights should give its own mixture.
    """
    return np.atleast_2d(weights).sum(axis=0) @ values


@mixing.misconception
def mixtures_as_columns(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Your mixtures are columns. Row i of the weights should give row i of the result."""
    return (weights @ values).T


ARRAY_DTYPE.apply(mixing, called={"InFloat64": "mixed_in_float64"})


@mixing.accepts
def mixing_in_loops(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Loops.

    One vector is added after another, each times its weight. `np.atleast_2d` makes a single mixture
    a table of one row, so both shapes take the same path.
    """
    every = []
    for row in np.atleast_2d(weights):
        total = np.zeros_like(values[0])
        for weight, vector in zip(row, values, strict=True):
            total = total + weight * vector
        every.append(total)
    return every[0] if weights.ndim == 1 else np.array(every)


@mixing.accepts
def mixing_by_broadcasting(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Every product at once, then a sum.

    A new axis makes each weight a factor for a whole vector, and the sum runs over the vectors. All
    products are in memory at once, which a matrix product avoids.
    """
    return (weights[..., np.newaxis] * values).sum(axis=-2)


@mixing.accepts
def mixing_by_einsum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """An index expression.

    einsum names the axes: n, the vectors, is missing behind the arrow, so it is summed over. The
    dots stand for whatever axes the weights have in front of it.
    """
    return np.einsum("...n,nd->...d", weights, values)
