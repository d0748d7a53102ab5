"""Right answers as published code has them, lesson 02."""

from collections.abc import Callable

import numpy as np

from solutions.exams.dot_product_self_attention.attention_scores import scores
from solutions.exams.dot_product_self_attention.attention_weights import weights
from solutions.exams.dot_product_self_attention.context_vector import context
from solutions.exams.dot_product_self_attention.is_permutation_equivariant import equivariant
from solutions.exams.dot_product_self_attention.pairwise_scores import pairs
from solutions.exams.dot_product_self_attention.repaired_self_attention import repaired
from solutions.exams.dot_product_self_attention.simple_self_attention import attention
from solutions.exams.dot_product_self_attention.simple_self_attention_batch import batch
from solutions.foundations import softmax


@scores.accepts
def scores_by_inner(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """np.inner."""
    return np.inner(inputs, query)


@scores.accepts
def scores_in_a_list(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """A comprehension, in the inputs' dtype."""
    return np.asarray([np.dot(query, x_i) for x_i in inputs], dtype=inputs.dtype)


@weights.accepts
def weights_by_logaddexp(scores: np.ndarray) -> np.ndarray:
    """np.logaddexp.reduce."""
    weights: np.ndarray = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    return weights


@weights.accepts
def weights_in_place(scores: np.ndarray) -> np.ndarray:
    """A copy that is changed in place."""
    weights = scores - np.max(scores, axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= np.sum(weights, axis=-1, keepdims=True)
    return weights


@context.accepts
def context_by_dot(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The words as columns, times the weights."""
    return np.dot(inputs.T, weights)


@context.accepts
def context_by_summing(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Python's sum over weighted words."""
    weighted = [weight * word for weight, word in zip(weights, inputs, strict=True)]
    return np.sum(weighted, axis=0)


@pairs.accepts
def pairs_by_inner(inputs: np.ndarray) -> np.ndarray:
    """np.inner of the words with themselves."""
    return np.inner(inputs, inputs)


@pairs.accepts
def pairs_by_tensordot(inputs: np.ndarray) -> np.ndarray:
    """np.tensordot over the features."""
    return np.tensordot(inputs, inputs, axes=([1], [1]))


@attention.accepts
def attended_word_by_word(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A row of scores for each word, stacked."""
    attn_weights = np.vstack([softmax(np.dot(inputs, query)) for query in inputs])
    return np.dot(attn_weights, inputs), attn_weights


@batch.accepts
def batch_by_letters(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """np.einsum, twice."""
    attn_scores = np.einsum("bqd,bkd->bqk", inputs, inputs)
    attn_weights = softmax(attn_scores, axis=2)
    return np.einsum("bqk,bkd->bqd", attn_weights, inputs), attn_weights


@batch.accepts
def batch_by_matmul(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """np.matmul with the last two axes turned."""
    attn_weights = softmax(np.matmul(inputs, np.transpose(inputs, (0, 2, 1))))
    return np.matmul(attn_weights, inputs), attn_weights


@repaired.accepts
def repaired_by_powers(inputs: np.ndarray) -> np.ndarray:
    """The softmax written out."""
    e_x = np.exp(inputs @ inputs.T - (inputs @ inputs.T).max(axis=1)[:, np.newaxis])
    attention_matrix = e_x / e_x.sum(axis=1)[:, np.newaxis]
    return np.dot(attention_matrix, inputs)


@equivariant.accepts
def equivariant_by_matrix(
    attention: Callable[[np.ndarray], np.ndarray], inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """The permutation as a matrix."""
    P = np.eye(len(inputs))[permutation]
    return bool(np.isclose(attention(P @ inputs), P @ attention(inputs)).all())
