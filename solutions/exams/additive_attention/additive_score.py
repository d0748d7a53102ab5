"""The exam of `additive_score`, lesson 01."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    STATE,
    W_KEY,
    W_QUERY,
    WORDS,
    Function,
    Many,
    V,
    joined,
)
from solutions.exams.families import LOOP, TENSOR_DTYPE

additive = Exam(reference.additive_score)


@additive.example
def one_query_three_keys() -> Many:
    """one query and three keys"""
    return STATE, WORDS, W_QUERY, W_KEY, V


@additive.example
def another_query() -> Many:
    """another query, two keys"""
    return -2 * STATE, WORDS[1:], W_QUERY, W_KEY, V


@additive.example
def as_many_of_all() -> Many:
    """three keys of three features, three hidden features"""
    # The products that are the wrong way round fit here, and show their numbers.
    return WORDS[0] + 1, WORDS, W_KEY[:, 1:], W_KEY[:, :3], V[:3]


def additive_arguments(draw: Draw) -> Many:
    """Arguments of sizes that differ."""
    return (
        draw.tensor("query_dim"),
        draw.tensor("source key_dim"),
        draw.tensor("query_dim hidden"),
        draw.tensor("key_dim hidden"),
        draw.tensor("hidden"),
    )


@additive.case
def any_query(draw: Draw) -> Many:
    """queries and keys drawn at random"""
    return additive_arguments(draw)


@additive.case(times=1)
def one_key(draw: Draw) -> Many:
    """a single key"""
    return additive_arguments(draw.fix(source=1))


@additive.case(times=1)
def everything_equally_wide(draw: Draw) -> Many:
    """as many keys as hidden features"""
    return additive_arguments(draw.fix(source=4, hidden=4, query_dim=4, key_dim=4))


@additive.holds
def query_matters(additive_score: Function, *arguments: Tensor) -> bool:
    """another query moves the scores apart, and not all by the same number"""
    query, keys, *weights = arguments
    # The last two lines of a sentence of one key can't move apart.
    if len(keys) == 1:
        return True
    moved = additive_score(query + 1, keys, *weights) - additive_score(query, keys, *weights)
    return bool(moved.max() - moved.min() > 1e-6)


@additive.misconception
def tanh_dropped(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """The tanh is missing. Without it the query adds the same number to every score, which makes no
    difference to a softmax, so every query would get the same weights.
    """
    return (query @ W_query + keys @ W_key) @ v


@additive.misconception
def tanh_of_each_side(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """You took the tanh of each side and added afterwards. So the query adds the same number to
    every score, as it does without a tanh: add first, then take a single tanh.
    """
    return (torch.tanh(query @ W_query) + torch.tanh(keys @ W_key)) @ v


@additive.misconception
def sigmoid_for_tanh(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """These scores come from a sigmoid of the hidden layer, between 0 and 1. Bahdanau's score has a
    tanh, between -1 and 1.
    """
    return torch.sigmoid(query @ W_query + keys @ W_key) @ v


@additive.misconception
def tanhs_multiplied(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """You took the tanh of each side and multiplied. Add the two projections first, then take a
    single tanh.
    """
    return (torch.tanh(query @ W_query) * torch.tanh(keys @ W_key)) @ v


@additive.misconception
def tanh_last(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """You took the tanh of the score. Take the tanh of the sum of the two projections, before v."""
    return torch.tanh((query @ W_query + keys @ W_key) @ v)


@additive.misconception
def multiplied(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """You multiplied the two projections. This attention is called additive because it adds
    them.
    """
    return torch.tanh((query @ W_query) * (keys @ W_key)) @ v


@additive.misconception
def v_replaced_by_sum(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """You added up the hidden layer. Multiply it by v: each hidden feature has its own weight."""
    return torch.tanh(query @ W_query + keys @ W_key).sum(dim=-1)


@additive.misconception
def sums_multiplied(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """You added up the hidden features and the numbers of v, and multiplied the two sums. Multiply
    each hidden feature by its own number of v first, and then add up.
    """
    return v.sum() * torch.tanh(query @ W_query + keys @ W_key).sum(dim=-1)


@additive.misconception
def v_on_the_left(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """Here v meets the words. It should meet the hidden features, the last axis, so put it to the
    right of the hidden layer, without a transpose.
    """
    return v @ torch.tanh(query @ W_query + keys @ W_key)


@additive.misconception
def summed_over_the_keys(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """This is one number for all the keys together: you also summed over the keys. Sum over the
    hidden features only, the last axis.
    """
    return (torch.tanh(query @ W_query + keys @ W_key) * v).sum()


@additive.misconception
def keys_alone(query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor) -> Tensor:
    """These scores only depend on the keys. Add the projected query before the tanh."""
    return torch.tanh(keys @ W_key) @ v


@additive.misconception
def already_weights(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """These are the scores after a softmax. Return the scores themselves."""
    return torch.softmax(torch.tanh(query @ W_query + keys @ W_key) @ v, dim=-1)


@additive.misconception
def scaled_like_dot_products(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """These scores are divided by a square root, like those of lesson 03. Here the tanh already
    keeps the scores small: leave them as they are.
    """
    return torch.tanh(query @ W_query + keys @ W_key) @ v / math.sqrt(len(v))


@additive.misconception
def matrices_on_the_left(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """The matrices should be on the right, `query @ W_query`, because they are (in, out). On the
    left they would have to be transposed.
    """
    return torch.tanh(W_query @ query + W_key @ keys) @ v


@additive.misconception
def matrices_transposed(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """The matrices act as if transposed here, for example by `.T`, by `F.linear`, which expects
    (out, in), or because they stand on the left. These are (in, out): use them as they are, on the
    right of the query and the keys.
    """
    return torch.tanh(query @ W_query.T + keys @ W_key.T) @ v


TENSOR_DTYPE.apply(additive)
LOOP.apply(additive)


@additive.accepts
def additive_in_a_loop(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """A loop over the keys.

    A loop over the keys takes the formula literally. It computes `query @ W_query` again for each
    key, which broadcasting needs only once.
    """
    return torch.stack([torch.tanh(query @ W_query + key @ W_key).dot(v) for key in keys])


@additive.accepts
def additive_by_einsum(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """Index expressions.

    einsum names the axes: q and k are the features of the query and of the keys, h the hidden ones,
    and s the words of the source.
    """
    hidden = torch.einsum("q,qh->h", query, W_query) + torch.einsum("sk,kh->sh", keys, W_key)
    return torch.einsum("sh,h->s", hidden.tanh(), v)


@additive.accepts
def additive_concatenated(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """Concatenated, both matrices in one."""
    return (joined(query, keys) @ torch.cat([W_query, W_key])).tanh() @ v
