"""Lesson 02: self-attention between plain word vectors, without trainable parameters.

Words are rows: `inputs` is (tokens, d_in). Queries are on the rows and keys on the columns, so row
i of the scores and of the weights has word i as its query.
"""

from collections.abc import Callable

import numpy as np

from companion import HELLO_SHINY_SUN
from solutions.foundations import softmax


def shiny_by_hand() -> dict[str, object]:
    """Attention by hand: the query is "shiny", the sentence is "Hello shiny sun!".

    Returns:
        Three "scores" and three "weights", in the order Hello, shiny, sun, and the three features
        of the "context" vector, all with four decimals.
    """
    by_hand: dict[str, object] = {
        "scores": [..., ..., ...],
        "weights": [..., ..., ...],
        "context": [..., ..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    inputs = HELLO_SHINY_SUN.vectors
    scores = inputs @ inputs[1]
    weights = softmax(scores)
    by_hand = {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": (weights @ inputs).tolist(),
    }
    ### END SOLUTION
    return by_hand


def sun_by_hand() -> dict[str, object]:
    """Attention by hand: the query is "sun", the sentence is "Hello shiny sun!".

    Returns:
        The same as for "shiny": "scores", "weights" and "context", three numbers each, with four
        decimals.
    """
    by_hand: dict[str, object] = {
        "scores": [..., ..., ...],
        "weights": [..., ..., ...],
        "context": [..., ..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    inputs = HELLO_SHINY_SUN.vectors
    scores = inputs @ inputs[2]
    weights = softmax(scores)
    by_hand = {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": (weights @ inputs).tolist(),
    }
    ### END SOLUTION
    return by_hand


def attention_scores(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The attention scores of one query: its dot product with every word of a sentence.

    Args:
        query: the vector of the word that asks, (d_in,).
        inputs: the sentence, one word per row, (tokens, d_in).

    Returns:
        One score per word, (tokens,), in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return inputs @ query
    ### END SOLUTION


def attention_weights(scores: np.ndarray) -> np.ndarray:
    """Turn scores into attention weights, which sum to 1 for each query.

    Args:
        scores: one score per key on the last axis, (keys,) or (queries, keys). Scores may be
            negative, and may be so large that their exponentials overflow.

    Returns:
        Weights of the same shape and dtype: the softmax of each row.
    """
    ### BEGIN SOLUTION
    return softmax(scores, axis=-1)
    ### END SOLUTION


def context_vector(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Mix the words of a sentence into one context vector: their weighted sum.

    Args:
        weights: one weight per word, (tokens,).
        inputs: the sentence, one word per row, (tokens, d_in).

    Returns:
        The weighted sum of the word vectors, (d_in,), in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return weights @ inputs
    ### END SOLUTION


def pairwise_scores(inputs: np.ndarray) -> np.ndarray:
    """The attention scores of all pairs of words in a sentence.

    Args:
        inputs: the sentence, one word per row, (tokens, d_in).

    Returns:
        (queries, keys): row i holds the scores of word i as the query, column j those of word j
        as the key; in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return inputs @ inputs.T
    ### END SOLUTION


def simple_self_attention(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Self-attention without trainable parameters, with every word of a sentence as a query.

    Args:
        inputs: the sentence, one word per row, (tokens, d_in).

    Returns:
        The context vectors, (tokens, d_in), and the attention weights, (queries, keys), both in
        the dtype of the inputs. Every word is a query and a key.
    """
    ### BEGIN SOLUTION
    attn_weights = softmax(inputs @ inputs.T, axis=-1)
    return attn_weights @ inputs, attn_weights
    ### END SOLUTION


def simple_self_attention_batch(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Self-attention without trainable parameters, for several sentences at once.

    Each word attends only to the words of its own sentence.

    Args:
        inputs: sentences of the same length, (batch, tokens, d_in).

    Returns:
        The context vectors, (batch, tokens, d_in), and the weights, (batch, queries, keys), both
        in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    attn_scores = inputs @ inputs.swapaxes(-2, -1)
    attn_weights = softmax(attn_scores, axis=-1)
    return attn_weights @ inputs, attn_weights
    ### END SOLUTION


def repaired_self_attention(inputs: np.ndarray) -> np.ndarray:
    """Repair the given lines so that they return the context vectors of a sentence.

    Args:
        inputs: the sentence, one word per row, (tokens, d_in).

    Returns:
        The context vectors, (tokens, d_in), in the dtype of the inputs.
    """
    attn_scores = inputs @ inputs.T
    attn_weights = attn_scores / attn_scores.sum(axis=-1, keepdims=True)
    ### BEGIN SOLUTION (replaces the lines above)
    attn_weights = softmax(attn_scores, axis=-1)
    ### END SOLUTION
    return attn_weights @ inputs


def is_permutation_equivariant(
    attention: Callable[[np.ndarray], np.ndarray], inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """Test an attention function: does shuffling its inputs shuffle its outputs in the same way?

    Args:
        attention: a function from inputs (tokens, d_in) to context vectors (tokens, d_in).
        inputs: the sentence to try it on, (tokens, d_in).
        permutation: the new order of the words, as in `inputs[permutation]`, (tokens,).

    Returns:
        True if it does so for these inputs and this permutation, up to rounding; otherwise False.
    """
    ### BEGIN SOLUTION
    shuffled_first = attention(inputs[permutation])
    shuffled_last = attention(inputs)[permutation]
    return bool(np.allclose(shuffled_first, shuffled_last, atol=1e-6))
    ### END SOLUTION
