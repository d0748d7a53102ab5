"""Lesson 00: the few operations that attention is made of, in NumPy.

Words are rows: embeddings are (vocabulary, d_in), a sentence is (tokens, d_in). A softmax runs over
the last axis unless another one is named.
"""

from collections.abc import Callable

import numpy as np


def dot_product(a: np.ndarray, b: np.ndarray) -> float:
    """Two vectors multiplied entry by entry and added up, in a loop.

    Args:
        a: a vector, (d,).
        b: another of the same length, (d,).

    Returns:
        One number.
    """
    ### BEGIN SOLUTION
    total = 0.0
    for one, other in zip(a, b, strict=True):
        total += one * other
    return float(total)
    ### END SOLUTION


def dot_and_cosine_by_hand() -> dict[str, object]:
    """Two ways to compare a = (1, 2, 2) with b = (3, 0, 4), worked out on paper.

    Returns:
        The dot product of a and b, both lengths, the cosine of the angle between them, and dot
        product and cosine once more with 10 · b in the place of b; four decimals where needed.
    """
    by_hand: dict[str, object] = {
        "dot product": ...,
        "length of a": ...,
        "length of b": ...,
        "cosine": ...,
        "dot product of a and 10 b": ...,
        "cosine of a and 10 b": ...,
    }
    ### BEGIN SOLUTION (replaces the lines above)
    by_hand = {
        "dot product": 1 * 3 + 2 * 0 + 2 * 4,
        "length of a": 3,
        "length of b": 5,
        "cosine": round(11 / (3 * 5), 4),
        "dot product of a and 10 b": 1 * 30 + 2 * 0 + 2 * 40,
        "cosine of a and 10 b": round(110 / (3 * 50), 4),
    }
    ### END SOLUTION
    return by_hand


def cosine_similarity(a: np.ndarray, b: np.ndarray) -> float:
    """The cosine of the angle between two vectors: how alike their directions are.

    Args:
        a: a vector that is not all zeros, (d,).
        b: another of the same length, (d,).

    Returns:
        One number: 1 for the same direction, 0 for a right angle, -1 for opposite directions.
    """
    ### BEGIN SOLUTION
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
    ### END SOLUTION


def matmul_as_dot_products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The matrix product, one dot product at a time.

    Args:
        A: a matrix, (m, k).
        B: a matrix, (k, n), in the dtype of A.

    Returns:
        The product, (m, n), in the same dtype: entry (i, j) is row i of A times column j of B.
    """
    ### BEGIN SOLUTION
    product = np.empty((A.shape[0], B.shape[1]), dtype=A.dtype)
    for i, row in enumerate(A):
        for j, column in enumerate(B.T):
            product[i, j] = np.dot(row, column)
    return product
    ### END SOLUTION


def embedding_lookup(
    token_ids: np.ndarray, embeddings: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of some words, taken from their table by a matrix product.

    Args:
        token_ids: which rows to take, whole numbers from 0, (tokens,).
        embeddings: one row for each word of the vocabulary, (vocabulary, d_in).

    Returns:
        The one-hot matrix, (tokens, vocabulary): a 1 in each row and 0 elsewhere; and the vectors,
        (tokens, d_in): the one-hot matrix times the table. Both in the dtype of the table.
    """
    ### BEGIN SOLUTION
    one_hot = np.zeros((len(token_ids), len(embeddings)), dtype=embeddings.dtype)
    one_hot[np.arange(len(token_ids)), token_ids] = 1
    return one_hot, one_hot @ embeddings
    ### END SOLUTION


def row_softmax(x: np.ndarray) -> np.ndarray:
    """The softmax of each row of a matrix: given and broken, to be repaired.

    Args:
        x: scores, (rows, columns).

    Returns:
        Weights of the same shape and dtype; each row sums to 1.
    """
    largest = x.max(axis=-1)
    ### BEGIN SOLUTION (replaces the lines above)
    largest = x.max(axis=-1, keepdims=True)
    ### END SOLUTION
    exponentials = np.exp(x - largest)
    total = exponentials.sum(axis=-1)
    ### BEGIN SOLUTION (replaces the lines above)
    total = exponentials.sum(axis=-1, keepdims=True)
    ### END SOLUTION
    return exponentials / total


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Scores turned into weights: positive numbers that sum to 1 along one axis.

    Args:
        x: scores of any shape; -inf stands for "no weight at all". At least one score along the
            axis is finite.
        axis: the axis along which the weights sum to 1.

    Returns:
        exp(x) divided by its sum along the axis; a new array of the shape and dtype of x.
    """
    ### BEGIN SOLUTION
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)
    ### END SOLUTION


def is_shift_invariant(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, shift: float
) -> bool:
    """Test a function: does it give the same when every entry of its input grows by `shift`?

    Args:
        function: a function from one array to another.
        x: the array to try it on, of any shape.
        shift: the number to add.

    Returns:
        True when the function passes on this input, up to rounding.
    """
    ### BEGIN SOLUTION
    return bool(np.allclose(function(x + shift), function(x)))
    ### END SOLUTION


def weighted_sum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Vectors mixed into one: each multiplied by its weight, then all added.

    Args:
        weights: one number for each vector, (n,); or several such rows, (m, n). They may be
            negative, and need not sum to 1.
        values: the vectors, one in each row, (n, d), in the dtype of the weights.

    Returns:
        The mixture, (d,); or one for each row of weights, (m, d). In the dtype of the vectors.
    """
    ### BEGIN SOLUTION
    return weights @ values
    ### END SOLUTION


def softmax_jacobian(p: np.ndarray) -> np.ndarray:
    """How the weights that a softmax gave move with the scores that it was given.

    Args:
        p: the weights, positive and with sum 1, (n,).

    Returns:
        The derivatives, (n, n), in the dtype of p: entry (i, j) is how fast weight i grows as
        score j does.
    """
    ### BEGIN SOLUTION
    return np.diag(p) - np.outer(p, p)
    ### END SOLUTION
