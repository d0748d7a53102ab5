"""The exam of `attention_scores`, lesson 02."""

import numpy as np

from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    FIVE_FEATURES,
    FIVE_WORDS,
    STRANGER,
    YOUR_JOURNEY,
    Pair,
)
from solutions.exams.families import ARRAY_DTYPE, ENDS, LOOP
from solutions.exams.library_products import PRODUCTS
from solutions.foundations import softmax

scores = Exam(reference.attention_scores, allows=PRODUCTS)


@scores.example
def journey_asks() -> Pair:
    """the word journey asks the sentence of six"""
    return YOUR_JOURNEY.vectors[1], YOUR_JOURNEY.vectors


@scores.example
def a_stranger_asks() -> Pair:
    """a word that is not in the sentence asks"""
    return STRANGER, YOUR_JOURNEY.vectors


@scores.example
def five_features() -> Pair:
    """five words of five features"""
    return FIVE_FEATURES, FIVE_WORDS


@scores.case
def random_words(draw: Draw) -> Pair:
    """words drawn at random"""
    return draw("d_in"), draw("tokens d_in")


@scores.case(times=1)
def one_word(draw: Draw) -> Pair:
    """a sentence of one word"""
    draw.fix(tokens=1)
    return draw("d_in"), draw("tokens d_in")


@scores.case(times=1)
def long_sentence(draw: Draw) -> Pair:
    """a sentence of 200 words"""
    draw.fix(tokens=200)
    return draw("d_in"), draw("tokens d_in")


@scores.misconception
def not_added_up(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the products of the features. A dot product adds them up: one number per word."""
    return query * inputs


@scores.misconception
def added_over_words(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You summed over the words and kept one number per feature. Sum over the features: one score
    per word.
    """
    return (query * inputs).sum(axis=0)


@scores.misconception
def cosine_scores(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are cosines. In this lesson the scores are plain dot products, not divided by any
    length.
    """
    lengths = np.linalg.norm(inputs, axis=1) * np.linalg.norm(query)
    return (inputs @ query) / lengths


@scores.misconception
def divided_by_the_length_of_each_word(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Each score is divided by the length of its word. This lesson's scores are plain dot products,
    not divided by any length.
    """
    return (inputs @ query) / np.linalg.norm(inputs, axis=1)


@scores.misconception
def divided_by_the_length_of_the_query(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Your scores are divided by the length of the query. This lesson's scores are plain dot
    products, not divided by any length.
    """
    return (inputs @ query) / np.linalg.norm(query)


@scores.misconception
def squared_distances(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are squared distances with a minus sign: a word that equals the query gets 0. The score
    of two words is their dot product.
    """
    return -np.square(inputs - query).sum(axis=1)


@scores.misconception
def distances(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are distances: a word that equals the query gets 0. The score of two words is their dot
    product.
    """
    return np.linalg.norm(inputs - query, axis=1)


@scores.misconception
def scaled_scores(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These scores are divided by the square root of the dimension. That scaling comes in lesson
    03; here, leave the scores as they are.
    """
    return (inputs @ query) / np.sqrt(query.size).astype(inputs.dtype)


@scores.misconception
def every_pair(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the scores of every word with every word. Only one word is the query here: the
    argument `query`.
    """
    return inputs @ inputs.T


@scores.misconception
def always_the_first_word(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the scores of the sentence's first word. Compute those of the argument `query`."""
    return inputs @ inputs[0]


@scores.misconception
def always_the_second_word(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the scores of the sentence's second word, whatever the query. Compute those of the
    argument `query`.
    """
    return inputs @ inputs[1]


@scores.misconception
def all_added_up(query: np.ndarray, inputs: np.ndarray) -> object:
    """You added everything up into one number. Sum over the features only: one score per word."""
    return (query * inputs).sum()


@scores.misconception
def mean_of_the_products(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These scores are divided by the number of features, as a mean is. A dot product is the plain
    sum of the products.
    """
    return (query * inputs).mean(axis=-1)


@scores.misconception
def last_product_only(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the products of the last feature only. If you loop over the features, does each
    pass overwrite what the earlier ones found?
    """
    return inputs[:, -1] * query[-1]


@scores.misconception
def sizes_of_the_scores(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """A score below zero has lost its sign. Keep it: the word points away from the query."""
    return np.abs(inputs @ query)


@scores.misconception
def weights_already(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the scores after a softmax. Return the scores themselves; the next exercise turns
    them into weights.
    """
    return softmax(inputs @ query)


@scores.misconception
def sentence_on_the_right(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Here the features of the query meet the words of the sentence. They have to meet the features
    of each word, the last axis: swap the two factors, or add or remove a transpose.
    """
    return query @ inputs


ARRAY_DTYPE.apply(scores)
ENDS.apply(scores)
LOOP.apply(scores, called={"FirstRowReturned": "first_score_only"})


@scores.accepts
def scores_in_loops(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Loops.

    Two loops write out what a dot product is: multiply feature by feature, and add up. It is
    the slowest way, and the one that hides nothing.
    """
    result = np.zeros(len(inputs), dtype=inputs.dtype)
    for i, word in enumerate(inputs):
        for one, other in zip(query, word, strict=True):
            result[i] += one * other
    return result


@scores.accepts
def scores_by_einsum(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """An index expression.

    einsum names the axes: t for the words, d for the features. d is missing behind the arrow,
    so it is summed over.
    """
    return np.einsum("td,d->t", inputs, query)


@scores.accepts
def scores_by_broadcasting(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Broadcasting and a sum.

    The query is broadcast over all words and multiplied, and then the features are summed: a
    matrix product in two steps, with all the products in memory in between.
    """
    return (inputs * query).sum(axis=-1)
