"""Right answers as published code has them, lesson 00."""

import operator
from collections.abc import Callable

import numpy as np

from solutions.exams.foundations.cosine_similarity import cosine
from solutions.exams.foundations.dot_product import dot
from solutions.exams.foundations.embedding_lookup import lookup
from solutions.exams.foundations.is_shift_invariant import invariant
from solutions.exams.foundations.matmul_as_dot_products import matmul
from solutions.exams.foundations.row_softmax import rows
from solutions.exams.foundations.softmax import stable
from solutions.exams.foundations.weighted_sum import mixing


@dot.accepts
def product_by_inner(a: np.ndarray, b: np.ndarray) -> float:
    """np.inner."""
    return float(np.inner(a, b))


@dot.accepts
def product_by_operators(a: np.ndarray, b: np.ndarray) -> float:
    """A map over both vectors."""
    return float(sum(map(operator.mul, a, b)))


@cosine.accepts
def cosine_of_units(a: np.ndarray, b: np.ndarray) -> float:
    """Both vectors made one long first."""
    a_norm = a / np.sqrt(np.sum(a**2))
    b_norm = b / np.sqrt(np.sum(b**2))
    return np.dot(a_norm, b_norm).item()


@cosine.accepts
def cosine_by_roots(a: np.ndarray, b: np.ndarray) -> float:
    """One root of the product of the squares."""
    return float(np.dot(a, b) / np.sqrt(np.dot(a, a) * np.dot(b, b)))


@matmul.accepts
def product_by_comprehension(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Two comprehensions, reshaped."""
    entries = [np.dot(A[i, :], B[:, j]) for i in range(A.shape[0]) for j in range(B.shape[1])]
    return np.array(entries, dtype=A.dtype).reshape(A.shape[0], B.shape[1])


@matmul.accepts
def product_by_vectorize(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """np.vectorize over rows and columns."""
    inner = np.vectorize(np.dot, signature="(n),(n)->()")
    product: np.ndarray = inner(A[:, None, :], B.T[None, :, :])
    return product.astype(A.dtype)


@lookup.accepts
def lookup_by_eye(token_ids: np.ndarray, embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the identity, rows of the table."""
    identity = np.eye(embeddings.shape[0], dtype=embeddings.dtype)
    return identity[token_ids], np.take(embeddings, token_ids, axis=0)


@lookup.accepts
def lookup_by_all_ids(
    token_ids: np.ndarray, embeddings: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ids compared with all ids."""
    one_hot = (token_ids[:, None] == np.arange(len(embeddings))).astype(embeddings.dtype)
    return one_hot, np.matmul(one_hot, embeddings)


@rows.accepts
def rows_along_an_axis(x: np.ndarray) -> np.ndarray:
    """np.apply_along_axis."""

    def softmax(row: np.ndarray) -> np.ndarray:
        e_x: np.ndarray = np.exp(row - np.max(row))
        return e_x / e_x.sum()

    return np.apply_along_axis(softmax, 1, x)


@rows.accepts
def rows_by_transposing(x: np.ndarray) -> np.ndarray:
    """Two transposes in place of keepdims."""
    e_x = np.exp((x.T - x.max(axis=1)).T)
    return (e_x.T / e_x.sum(axis=1)).T


@stable.accepts
def softmax_by_log_sum(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The logarithm of the sum, subtracted."""
    largest = np.amax(x, axis=axis, keepdims=True)
    log_sum = largest + np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True))
    weights: np.ndarray = np.exp(x - log_sum)
    return weights


@stable.accepts
def softmax_on_a_moved_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The axis moved to the end and back."""
    moved = np.moveaxis(x, axis, -1)
    e_x = np.exp(moved - moved.max(-1)[..., np.newaxis])
    return np.moveaxis(e_x / e_x.sum(-1)[..., np.newaxis], -1, axis)


@invariant.accepts
def invariant_by_raising(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, shift: float
) -> bool:
    """NumPy's own assertion, caught."""
    try:
        np.testing.assert_allclose(function(x + shift), function(x), rtol=1e-5, atol=1e-8)
    except AssertionError:
        return False
    return True


@mixing.accepts
def mixed_by_tensordot(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """np.tensordot over one axis."""
    return np.tensordot(weights, values, axes=1)


@mixing.accepts
def mixed_by_letters(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """np.einsum with dots."""
    mixture: np.ndarray = np.einsum("...n,nd->...d", weights, values)
    return mixture
