"""The exam of `embedding_lookup`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.families import ARRAY_DTYPE, LOOP, PAIR, PARTS
from solutions.exams.foundations._specimens import Pair

lookup = Exam(reference.embedding_lookup, returns=("one_hot", "vectors"))


@lookup.example
def four_words() -> Pair:
    """the words 3, 1, 3, 0 of a vocabulary of five"""
    table = np.array([[0.1, 0.9], [0.8, -0.3], [-0.5, 0.4], [0.7, 0.6], [-0.2, -0.8]])
    return np.array([3, 1, 3, 0]), table


@lookup.example
def five_words() -> Pair:
    """the words 1, 2, 0, 2, 1 of a vocabulary of three"""
    table = np.array([[0.3, -0.6, 0.2, 1.1], [-0.9, 0.4, 0.5, 0.7], [0.8, 1.2, -0.1, -0.4]])
    return np.array([1, 2, 0, 2, 1]), table


@lookup.case
def any_words(draw: Draw) -> Pair:
    """words drawn at random"""
    return draw.integers("tokens", below=draw.size("vocabulary")), draw("vocabulary d_in")


@lookup.case(times=1)
def one_word_again_and_again(draw: Draw) -> Pair:
    """one word, again and again"""
    return np.full(draw.size("tokens"), 1), draw("vocabulary d_in")


@lookup.case(times=1)
def a_single_word(draw: Draw) -> Pair:
    """a sentence of one word, the last of the vocabulary"""
    return np.array([draw.size("vocabulary") - 1]), draw("vocabulary d_in")


@lookup.case(times=1)
def more_words_than_vocabulary(draw: Draw) -> Pair:
    """a sentence of 300 words, a vocabulary of 260, each of which is in the sentence"""
    words = np.concatenate([np.arange(260), draw.fix(others=40).integers("others", below=260)])
    return draw.rng.permutation(words), draw.fix(vocabulary=260)("vocabulary d_in")


@lookup.case(times=1)
def as_many_words_as_rows(draw: Draw) -> Pair:
    """as many words as the vocabulary has rows"""
    draw.fix(tokens=5, vocabulary=5)
    return draw.rng.permutation(5), draw("vocabulary d_in")


@lookup.holds
def words_keep_their_places(
    embedding_lookup: Callable[..., Pair], token_ids: np.ndarray, embeddings: np.ndarray
) -> bool:
    """the words in reverse give the same vectors in reverse"""
    backwards = embedding_lookup(token_ids[::-1].copy(), embeddings)[1]
    return bool(np.allclose(backwards, embedding_lookup(token_ids, embeddings)[1][::-1]))


def ones_at(token_ids: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """The one-hot matrix."""
    return np.eye(len(embeddings), dtype=embeddings.dtype)[token_ids]


@lookup.misconception
def as_wide_as_the_ids(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix ends with the largest id of the sentence. It should have a column for
    each word of the vocabulary, whether the sentence uses it or not.
    """
    size = token_ids.max() + 1
    one_hot = np.eye(size, dtype=embeddings.dtype)[token_ids]
    return one_hot, one_hot @ embeddings[:size]


@lookup.misconception
def too_narrow_for_the_table(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix has fewer columns than the table has rows, as if it ended with the
    largest id of the sentence. It should have a column for each word of the vocabulary.
    """
    one_hot = np.eye(token_ids.max() + 1, dtype=embeddings.dtype)[token_ids]
    return one_hot, one_hot @ embeddings


@lookup.misconception
def one_hot_transposed(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix is transposed. One row for each word of the sentence, one column for each
    word of the vocabulary.
    """
    one_hot = ones_at(token_ids, embeddings)
    return one_hot.T.copy(), one_hot @ embeddings


@lookup.misconception
def nothing_for_id_zero(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The word with id 0 has a row without a 1. It is a word like any other: in `if token:`, 0
    counts as False.
    """
    one_hot = ones_at(token_ids, embeddings) * (token_ids != 0)[:, None]
    one_hot = one_hot.astype(embeddings.dtype)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def counted_from_one(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Each 1 is one column too far to the left, and that of id 0 is in the last column, which has
    index -1. Ids count from 0: id 0 is the first row of the table.
    """
    one_hot = ones_at(token_ids - 1, embeddings)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def whole_columns(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Every row has a 1 for every word of the sentence, as when a colon stands for all rows. Pair
    row 0 with the first id, row 1 with the second.
    """
    one_hot = np.zeros((len(token_ids), len(embeddings)), dtype=embeddings.dtype)
    one_hot[:, token_ids] = 1
    return one_hot, one_hot @ embeddings


@lookup.misconception
def ids_in_place_of_ones(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix contains the ids themselves. An id only tells you in which column to put
    the 1.
    """
    one_hot = ones_at(token_ids, embeddings) * token_ids[:, None].astype(embeddings.dtype)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def one_hot_of_integers(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix holds integers. Give it the dtype of the table."""
    one_hot = np.eye(len(embeddings), dtype=int)[token_ids]
    return one_hot, one_hot @ embeddings


@lookup.misconception
def one_hot_of_integers_alone(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The vectors are right, but your one-hot matrix holds integers. Give it the dtype of the
    table.
    """
    return np.eye(len(embeddings), dtype=int)[token_ids], embeddings[token_ids]


@lookup.misconception
def one_hot_in_float64_alone(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The vectors are right, but your one-hot matrix is float64 where the table is float32. Give it
    the dtype of the table.
    """
    return np.eye(len(embeddings))[token_ids], embeddings[token_ids]


@lookup.misconception
def one_hot_of_truths(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix holds True and False. Turn them into numbers of the table's dtype."""
    one_hot = token_ids[:, None] == np.arange(len(embeddings))
    return one_hot, one_hot @ embeddings


@lookup.misconception
def first_rows_of_the_table(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Word i of the sentence got row i of the table, if there is such a row. Give each word the row
    of its id.
    """
    one_hot = np.eye(len(token_ids), len(embeddings), dtype=embeddings.dtype)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def vectors_summed(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """You added the vectors of all words. Each word keeps a row of its own."""
    one_hot = ones_at(token_ids, embeddings)
    return one_hot, one_hot.sum(axis=0) @ embeddings


@lookup.misconception
def each_word_once(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The words come out in the order of their ids, and each only once, as after `np.unique`. A
    word that stands twice in a sentence gets two rows, in the sentence's order.
    """
    one_hot = ones_at(np.unique(token_ids), embeddings)
    return one_hot, one_hot @ embeddings


ARRAY_DTYPE.apply(lookup, called={"InFloat64": "lookup_in_float64"})
LOOP.apply(lookup)
(PAIR + PARTS).apply(
    lookup,
    called={"Swapped": "vectors_first"},
    says={
        "Swapped": "The two results are in the wrong order: the one-hot matrix first, then the "
        "vectors."
    },
)


@lookup.accepts
def lookup_in_a_loop(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """A loop.

    A loop writes the 1 of one row after another, so each line is about a single token.
    """
    one_hot = np.zeros((token_ids.shape[0], embeddings.shape[0])).astype(embeddings.dtype)
    for row, token in enumerate(token_ids):
        one_hot[row, token] = 1.0
    return one_hot, np.matmul(one_hot, embeddings)


@lookup.accepts
def lookup_from_the_identity(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Rows of the identity matrix, rows of the table.

    Row i of the identity matrix is the one-hot vector of token i, so both results are rows that are
    picked out. `nn.Embedding`, which you will meet later, picks rows too, and multiplies nothing.
    """
    identity = np.identity(len(embeddings), dtype=embeddings.dtype)
    return identity[token_ids], embeddings[token_ids]


@lookup.accepts
def lookup_by_comparing(token_ids: np.ndarray, embeddings: np.ndarray) -> list[np.ndarray]:
    """A comparison with every id.

    Each id is compared with every id of the vocabulary, which is True in one place of each row.
    einsum then spells out the product.
    """
    one_hot = (token_ids[:, None] == np.arange(len(embeddings))).astype(embeddings.dtype)
    return [one_hot, np.einsum("tv,vd->td", one_hot, embeddings)]
