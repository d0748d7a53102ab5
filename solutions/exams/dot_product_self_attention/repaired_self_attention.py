"""The exam of `repaired_self_attention`, lesson 02."""

import numpy as np

from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    DISAGREEING,
    FIVE_WORDS,
    LONG_WORDS,
    YOUR_JOURNEY,
    divided_by_sum,
)
from solutions.exams.families import (
    ARRAY_DTYPE,
    ARRAY_MIX,
    ARRAY_SCORES,
    ARRAY_SOFTMAX,
    ArrayAttention,
)
from solutions.foundations import softmax

repaired = Exam(reference.repaired_self_attention)


@repaired.example
def positive_sentence() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@repaired.example
def words_that_disagree() -> np.ndarray:
    """words that disagree"""
    return DISAGREEING


@repaired.example
def overlong_words() -> np.ndarray:
    """words so long that exponentials overflow"""
    return LONG_WORDS


@repaired.example
def five_features() -> np.ndarray:
    """five words of five features"""
    return FIVE_WORDS


@repaired.case
def any_sentence(draw: Draw) -> np.ndarray:
    """words drawn at random"""
    return draw("tokens d_in")


@repaired.case(times=1)
def far_words(draw: Draw) -> np.ndarray:
    """words thirty times as long"""
    return draw("tokens d_in", scale=30)


@repaired.misconception
def as_given(inputs: np.ndarray) -> np.ndarray:
    """These are still the contexts of the broken cell, which divides the scores by their sum. What
    turns a score below zero into a weight?
    """
    return divided_by_sum(inputs @ inputs.T) @ inputs


@repaired.misconception
def absolute_values(inputs: np.ndarray) -> np.ndarray:
    """Absolute values make the weights positive, but a strong mismatch then counts as much as a
    strong match. Use the exponential.
    """
    return divided_by_sum(np.abs(inputs @ inputs.T)) @ inputs


@repaired.misconception
def over_absolute_values(inputs: np.ndarray) -> np.ndarray:
    """You divided the scores by the sum of their absolute values. Every weight is now between −1
    and 1, but a mismatch still gets a negative one. Use the exponential.
    """
    attn_scores = inputs @ inputs.T
    return attn_scores / np.abs(attn_scores).sum(axis=-1, keepdims=True) @ inputs


@repaired.misconception
def columns_below_one_maximum(inputs: np.ndarray) -> np.ndarray:
    """These are the contexts of weights whose columns sum to 1, as after a sum without `keepdims`
    or over the queries. Divide each row by its own sum, with `axis=-1, keepdims=True`, and subtract
    each row's own maximum: if you subtract the largest of all the scores, a row of low ones becomes
    all zeros.
    """
    attn_scores = inputs @ inputs.T
    exponentials = np.exp(attn_scores - attn_scores.max())
    return exponentials / exponentials.sum(axis=0) @ inputs


@repaired.misconception
def cut_at_zero(inputs: np.ndarray) -> np.ndarray:
    """If you cut the scores off at zero, no weight is below zero, but all mismatches become equal.
    Use the exponential.
    """
    return divided_by_sum(np.maximum(inputs @ inputs.T, 0)) @ inputs


@repaired.misconception
def shifted_to_zero(inputs: np.ndarray) -> np.ndarray:
    """You shifted each row so that its smallest score is zero. The worst match then gets no weight
    at all, however close it was. Use the exponential.
    """
    attn_scores = inputs @ inputs.T
    return divided_by_sum(attn_scores - attn_scores.min(axis=-1, keepdims=True)) @ inputs


@repaired.misconception
def squares(inputs: np.ndarray) -> np.ndarray:
    """Squares make the weights positive, but a strong mismatch then counts as much as a strong
    match. Use the exponential.
    """
    return divided_by_sum((inputs @ inputs.T) ** 2) @ inputs


@repaired.misconception
def exponentials_over_the_scores(inputs: np.ndarray) -> np.ndarray:
    """You divided the exponentials by the sum of the scores. Divide them by their own sum, the sum
    of the exponentials.
    """
    attn_scores = inputs @ inputs.T
    return np.exp(attn_scores) / attn_scores.sum(axis=-1, keepdims=True) @ inputs


@repaired.misconception
def softmax_of_shares(inputs: np.ndarray) -> np.ndarray:
    """You took the softmax of the broken weights. Take it of the scores, in place of the
    division.
    """
    return softmax(divided_by_sum(inputs @ inputs.T)) @ inputs


@repaired.misconception
def cut_to_shares(inputs: np.ndarray) -> np.ndarray:
    """You cut the broken weights off at 0 and 1, and now they no longer sum to 1. Use the
    exponential.
    """
    return np.clip(divided_by_sum(inputs @ inputs.T), 0, 1) @ inputs


@repaired.misconception
def weights_alone(inputs: np.ndarray) -> np.ndarray:
    """These are the weights. The words still have to be mixed with them: see the last line."""
    return softmax(inputs @ inputs.T)


class Steps(ArrayAttention):
    """The contexts alone."""

    def answer(self, inputs: np.ndarray) -> np.ndarray:
        contexts, _ = self.attend(inputs)
        return contexts


(ARRAY_SOFTMAX + ARRAY_SCORES + ARRAY_MIX).apply(
    repaired,
    Steps,
    says={
        "OverTheQueries": "These are the contexts of weights whose columns sum to 1, as after a "
        "softmax over the queries, or in a transposed table. The softmax should run over the "
        "keys, the last axis, and the table of weights should be on the left, without a "
        "transpose.",
        "OverTheQueriesUnshifted": "These are the contexts of weights whose columns sum to 1, as "
        "after a sum without its axis or over the queries. The softmax should run over the keys, "
        "the last axis, with `keepdims=True`. Also, the exponentials overflow for long words: "
        "subtract each row's maximum first, or call the given `softmax`.",
        "NothingWeighed": "These contexts mix the words by their scores. A softmax has to turn the "
        "scores into weights first.",
        "WeightsMixed": "You multiplied the weights by the weights. The last line was right: it "
        "multiplies them by the words.",
        "WordsUnmixed": "These are the words themselves. Mix them by their weights.",
    },
    without=[
        "BySharesOfTheScores",
        "MixedByTheScores",
        "MixedByTheTransposed",
        "ScoresReturned",
        "TransposedReturned",
    ],
)
ARRAY_DTYPE.apply(repaired)


@repaired.accepts
def repaired_by_hand(inputs: np.ndarray) -> np.ndarray:
    """The softmax written out."""
    attn_scores = inputs @ inputs.T
    exponentials = np.exp(attn_scores - attn_scores.max(axis=-1, keepdims=True))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)) @ inputs


@repaired.accepts
def repaired_word_by_word(inputs: np.ndarray) -> np.ndarray:
    """One query at a time."""
    return np.stack([softmax(inputs @ query) @ inputs for query in inputs])


@repaired.accepts
def repaired_by_einsum(inputs: np.ndarray) -> np.ndarray:
    """Index expressions."""
    attn_weights = softmax(np.einsum("id,jd->ij", inputs, inputs))
    return np.einsum("ij,jd->id", attn_weights, inputs)
