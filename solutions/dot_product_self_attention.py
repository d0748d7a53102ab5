"""Lesson 02: self-attention between word vectors as they are, with no trainable weights.

Words are rows: `inputs` is (tokens, d_in). Queries stand on rows and keys on columns, so that row i
of the scores and of the weights belongs to word i as the one who asks.
"""

from collections.abc import Callable

import numpy as np

from companion import HELLO_SHINY_SUN
from solutions.foundations import softmax


def shiny_by_hand() -> dict[str, object]:
    """What "shiny" finds in "Hello shiny sun!", worked out on paper.

    Returns:
        Three numbers for each of "scores" and "weights", in the order Hello, shiny, sun, and the
        three numbers of the "context" vector; each with four decimals.
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
    """What "sun" finds in "Hello shiny sun!", worked out on paper.

    Returns:
        As for "shiny": "scores", "weights" and "context", each three numbers with four decimals.
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
    """How well one word matches every word of a sentence: their dot products.

    Args:
        query: the word that asks, (d_in,).
        inputs: the sentence, (tokens, d_in).

    Returns:
        One score per word, (tokens,), in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return inputs @ query
    ### END SOLUTION


def attention_weights(scores: np.ndarray) -> np.ndarray:
    """Scores turned into shares: positive, and 1 in total for each query.

    Args:
        scores: one score per key on the last axis, (keys,) or (queries, keys); of any size.

    Returns:
        Weights of the same shape and dtype: the softmax of each row.
    """
    ### BEGIN SOLUTION
    return softmax(scores, axis=-1)
    ### END SOLUTION


def context_vector(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The words of a sentence mixed into one vector, each by its weight.

    Args:
        weights: one weight per word, (tokens,).
        inputs: the sentence, (tokens, d_in).

    Returns:
        The weighted sum of the words, (d_in,), in their dtype.
    """
    ### BEGIN SOLUTION
    return weights @ inputs
    ### END SOLUTION


def pairwise_scores(inputs: np.ndarray) -> np.ndarray:
    """The score of every word with every word.

    Args:
        inputs: the sentence, (tokens, d_in).

    Returns:
        (tokens, tokens): row i holds the scores of word i as the query, column j those of word j
        as the key; in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return inputs @ inputs.T
    ### END SOLUTION


def simple_self_attention(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Self-attention with nothing to train: every word asks, every word answers.

    Args:
        inputs: the sentence, (tokens, d_in).

    Returns:
        The context vectors, (tokens, d_in), and the attention weights, (tokens, tokens), both in
        the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    attn_weights = softmax(inputs @ inputs.T, axis=-1)
    return attn_weights @ inputs, attn_weights
    ### END SOLUTION


def simple_self_attention_batch(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for several sentences at once; no sentence sees another.

    Args:
        inputs: sentences of the same length, (batch, tokens, d_in).

    Returns:
        The context vectors, (batch, tokens, d_in), and the weights, (batch, tokens, tokens), both
        in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    attn_scores = inputs @ inputs.swapaxes(-2, -1)
    attn_weights = softmax(attn_scores, axis=-1)
    return attn_weights @ inputs, attn_weights
    ### END SOLUTION


def repaired_self_attention(inputs: np.ndarray) -> np.ndarray:
    """The context vectors of a sentence: a given, broken cell to repair.

    Args:
        inputs: the sentence, (tokens, d_in).

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
    """Test an attention: do shuffled words come out as the same vectors, shuffled alike?

    Args:
        attention: a function from inputs (tokens, d_in) to context vectors (tokens, d_in).
        inputs: the sentence to try it on, (tokens, d_in).
        permutation: the new order of the words, as in `inputs[permutation]`, (tokens,).

    Returns:
        True when the attention passes on these inputs, up to rounding.
    """
    ### BEGIN SOLUTION
    shuffled_first = attention(inputs[permutation])
    shuffled_last = attention(inputs)[permutation]
    return bool(np.allclose(shuffled_first, shuffled_last))
    ### END SOLUTION
