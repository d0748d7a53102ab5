"""The exam of `context_vector`, lesson 02."""

import numpy as np

from autograder import Draw, Exam
from companion import YOUR_JOURNEY
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import Pair
from solutions.exams.families import ARRAY_DTYPE
from solutions.foundations import softmax

context = Exam(reference.context_vector)


@context.example
def for_journey() -> Pair:
    """the context of journey"""
    words = YOUR_JOURNEY.vectors
    return softmax(words @ words[1]).round(6), words


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
    """These are the weighted words, one by one. Add them up: one vector with d_in numbers."""
    return weights[:, None] * inputs


@context.misconception
def plain_average(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the plain average of the words. Let each count by its weight."""
    return inputs.mean(axis=0)


@context.misconception
def plain_sum(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the sum of the words without their weights."""
    return inputs.sum(axis=0)


@context.misconception
def averaged_twice(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You divided by the number of words as well. The weights already sum to 1: their weighted sum
    is an average.
    """
    return (weights[:, None] * inputs).mean(axis=0)


@context.misconception
def best_word_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the word with the largest weight alone. Mix in the others, each by its weight."""
    return inputs[weights.argmax()]


@context.misconception
def the_other_way_round(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """`inputs @ weights` pairs the weights with the features. They belong to the words: the words'
    axis must be the one summed over.
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
    """This is the first word, times its weight. If you have a loop, it returns in its first turn:
    add up all the words, and return after it.
    """
    return weights[0] * inputs[0]


@context.misconception
def weights_across_features(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The weights belong to the rows, and `*` lines them up with the columns. Give them a second
    axis, or take a matrix product.
    """
    return weights * inputs


@context.misconception
def softmax_once_more(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You took the softmax of the weights. They are weights already: use them as they are."""
    return softmax(weights) @ inputs


ARRAY_DTYPE.apply(context)


@context.accepts
def context_in_loops(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Loops."""
    total = np.zeros_like(inputs[0])
    for weight, word in zip(weights, inputs, strict=True):
        total = total + weight * word
    return total


@context.accepts
def context_by_einsum(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """An index expression."""
    return np.einsum("t,td->d", weights, inputs)


@context.accepts
def context_by_broadcasting(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Broadcasting and a sum."""
    return (weights[:, None] * inputs).sum(axis=0)
