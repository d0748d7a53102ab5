"""The exam of `context_vector`, lesson 02."""

import numpy as np

from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    FIVE_WEIGHTS,
    FIVE_WORDS,
    SIX_WEIGHTS,
    YOUR_JOURNEY,
    Pair,
)
from solutions.exams.families import ARRAY_DTYPE
from solutions.exams.library_products import PRODUCTS
from solutions.foundations import softmax

context = Exam(reference.context_vector, allows=PRODUCTS)


@context.example
def for_journey() -> Pair:
    """the context of journey"""
    words = YOUR_JOURNEY.vectors
    return softmax(words @ words[1]).round(6), words


@context.example
def for_nobody() -> Pair:
    """weights that no word of the sentence has given"""
    return SIX_WEIGHTS, YOUR_JOURNEY.vectors


@context.example
def five_words() -> Pair:
    """five words of five features"""
    return FIVE_WEIGHTS, FIVE_WORDS


@context.case
def random_mixture(draw: Draw) -> Pair:
    """random weights and words"""
    return draw.weights("tokens"), draw("tokens d_in")


@context.case(times=1)
def one_hot(draw: Draw) -> Pair:
    """all the weight on the last word"""
    words = draw("tokens d_in")
    return np.eye(len(words))[-1], words


@context.case(times=1)
def wide_words(draw: Draw) -> Pair:
    """two words of many features"""
    draw.fix(tokens=2, d_in=300)
    return draw.weights("tokens"), draw("tokens d_in")


@context.misconception
def not_summed(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the weighted words, one by one. Add them up: one vector with d_in features."""
    return weights[:, None] * inputs


@context.misconception
def plain_average(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the plain average of the words. Multiply each word by its weight instead."""
    return inputs.mean(axis=0)


@context.misconception
def plain_sum(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the sum of the words without their weights."""
    return inputs.sum(axis=0)


@context.misconception
def averaged_twice(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the weighted sum divided by the number of words, as when you take a mean. The weights
    already sum to 1, so their weighted sum is an average.
    """
    return (weights[:, None] * inputs).mean(axis=0)


@context.misconception
def best_word_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is only the word with the largest weight. Mix in the others, each by its weight."""
    return inputs[weights.argmax()]


@context.misconception
def best_term_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is only the word with the largest weight, times that weight. Add the others, each times
    its own weight.
    """
    return weights.max() * inputs[weights.argmax()]


@context.misconception
def the_other_way_round(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Here the weights meet the features. There is one weight per word, so the axis that is summed
    over must be that of the words.
    """
    return inputs @ weights


@context.misconception
def summed_over_features(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You summed over the features and kept one number per word. Sum over the words, the first
    axis.
    """
    return (weights[:, None] * inputs).sum(axis=1)


@context.misconception
def first_term_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is only the first word, times its weight. If you have a loop, does it return in its
    first pass? Add up all the words, and return after the loop.
    """
    return weights[0] * inputs[0]


@context.misconception
def weights_across_features(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """There is one weight per row, but broadcasting lines the weights up with the columns. Give
    them a second axis, or use a matrix product.
    """
    return weights * inputs


@context.misconception
def softmax_once_more(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You took the softmax of the weights. They are already weights: use them as they are."""
    return softmax(weights) @ inputs


@context.misconception
def weighed_across_features(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """There is one weight per row, but broadcasting lines the weights up with the columns, before
    you add up the words. Give them a second axis, or use a matrix product.
    """
    return (weights * inputs).sum(axis=0)


@context.misconception
def weights_of_the_second_word(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the context of the sentence's second word, whatever the weights are. Mix with the
    argument `weights`.
    """
    return softmax(inputs @ inputs[1]) @ inputs


@context.misconception
def added_to_one_number(weights: np.ndarray, inputs: np.ndarray) -> object:
    """You added everything up into one number. Sum over the words only: one number per feature."""
    return (weights[:, None] * inputs).sum()


@context.misconception
def last_word_left_out(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The last word is missing from this sum. Does your loop end one pass too early?"""
    return weights[:-1] @ inputs[:-1]


@context.misconception
def first_word_left_out(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The first word is missing from this sum. Does your loop start with the second one?"""
    return weights[1:] @ inputs[1:]


@context.misconception
def last_term_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is only the last word, times its weight. If you have a loop, does each pass overwrite
    what the earlier ones found?
    """
    return weights[-1] * inputs[-1]


ARRAY_DTYPE.apply(context)


@context.accepts
def context_in_loops(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Loops.

    A loop that adds one weighted word after another, which is the formula of the weighted sum,
    read aloud.
    """
    total = np.zeros_like(inputs[0])
    for weight, word in zip(weights, inputs, strict=True):
        total = total + weight * word
    return total


@context.accepts
def context_by_einsum(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """An index expression.

    einsum names the axes: t, the words, is in both and not behind the arrow, so it is summed
    over, and the features d remain.
    """
    return np.einsum("t,td->d", weights, inputs)


@context.accepts
def context_by_broadcasting(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Broadcasting and a sum.

    The weights become a column, which scales each row of words. The sum then runs over the
    words.
    """
    return (weights[:, None] * inputs).sum(axis=0)
