"""The exams of lesson 03."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

import companion
from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from autograder.modules import run_module
from companion import FOUR_FEATURES, YOUR_JOURNEY, measure_twice, what_nouns_look_at
from solutions import trainable_weights as reference

Triple = tuple[Tensor, Tensor, Tensor]
Pair = tuple[Tensor, Tensor]

# The matrices of the lesson's text.
W_QUERY = torch.tensor([[4, 0], [0, -2], [-2, 4]], dtype=torch.float64)
W_KEY = torch.tensor([[1, -1], [-2, 0], [0, 2]], dtype=torch.float64)
W_VALUE = torch.tensor([[1, 0], [0, 1], [0.5, -0.5]], dtype=torch.float64)
# By the names that they have in the notebook, where a module may reach for them by mistake.
W_query, W_key, W_value = W_QUERY, W_KEY, W_VALUE
INPUTS = torch.tensor(YOUR_JOURNEY.vectors)
JOURNEY = 1


def wave(*shape: int, shift: float = 0.0) -> Tensor:
    """Numbers between -1 and 1 without any pattern that an axis could hide in."""
    numbers = torch.arange(math.prod(shape), dtype=torch.float64)
    return torch.cos(1.7 * numbers + shift + 0.01 * numbers**2).reshape(shape)


def the_sentence() -> Triple:
    """Queries, keys and values of the six words."""
    return INPUTS @ W_QUERY, INPUTS @ W_KEY, INPUTS @ W_VALUE


def scaled_weights(queries: Tensor, keys: Tensor) -> Tensor:
    """The attention weights, queries on rows."""
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)


# --- projections ---------------------------------------------------------------------------------

projected = Exam(reference.project, returns=("queries", "keys", "values"))

Four = tuple[Tensor, Tensor, Tensor, Tensor]


@projected.example
def six_words() -> Four:
    """Your journey starts with one step"""
    return INPUTS, W_QUERY, W_KEY, W_VALUE


@projected.example
def square_matrices() -> Four:
    """two words of three features, matrices of three by three"""
    return wave(2, 3), wave(3, 3, shift=1), wave(3, 3, shift=2), wave(3, 3, shift=3)


def four_drawn(draw: Draw) -> Four:
    """Words and matrices."""
    W_query, W_key = draw.tensor("d_in d_k"), draw.tensor("d_in d_k")
    return draw.tensor("tokens d_in"), W_query, W_key, draw.tensor("d_in d_v")


@projected.case
def random_projections(draw: Draw) -> Four:
    """words and matrices drawn at random"""
    return four_drawn(draw)


@projected.case(times=1)
def one_projected_word(draw: Draw) -> Four:
    """a sentence of one word"""
    return four_drawn(draw.fix(tokens=1))


@projected.misconception
def values_before_keys(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """The keys stand where the values should, and the values where the keys should. The order is
    query, key, value.
    """
    return inputs @ W_query, inputs @ W_value, inputs @ W_key


@projected.misconception
def keys_before_queries(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """The keys stand where the queries should. The order is query, key, value."""
    return inputs @ W_key, inputs @ W_query, inputs @ W_value


@projected.misconception
def transposed_matrices(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """You multiplied by the transposed matrices. They are (d_in, d_k) and (d_in, d_v) as they come,
    so the features of a word meet their rows.
    """
    return inputs @ W_query.T, inputs @ W_key.T, inputs @ W_value.T


@projected.misconception
def matrices_on_the_left(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """The matrix stands on the left of the words. Words are rows here, so their features meet the
    matrix from the left: inputs first.
    """
    return W_query @ inputs, W_key @ inputs, W_value @ inputs


@projected.misconception
def words_on_columns(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your results have one word per column. In this exercise words are rows, in and out."""
    return W_query.T @ inputs.T, W_key.T @ inputs.T, W_value.T @ inputs.T


@projected.misconception
def value_by_the_key_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your values are the keys. A value has a matrix of its own, `W_value`."""
    return inputs @ W_query, inputs @ W_key, inputs @ W_key


@projected.misconception
def key_by_the_query_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your keys are the queries. A key has a matrix of its own, `W_key`."""
    return inputs @ W_query, inputs @ W_query, inputs @ W_value


@projected.misconception
def query_by_the_key_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your queries are the keys. A query has a matrix of its own, `W_query`."""
    return inputs @ W_key, inputs @ W_key, inputs @ W_value


@projected.misconception
def value_by_the_query_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your values are the queries. A value has a matrix of its own, `W_value`."""
    return inputs @ W_query, inputs @ W_key, inputs @ W_query


@projected.misconception
def all_by_the_query_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """All three are the queries. Each has a matrix of its own: `W_query`, `W_key`, `W_value`."""
    return inputs @ W_query, inputs @ W_query, inputs @ W_query


@projected.misconception
def cast_to_float32(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """These numbers were made float32, by `.float()` or `dtype=`. Leave the tensors in the dtype in
    which they come."""
    return (
        inputs.float() @ W_query.float(),
        inputs.float() @ W_key.float(),
        inputs.float() @ W_value.float(),
    )


@projected.misconception
def query_as_it_is(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your queries are the words themselves. The query has a matrix as well: all three do."""
    return inputs, inputs @ W_key, inputs @ W_value


@projected.misconception
def value_as_it_is(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your values are the words themselves, as in lesson 02. Here the value has a matrix as well:
    all three do.
    """
    return inputs @ W_query, inputs @ W_key, inputs


@projected.misconception
def values_of_the_keys(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """You made the values of the keys. All three are made of the same thing: the words."""
    keys = inputs @ W_key
    return inputs @ W_query, keys, keys @ W_value


@projected.accepts
def projected_word_by_word(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    """One word at a time, stacked."""
    matrices = (W_query, W_key, W_value)
    return tuple(torch.stack([word @ W for word in inputs]) for W in matrices)


@projected.accepts
def projected_by_einsum(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> list[Tensor]:
    """Index expressions, in a list."""
    return [torch.einsum("td,dk->tk", inputs, W) for W in (W_query, W_key, W_value)]


@projected.accepts
def projected_by_linear(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    """The functional form of a linear layer."""
    return tuple(nn.functional.linear(inputs, W.T) for W in (W_query, W_key, W_value))


# --- one word asks -------------------------------------------------------------------------------

OWN_WORK = ("scaled_dot_product_attention",)
token = Exam(reference.attend_token, returns=("context", "weights"), forbids=OWN_WORK)

Asked = tuple[int, Tensor, Tensor, Tensor]


@token.example
def journey_asks() -> Asked:
    """the word journey asks"""
    return (JOURNEY, *the_sentence())


@token.example
def the_last_word_asks() -> Asked:
    """the last of three words asks, with four numbers to a key and five to a value"""
    return 2, wave(3, 4), wave(3, 4, shift=1), wave(3, 5, shift=2)


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


@token.holds
def token_weights_sum_to_one(attend_token: Callable[..., Pair], *arguments: Tensor) -> bool:
    """the weights sum to 1"""
    return abs(float(attend_token(*arguments)[1].sum()) - 1) < 1e-4


def taken(weights: Tensor, values: Tensor) -> Pair:
    """What comes of these weights."""
    return weights @ values, weights


@token.misconception
def token_unscaled(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The scores are not scaled. Divide them by the square root of d_k before the softmax."""
    return taken(torch.softmax(keys @ queries[i], dim=-1), values)


@token.misconception
def token_by_d_k(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You divided by d_k itself: the weights come out too even. The variance of the scores grows
    like d_k, their size like its square root.
    """
    return taken(torch.softmax(keys @ queries[i] / keys.shape[-1], dim=-1), values)


@token.misconception
def token_by_the_square(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You divided by the square of d_k. It is the square *root*."""
    return taken(torch.softmax(keys @ queries[i] / keys.shape[-1] ** 2, dim=-1), values)


@token.misconception
def token_root_of_two(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You always divide by √2. That was right by hand, where a key has two numbers. Ask the keys
    how many they have.
    """
    return taken(torch.softmax(keys @ queries[i] / 2**0.5, dim=-1), values)


@token.misconception
def token_multiplied(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You multiplied by the root of d_k. Divide: the scores are too large, not too small."""
    return taken(torch.softmax(keys @ queries[i] * keys.shape[-1] ** 0.5, dim=-1), values)


@token.misconception
def token_root_of_tokens(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You took the root of the number of words. d_k is how many numbers a key has: the last axis of
    the keys.
    """
    return taken(torch.softmax(keys @ queries[i] / keys.shape[0] ** 0.5, dim=-1), values)


@token.misconception
def token_root_of_d_v(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You took the root of the width of a value. The scores come from the keys: d_k is theirs."""
    return taken(torch.softmax(keys @ queries[i] / values.shape[-1] ** 0.5, dim=-1), values)


@token.misconception
def token_scaled_afterwards(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Your weights sum to 1/√d_k: you divided after the softmax. Divide the scores, before it."""
    weights = torch.softmax(keys @ queries[i], dim=-1) / keys.shape[-1] ** 0.5
    return taken(weights, values)


@token.misconception
def token_context_divided(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The context was divided, and the scores went into the softmax as they are. Divide the scores,
    before it.
    """
    weights = torch.softmax(keys @ queries[i], dim=-1)
    return weights @ values / keys.shape[-1] ** 0.5, weights


@token.misconception
def key_asks_queries(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You compared key number i with all queries. Query number i asks all keys."""
    return taken(torch.softmax(queries @ keys[i] / keys.shape[-1] ** 0.5, dim=-1), values)


@token.misconception
def query_asks_queries(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The query was compared with the queries. It asks the keys."""
    return taken(scaled_weights(queries, queries)[i], values)


@token.misconception
def keys_mixed(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The weights are right, but you mixed the keys by them. What a word hands over is its
    value.
    """
    return taken(scaled_weights(queries, keys)[i], keys)


@token.misconception
def token_without_softmax(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """These weights are scaled scores. The softmax is missing: it makes shares of them."""
    return taken(keys @ queries[i] / keys.shape[-1] ** 0.5, values)


@token.misconception
def weights_before_context(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The two results are in the wrong order: return the context first, then the weights."""
    return taken(scaled_weights(queries, keys)[i], values)[::-1]


@token.misconception
def all_words_ask(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """This is what all words find. Only word number i asks here: one context vector, one row of
    weights.
    """
    return taken(scaled_weights(queries, keys), values)


@token.misconception
def the_first_word_asks(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The first word asks here. Take the query with the number `i`, counted from 0."""
    return taken(scaled_weights(queries, keys)[0], values)


@token.misconception
def the_word_before_asks(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The word before asks here: `queries[i - 1]`. Words are counted from 0, so it is
    `queries[i]`.
    """
    return taken(scaled_weights(queries, keys)[i - 1], values)


@token.misconception
def token_root_of_a_number(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """`torch.sqrt` takes a tensor, and d_k is a plain number. Its root is `d_k ** 0.5`."""
    root = torch.sqrt(keys.shape[-1])  # type: ignore[arg-type]
    return taken(torch.softmax(keys @ queries[i] / root, dim=-1), values)


@token.misconception
def keys_not_summed(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """`*` multiplies entry by entry, and leaves the products side by side. Add them up: each key
    has one score.
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
    """Both results are tables with one row. `queries[i]`, without a slice, is a vector, and so is
    what follows from it.
    """
    return taken(scaled_weights(queries[i : i + 1], keys), values)


@token.misconception
def values_before_weights(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """The values stand on the left of the weights. There is a weight for each row of the values, so
    the weights meet them from the left.
    """
    weights = scaled_weights(queries, keys)[i]
    return values @ weights, weights


@token.misconception
def context_alone(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """This is the context alone. Return two results, the context and the weights."""
    return taken(scaled_weights(queries, keys)[i], values)[0]


@token.misconception
def token_overflowing(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """For large scores your exponentials overflow, and inf / inf is NaN. Subtract the largest score
    first, or use `torch.softmax`.
    """
    exponentials = torch.exp(keys @ queries[i] / keys.shape[-1] ** 0.5)
    return taken(exponentials / exponentials.sum(), values)


@token.accepts
def token_in_loops(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Loops."""
    scores = torch.stack([torch.dot(queries[i], key) for key in keys]) / math.sqrt(len(keys[0]))
    exponentials = [torch.exp(score - scores.max()) for score in scores]
    weights = torch.stack(exponentials) / sum(exponentials)
    context = torch.zeros_like(values[0])
    for weight, value in zip(weights, values, strict=True):
        context = context + weight * value
    return context, weights


@token.accepts
def token_by_einsum(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Index expressions."""
    scores = torch.einsum("d,td->t", queries[i], keys)
    weights = (scores / keys.shape[1] ** 0.5).softmax(dim=0)
    return torch.einsum("t,tv->v", weights, values), weights


@token.accepts
def token_by_broadcasting(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """Broadcasting and sums."""
    weights = ((queries[i] / keys.shape[1] ** 0.5) * keys).sum(dim=1).softmax(0)
    return (weights[:, None] * values).sum(dim=0), weights


# --- every word asks -----------------------------------------------------------------------------

attention = Exam(reference.scaled_dot_product_attention, forbids=OWN_WORK)


@attention.example
def all_six() -> Triple:
    """Your journey starts with one step"""
    return the_sentence()


@attention.example
def two_queries() -> Triple:
    """two queries, five keys of three numbers, values of four"""
    return wave(2, 3), wave(5, 3, shift=1), wave(5, 4, shift=2)


@attention.example
def two_sentences() -> Triple:
    """a batch of two, three queries each, four keys"""
    return wave(2, 3, 5), wave(2, 4, 5, shift=1), wave(2, 4, 2, shift=2)


@attention.example
def large_scores() -> Triple:
    """scores so large that exponentials overflow"""
    return 200 * wave(2, 3), 200 * wave(5, 3, shift=1), wave(5, 4, shift=2)


def triple_drawn(draw: Draw) -> Triple:
    """Queries, keys and values."""
    queries, keys = draw.tensor("queries d_k"), draw.tensor("keys d_k")
    return queries, keys, draw.tensor("keys d_v")


@attention.case(times=2)
def random_triple(draw: Draw) -> Triple:
    """queries, keys and values drawn at random"""
    return triple_drawn(draw)


def batch_drawn(draw: Draw) -> Triple:
    """The same for several sentences."""
    queries, keys = draw.tensor("batch queries d_k"), draw.tensor("batch keys d_k")
    return queries, keys, draw.tensor("batch keys d_v")


@attention.case(times=2)
def random_batch(draw: Draw) -> Triple:
    """a batch drawn at random"""
    return batch_drawn(draw)


@attention.case(times=1)
def as_many_as_keys(draw: Draw) -> Triple:
    """as many sentences as queries and as keys"""
    return batch_drawn(draw.fix(batch=4, queries=4, keys=4))


@attention.case(times=1)
def many_features(draw: Draw) -> Triple:
    """three words of 64 features"""
    return triple_drawn(draw.fix(queries=3, keys=3, d_k=64))


@attention.case(times=1)
def one_key(draw: Draw) -> Triple:
    """a single key"""
    return triple_drawn(draw.fix(keys=1))


@attention.case(times=1)
def overlong(draw: Draw) -> Triple:
    """queries and keys thirty times as long"""
    queries, keys = draw.tensor("queries d_k", scale=30), draw.tensor("keys d_k", scale=30)
    return queries, keys, draw.tensor("keys d_v")


@attention.holds
def equal_values_stay(attend: Callable[..., Tensor], Q: Tensor, K: Tensor, V: Tensor) -> bool:
    """if all values are the same vector, every context is this vector"""
    contexts = attend(Q, K, torch.ones_like(V))
    return bool(np.allclose(contexts.detach().numpy(), 1, atol=1e-4))


@attention.misconception
def unscaled(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The scores are not scaled. Divide them by the square root of d_k before the softmax."""
    return torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) @ values


@attention.misconception
def divided_by_d_k(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You divided by d_k itself: the weights come out too even. The variance of the scores grows
    like d_k, their size like its square root.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1], dim=-1) @ values


@attention.misconception
def multiplied_by_the_root(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You multiplied by the root of d_k. Divide: the scores are too large, not too small."""
    return torch.softmax(queries @ keys.transpose(-2, -1) * keys.shape[-1] ** 0.5, dim=-1) @ values


@attention.misconception
def divided_by_the_square(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You divided by the square of d_k. It is the square *root*."""
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 2, dim=-1) @ values


@attention.misconception
def root_of_two(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You always divide by √2. That was right by hand, where a key has two numbers. Ask the keys
    how many they have.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / 2**0.5, dim=-1) @ values


@attention.misconception
def root_of_the_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of the number of queries. d_k is how many numbers a query has, and a key:
    their last axis.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / queries.shape[-2] ** 0.5, -1) @ values


@attention.misconception
def root_of_the_first_axis_of_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of the first axis of the queries: how many they are, and in a batch how
    many sentences. d_k is how many numbers a query has, its last axis.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / len(queries) ** 0.5, dim=-1) @ values


@attention.misconception
def root_of_the_second_axis_of_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of `shape[1]`. In a batch that is the number of queries: d_k is the last
    axis, counted from the end.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / queries.shape[1] ** 0.5, -1) @ values


@attention.misconception
def root_of_the_second_axis(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of `shape[1]`. In a batch that is the number of keys: d_k is the last axis,
    counted from the end.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[1] ** 0.5, dim=-1) @ values


@attention.misconception
def root_of_the_keys(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of the number of keys. d_k is how many numbers a key has, its last axis."""
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-2] ** 0.5, dim=-1) @ values


@attention.misconception
def root_of_the_first_axis(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of `shape[0]`, the number of keys or of sentences. d_k is how many numbers
    a key has, its last axis.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[0] ** 0.5, dim=-1) @ values


@attention.misconception
def root_of_the_values(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root of the width of a value. The scores come from the keys: d_k is theirs."""
    return (
        torch.softmax(queries @ keys.transpose(-2, -1) / values.shape[-1] ** 0.5, dim=-1) @ values
    )


@attention.misconception
def divided_by_lengths(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You divided by the lengths of the vectors, so these are cosines. Divide by the square root of
    how many numbers a key has, the same for all.
    """
    cosines = nn.functional.normalize(queries, dim=-1) @ nn.functional.normalize(
        keys, dim=-1
    ).transpose(-2, -1)
    return torch.softmax(cosines, dim=-1) @ values


@attention.misconception
def scaled_afterwards(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your weights sum to 1/√d_k: you divided after the softmax. Divide the scores, before it."""
    weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)
    return weights / keys.shape[-1] ** 0.5 @ values


@attention.misconception
def softmax_over_the_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your softmax runs over the queries. Each query shares out one whole over its keys: the last
    axis.
    """
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-2) @ values


@attention.misconception
def softmax_over_the_first_axis(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your softmax runs over axis 0: over the queries, and in a batch over the sentences. It should
    run over the keys, the last axis.
    """
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=0) @ values


@attention.misconception
def softmax_over_axis_one(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your softmax runs over axis 1. In a batch these are the queries: say dim=-1, the keys in both
    cases.
    """
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=1) @ values


@attention.misconception
def roles_swapped(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Queries and keys have changed roles: this is K Qᵀ. There is a row for each query, so the
    queries stand on the left.
    """
    return scaled_weights(keys, queries) @ values


@attention.misconception
def keys_for_values(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The weights are right, but you mixed the keys by them. Mix the values."""
    return scaled_weights(queries, keys) @ keys


@attention.misconception
def without_softmax(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You mixed the values by the scaled scores. The softmax between the two is missing."""
    return queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5 @ values


@attention.misconception
def entry_by_entry(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """`*` multiplies entry by entry. Every query has to meet every key: take a matrix product."""
    scores = queries * keys / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


@attention.misconception
def all_axes_turned(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """In a batch, `.T` turns all three axes round. Swap the last two alone: `transpose(-2, -1)`."""
    turned = keys.permute(*range(keys.ndim - 1, -1, -1))
    return torch.softmax(queries @ turned / keys.shape[-1] ** 0.5, dim=-1) @ values


@attention.misconception
def no_transpose(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The keys are not transposed. The width of a query has to meet the width of a key."""
    return torch.softmax(queries @ keys / keys.shape[-1] ** 0.5, dim=-1) @ values


@attention.misconception
def weights_transposed(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You turned the weights round before the product with V. They have a row for each query as
    they are: leave them, on the left of V.
    """
    return scaled_weights(queries, keys).transpose(-2, -1) @ values


@attention.misconception
def first_axes_turned(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """In a batch, `transpose(0, 1)` swaps sentences and keys. Swap the last two axes, counted from
    the end: `transpose(-2, -1)`.
    """
    scores = queries @ keys.transpose(0, 1) / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


@attention.misconception
def sums_without_axis(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your sums of exponentials have lost their axis, so they divide the columns instead of the
    rows, or fit nowhere. Say `keepdim=True`, or use `torch.softmax`.
    """
    exponentials = torch.exp(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5)
    return exponentials / exponentials.sum(dim=-1) @ values


@attention.misconception
def root_of_a_number(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """`torch.sqrt` takes a tensor, and d_k is a plain number. Its root is `d_k ** 0.5`."""
    root = torch.sqrt(keys.shape[-1])  # type: ignore[arg-type]
    return torch.softmax(queries @ keys.transpose(-2, -1) / root, dim=-1) @ values


@attention.misconception
def overflowing(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """For large scores your exponentials overflow, and inf / inf is NaN. Subtract each row's
    largest score first, or use `torch.softmax`.
    """
    exponentials = torch.exp(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5)
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ values


@attention.misconception
def one_maximum_for_all(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You subtracted the largest of all scores. In a row that lies far below it every exponential
    is 0, and 0 / 0 is NaN. Subtract each row's own largest score, or use `torch.softmax`.
    """
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ values


@attention.misconception
def weights_as_well(queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You return two things. This exercise, as PyTorch's function, returns the context vectors
    alone.
    """
    weights = scaled_weights(queries, keys)
    return weights @ values, weights


@attention.misconception
def weights_alone(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """These are the weights. One step is missing: mix the values by them."""
    return scaled_weights(queries, keys)


@attention.accepts
def attention_in_loops(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Loops over sentences and queries."""
    alone = queries.ndim == 2
    sentences = [(queries, keys, values)] if alone else zip(queries, keys, values, strict=True)
    results = []
    for Q, K, V in sentences:
        contexts = []
        for query in Q:
            weights = torch.softmax(K @ query / math.sqrt(len(query)), dim=0)
            contexts.append(sum(w * value for w, value in zip(weights, V, strict=True)))
        results.append(torch.stack(contexts))
    return results[0] if alone else torch.stack(results)


@attention.accepts
def attention_by_recursion(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """A batch is one sentence after the other, by the function itself."""
    if queries.ndim == 3:
        sentences = zip(queries, keys, values, strict=True)
        return torch.stack([attention_by_recursion(*sentence) for sentence in sentences])
    return torch.softmax(queries @ keys.T / keys.shape[1] ** 0.5, dim=1) @ values


@attention.accepts
def attention_by_einsum(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Index expressions, the root taken of the queries."""
    scores = torch.einsum("...id,...jd->...ij", queries / queries.shape[-1] ** 0.5, keys)
    return torch.einsum("...ij,...jv->...iv", scores.softmax(dim=-1), values)


@attention.accepts
def attention_by_matmul(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Matrix products, the softmax written out."""
    scores = torch.matmul(queries, keys.mT) / math.sqrt(keys.size(-1))
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return torch.matmul(exponentials / exponentials.sum(dim=-1, keepdim=True), values)


@attention.accepts
def attention_by_broadcasting(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Broadcasting and sums."""
    scores = (queries[..., :, None, :] * keys[..., None, :, :]).sum(dim=-1)
    weights = (scores / queries.size(-1) ** 0.5).softmax(dim=-1)
    return (weights[..., None] * values[..., None, :, :]).sum(dim=-2)


# --- the variance of scores ----------------------------------------------------------------------

# Two samples of 4000 agree within a tenth in nearly all cases; every known mistake is twice off.
variance = Exam(
    reference.score_variance,
    tolerance=Tolerance(absolute=0.0, relative=0.25),
    use=measure_twice,
)

Sampled = tuple[int, int, int]


@variance.example
def sixty_four() -> Sampled:
    """d_k = 64"""
    return 64, 4000, 0


@variance.example
def sixteen() -> Sampled:
    """d_k = 16"""
    return 16, 3000, 1


@variance.case
def some_width(draw: Draw) -> Sampled:
    """some other d_k"""
    return int(draw.rng.integers(4, 200)), 4000, int(draw.rng.integers(1000))


def drawn(d_k: int, n: int, seed: int) -> Pair:
    """n queries and n keys."""
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(n, d_k, generator=generator)
    return queries, torch.randn(n, d_k, generator=generator)


@variance.misconception
def standard_deviation(d_k: int, n: int, seed: int) -> float:
    """This is the standard deviation, the root of the variance. Use `.var()`."""
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).sum(dim=-1).std().item()


@variance.misconception
def uniform_numbers(d_k: int, n: int, seed: int) -> float:
    """These numbers are drawn between 0 and 1: that is `torch.rand`. `torch.randn` draws normal
    ones, with mean 0 and variance 1.
    """
    generator = torch.Generator().manual_seed(seed)
    queries = torch.rand(n, d_k, generator=generator)
    return (queries * torch.rand(n, d_k, generator=generator)).sum(dim=-1).var().item()


@variance.misconception
def variance_of_products(d_k: int, n: int, seed: int) -> float:
    """This is the variance of the single products, or of scaled scores: 1 in both cases. Add up
    each row of products first, and do not divide.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).var().item()


@variance.misconception
def mean_of_products(d_k: int, n: int, seed: int) -> float:
    """You averaged the products of a pair. A dot product adds them up."""
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).mean(dim=-1).var().item()


@variance.misconception
def added_over_pairs(d_k: int, n: int, seed: int) -> float:
    """You added over the pairs, and this is about n. Add over the features, the last axis: one
    number for each pair.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries * keys).sum(dim=0).var().item()


@variance.misconception
def query_with_itself(d_k: int, n: int, seed: int) -> float:
    """Each vector meets itself here: a sum of squares. Draw keys of their own."""
    queries, _ = drawn(d_k, n, seed)
    return (queries * queries).sum(dim=-1).var().item()


@variance.misconception
def derived(d_k: int, n: int, seed: int) -> float:
    """This is d_k itself, the value that theory predicts. Draw random queries and keys, and measure
    the variance of their dot products.
    """
    return float(d_k)


@variance.misconception
def without_a_seed(d_k: int, n: int, seed: int) -> float:
    """The numbers differ from call to call: the seed is not used. Hand it to a generator, and the
    generator to both calls of `torch.randn`.
    """
    queries, keys = torch.randn(2, n, d_k)
    return (queries * keys).sum(dim=-1).var().item()


@variance.misconception
def always_the_same_seed(d_k: int, n: int, seed: int) -> float:
    """Every seed gives the same number: a seed of your own is written into the function. Use the
    one that comes as an argument.
    """
    queries, keys = drawn(d_k, n, 123)
    return (queries * keys).sum(dim=-1).var().item()


@variance.misconception
def every_query_with_every_key(d_k: int, n: int, seed: int) -> float:
    """This is not the variance of n dot products, which shows for n = 2. Did every query meet every
    key, n² times, or did you average squares without the mean taken off? Each query meets its own
    key alone, and then `.var()`.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries @ keys.T).var().item()


@variance.misconception
def one_query_for_all_keys(d_k: int, n: int, seed: int) -> float:
    """One query meets all the keys, or one key all the queries, so this is about the square of its
    length. Draw n of each, a pair for every dot product.
    """
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(d_k, generator=generator)
    return (torch.randn(n, d_k, generator=generator) @ query).var().item()


@variance.misconception
def one_pair_alone(d_k: int, n: int, seed: int) -> float:
    """One query and one key were drawn, and this is the variance of their d_k products. Draw n
    pairs, and add up the products of each.
    """
    generator = torch.Generator().manual_seed(seed)
    query, key = torch.randn(d_k, generator=generator), torch.randn(d_k, generator=generator)
    return (query * key).var().item()


@variance.misconception
def tables_multiplied(d_k: int, n: int, seed: int) -> float:
    """`@` wants the rows of one to meet the columns of the other. Here query number i meets key
    number i: multiply entry by entry, and add up each row.
    """
    queries, keys = drawn(d_k, n, seed)
    return (queries @ keys).var().item()


@variance.accepts
def variance_by_einsum(d_k: int, n: int, seed: int) -> float:
    """One global seed, an index expression, the formula of the variance."""
    torch.manual_seed(seed)
    scores = torch.einsum("nd,nd->n", torch.randn(n, d_k), torch.randn(n, d_k))
    return float((scores**2).mean() - scores.mean() ** 2)


@variance.accepts
def variance_in_a_loop(d_k: int, n: int, seed: int) -> float:
    """One pair at a time."""
    generator = torch.Generator().manual_seed(seed)
    scores = []
    for _ in range(n):
        query, key = torch.randn(2, d_k, generator=generator, dtype=torch.float64)
        scores.append(torch.dot(query, key))
    return torch.stack(scores).var().item()


@variance.accepts
def variance_by_batches(d_k: int, n: int, seed: int) -> float:
    """A batch of rows times columns, and the variance divided by n."""
    generator = torch.Generator().manual_seed(seed)
    queries = torch.normal(0.0, 1.0, (n, 1, d_k), generator=generator)
    keys = torch.normal(0.0, 1.0, (n, d_k, 1), generator=generator)
    return float(torch.bmm(queries, keys).var(correction=0))


# --- repair --------------------------------------------------------------------------------------

repaired = Exam(reference.repaired_attention)


@repaired.example
def square_triple() -> Triple:
    """four queries and four keys of four numbers, where every shape fits"""
    return wave(4, 4), wave(4, 4, shift=1), wave(4, 4, shift=2)


@repaired.example
def two_queries_five_keys() -> Triple:
    """two queries, five keys of three numbers, values of four"""
    return wave(2, 3), wave(5, 3, shift=1), wave(5, 4, shift=2)


@repaired.case
def any_triple(draw: Draw) -> Triple:
    """queries, keys and values drawn at random"""
    return triple_drawn(draw)


@repaired.case(times=1)
def square_drawn(draw: Draw) -> Triple:
    """as many words as features"""
    return triple_drawn(draw.fix(queries=5, keys=5, d_k=5))


def half_repaired(
    queries: Tensor, keys: Tensor, values: Tensor, *, turned: bool, axis: int, dim: int
) -> Tensor:
    """What comes of the broken cell when some of its lines are repaired."""
    attn_scores = queries @ (keys.T if turned else keys)
    return torch.softmax(attn_scores / keys.shape[axis] ** 0.5, dim=dim) @ values


@repaired.misconception
def as_given(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """This is still what the broken cell does. Begin with its first line: for two queries and five
    keys of three numbers, write the shapes of both sides of the product beside it.
    """
    return half_repaired(queries, keys, values, turned=False, axis=0, dim=0)


@repaired.misconception
def softmax_repaired_alone(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The softmax is right now. The first line is not: widths have to meet, so the keys must be
    transposed. Then see whether the root takes the width of a key.
    """
    return half_repaired(queries, keys, values, turned=False, axis=0, dim=1)


@repaired.misconception
def transposed_alone(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The first line is right now. Two are not: the root takes the number of keys instead of their
    width, and the softmax runs over the queries.
    """
    return half_repaired(queries, keys, values, turned=True, axis=0, dim=0)


@repaired.misconception
def root_not_yet(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Only the root is left: `keys.shape[0]` is the number of keys. Take their width."""
    return half_repaired(queries, keys, values, turned=True, axis=0, dim=1)


@repaired.misconception
def softmax_not_yet(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Only the softmax is left: it runs over the queries. Each row has to sum to 1."""
    return half_repaired(queries, keys, values, turned=True, axis=1, dim=0)


@repaired.misconception
def root_of_the_number_of_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Only the root is left: it takes the number of queries now. Take the width of a key."""
    return torch.softmax(queries @ keys.T / len(queries) ** 0.5, dim=1) @ values


@repaired.misconception
def root_of_the_width_of_a_value(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Only the root is left: it takes the width of a value. The scores come from the keys: take
    their width.
    """
    return torch.softmax(queries @ keys.T / values.shape[1] ** 0.5, dim=1) @ values


@repaired.misconception
def root_dropped(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The scores are not scaled any more. Keep the root, and take it of the width of a key."""
    return torch.softmax(queries @ keys.T, dim=1) @ values


@repaired.misconception
def root_lost(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You divide by d_k itself: the root got lost. The last line takes it, as `d_k**0.5`."""
    return torch.softmax(queries @ keys.T / keys.shape[1], dim=1) @ values


@repaired.misconception
def root_taken_twice(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You took the root twice: the last line takes it already. There `d_k` is the width itself."""
    return torch.softmax(queries @ keys.T / keys.shape[1] ** 0.25, dim=1) @ values


@repaired.misconception
def queries_transposed(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You transposed the queries. The keys stand on the right, and they are to be transposed."""
    attn_scores = queries.T @ keys / keys.shape[1] ** 0.5
    return torch.softmax(attn_scores, dim=1) @ values


@repaired.accepts
def repaired_by_einsum(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Index expressions."""
    attn_scores = torch.einsum("id,jd->ij", queries, keys)
    attn_weights = torch.softmax(attn_scores / queries.shape[1] ** 0.5, dim=-1)
    return attn_weights @ values


@repaired.accepts
def repaired_query_by_query(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """One query at a time."""
    root = keys.shape[1] ** 0.5
    return torch.stack([torch.softmax(keys @ query / root, dim=0) @ values for query in queries])


@repaired.accepts
def repaired_in_columns(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The transposed table, its softmax down the columns."""
    attn_weights = torch.softmax(keys @ queries.T / keys.shape[1] ** 0.5, dim=0)
    return attn_weights.T @ values


# --- by hand -------------------------------------------------------------------------------------

# Whoever rounds to four decimals after each step is off by up to 0.0002 in the end.
worksheet = Exam(reference.features_by_hand, tolerance=Tolerance(absolute=2.5e-4), reveal=False)
X, W_Q, W_K, W_V = (torch.tensor(matrix) for matrix in FOUR_FEATURES)
Q, K, V = W_Q @ X, W_K @ X, W_V @ X
SCORES = K.T @ Q
THIRD = 2
SCALED = SCORES / 3**0.5


@worksheet.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def filled(
    *,
    scores: Tensor = SCORES,
    scaled: Tensor = SCALED[:, THIRD],
    weights: Tensor | None = None,
    z: Tensor | None = None,
    q: Tensor = Q,
    k: Tensor = K,
    v: Tensor = V,
) -> dict[str, object]:
    """The worksheet with what follows from a slip."""
    shares = torch.softmax(scaled, dim=0) if weights is None else weights
    numbers = {"Q": q, "K": k, "V": v, "scores": scores, "scaled": scaled, "weights": shares}
    result = v @ shares if z is None else z
    return {name: tensor.tolist() for name, tensor in {**numbers, "z": result}.items()}


@worksheet.misconception
def scores_transposed() -> dict[str, object]:
    """Your scores are transposed: this is QᵀK. In KᵀQ, keys stand on rows, and each query has a
    column.
    """
    return filled(scores=SCORES.T, scaled=SCALED.T[:, THIRD])


@worksheet.misconception
def read_along_the_row() -> dict[str, object]:
    """You went on with the third row. The third query has the third column of the scores: how well
    each of the four keys fits it.
    """
    return filled(scaled=SCALED[THIRD])


@worksheet.misconception
def second_column() -> dict[str, object]:
    """You went on with the second column. The third query has the third one."""
    return filled(scaled=SCALED[:, 1])


@worksheet.misconception
def not_scaled() -> dict[str, object]:
    """The scores are not scaled. Divide each of the four by √3 before the exponential."""
    return filled(scaled=SCORES[:, THIRD])


@worksheet.misconception
def scaled_but_not_used() -> dict[str, object]:
    """You scaled the scores, and then took the exponentials of the unscaled ones."""
    return filled(weights=torch.softmax(SCORES[:, THIRD], dim=0))


@worksheet.misconception
def divided_by_three() -> dict[str, object]:
    """You divided by d_k = 3. Divide by its square root, 1.73205."""
    return filled(scaled=SCORES[:, THIRD] / 3)


@worksheet.misconception
def root_of_six() -> dict[str, object]:
    """You divided by the root of 6, the dimension of the features. d_k is how many numbers a key
    has: 3.
    """
    return filled(scaled=SCORES[:, THIRD] / 6**0.5)


@worksheet.misconception
def root_of_four() -> dict[str, object]:
    """You divided by 2, the root of the number of tokens. d_k is how many numbers a key has: 3."""
    return filled(scaled=SCORES[:, THIRD] / 2)


@worksheet.misconception
def softmax_along_rows() -> dict[str, object]:
    """Your softmax ran along the rows of the table. Down the third column: its four exponentials,
    each divided by the sum of the four.
    """
    return filled(weights=torch.softmax(SCALED, dim=1)[:, THIRD])


@worksheet.misconception
def exponentials_alone() -> dict[str, object]:
    """These weights are the exponentials themselves. Divide each by the sum of the four."""
    return filled(weights=SCALED[:, THIRD].exp())


@worksheet.misconception
def keys_in_the_result() -> dict[str, object]:
    """You mixed the columns of K. What is mixed are the values, the columns of V."""
    return filled(z=K @ torch.softmax(SCALED[:, THIRD], dim=0))


@worksheet.misconception
def plain_average() -> dict[str, object]:
    """This z is the plain average of the columns of V. Multiply each column by its weight first."""
    return filled(z=V.mean(dim=1))


@worksheet.misconception
def scores_in_the_result() -> dict[str, object]:
    """You mixed the columns of V by the scaled scores. Mix them by the weights."""
    return filled(z=V @ SCALED[:, THIRD])


@worksheet.misconception
def queries_and_keys_swapped() -> dict[str, object]:
    """Q and K have each other's numbers. Check which matrix makes which."""
    return filled(q=K, k=Q, scores=SCORES.T, scaled=SCALED.T[:, THIRD])


def examine_signs(name: str, hint: str, q: Tensor, v: Tensor) -> None:
    """A slip with a minus, and all that follows from it."""
    scores = K.T @ q

    def slipped() -> dict[str, object]:
        return filled(q=q, v=v, scores=scores, scaled=scores[:, THIRD] / 3**0.5)

    slipped.__name__, slipped.__doc__ = name, hint
    worksheet.misconception(slipped)


SECOND_ROW = torch.tensor([[1.0], [-1.0], [1.0]], dtype=torch.float64)
THIRD_ROW = torch.tensor([[1.0], [1.0], [-1.0]], dtype=torch.float64)
FOLLOWS = "What comes after it follows from that."
examine_signs(
    "signs_dropped",
    "A minus has been lost: `W_query` and `W_value` each have one −1 in them.",
    W_Q.abs() @ X,
    W_V.abs() @ X,
)
examine_signs(
    "sign_dropped_in_q",
    f"A minus has been lost in the second row of Q: `W_query` has a −1 there. {FOLLOWS}",
    W_Q.abs() @ X,
    V,
)
examine_signs(
    "sign_moved_in_q",
    "The minus in the second row of `W_query` belongs to the first row of X, not to the second. "
    f"{FOLLOWS}",
    SECOND_ROW * Q,
    V,
)
examine_signs(
    "sign_dropped_in_v",
    f"A minus has been lost in the third row of V: `W_value` has a −1 there. {FOLLOWS}",
    Q,
    W_V.abs() @ X,
)
examine_signs(
    "sign_moved_in_v",
    "The minus in the third row of `W_value` belongs to the third row of X, not to the fifth. "
    f"{FOLLOWS}",
    Q,
    THIRD_ROW * V,
)


def examine_rounding(decimals: int, words: str) -> None:
    """Numbers that were rounded on the way."""
    exact, short = SCALED[:, THIRD], SCALED[:, THIRD].round(decimals=decimals)
    from_exact, from_short = torch.softmax(exact, dim=0), torch.softmax(short, dim=0)
    shares = from_exact.round(decimals=decimals)
    carried = from_short.round(decimals=decimals)
    slips = {
        "weights": filled(weights=shares, z=(V @ shares).round(decimals=4)),
        "scaled": filled(scaled=short, weights=from_exact),
        "everything": filled(
            scaled=short, weights=carried, z=(V @ carried).round(decimals=decimals)
        ),
        "typed": filled(scaled=short, weights=shares, z=(V @ from_exact).round(decimals=decimals)),
    }
    if decimals == 2:
        # With three decimals, the weights come out right.
        slips["carried"] = filled(scaled=short)
    hints = {
        "weights": f"You rounded before the last step: this is what comes of weights with {words} "
        "decimals. Keep five until the end, and type four.",
    }
    rounded = (
        f"Your scaled scores have {words} decimals only, and so has what follows from them. Keep "
        "five until the end, and type four."
    )
    for step, numbers in slips.items():
        _declare_rounding(f"{step}_with_{words}_decimals", hints.get(step, rounded), numbers)


def _declare_rounding(name: str, hint: str, numbers: dict[str, object]) -> None:
    def rounded() -> dict[str, object]:
        return numbers

    rounded.__name__, rounded.__doc__ = name, hint
    worksheet.misconception(rounded)


examine_rounding(2, "two")
examine_rounding(3, "three")


# --- columns -------------------------------------------------------------------------------------

columns = Exam(reference.attend_columns)


@columns.example
def four_features() -> Four:
    """the four features of the worksheet"""
    return X, W_Q, W_K, W_V


@columns.example
def journey_in_columns() -> Four:
    """Your journey starts with one step, one word per column"""
    return INPUTS.T.clone(), W_QUERY.T.clone(), W_KEY.T.clone(), W_VALUE.T.clone()


@columns.example
def square_columns() -> Four:
    """three words of three features, all matrices of three by three"""
    return wave(3, 3), wave(3, 3, shift=1), wave(3, 3, shift=2), wave(3, 3, shift=3)


@columns.example
def five_to_a_value() -> Four:
    """two words of four features, three numbers to a key, five to a value"""
    return wave(4, 2), wave(3, 4, shift=1), wave(3, 4, shift=2), wave(5, 4, shift=3)


def columns_drawn(draw: Draw) -> Four:
    """A sentence and matrices, for words on columns."""
    W_query, W_key = draw.tensor("d_k d_in"), draw.tensor("d_k d_in")
    return draw.tensor("d_in tokens"), W_query, W_key, draw.tensor("d_v d_in")


@columns.case
def random_columns(draw: Draw) -> Four:
    """a sentence drawn at random"""
    return columns_drawn(draw)


@columns.case(times=1)
def one_column(draw: Draw) -> Four:
    """a single word"""
    return columns_drawn(draw.fix(tokens=1))


@columns.holds
def turned_over_it_is_the_row_form(
    attend_columns: Callable[..., Tensor], X: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> bool:
    """it is the transpose of the row form"""
    rows = nn.functional.scaled_dot_product_attention(X.T @ W_q.T, X.T @ W_k.T, X.T @ W_v.T)
    return bool(torch.allclose(attend_columns(X, W_q, W_k, W_v).T, rows, rtol=1e-3, atol=1e-4))


@columns.misconception
def softmax_along_the_rows(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Your softmax runs along the rows. In KᵀQ each query has a column: it runs down the columns,
    dim=0.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=-1)


@columns.misconception
def queries_on_rows(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Your table is QᵀK, with queries on rows. In columns it is KᵀQ, so that each query has a
    column.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(Q.T @ K / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def weights_of_the_row_form(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Your weights are those of the row form, the transpose of what is needed here: KᵀQ, and a
    softmax down the columns.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(Q.T @ K / K.shape[0] ** 0.5, dim=1)


@columns.misconception
def columns_unscaled(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The scores are not scaled. Divide them by the square root of d_k before the softmax."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q, dim=0)


@columns.misconception
def columns_by_d_k(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You divided by d_k itself. Divide by its square root."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q / K.shape[0], dim=0)


@columns.misconception
def columns_by_the_square(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You divided by the square of d_k. It is the square *root*."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q / K.shape[0] ** 2, dim=0)


@columns.misconception
def columns_root_of_d_v(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You took the root of d_v, the width of a value. The scores come from the keys: d_k is how
    many numbers these have.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q / V.shape[0] ** 0.5, dim=0)


@columns.misconception
def columns_root_of_tokens(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You took the root of the number of words. In columns, the width of a key is the *first* axis
    of K.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q / K.shape[1] ** 0.5, dim=0)


@columns.misconception
def columns_root_of_d_in(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You took the root of d_in, the width of the words. The scores come from the keys: d_k is how
    many numbers these have.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K.T @ Q / X.shape[0] ** 0.5, dim=0)


@columns.misconception
def row_form(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The numbers are right, but your context vectors are rows. Here they are columns, as the words
    are: (d_v, tokens).
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0).T @ V.T


@columns.misconception
def weights_on_the_left(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The weights stand on the left of V. In columns the weights come last: V, then the weights,
    whose columns say how to mix the columns of V.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0) @ V


@columns.misconception
def words_on_the_left(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You multiplied as for rows: words first, then the matrix. Here words are columns, so the
    matrix stands on the left.
    """
    Q, K, V = X @ W_query, X @ W_key, X @ W_value
    return V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def matrices_turned(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You turned the weight matrices round. They are (d_k, d_in) and (d_v, d_in) as they come,
    ready to stand on the left of X.
    """
    Q, K, V = W_query.T @ X, W_key.T @ X, W_value.T @ X
    return V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def features_compared(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You compared features with features: K Qᵀ. Compare words, and these are columns: KᵀQ."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K @ Q.T / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def columns_of_keys_mixed(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The weights are right, but you mixed the keys. Mix the columns of V."""
    Q, K = W_query @ X, W_key @ X
    return K @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0)


@columns.accepts
def columns_by_rows(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The row form of the transposes, transposed."""
    rows = X.T
    queries, keys, values = rows @ W_query.T, rows @ W_key.T, rows @ W_value.T
    weights = torch.softmax(queries @ keys.T / keys.shape[1] ** 0.5, dim=1)
    return (weights @ values).T


@columns.accepts
def columns_by_einsum(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Index expressions."""
    Q, K, V = (torch.einsum("kd,dt->kt", W, X) for W in (W_query, W_key, W_value))
    scores = torch.einsum("kj,ki->ji", K, Q) / len(K) ** 0.5
    return torch.einsum("vj,ji->vi", V, scores.softmax(dim=0))


@columns.accepts
def column_after_column(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """One query at a time."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    contexts = []
    for query in Q.T:
        weights = torch.softmax(torch.stack([key @ query for key in K.T]) / len(query) ** 0.5, 0)
        contexts.append(V @ weights)
    return torch.stack(contexts, dim=1)


# --- modules -------------------------------------------------------------------------------------

Trial = tuple[dict[str, int], dict[str, Tensor], tuple[Tensor, ...]]

v1 = Exam(reference.SelfAttention_v1, use=run_module)
v2 = Exam(reference.SelfAttention_v2, use=run_module)

LESSONS_WEIGHTS = {"W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}


def lessons_matrices() -> Trial:
    """Your journey starts with one step, the matrices of the lesson"""
    return {"d_in": 3, "d_out": 2}, LESSONS_WEIGHTS, (INPUTS,)


def more_out_than_in() -> Trial:
    """four words, three features in, five out"""
    weights = {name: wave(3, 5, shift=i) for i, name in enumerate(LESSONS_WEIGHTS)}
    return {"d_in": 3, "d_out": 5}, weights, (wave(4, 3, shift=4),)


def square_module() -> Trial:
    """two words, three features in, three out"""
    weights = {name: wave(3, 3, shift=i) for i, name in enumerate(LESSONS_WEIGHTS)}
    return {"d_in": 3, "d_out": 3}, weights, (wave(2, 3, shift=4),)


def drawn_module(draw: Draw) -> Trial:
    """words and weights drawn at random"""
    weights = {name: draw.tensor("d_in d_out") for name in LESSONS_WEIGHTS}
    settings = {"d_in": draw.size("d_in"), "d_out": draw.size("d_out")}
    return settings, weights, (draw.tensor("tokens d_in"),)


def one_word_module(draw: Draw) -> Trial:
    """a sentence of one word"""
    return drawn_module(draw.fix(tokens=1))


def long_sentence_module(draw: Draw) -> Trial:
    """a sentence of 40 words"""
    return drawn_module(draw.fix(tokens=40))


class WithParameters(nn.Module):
    """Three parameters, as in SelfAttention_v1."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def projected(self, x: Tensor) -> Triple:
        """Queries, keys and values."""
        return x @ self.W_query, x @ self.W_key, x @ self.W_value


class WithLayers(nn.Module):
    """Three linear layers, as in SelfAttention_v2."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def projected(self, x: Tensor) -> Triple:
        """Queries, keys and values."""
        return self.W_query(x), self.W_key(x), self.W_value(x)


def examine_module(exam: Exam, base: type[WithParameters] | type[WithLayers]) -> None:
    """What both classes are tried on, and what can be wrong in both."""
    for example in (lessons_matrices, more_out_than_in, square_module):
        exam.example(example)
    exam.case(drawn_module, times=1)
    exam.case(one_word_module, times=1)
    exam.case(long_sentence_module, times=1)

    @exam.misconception
    class Unscaled(base):  # type: ignore[misc, valid-type]
        """The scores are not scaled. Divide them by the square root of d_k, which is d_out here."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return torch.softmax(queries @ keys.T, dim=-1) @ values

    @exam.misconception
    class RootOfTheInputWidth(base):  # type: ignore[misc, valid-type]
        """You took the root of d_in, the width of the words. The scores come from the keys, and
        these have d_out numbers.
        """

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return torch.softmax(queries @ keys.T / x.shape[-1] ** 0.5, dim=-1) @ values

    @exam.misconception
    class DividedByTheWidth(base):  # type: ignore[misc, valid-type]
        """You divided by d_k itself. Divide by its square root."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return torch.softmax(queries @ keys.T / keys.shape[-1], dim=-1) @ values

    @exam.misconception
    class RootOfTheTokens(base):  # type: ignore[misc, valid-type]
        """You took the root of the number of words. d_k is how many numbers a key has."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return torch.softmax(queries @ keys.T / keys.shape[0] ** 0.5, dim=-1) @ values

    @exam.misconception
    class OverTheQueries(base):  # type: ignore[misc, valid-type]
        """Your softmax runs over the queries. It should run over the keys, the last axis."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=0) @ values

    @exam.misconception
    class ScaledAfterwards(base):  # type: ignore[misc, valid-type]
        """Your weights sum to 1/√d_k: you divided after the softmax. Divide the scores."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return torch.softmax(queries @ keys.T, dim=-1) / keys.shape[-1] ** 0.5 @ values

    @exam.misconception
    class RolesSwapped(base):  # type: ignore[misc, valid-type]
        """Queries and keys have changed roles: this is K Qᵀ. The queries stand on the left."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return scaled_weights(keys, queries) @ values

    @exam.misconception
    class KeysForValues(base):  # type: ignore[misc, valid-type]
        """You mixed the keys, and `W_value` has no part in the result: its gradient is missing."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, _ = self.projected(x)
            return scaled_weights(queries, keys) @ keys

    @exam.misconception
    class InputsForValues(base):  # type: ignore[misc, valid-type]
        """You mixed the words themselves. Mix their values, so that `W_value` has its part."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, _ = self.projected(x)
            return scaled_weights(queries, keys) @ x

    @exam.misconception
    class Detached(base):  # type: ignore[misc, valid-type]
        """The numbers are right, but no gradient gets back to `W_query` and `W_key`: somewhere a
        tensor was cut off, by `.detach()`, `.data`, `.item()` or `torch.no_grad()`.
        """

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return scaled_weights(queries, keys).detach() @ values

    @exam.misconception
    class WithoutGradients(base):  # type: ignore[misc, valid-type]
        """The numbers are right, but there are no gradients at all, so nothing can be trained:
        leave out `torch.no_grad()`, `.detach()` and `.data`.
        """

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return (scaled_weights(queries, keys) @ values).detach()

    @exam.misconception
    class KeysDetached(base):  # type: ignore[misc, valid-type]
        """The numbers are right, but no gradient gets back to `W_key`: the keys were cut off, by
        `.detach()`, `.data` or `torch.no_grad()`.
        """

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return scaled_weights(queries, keys.detach()) @ values

    @exam.misconception
    class NotebooksMatrices(base):  # type: ignore[misc, valid-type]
        """You use the notebook's `W_query`, `W_key` and `W_value`, so the module's own have no part
        in the result. Inside of a class these are `self.W_query` and so on.
        """

        def forward(self, x: Tensor) -> Tensor:
            return scaled_weights(x @ W_query, x @ W_key) @ (x @ W_value)

    @exam.misconception
    class KeysByTheQueryMatrix(base):  # type: ignore[misc, valid-type]
        """Your keys are made by `W_query`, so they are the queries once more, and `W_key` has no
        part in the result. Make the keys by `W_key`.
        """

        def forward(self, x: Tensor) -> Tensor:
            queries, _, values = self.projected(x)
            return scaled_weights(queries, queries) @ values

    @exam.misconception
    class OneMatrixForBoth(base):  # type: ignore[misc, valid-type]
        """`W_key` and `W_query` are one and the same object: what is loaded into one, or learned,
        changes the other. Make each anew.
        """

        def __init__(self, *settings: int, **named: int) -> None:
            super().__init__(*settings, **named)
            self.W_key = self.W_query

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.projected(x)
            return scaled_weights(queries, keys) @ values

    @exam.misconception
    class ReturnForgotten(base):  # type: ignore[misc, valid-type]
        """Your `forward` returns nothing. Its last line is to hand out the context vectors:
        `return`.
        """

        def forward(self, x: Tensor) -> None:
            queries, keys, values = self.projected(x)
            scaled_weights(queries, keys) @ values

    @exam.misconception
    class WeightsToo(base):  # type: ignore[misc, valid-type]
        """Your module returns two things. Return the context vectors alone."""

        def forward(self, x: Tensor) -> Pair:
            queries, keys, values = self.projected(x)
            weights = scaled_weights(queries, keys)
            return weights @ values, weights


examine_module(v1, WithParameters)
examine_module(v2, WithLayers)


@v1.misconception
class PlainTensors(nn.Module):
    """PyTorch does not know your matrices: they are plain tensors, or you forgot `self.` before
    their names. Wrap each in `nn.Parameter` and keep it as `self.W_…`, so that it can be found,
    loaded and trained.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = torch.rand(d_in, d_out)
        self.W_key = torch.rand(d_in, d_out)
        self.W_value = torch.rand(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v1.misconception
class TurnedParameters(nn.Module):
    """Your matrices have the shape (d_out, d_in), as nn.Linear has them. As a parameter for
    `x @ W` they are (d_in, d_out).
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v1.misconception
class TurnedParametersUnturned(nn.Module):
    """Your matrices have the shape (d_out, d_in), as nn.Linear has them, which goes well only where
    both are the same. For `x @ W` they are (d_in, d_out).
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


def examine_names(*names: str) -> None:
    """Parameters that are called otherwise."""

    class Renamed(nn.Module):
        """Your parameters have other names than the lesson's. The check looks for `W_query`,
        `W_key` and `W_value`.
        """

        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__()
            for name in names:
                self.register_parameter(name, nn.Parameter(torch.rand(d_in, d_out)))

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = (x @ getattr(self, name) for name in names)
            return scaled_weights(queries, keys) @ values

    Renamed.__name__ = f"Named_{'_'.join(names)}"
    v1.misconception(Renamed)


examine_names("W_q", "W_k", "W_v")
examine_names("Wq", "Wk", "Wv")
examine_names("query", "key", "value")
examine_names("W_q", "W_key", "W_value")
examine_names("W_query", "W_key", "W_values")


@v1.accepts
class PublishedParameters(nn.Module):
    """Keys first, `torch.matmul`-free, as it is often printed."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values


@v1.accepts
class ParametersOfZeros(nn.Module):
    """Other starting values, and PyTorch's own function."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            self.register_parameter(name, nn.Parameter(torch.zeros(d_in, d_out)))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = (torch.matmul(x, W) for W in self.parameters())
        return nn.functional.scaled_dot_product_attention(queries, keys, values)


@v1.accepts
class LayersInPlaceOfParameters(nn.Module):
    """Linear layers, though parameters were asked for."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = torch.einsum("id,jd->ij", queries, keys) / len(keys[0]) ** 0.5
        return attn_scores.softmax(dim=1) @ values


@v2.example
def with_biases() -> tuple[dict[str, object], dict[str, Tensor], tuple[Tensor]]:
    """with biases: qkv_bias=True"""
    biases = {f"{name}.bias": wave(2, shift=i) for i, name in enumerate(LESSONS_WEIGHTS)}
    settings: dict[str, object] = {"d_in": 3, "d_out": 2, "qkv_bias": True}
    return settings, {**LESSONS_WEIGHTS, **biases}, (INPUTS,)


@v2.misconception
class AlwaysBiased(nn.Module):
    """Your layers have biases though `qkv_bias` is False. `nn.Linear` has one unless it is told
    otherwise: hand `bias=qkv_bias` on to each.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v2.misconception
class NeverBiased(nn.Module):
    """With `qkv_bias=True` your layers have no biases. Hand `bias=qkv_bias` on to each."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v2.misconception
class TurnedLayers(nn.Module):
    """Your layers go from d_out to d_in features. `nn.Linear` is told what comes in first, then
    what goes out; only inside does it store the matrix the other way round.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_out, d_in, bias=qkv_bias)
        self.W_key = nn.Linear(d_out, d_in, bias=qkv_bias)
        self.W_value = nn.Linear(d_out, d_in, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v2.misconception
class WeightsUntransposed(WithLayers):
    """You multiplied by `W_query.weight`, which is stored as (d_out, d_in). Call the layer, as in
    `self.W_query(x)`: it knows which way round.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys = x @ self.W_query.weight, x @ self.W_key.weight
        return scaled_weights(queries, keys) @ (x @ self.W_value.weight)


@v2.misconception
class BiasesLeftOut(WithLayers):
    """Without biases this is right. With `qkv_bias=True` they are missing from the result: you
    multiply by the weights yourself. Call the layers.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys = x @ self.W_query.weight.T, x @ self.W_key.weight.T
        return scaled_weights(queries, keys) @ (x @ self.W_value.weight.T)


@v2.misconception
class ParametersAsBefore(WithParameters):
    """These are the parameters of `SelfAttention_v1`, and a parameter has no bias to hand
    `qkv_bias` on to. Make three layers, `nn.Linear`.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.projected(x)
        return scaled_weights(queries, keys) @ values


@v2.misconception
class LayersMultiplied(WithLayers):
    """A layer is no matrix, so `@` does not know it. A layer is called: `self.W_query(x)`."""

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries = x @ self.W_query  # type: ignore[operator]
        keys = x @ self.W_key  # type: ignore[operator]
        return scaled_weights(queries, keys) @ (x @ self.W_value)  # type: ignore[operator]


@v2.accepts
class PublishedLayers(nn.Module):
    """Keys first, as it is often printed."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec


@v2.accepts
class LayersByPytorch(nn.Module):
    """PyTorch's own function."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        return nn.functional.scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), self.W_value(x)
        )


@v2.accepts
class LayersQueryByQuery(nn.Module):
    """One query at a time."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        keys, values = self.W_key(x), self.W_value(x)
        contexts = []
        for token in x:
            scores = keys @ self.W_query(token)
            contexts.append(torch.softmax(scores / self.d_out**0.5, dim=0) @ values)
        return torch.stack(contexts)


@v2.accepts
class ParametersInPlaceOfLayers(nn.Module):
    """Parameters, where no bias is asked for."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_in, d_out))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out))
        self.biases = nn.ModuleDict()
        for name in ("W_query", "W_key", "W_value"):
            if qkv_bias:
                delattr(self, name)
                setattr(self, name, nn.Linear(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        layers = (self.W_query, self.W_key, self.W_value)
        made = [x @ W if isinstance(W, nn.Parameter) else W(x) for W in layers]
        return nn.functional.scaled_dot_product_attention(made[0], made[1], made[2])


# --- from one to the other -----------------------------------------------------------------------

copied = Exam(reference.copy_weights_v2_to_v1)

State = dict[str, Tensor]
NAMES = ("W_query", "W_key", "W_value")


@copied.example
def three_to_two() -> State:
    """from three features to two"""
    return {f"{name}.weight": wave(2, 3, shift=i) for i, name in enumerate(NAMES)}


@copied.example
def three_to_three() -> State:
    """from three features to three, where every shape fits"""
    return {f"{name}.weight": wave(3, 3, shift=i) for i, name in enumerate(NAMES)}


@copied.case
def drawn_state(draw: Draw) -> State:
    """weights drawn at random"""
    return {f"{name}.weight": draw.tensor("d_out d_in") for name in NAMES}


@copied.misconception
def not_transposed(v2_state: State) -> State:
    """The matrices are as nn.Linear stores them, (d_out, d_in). SelfAttention_v1 computes `x @ W`
    with (d_in, d_out): transpose each.
    """
    return {name: v2_state[f"{name}.weight"] for name in NAMES}


@copied.misconception
def reshaped(v2_state: State) -> State:
    """The shapes are right and the numbers in the wrong places: `reshape` and `view` read row after
    row. A transpose turns rows into columns: `.T`.
    """
    layers = {name: v2_state[f"{name}.weight"] for name in NAMES}
    return {name: W.reshape(W.shape[1], W.shape[0]) for name, W in layers.items()}


@copied.misconception
def names_of_layers(v2_state: State) -> State:
    """The names are still those of the layers. A parameter is called "W_query", without
    ".weight".
    """
    return {name: weight.T for name, weight in v2_state.items()}


@copied.misconception
def names_of_parameters_looked_up(v2_state: State) -> State:
    """You looked for "W_query" in the state of the layers. There it is called "W_query.weight";
    the short names are those of the new dict.
    """
    return {name: v2_state[name].T for name in NAMES}


@copied.misconception
def letters_stripped(v2_state: State) -> State:
    """ "W_value" has lost its e: `strip` takes off single letters as long as they are among those
    given. A whole ending is taken off by `removesuffix`.
    """
    return {name.strip(".weight"): W.T for name, W in v2_state.items()}


@copied.misconception
def names_and_shapes_of_layers(v2_state: State) -> State:
    """This is the state of the layers as it came in. Give each matrix its new name, and turn it
    round.
    """
    return dict(v2_state)


@copied.misconception
def one_matrix_for_all(v2_state: State) -> State:
    """All three are the matrix of the queries. Each name has its own."""
    return dict.fromkeys(NAMES, v2_state["W_query.weight"].T)


@copied.misconception
def key_and_value_exchanged(v2_state: State) -> State:
    """Key and value have each other's matrix."""
    query, key, value = (v2_state[f"{name}.weight"].T for name in NAMES)
    return {"W_query": query, "W_key": value, "W_value": key}


@copied.misconception
def query_and_key_exchanged(v2_state: State) -> State:
    """Query and key have each other's matrix."""
    query, key, value = (v2_state[f"{name}.weight"].T for name in NAMES)
    return {"W_query": key, "W_key": query, "W_value": value}


@copied.misconception
def state_emptied(v2_state: State) -> State:
    """The numbers are right, but `pop` also takes them out of the dict that the caller handed in,
    or a transpose was made in place. Leave the argument as it was.
    """
    return {name: v2_state.pop(f"{name}.weight").T for name in NAMES}


@copied.accepts
def copied_by_name(v2_state: State) -> State:
    """Whatever is in the state, by its first name."""
    return {name.removesuffix(".weight"): W.detach().t().clone() for name, W in v2_state.items()}


@copied.accepts
def copied_one_by_one(v2_state: State) -> State:
    """One after the other, as parameters."""
    v1_state: State = {}
    v1_state["W_query"] = nn.Parameter(v2_state["W_query.weight"].T)
    v1_state["W_key"] = nn.Parameter(v2_state["W_key.weight"].T)
    v1_state["W_value"] = nn.Parameter(v2_state["W_value.weight"].T)
    return v1_state


@copied.accepts
def copied_by_einsum(v2_state: State) -> State:
    """An index expression."""
    return {
        name: torch.einsum("od->do", v2_state[name + ".weight"])
        for name in ("W_value", "W_key", "W_query")
    }


# --- write the test ------------------------------------------------------------------------------

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
ShiftTrial = tuple[Attention, Tensor, Tensor, Tensor, Tensor]

shifted = Exam(reference.is_key_shift_invariant, dtypes=("float64",))
SHIFT = torch.tensor([0.5, -1.0], dtype=torch.float64)


def _tried_on(attend: Attention) -> Callable[[], ShiftTrial]:
    def trial() -> ShiftTrial:
        return (attend, *the_sentence(), SHIFT)

    trial.__doc__ = f"{attend.__name__}"
    return trial


for shift_specimen in (
    companion.scaled_attention,
    companion.unscaled_attention,
    companion.attention_over_queries,
    companion.shares_attention,
    companion.cosine_attention,
    companion.distance_attention,
    companion.average_attention,
    companion.attention_with_a_lapse,
):
    shifted.example(_tried_on(shift_specimen))


@shifted.example
def whole_numbers() -> ShiftTrial:
    """unscaled_attention, on whole numbers and values of three features"""
    queries = torch.tensor([[1, 0], [2, -1], [-1, 3]], dtype=torch.float64)
    # Across the shift, so that a shift of the queries changes nothing here.
    keys = torch.tensor([[2, 1], [0, 0], [4, 2]], dtype=torch.float64)
    whole_shift = torch.tensor([1, -2], dtype=torch.float64)
    return companion.unscaled_attention, queries, keys, wave(3, 3), whole_shift


@shifted.example
def swapped() -> ShiftTrial:
    """swapped_attention, where queries and keys are the same"""
    queries, _, values = the_sentence()
    return companion.swapped_attention, queries, queries.clone(), values, SHIFT


@shifted.example
def a_small_shift() -> ShiftTrial:
    """attention_over_queries, with a small shift"""
    return (companion.attention_over_queries, *the_sentence(), SHIFT / 5000)


@shifted.example
def a_query_of_zeros() -> ShiftTrial:
    """cosine_attention, where the last query is zero"""
    queries, keys, values = the_sentence()
    queries[-1] = 0
    return companion.cosine_attention, queries, keys, values, SHIFT


LAPSE_QUERIES = torch.tensor([[1, 2], [3, -1]], dtype=torch.float64)
LAPSE_KEYS = torch.tensor([[0, 1], [1, -1]], dtype=torch.float64)
LAPSE_VALUES = torch.tensor([[2], [-1]], dtype=torch.float64)
# Its first number is 0: whoever adds that number alone shifts nothing.
LAPSE_SHIFT = torch.tensor([0, 1], dtype=torch.float64)


@shifted.example
def a_number_that_grows() -> ShiftTrial:
    """attention_with_a_lapse, where the shift makes one number larger"""
    return companion.attention_with_a_lapse, LAPSE_QUERIES, LAPSE_KEYS, LAPSE_VALUES, LAPSE_SHIFT


@shifted.example
def a_number_that_shrinks() -> ShiftTrial:
    """attention_with_a_lapse, where the shift makes one number smaller"""
    return companion.attention_with_a_lapse, LAPSE_QUERIES, LAPSE_KEYS, -LAPSE_VALUES, LAPSE_SHIFT


@shifted.example
def a_shift_of_zeros() -> ShiftTrial:
    """attention_over_queries, with a shift of zeros, which changes nothing anywhere"""
    return (companion.attention_over_queries, *the_sentence(), 0 * SHIFT)


def values_as_they_are(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The values as they are: invariant."""
    return values.clone()


def weights_halved(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Weights that were divided after the softmax: invariant."""
    return companion.unscaled_attention(queries, keys, values) / 2


def keys_handed_out(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Keys handed out for values: not invariant."""
    return companion.scaled_attention(queries, keys, keys)


def negative_scores_cut(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Scores below zero cut before the softmax: not invariant."""
    return (queries @ keys.T).clamp(min=0).softmax(dim=-1) @ values


def first_row_forgetful(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """A first row that depends on the keys alone: not invariant."""
    contexts = companion.scaled_attention(queries, keys, values).clone()
    contexts[0] = keys[:, 0].softmax(dim=0) @ values
    return contexts


def _trial(attend: Attention) -> Callable[[Draw], ShiftTrial]:
    def trial(draw: Draw) -> ShiftTrial:
        queries, keys = draw.tensor("tokens d_k"), draw.tensor("tokens d_k")
        return attend, queries, keys, draw.tensor("tokens d_v"), draw.tensor("d_k")

    trial.__doc__ = f"{attend.__doc__}".partition(":")[0].lower()
    return trial


for hidden_specimen in (
    values_as_they_are,
    weights_halved,
    keys_handed_out,
    negative_scores_cut,
    first_row_forgetful,
):
    shifted.case(_trial(hidden_specimen))


@shifted.misconception
def queries_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift the queries. The property is about the keys: add the vector to each of them."""
    moved = attention(queries + shift, keys, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def queries_and_keys_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift queries and keys. Shift the keys alone."""
    moved = attention(queries + shift, keys + shift, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def one_key_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift one key only. Then its score changes against the others. Add the vector to all."""
    moved = keys.clone()
    moved[0] = moved[0] + shift
    return torch.allclose(attention(queries, moved, values), attention(queries, keys, values))


@shifted.misconception
def compared_exactly(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You compare with `==` or `torch.equal`, to the last bit. Both results are rounded on their
    way: allow for that, with `torch.allclose`.
    """
    moved = attention(queries, keys + shift, values)
    return torch.equal(moved, attention(queries, keys, values))


@shifted.misconception
def keys_handed_in_first(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You hand in the keys first, as if they were the queries. The order is queries, keys, values,
    in both calls.
    """
    moved = attention(keys + shift, queries, values)
    return torch.allclose(moved, attention(keys, queries, values))


@shifted.misconception
def one_call_in_another_order(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """The two calls differ in more than the shift: one of them has queries and keys in the other
    order.
    """
    moved = attention(keys + shift, queries, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def shifted_in_place(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """`keys += shift` writes to the keys of whoever called your function. Make new ones:
    `keys + shift`.
    """
    before = attention(queries, keys, values)
    keys += shift
    return torch.allclose(attention(queries, keys, values), before, rtol=1e-4, atol=1e-6)


@shifted.misconception
def shifted_in_place_at_once(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """`keys += shift` changes the keys themselves, so both of your calls see shifted ones. Make new
    ones: `keys + shift`.
    """
    keys += shift
    moved = attention(queries, keys, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def compared_loosely(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your comparison is so loose that a small change passes. Allow for rounding only: 1e-6 or so,
    or what `torch.allclose` allows by itself.
    """
    moved = attention(queries, keys + shift, values)
    return torch.allclose(moved, attention(queries, keys, values), atol=0.1)


@shifted.misconception
def compared_to_three_decimals(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your comparison lets small changes pass, as a small shift makes them. Allow for rounding
    only: 1e-6 or so, or what `torch.allclose` allows by itself.
    """
    moved = attention(queries, keys + shift, values)
    return torch.allclose(moved, attention(queries, keys, values), atol=1e-3)


@shifted.misconception
def any_number(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test passes attentions in which a single number stays as it was. All have to stay:
    `all` instead of `any`, or `torch.allclose`.
    """
    moved = attention(queries, keys + shift, values)
    return bool(torch.isclose(moved, attention(queries, keys, values)).any())


@shifted.misconception
def values_shifted_plainly(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift the values. The property is about the keys: they have the shape of the shift."""
    moved = attention(queries, keys, values + shift)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def a_shift_of_ones_own(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You add something else than `shift` to the keys: a shift of zeros should change nothing, and
    yours does. Use the argument.
    """
    moved = attention(queries, keys + 1, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def first_number_of_the_shift(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You add the first number of the shift to all features. Add the whole vector: each of its
    numbers belongs to a feature of its own.
    """
    moved = attention(queries, keys + shift[0], values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def growth_alone(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test sees numbers that the shift makes larger, and none that it makes smaller: a
    difference below zero is below every bound. Take its size, `abs()`.
    """
    gap = attention(queries, keys + shift, values) - attention(queries, keys, values)
    return bool(gap.max() < 1e-6)


@shifted.misconception
def shrinkage_alone(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test sees numbers that the shift makes smaller, and none that it makes larger: a
    difference below zero is below every bound. Take its size, `abs()`.
    """
    gap = attention(queries, keys, values) - attention(queries, keys + shift, values)
    return bool(gap.max() < 1e-6)


@shifted.misconception
def verdict_turned_round(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your verdict is turned round: it is False where nothing changes. True is for the attentions
    that pass.
    """
    moved = attention(queries, keys + shift, values)
    return not torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def compared_with_pytorchs(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test passes PyTorch's own attention alone. Others have the property too. Compare each
    attention with itself, without the shift and with it.
    """
    own = nn.functional.scaled_dot_product_attention(queries, keys, values)
    return torch.allclose(attention(queries, keys, values), own)


@shifted.misconception
def shifted_compared_with_pytorchs(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You compare with the result of PyTorch's attention, so others fail that have the property.
    Compare each attention with itself, without the shift and with it.
    """
    own = nn.functional.scaled_dot_product_attention(queries, keys, values)
    return torch.allclose(attention(queries, keys + shift, values), own)


@shifted.misconception
def sums_of_weights(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test asks whether the weights of each query sum to 1. That is another property. Here the
    question is what a shift of the keys changes: nothing, or something.
    """
    ones = torch.ones_like(values)
    return torch.allclose(attention(queries, keys, ones), ones)


@shifted.misconception
def both_sides_alike(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test passes every attention. Both sides of the comparison seem to be the same thing:
    shift the keys of one.
    """
    once = attention(queries, keys + shift, values)
    return torch.allclose(once, attention(queries, keys + shift, values))


@shifted.misconception
def never_true(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test fails every attention, even on whole numbers, where nothing is rounded. Compare the
    contexts, with and without the shift, not the keys.
    """
    return torch.equal(keys + shift, keys)


@shifted.misconception
def totals_only(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your comparison adds up over the words, and a wrong row can hide in a sum. Compare number by
    number.
    """
    moved = attention(queries, keys + shift, values).sum(dim=0)
    return torch.allclose(moved, attention(queries, keys, values).sum(dim=0))


@shifted.misconception
def first_row_only(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You compare the first word alone. An attention can be wrong in one row only: compare all."""
    moved = attention(queries, keys + shift, values)[0]
    return torch.allclose(moved, attention(queries, keys, values)[0])


@shifted.misconception
def values_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift the values. Then every context moves by the same vector: another property. Shift
    the keys.
    """
    moved = attention(queries, keys, values + shift)
    return torch.allclose(moved, attention(queries, keys, values) + shift)


@shifted.misconception
def a_table_of_truths(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> Tensor:
    """This is an answer for every number. Say True or False once, for all of them together."""
    return torch.isclose(attention(queries, keys + shift, values), attention(queries, keys, values))


@shifted.accepts
def by_the_greatest_gap(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """The largest difference is small."""
    gap = attention(queries, keys + shift, values) - attention(queries, keys, values)
    return bool(gap.abs().max() < 1e-6)


@shifted.accepts
def row_by_row(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """A loop over the words."""
    moved = attention(queries, torch.stack([key + shift for key in keys]), values)
    pairs = zip(moved, attention(queries, keys, values), strict=True)
    return all(torch.allclose(one, other) for one, other in pairs)


@shifted.accepts
def by_assertion(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """PyTorch's own comparison, made for tests."""
    moved = attention(queries, keys + shift[None, :], values)
    try:
        torch.testing.assert_close(moved, attention(queries, keys, values))
    except AssertionError:
        return False
    return True


# --- design --------------------------------------------------------------------------------------

design = Exam(reference.design_weights, use=what_nouns_look_at)
ARTICLE, ADJECTIVE, NOUN, VERB, FIRST, SECOND = range(6)


@design.example
def the_fluffy_sentence() -> tuple[()]:
    """a fluffy blue creature roamed the verdant forest"""
    return ()


@design.misconception
def nothing_asked() -> Pair:
    """Every word gets the same, so all scores of a noun are alike. Let nouns ask, in `W_query`, for
    something that adjectives answer, in `W_key`.
    """
    return torch.zeros(6, 3, dtype=torch.float64), torch.zeros(6, 3, dtype=torch.float64)


@design.misconception
def any_adjective() -> Pair:
    """Your nouns find all three adjectives. "verdant" belongs to the other phrase: let the two
    phrases ask and answer as well, or, if they do, in larger numbers.
    """
    W_query, W_key = torch.zeros(6, 1, dtype=torch.float64), torch.zeros(6, 1, dtype=torch.float64)
    W_query[NOUN, 0] = W_key[ADJECTIVE, 0] = 4
    return W_query, W_key


@design.misconception
def too_small() -> Pair:
    """The right words, but not enough of the attention. Make the numbers larger: the scores have to
    be further apart.
    """
    W_query, W_key = reference.design_weights()
    return 0.25 * W_query, W_key


@design.misconception
def all_ones() -> Pair:
    """Nearly everybody is heard: your scores are too close together, and the root brings them
    closer still. If the right words meet, make the numbers larger.
    """
    W_query, W_key = reference.design_weights()
    return W_query / 4, W_key / 4


@design.misconception
def nouns_answer_too() -> Pair:
    """Your nouns find their adjectives, and themselves as much: nouns answer in the column in which
    adjectives are asked for. Let the adjectives alone answer there.
    """
    W_query, W_key = reference.design_weights()
    W_key[NOUN, 0] = 4
    return W_query, W_key


@design.misconception
def like_finds_like() -> Pair:
    """Your nouns look at themselves, as in lesson 02: they ask for what they are. Let the row of
    the noun in `W_query` meet the row of the adjective in `W_key`.
    """
    return 4 * torch.eye(6, dtype=torch.float64), torch.eye(6, dtype=torch.float64)


@design.misconception
def phrases_alone() -> Pair:
    """Your nouns look at every word of their phrase: they do not ask for adjectives. The row of the
    noun in `W_query` has to meet the row of the adjective in `W_key`. Or did you return the two
    matrices in the other order? `W_query` comes first.
    """
    W_query, W_key = reference.design_weights()
    return W_query[:, 1:], W_key[:, 1:]


@design.misconception
def phrases_crossed() -> Pair:
    """Each noun finds the other one's adjectives: what the first phrase asks, the second answers.
    Let each phrase answer in the column in which it asks.
    """
    W_query, W_key = reference.design_weights()
    return W_query, W_key[:, [0, 2, 1]]


@design.misconception
def first_phrase_alone() -> Pair:
    """ "creature" finds its adjectives, "forest" looks at all three. The second phrase has to be
    told apart, too.
    """
    W_query, W_key = reference.design_weights()
    return W_query[:, :2], W_key[:, :2]


@design.misconception
def rows_for_columns() -> Pair:
    """Your matrices lie on their side. A row for each of the six features, a column for each topic:
    (6, d_k).
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
