"""The exam of `design_weights`, lesson 03."""

import torch
from torch import Tensor

from autograder import Exam
from companion import what_nouns_look_at
from solutions import trainable_weights as reference
from solutions.exams.trainable_weights._specimens import Pair

design = Exam(reference.design_weights, use=what_nouns_look_at)
ARTICLE, ADJECTIVE, NOUN, VERB, FIRST, SECOND = range(6)


@design.example
def the_fluffy_sentence() -> tuple[()]:
    """a fluffy blue creature roamed the verdant forest"""
    return ()


@design.misconception
def nothing_asked() -> Pair:
    """Every word gets about the same weight: all the scores of a noun are close together. Let nouns
    ask, in `W_query`, for something that adjectives answer, in `W_key`; if they do, make the
    entries larger.
    """
    return torch.zeros(6, 3, dtype=torch.float64), torch.zeros(6, 3, dtype=torch.float64)


@design.misconception
def any_adjective() -> Pair:
    """Your nouns find all three adjectives. "verdant" is in another phrase than the other two: let
    the two phrases ask and answer as well. If they already do, make these entries larger.
    """
    W_query, W_key = torch.zeros(6, 1, dtype=torch.float64), torch.zeros(6, 1, dtype=torch.float64)
    W_query[NOUN, 0] = W_key[ADJECTIVE, 0] = 4
    return W_query, W_key


@design.misconception
def too_small() -> Pair:
    """The nouns attend to the right words, but "forest" not enough to "verdant". Make the entries
    larger: the scores have to be further apart.
    """
    W_query, W_key = reference.design_weights()
    return 0.25 * W_query, W_key


@design.misconception
def all_ones() -> Pair:
    """Your nouns give many words at least half as much weight as their favourites: the scores are
    too close together, and the square root brings them even closer. If the right words match, make
    the entries larger.
    """
    W_query, W_key = reference.design_weights()
    return W_query / 4, W_key / 4


@design.misconception
def nouns_answer_too() -> Pair:
    """Your nouns find their adjectives, and themselves about as much: nouns answer what they ask
    adjectives for. Let only the adjectives answer that.
    """
    W_query, W_key = reference.design_weights()
    W_key[NOUN, 0] = 4
    return W_query, W_key


@design.misconception
def like_finds_like() -> Pair:
    """Your nouns attend to themselves. The noun's row of `W_query` and the adjective's row of
    `W_key` need entries in the same column.
    """
    return 4 * torch.eye(6, dtype=torch.float64), torch.eye(6, dtype=torch.float64)


@design.misconception
def phrases_alone() -> Pair:
    """Your nouns attend to every word of their phrase: they do not ask for adjectives, or too
    little. The noun's row of `W_query` and the adjective's row of `W_key` need entries in the same
    column. Or did you return the two matrices in the wrong order? `W_query` comes first.
    """
    W_query, W_key = reference.design_weights()
    return W_query[:, 1:], W_key[:, 1:]


@design.misconception
def phrases_crossed() -> Pair:
    """Each noun finds the other noun's adjectives: the second phrase answers what the first one
    asks for. Let each phrase answer in the column in which it asks.
    """
    W_query, W_key = reference.design_weights()
    return W_query, W_key[:, [0, 2, 1]]


@design.misconception
def first_phrase_alone() -> Pair:
    """ "creature" finds its adjectives, but "forest" attends to all three. The second phrase has to
    be told apart, too.
    """
    W_query, W_key = reference.design_weights()
    return W_query[:, :2], W_key[:, :2]


@design.misconception
def rows_for_columns() -> Pair:
    """Your matrices are transposed. They need a row for each of the six features and a column for
    each topic: (6, d_k).
    """
    W_query, W_key = reference.design_weights()
    return W_query.T, W_key.T


@design.accepts
def design_by_lists() -> Pair:
    """Written out, all the weight in the queries."""
    asked = [[0, 0, 0], [0, 0, 0], [9, 0, 0], [0, 0, 0], [0, 9, 0], [0, 0, 9]]
    offered = [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]
    return torch.tensor(asked, dtype=torch.float64), torch.tensor(offered, dtype=torch.float64)


@design.accepts
def design_with_one_phrase_column() -> Pair:
    """Two columns: the phrases are the two ends of one, in float32."""
    W_query, W_key = torch.zeros(6, 2), torch.zeros(6, 2)
    W_query[2, 0] = W_key[1, 0] = 4
    W_query[4, 1] = W_key[4, 1] = 3
    W_query[5, 1] = W_key[5, 1] = -3
    return W_query, W_key


@design.accepts
def design_with_one_matrix() -> Pair:
    """One and the same matrix for both: its scores are symmetric, its weights are not."""
    W = torch.zeros(6, 4)
    W[ADJECTIVE, 0], W[NOUN, 0] = 6, 2
    W[FIRST, 1], W[SECOND, 1] = 3, -3
    return W, W


@design.accepts
def design_by_the_product() -> tuple[Tensor, ...]:
    """One matrix of six by six, and the identity."""
    product = torch.zeros(6, 6)
    product[2, 1] = product[4, 4] = product[5, 5] = 12
    return product, torch.eye(6)
