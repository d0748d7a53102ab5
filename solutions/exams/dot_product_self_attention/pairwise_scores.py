"""The exam of `pairwise_scores`, lesson 02."""

import numpy as np

from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import FIVE_WORDS, YOUR_JOURNEY
from solutions.exams.families import ARRAY_DTYPE, ENDS, LOOP
from solutions.foundations import softmax

pairs = Exam(reference.pairwise_scores)


@pairs.example
def all_six() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@pairs.example
def five_features() -> np.ndarray:
    """five words of five features"""
    return FIVE_WORDS


@pairs.case
def random_sentence(draw: Draw) -> np.ndarray:
    """words drawn at random"""
    return draw("tokens d_in")


@pairs.case(times=1)
def more_features_than_words(draw: Draw) -> np.ndarray:
    """two words of many features"""
    return draw.fix(tokens=2, d_in=64)("tokens d_in")


@pairs.case(times=1)
def single_word(draw: Draw) -> np.ndarray:
    """a sentence of one word"""
    return draw.fix(tokens=1)("tokens d_in")


@pairs.misconception
def feature_by_feature(inputs: np.ndarray) -> np.ndarray:
    """You summed over the words and kept the features: this is `inputs.T @ inputs`. Keep the words:
    it is the matrix on the right that has to be transposed.
    """
    return inputs.T @ inputs


@pairs.misconception
def no_transpose(inputs: np.ndarray) -> np.ndarray:
    """You multiplied the words by themselves without a transpose. The shapes rarely fit, and where
    they do, features are paired with words. The second matrix must be transposed.
    """
    return inputs @ inputs


@pairs.misconception
def upper_triangle_only(inputs: np.ndarray) -> np.ndarray:
    """You left zeros below the diagonal. Every word is compared with every word, earlier ones
    too.
    """
    return np.triu(inputs @ inputs.T)


@pairs.misconception
def never_itself(inputs: np.ndarray) -> np.ndarray:
    """You left zeros on the diagonal. A word is also compared with itself: its score is its length
    squared.
    """
    all_pairs = inputs @ inputs.T
    np.fill_diagonal(all_pairs, 0)
    return all_pairs


@pairs.misconception
def itself_twice(inputs: np.ndarray) -> np.ndarray:
    """Your diagonal is twice what it should be, as when a triangle is added to its transpose: both
    contain the diagonal.
    """
    all_pairs = inputs @ inputs.T
    return np.triu(all_pairs) + np.tril(all_pairs)


@pairs.misconception
def pairwise_cosines(inputs: np.ndarray) -> np.ndarray:
    """These are cosines: the diagonal is all 1. In this lesson the scores are not divided by
    lengths.
    """
    lengths = np.linalg.norm(inputs, axis=1, keepdims=True)
    return (inputs @ inputs.T) / (lengths @ lengths.T)


@pairs.misconception
def pairwise_scaled(inputs: np.ndarray) -> np.ndarray:
    """These scores are divided by the square root of the dimension. That scaling comes in lesson
    03; here, leave the scores as they are.
    """
    return (inputs @ inputs.T) / np.sqrt(inputs.shape[1]).astype(inputs.dtype)


@pairs.misconception
def weights_too_early(inputs: np.ndarray) -> np.ndarray:
    """These are the scores after a softmax. Return the scores as they are."""
    return softmax(inputs @ inputs.T)


@pairs.misconception
def lower_triangle_only(inputs: np.ndarray) -> np.ndarray:
    """You left zeros above the diagonal. Every word is compared with every word, later ones too."""
    return np.tril(inputs @ inputs.T)


@pairs.misconception
def distances(inputs: np.ndarray) -> np.ndarray:
    """These are distances: the diagonal is 0. The score of two words is their dot product."""
    return np.linalg.norm(inputs[:, None] - inputs, axis=-1)


@pairs.misconception
def squared_distances(inputs: np.ndarray) -> np.ndarray:
    """These are squared distances: the diagonal is 0. The score of two words is their dot
    product.
    """
    return ((inputs[:, None] - inputs) ** 2).sum(axis=-1)


@pairs.misconception
def minus_squared_distances(inputs: np.ndarray) -> np.ndarray:
    """These are squared distances with a minus sign: 0 for a word and itself, below 0 for all
    others. The score of two words is their dot product.
    """
    return -((inputs[:, None] - inputs) ** 2).sum(axis=-1)


@pairs.misconception
def products_not_added(inputs: np.ndarray) -> np.ndarray:
    """These are the products of all pairs, feature by feature. Sum them over the features: one
    score for each pair.
    """
    return inputs[:, None] * inputs


@pairs.misconception
def mean_for_the_sum(inputs: np.ndarray) -> np.ndarray:
    """These scores are divided by the number of features, as a mean is. A dot product is the plain
    sum of the products.
    """
    return inputs @ inputs.T / np.array(inputs.shape[1], inputs.dtype)


@pairs.misconception
def squared_features(inputs: np.ndarray) -> np.ndarray:
    """This is each feature times itself, entry by entry, as `*` multiplies. Every word has to be
    compared with every word.
    """
    return inputs * inputs


ARRAY_DTYPE.apply(pairs)
ENDS.apply(pairs)
LOOP.apply(pairs, called={"FirstRowReturned": "first_row_only"})


@pairs.accepts
def pairs_in_two_loops(inputs: np.ndarray) -> np.ndarray:
    """Loops.

    Two loops, one over the queries and one over the keys. It shows that the table has an entry
    for each pair, and why its cost grows with the square of the length.
    """
    result = np.empty((len(inputs), len(inputs)), dtype=inputs.dtype)
    for i, query in enumerate(inputs):
        for j, key in enumerate(inputs):
            result[i, j] = np.dot(query, key)
    return result


@pairs.accepts
def pairs_by_einsum(inputs: np.ndarray) -> np.ndarray:
    """An index expression.

    einsum gives the two roles of a word two letters, i for the query and j for the key. Nothing
    has to be transposed.
    """
    return np.einsum("id,jd->ij", inputs, inputs)


@pairs.accepts
def pairs_row_by_row(inputs: np.ndarray) -> np.ndarray:
    """One query at a time.

    One query at a time against all words: `attention_scores`, once for each row.
    """
    return np.stack([inputs @ query for query in inputs])
