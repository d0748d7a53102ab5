"""The exam of `scaled_dot_product_attention`, lesson 03."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.families import (
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    TURNED,
    Attention,
)
from solutions.exams.sixteen_bits import bfloat16_stays
from solutions.exams.trainable_weights._specimens import (
    OWN_WORK,
    Pair,
    Triple,
    scaled_weights,
    the_sentence,
    triple_drawn,
    wave,
)

attention = Exam(reference.scaled_dot_product_attention, forbids=OWN_WORK)


@attention.example
def all_six() -> Triple:
    """Your journey starts with one step"""
    return the_sentence()


@attention.example
def two_queries() -> Triple:
    """two queries, five keys of three features, values of four"""
    return wave(2, 3), wave(5, 3, shift=1), wave(5, 4, shift=2)


@attention.example
def two_sentences() -> Triple:
    """a batch of two, three queries each, four keys"""
    return wave(2, 3, 5), wave(2, 4, 5, shift=1), wave(2, 4, 2, shift=2)


@attention.example
def large_scores() -> Triple:
    """scores so large that exponentials overflow"""
    return 200 * wave(2, 3), 200 * wave(5, 3, shift=1), wave(5, 4, shift=2)


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


attention.half_but_for("scores far from 0", large_scores, overlong)


@attention.holds
def equal_values_stay(attend: Callable[..., Tensor], Q: Tensor, K: Tensor, V: Tensor) -> bool:
    """if all values are the same vector, every context is this vector"""
    contexts = attend(Q, K, torch.ones_like(V))
    return bool(np.allclose(contexts.detach().numpy(), 1, atol=1e-4))


attention.holds(bfloat16_stays)


class Steps(Attention):
    """Nothing but attention."""

    def answer(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return self.attend(queries, keys, values)


SCALE.apply(
    attention,
    Steps,
    called={"DividedByTheWidth": "divided_by_d_k"},
    without=["RootOfTheInputWidth"],
)
SOFTMAX.apply(
    attention,
    Steps,
    called={"SoftmaxOverQueries": "softmax_over_the_queries", "NoSoftmax": "without_softmax"},
)
STABILITY.apply(attention, Steps)
ROLES.apply(attention, Steps, called={"KeysMixed": "keys_for_values"}, without=["QueriesCompared"])
TURNED.apply(attention, Steps)


@attention.misconception
def root_of_two(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your scores are always divided by √2. That was right by hand, where a key has two features.
    Take the number of features from the shape of the keys.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / 2**0.5, dim=-1) @ values


@attention.misconception
def root_of_the_first_axis_of_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your scores are divided by the square root of the size of the queries' first axis: the number
    of queries, or in a batch the number of sentences. d_k is how many features a query has, its
    last axis.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / len(queries) ** 0.5, dim=-1) @ values


@attention.misconception
def root_of_the_second_axis_of_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """In a batch, your scores are divided by the square root of the number of queries, as when
    `shape[1]` is taken for d_k: d_k is the last axis, counted from the end.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / queries.shape[1] ** 0.5, -1) @ values


@attention.misconception
def root_of_the_second_axis(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """In a batch, your scores are divided by the square root of the number of keys, as when
    `shape[1]` is taken for d_k: d_k is the last axis, counted from the end.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[1] ** 0.5, dim=-1) @ values


@attention.misconception
def root_of_the_first_axis(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your scores are divided by the square root of the size of the keys' first axis: the number of
    keys, or in a batch the number of sentences. d_k is how many features a key has, its last axis.
    """
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[0] ** 0.5, dim=-1) @ values


@attention.misconception
def divided_by_lengths(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Your scores are cosines: dot products, divided by the lengths of both vectors. Divide by √d_k
    instead, where d_k is how many features a key has: it is the same for all scores.
    """
    cosines = nn.functional.normalize(queries, dim=-1) @ nn.functional.normalize(
        keys, dim=-1
    ).transpose(-2, -1)
    return torch.softmax(cosines, dim=-1) @ values


@attention.misconception
def softmax_over_axis_one(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """In a batch, your softmax runs over the queries, as with dim=1. It should run over the keys:
    use dim=-1, which is their axis with a batch and without.
    """
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=1) @ values


@attention.misconception
def entry_by_entry(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """`*` multiplies entry by entry. Every query has to be compared with every key: use a matrix
    product.
    """
    scores = queries * keys / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


@attention.misconception
def all_axes_turned(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """In a batch, `.T` reverses all three axes. Swap only the last two: `transpose(-2, -1)`."""
    turned = keys.permute(*range(keys.ndim - 1, -1, -1))
    return torch.softmax(queries @ turned / keys.shape[-1] ** 0.5, dim=-1) @ values


@attention.misconception
def no_transpose(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The keys are not transposed. The width of a query has to meet the width of a key."""
    return torch.softmax(queries @ keys / keys.shape[-1] ** 0.5, dim=-1) @ values


@attention.misconception
def weights_transposed(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """When they meet V, your weights are transposed: they have one row for each key. They should
    have one row for each query, on the left of V.
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
    rows, or do not fit at all. Pass `keepdim=True`, or use `torch.softmax`.
    """
    exponentials = torch.exp(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5)
    return exponentials / exponentials.sum(dim=-1) @ values


@attention.misconception
def root_of_a_number(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """`torch.sqrt` takes a tensor, but d_k is a plain number. Its square root is `d_k ** 0.5`."""
    root = torch.sqrt(keys.shape[-1])  # type: ignore[arg-type]
    return torch.softmax(queries @ keys.transpose(-2, -1) / root, dim=-1) @ values


@attention.misconception
def weights_as_well(queries: Tensor, keys: Tensor, values: Tensor) -> Pair:
    """You return two things. This exercise, like PyTorch's function, returns only the context
    vectors.
    """
    weights = scaled_weights(queries, keys)
    return weights @ values, weights


@attention.misconception
def weights_alone(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """These are the weights. One step is missing: mix the values with them."""
    return scaled_weights(queries, keys)


TENSOR_DTYPE.apply(attention)


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
    """A batch is one sentence after the other, by the function itself.

    A batch is a stack of sentences, so the function calls itself for each. The formula then
    needs only two axes.
    """
    if queries.ndim == 3:
        sentences = zip(queries, keys, values, strict=True)
        return torch.stack([attention_by_recursion(*sentence) for sentence in sentences])
    return torch.softmax(queries @ keys.T / keys.shape[1] ** 0.5, dim=1) @ values


@attention.accepts
def attention_by_einsum(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Index expressions, the root taken of the queries.

    The dots in einsum stand for any axes in front, so a sentence and a batch take the same
    line. The queries are scaled, not the scores.
    """
    scores = torch.einsum("...id,...jd->...ij", queries / queries.shape[-1] ** 0.5, keys)
    return torch.einsum("...ij,...jv->...iv", scores.softmax(dim=-1), values)


@attention.accepts
def attention_by_matmul(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Matrix products, the softmax written out.

    The softmax is written out, with the maximum subtracted, and `.mT` turns the last two axes
    whatever stands before them.
    """
    scores = torch.matmul(queries, keys.mT) / keys.size(-1) ** 0.5
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return torch.matmul(exponentials / exponentials.sum(dim=-1, keepdim=True), values)


@attention.accepts
def attention_by_broadcasting(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Broadcasting and sums."""
    scores = (queries[..., :, None, :] * keys[..., None, :, :]).sum(dim=-1)
    weights = (scores / queries.size(-1) ** 0.5).softmax(dim=-1)
    return (weights[..., None] * values[..., None, :, :]).sum(dim=-2)
