"""The exam of `repaired_self_attention`, lesson 02."""

import numpy as np

from autograder import Draw, Exam
from companion import YOUR_JOURNEY
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    LONG_WORDS,
    divided_by_sum,
    unshifted_softmax,
)
from solutions.exams.families import ARRAY_DTYPE
from solutions.foundations import softmax

repaired = Exam(reference.repaired_self_attention)


@repaired.example
def positive_sentence() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@repaired.example
def words_that_disagree() -> np.ndarray:
    """words that disagree"""
    return np.array([[2.0, -1.0], [-1.5, 0.5], [0.0, 1.0]])


@repaired.example
def overlong_words() -> np.ndarray:
    """words so long that exponentials overflow"""
    return LONG_WORDS


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
    """These are still the contexts of the broken cell: it divides the scores by their sum. What
    makes a weight of a score below zero?
    """
    return divided_by_sum(inputs @ inputs.T) @ inputs


@repaired.misconception
def absolute_values(inputs: np.ndarray) -> np.ndarray:
    """Absolute values make the weights positive, but a strong mismatch then counts as much as a
    strong match. Use the exponential.
    """
    return divided_by_sum(np.abs(inputs @ inputs.T)) @ inputs


@repaired.misconception
def cut_at_zero(inputs: np.ndarray) -> np.ndarray:
    """Cutting the scores at zero makes the weights positive, but all mismatches become the same.
    Use the exponential.
    """
    return divided_by_sum(np.maximum(inputs @ inputs.T, 0)) @ inputs


@repaired.misconception
def shifted_to_zero(inputs: np.ndarray) -> np.ndarray:
    """You shifted each row so that its smallest score is zero. The worst match then gets nothing at
    all, however close it was. Use the exponential.
    """
    attn_scores = inputs @ inputs.T
    return divided_by_sum(attn_scores - attn_scores.min(axis=-1, keepdims=True)) @ inputs


@repaired.misconception
def repaired_over_the_queries(inputs: np.ndarray) -> np.ndarray:
    """The softmax is right, its axis is not: it runs over the queries. It should run over the keys,
    the last axis.
    """
    return softmax(inputs @ inputs.T, axis=0) @ inputs


@repaired.misconception
def repaired_overflowing(inputs: np.ndarray) -> np.ndarray:
    """For long words the exponential overflows to NaN. Subtract each row's maximum first, or call
    the given `softmax`.
    """
    return unshifted_softmax(inputs @ inputs.T) @ inputs


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
