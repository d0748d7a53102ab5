"""The exam of `simple_self_attention`, lesson 02."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    DISAGREEING,
    FIVE_WORDS,
    LONG_WORDS,
    YOUR_JOURNEY,
    Pair,
    attend,
)
from solutions.exams.families import (
    ARRAY_DTYPE,
    ARRAY_MIX,
    ARRAY_SCORES,
    ARRAY_SOFTMAX,
    LOOP,
    PAIR,
    PARTS,
    ArrayAttention,
)
from solutions.foundations import softmax

attention = Exam(reference.simple_self_attention, returns=("contexts", "weights"))


@attention.example
def the_sentence() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@attention.example
def opposites() -> np.ndarray:
    """words that disagree"""
    return DISAGREEING


@attention.example
def overlong() -> np.ndarray:
    """words so long that exponentials overflow"""
    return LONG_WORDS


@attention.example
def five_features() -> np.ndarray:
    """five words of five features"""
    return FIVE_WORDS


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


attention.half_but_for("scores far from 0", overlong, long_words)


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
def symmetric_weights(inputs: np.ndarray) -> Pair:
    """Your weights are symmetric: they are the mean of the table and its transpose. The scores are
    symmetric, but each row is divided by its own sum, so weight i→j differs from j→i.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attend(inputs, (attn_weights + attn_weights.T) / 2)


(ARRAY_SOFTMAX + ARRAY_SCORES + ARRAY_MIX).apply(attention, ArrayAttention)
ARRAY_DTYPE.apply(attention)
LOOP.apply(attention)
(PAIR + PARTS).apply(
    attention,
    called={"Swapped": "weights_first", "FirstAlone": "contexts_alone"},
    says={
        "Swapped": "The two results are in the wrong order: return the contexts first, then "
        "the weights."
    },
)


@attention.accepts
def attention_in_loops(inputs: np.ndarray) -> Pair:
    """Loops.

    One query after another, in the three steps of the lesson: scores, softmax, weighted sum.
    Each line is about a single word.
    """
    contexts, every = np.empty_like(inputs), []
    for i, query in enumerate(inputs):
        row = np.array([query @ key for key in inputs])
        exponentials = np.exp(row - row.max())
        every.append(exponentials / exponentials.sum())
        contexts[i] = sum(w * word for w, word in zip(every[i], inputs, strict=True))
    return contexts, np.array(every)


@attention.accepts
def attention_by_matmul(inputs: np.ndarray) -> Pair:
    """Matrix products.

    The softmax is written out between two matrix products, with `np.newaxis` in place of
    `keepdims=True`.
    """
    attn_scores = np.matmul(inputs, inputs.T)
    exponentials = np.exp(attn_scores - attn_scores.max(axis=1)[:, np.newaxis])
    attn_weights = exponentials / exponentials.sum(axis=1)[:, np.newaxis]
    return np.matmul(attn_weights, inputs), attn_weights


@attention.accepts
def attention_by_einsum(inputs: np.ndarray) -> Pair:
    """Index expressions.

    einsum spells both products: d is summed over for the scores, and the keys j for the
    contexts.
    """
    attn_weights = softmax(np.einsum("id,jd->ij", inputs, inputs))
    return np.einsum("ij,jd->id", attn_weights, inputs), attn_weights
