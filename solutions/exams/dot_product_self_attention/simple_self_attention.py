"""The exam of `simple_self_attention`, lesson 02."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from companion import YOUR_JOURNEY
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    LONG_WORDS,
    Pair,
    attend,
    divided_by_sum,
    unshifted_softmax,
)
from solutions.exams.families import ARRAY_DTYPE, LOOP, PAIR
from solutions.foundations import softmax

attention = Exam(reference.simple_self_attention, returns=("contexts", "weights"))


@attention.example
def the_sentence() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@attention.example
def opposites() -> np.ndarray:
    """words that disagree"""
    return np.array([[2.0, -1.0], [-1.5, 0.5], [0.0, 1.0]])


@attention.example
def overlong() -> np.ndarray:
    """words so long that exponentials overflow"""
    return LONG_WORDS


@attention.case
def drawn_sentence(draw: Draw) -> np.ndarray:
    """words drawn at random"""
    return draw("tokens d_in")


@attention.case(times=1)
def lonely_word(draw: Draw) -> np.ndarray:
    """a sentence of one word"""
    return draw.fix(tokens=1)("tokens d_in")


@attention.case(times=1)
def long_words(draw: Draw) -> np.ndarray:
    """words thirty times as long"""
    return draw("tokens d_in", scale=30)


@attention.holds
def weights_sum_to_one(simple_self_attention: Callable[..., Pair], inputs: np.ndarray) -> bool:
    """the weights of each word sum to 1"""
    return bool(np.allclose(simple_self_attention(inputs)[1].sum(axis=-1), 1, atol=1e-5))


@attention.holds
def order_does_not_matter(simple_self_attention: Callable[..., Pair], inputs: np.ndarray) -> bool:
    """the words in reverse give the same contexts in reverse"""
    backwards = simple_self_attention(inputs[::-1].copy())[0]
    return bool(np.allclose(backwards, simple_self_attention(inputs)[0][::-1], atol=1e-3))


@attention.misconception
def attention_over_the_queries(inputs: np.ndarray) -> Pair:
    """Your softmax runs over the queries, and each column sums to 1. It should run over the keys,
    the last axis: each row sums to 1.
    """
    return attend(inputs, softmax(inputs @ inputs.T, axis=0))


@attention.misconception
def attention_over_everything(inputs: np.ndarray) -> Pair:
    """All your weights together sum to 1. Each word as a query has its own softmax: every row sums
    to 1.
    """
    every = softmax((inputs @ inputs.T).ravel())
    return attend(inputs, every.reshape(len(inputs), -1))


@attention.misconception
def attention_by_shares(inputs: np.ndarray) -> Pair:
    """You divided by the sum of the scores. Take the exponential of each first; otherwise a score
    below zero makes a weight below zero.
    """
    return attend(inputs, divided_by_sum(inputs @ inputs.T))


@attention.misconception
def attention_overflowing(inputs: np.ndarray) -> Pair:
    """For long words your softmax overflows to NaN. Subtract each row's maximum before the
    exponential, or call the given `softmax`.
    """
    return attend(inputs, unshifted_softmax(inputs @ inputs.T))


@attention.misconception
def scores_times_inputs(inputs: np.ndarray) -> Pair:
    """These contexts mix the words by their scores. Mix them by the weights, as you return them."""
    attn_scores = inputs @ inputs.T
    return attn_scores @ inputs, softmax(attn_scores)


@attention.misconception
def weights_times_weights(inputs: np.ndarray) -> Pair:
    """You multiplied the weights by the weights. The weighted sum is over the words: weights times
    inputs.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attn_weights @ attn_weights, attn_weights


@attention.misconception
def transposed_weights(inputs: np.ndarray) -> Pair:
    """You mixed with the transposed weights. Row i of the weights belongs to query i and makes
    context i: no transpose.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attn_weights.T @ inputs, attn_weights


@attention.misconception
def symmetric_weights(inputs: np.ndarray) -> Pair:
    """Your weights are symmetric. The scores are, but each row divides by a sum of its own, so that
    weight i→j differs from weight j→i.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attend(inputs, (attn_weights + attn_weights.T) / 2)


@attention.misconception
def attention_scaled(inputs: np.ndarray) -> Pair:
    """Your scores are divided by the square root of the dimension. That belongs to lesson 03; here
    they stay as they are.
    """
    root = np.sqrt(inputs.shape[1]).astype(inputs.dtype)
    return attend(inputs, softmax(inputs @ inputs.T / root))


@attention.misconception
def attention_between_features(inputs: np.ndarray) -> Pair:
    """You compared the features with each other: `inputs.T @ inputs`. Compare the words: the
    transposed matrix stands on the right.
    """
    attn_weights = softmax(inputs.T @ inputs)
    return inputs @ attn_weights, attn_weights


@attention.misconception
def softmax_left_out(inputs: np.ndarray) -> Pair:
    """You mixed the words by their scores, and returned the scores as weights. The softmax between
    the two steps is missing.
    """
    return attend(inputs, inputs @ inputs.T)


ARRAY_DTYPE.apply(attention)
LOOP.apply(attention)
PAIR.apply(
    attention,
    called={"Swapped": "weights_first", "FirstAlone": "contexts_alone"},
    says={
        "Swapped": "The two results are in the wrong order: return the contexts first, then "
        "the weights."
    },
)


@attention.accepts
def attention_in_loops(inputs: np.ndarray) -> Pair:
    """Loops."""
    contexts, every = np.empty_like(inputs), []
    for i, query in enumerate(inputs):
        row = np.array([query @ key for key in inputs])
        exponentials = np.exp(row - row.max())
        every.append(exponentials / exponentials.sum())
        contexts[i] = sum(w * word for w, word in zip(every[i], inputs, strict=True))
    return contexts, np.array(every)


@attention.accepts
def attention_by_matmul(inputs: np.ndarray) -> Pair:
    """Matrix products."""
    attn_scores = np.matmul(inputs, inputs.T)
    exponentials = np.exp(attn_scores - attn_scores.max(axis=1)[:, np.newaxis])
    attn_weights = exponentials / exponentials.sum(axis=1)[:, np.newaxis]
    return np.matmul(attn_weights, inputs), attn_weights


@attention.accepts
def attention_by_einsum(inputs: np.ndarray) -> Pair:
    """Index expressions."""
    attn_weights = softmax(np.einsum("id,jd->ij", inputs, inputs))
    return np.einsum("ij,jd->id", attn_weights, inputs), attn_weights
