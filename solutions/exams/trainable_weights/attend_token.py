"""The exam of `attend_token`, lesson 03."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.families import (
    PAIR,
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    Attention,
)
from solutions.exams.sixteen_bits import bfloat16_stays
from solutions.exams.trainable_weights._specimens import (
    OWN_WORK,
    Pair,
    scaled_weights,
    the_sentence,
    wave,
)

JOURNEY = 1

token = Exam(reference.attend_token, returns=("context", "weights"), forbids=OWN_WORK)

Asked = tuple[int, Tensor, Tensor, Tensor]


@token.example
def journey_asks() -> Asked:
    """the word journey asks"""
    return (JOURNEY, *the_sentence())


@token.example
def the_last_word_asks() -> Asked:
    """the last of three words asks, with keys of four features and values of five"""
    return 2, wave(3, 4), wave(3, 4, shift=1), wave(3, 5, shift=2)


@token.example
def as_many_of_all() -> Asked:
    """one of four words asks, with keys and values of four features"""
    return 2, wave(4, 4), wave(4, 4, shift=1), wave(4, 4, shift=2)


@token.example
def large_token_scores() -> Asked:
    """scores so large that exponentials overflow"""
    return 0, 200 * wave(3, 4), 200 * wave(3, 4, shift=1), wave(3, 2, shift=2)


def asked_drawn(draw: Draw) -> Asked:
    """A word, and queries, keys and values."""
    queries, keys = draw.tensor("tokens d_k"), draw.tensor("tokens d_k")
    values = draw.tensor("tokens d_v")
    return int(draw.rng.integers(len(queries))), queries, keys, values


@token.case
def any_word_asks(draw: Draw) -> Asked:
    """queries, keys and values drawn at random"""
    return asked_drawn(draw)


@token.case(times=1)
def long_keys(draw: Draw) -> Asked:
    """two words with long keys"""
    return asked_drawn(draw.fix(tokens=2, d_k=90))


@token.case(times=1)
def overflowing_scores(draw: Draw) -> Asked:
    """scores so large that exponentials overflow"""
    queries, keys = draw.tensor("tokens d_k", scale=30), draw.tensor("tokens d_k", scale=30)
    return 1, queries, keys, draw.tensor("tokens d_v")


token.half_but_for("scores far from 0", large_token_scores, overflowing_scores)


@token.holds
def token_weights_sum_to_one(attend_token: Callable[..., Pair], *arguments: Tensor) -> bool:
    """the weights sum to 1"""
    return abs(float(attend_token(*arguments)[1].sum()) - 1) < 1e-4


token.holds(bfloat16_stays)


def taken(weights: Tensor, values: Tensor) -> Pair:
    """What comes of these weights."""
    return weights @ values, weights


class TokenSteps(Attention):
    """One word asks: its query is a table with one row."""

    def answer(self, i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
        query = queries[i : i + 1]
        context = self.attend(query, keys, values)
        return context[0], self.weigh(self.score(query, keys))[0]


SCALE.apply(
    token,
    TokenSteps,
    called={
        "Unscaled": "token_unscaled",
        "DividedByTheWidth": "token_by_d_k",
        "DividedByTheSquare": "token_by_the_square",
        "MultipliedByTheRoot": "token_multiplied",
        "RootOfTheKeys": "token_root_of_tokens",
        "RootOfTheValues": "token_root_of_d_v",
        "ScaledAfterwards": "token_scaled_afterwards",
    },
    without=("RootOfTheInputWidth", "RootOfTheQueries"),
)
SOFTMAX.apply(
    token,
    TokenSteps,
    called={"NoSoftmax": "token_without_softmax"},
    without=("SoftmaxOverQueries", "SoftmaxOverTheFirstAxis"),
)
STABILITY.apply(
    token, TokenSteps, called={"Overflowing": "token_overflowing"}, without=["OneMaximumForAll"]
)
ROLES.apply(
    token,
    TokenSteps,
    called={"KeysMixed": "keys_mixed"},
    without=("RolesSwapped", "QueriesCompared"),
)


@token.misconception
def query_asks_queries(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You compared the query with the queries. Compare it with the keys."""
    return taken(scaled_weights(queries, queries)[i], values)


@token.misconception
def token_root_of_two(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Your scores are always divided by √2. That was right by hand, where a key has two features.
    Take the number of features from the shape of the keys.
    """
    return taken(torch.softmax(keys @ queries[i] / 2**0.5, dim=-1), values)


@token.misconception
def token_context_divided(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Your context is divided by √d_k, and the scores went into the softmax unscaled. Divide the
    scores, before the softmax.
    """
    weights = torch.softmax(keys @ queries[i], dim=-1)
    return weights @ values / keys.shape[-1] ** 0.5, weights


@token.misconception
def key_asks_queries(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You compared key i with all the queries. Compare query i with all the keys."""
    return taken(torch.softmax(queries @ keys[i] / keys.shape[-1] ** 0.5, dim=-1), values)


@token.misconception
def all_words_ask(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """These are the results for all the words. Only word i is the query here: one context vector,
    one row of weights.
    """
    return taken(scaled_weights(queries, keys), values)


@token.misconception
def scores_returned(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The context is right. The second result should be the weights that it was mixed with, but
    these are the scores, from before the softmax.
    """
    weights = scaled_weights(queries, keys)[i]
    return weights @ values, keys @ queries[i] / keys.shape[-1] ** 0.5


@token.misconception
def the_first_word_asks(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You used the query of the first word. Take query `i`, counted from 0."""
    return taken(scaled_weights(queries, keys)[0], values)


@token.misconception
def the_word_before_asks(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You used the query of the word before (for the first word, that of the last one): `queries[i
    - 1]`. Words are counted from 0, so it is `queries[i]`.
    """
    return taken(scaled_weights(queries, keys)[i - 1], values)


@token.misconception
def later_words_hidden(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The words after word i get no weight. Nothing is hidden here: query i is compared with all
    the keys, those of later words too.
    """
    scores = keys @ queries[i] / keys.shape[-1] ** 0.5
    scores[i + 1 :] = -torch.inf
    return taken(torch.softmax(scores, dim=-1), values)


@token.misconception
def later_words_cut_off(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Your weights end with word i. Query i is compared with all the keys, those of later words
    too, so there is one weight for each word of the sentence.
    """
    return taken(scaled_weights(queries[i], keys[: i + 1]), values[: i + 1])


@token.misconception
def token_root_of_a_number(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """`torch.sqrt` takes a tensor, but d_k is a plain number. Its square root is `d_k ** 0.5`."""
    root = torch.sqrt(keys.shape[-1])  # type: ignore[arg-type]
    return taken(torch.softmax(keys @ queries[i] / root, dim=-1), values)


@token.misconception
def keys_not_summed(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Your scores are products, entry by entry, as `*` leaves them. Add them up: each key has one
    score.
    """
    weights = torch.softmax(queries[i] * keys / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights


@token.misconception
def values_not_summed(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """These are the weighted values, one by one. Add them up: the context is one vector."""
    weights = scaled_weights(queries, keys)[i]
    return weights[:, None] * values, weights


@token.misconception
def query_as_a_table(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Both results are tables with one row, as when the query is such a table. `queries[i]` is a
    vector, and so are the results you compute from it.
    """
    return taken(scaled_weights(queries[i : i + 1], keys), values)


@token.misconception
def values_before_weights(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The values are on the left of the weights. There is one weight for each row of the values, so
    the weights go on the left.
    """
    weights = scaled_weights(queries, keys)[i]
    return values @ weights, weights


TENSOR_DTYPE.apply(token)
PAIR.apply(
    token,
    called={"Swapped": "weights_before_context", "FirstAlone": "context_alone"},
    says={
        "Swapped": "The two results are in the wrong order: return the context first, then the "
        "weights."
    },
)


@token.accepts
def token_in_loops(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Loops.

    Every step in Python: a dot product for each key, one exponential after another, and a sum
    that grows value by value.
    """
    scores = torch.stack([torch.dot(queries[i], key) for key in keys]) / len(keys[0]) ** 0.5
    exponentials = [torch.exp(score - scores.max()) for score in scores]
    weights = torch.stack(exponentials) / sum(exponentials)
    context = torch.zeros_like(values[0])
    for weight, value in zip(weights, values, strict=True):
        context = context + weight * value
    return context, weights


@token.accepts
def token_by_einsum(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Index expressions.

    einsum for both products. In the second one, t, the tokens, disappears, and the features v
    of the values remain.
    """
    scores = torch.einsum("d,td->t", queries[i], keys)
    weights = (scores / keys.shape[1] ** 0.5).softmax(dim=0)
    return torch.einsum("t,tv->v", weights, values), weights


@token.accepts
def token_by_broadcasting(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Broadcasting and sums.

    The query is scaled before it meets the keys, which costs d_k divisions and not one per key.
    The scores are the same.
    """
    weights = ((queries[i] / keys.shape[1] ** 0.5) * keys).sum(dim=1).softmax(0)
    return (weights[:, None] * values).sum(dim=0), weights
