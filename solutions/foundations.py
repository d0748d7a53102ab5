"""Lesson 00: the few operations that attention is made of, in NumPy.

Words are rows: a table of embeddings is (vocabulary, d_in), a sentence is (tokens, d_in). A softmax
runs along the last axis unless another one is given.
"""

from collections.abc import Callable

import numpy as np


def dot_product(a: np.ndarray, b: np.ndarray) -> float:
    """Multiply two vectors entry by entry and add up the products.

    Args:
        a: a vector, (d,).
        b: another vector with the same number of entries, (d,).

    Returns:
        A single number.
    """
    ### BEGIN SOLUTION
    total = 0.0
    for one, other in zip(a, b, strict=True):
        total += one * other
    return float(total)
    ### END SOLUTION


def dot_and_cosine_by_hand() -> dict[str, object]:
    """Compare a = (1, 2, 2) with b = (3, 0, 4) on paper, by dot product and by cosine.

    Returns:
        The dot product of a and b, both lengths and the cosine of the angle between a and b; then
        the dot product and the cosine again, with 10 · b in place of b. Four decimals will do.
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
    """Compare the directions of two vectors by the cosine of the angle between them.

    Args:
        a: a vector that is not all zeros, (d,).
        b: another such vector with the same number of entries, (d,).

    Returns:
        A single number: 1 for the same direction, 0 for a right angle, -1 for opposite directions.
    """
    ### BEGIN SOLUTION
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
    ### END SOLUTION


def matmul_as_dot_products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Compute a matrix product, one dot product at a time.

    Args:
        A: a matrix, (m, k).
        B: a matrix, (k, n), in the dtype of A.

    Returns:
        The product, (m, n), in the same dtype: entry (i, j) is the dot product of row i of A and
        column j of B.
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
    """Look up the embeddings of a sentence's words in a table, by a matrix product.

    Args:
        token_ids: the id of each word, which is its row number, counted from 0, (tokens,).
        embeddings: the table, with one row for each word of the vocabulary, (vocabulary, d_in).

    Returns:
        The one-hot matrix, (tokens, vocabulary), with a single 1 in each row and 0 elsewhere; and
        the embeddings, (tokens, d_in), which are the one-hot matrix times the table. Both are in
        the dtype of the table.
    """
    ### BEGIN SOLUTION
    one_hot = np.zeros((len(token_ids), len(embeddings)), dtype=embeddings.dtype)
    one_hot[np.arange(len(token_ids)), token_ids] = 1
    return one_hot, one_hot @ embeddings
    ### END SOLUTION


def row_softmax(x: np.ndarray) -> np.ndarray:
    """Take the softmax of each row of a matrix. This version is broken and needs a repair.

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
    """Turn scores into weights, which are not negative and sum to 1 along one axis.

    Args:
        x: scores of any shape. A score of -inf gets a weight of exactly 0, and at least one score
            along the axis is finite.
        axis: the axis along which the weights sum to 1.

    Returns:
        exp(x) divided by its sum along the axis, as a new array of the shape and dtype of x.
    """
    ### BEGIN SOLUTION
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)
    ### END SOLUTION


def is_shift_invariant(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, shift: float
) -> bool:
    """Test whether a function returns the same result for an input and for a shifted copy of it.

    Args:
        function: a function that takes an array and returns one.
        x: the input to try it on, of any shape.
        shift: the number to add to every entry of the input.

    Returns:
        True if both results are equal up to rounding, False if not.
    """
    ### BEGIN SOLUTION
    return bool(np.allclose(function(x + shift), function(x), atol=1e-6))
    ### END SOLUTION


def weighted_sum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Mix vectors into one: multiply each of them by its weight and add up the results.

    Args:
        weights: one number for each vector, (n,), or several rows of such numbers, (m, n). They
            may be negative here, and need not sum to 1.
        values: the vectors, one in each row, (n, d), in the dtype of the weights.

    Returns:
        The mixture, (d,), or one mixture for each row of weights, (m, d), in the dtype of the
        values.
    """
    ### BEGIN SOLUTION
    return weights @ values
    ### END SOLUTION
