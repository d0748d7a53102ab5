"""The exam of `linformer_attention`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._long_texts import drawn, printed
from solutions.exams.families import (
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    TURNED,
    Attention,
)
from solutions.exams.printed_numbers import numbers

mixtures = Exam(reference.linformer_attention)

Five = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def printed_mixtures(
    queries: int, keys: int, d_k: int, d_v: int, *texts: int, rank: int = 2
) -> Five:
    """Queries, keys and values to print, with projections."""
    E, F = numbers(rank, keys, start=600) / 2, numbers(rank, keys, start=800) / 2
    return *printed(queries, keys, d_k, d_v, *texts), E, F


@mixtures.example
def three_queries() -> Five:
    """three queries, six keys, mixed into two"""
    return printed_mixtures(3, 6, 4, 5)


@mixtures.example
def as_many_of_each() -> Five:
    """four queries, four keys and four features, mixed into four"""
    return printed_mixtures(4, 4, 4, 4, rank=4)


@mixtures.example
def as_many_queries_as_mixtures() -> Five:
    """three queries, and five keys mixed into three"""
    return printed_mixtures(3, 5, 2, 4, rank=3)


@mixtures.example
def two_texts() -> Five:
    """a batch of two texts, five queries and five keys each"""
    return printed_mixtures(5, 5, 3, 2, 2, rank=3)


@mixtures.example
def three_texts() -> Five:
    """a batch of three texts, two queries and four keys each, mixed into three"""
    return printed_mixtures(2, 4, 3, 2, 3, rank=3)


@mixtures.example
def large_scores() -> Five:
    """scores so large that exponentials overflow"""
    Q, K, V, E, F = printed_mixtures(3, 4, 2, 2)
    return 60 * Q, 60 * K, V, E, F


def drawn_mixtures(draw: Draw, axes: str = "", rank: str = "rank") -> Five:
    """Queries, keys and values, with projections."""
    return *drawn(draw, axes), draw.tensor(f"{rank} keys"), draw.tensor(f"{rank} keys")


@mixtures.case(times=2)
def one_text(draw: Draw) -> Five:
    """queries, keys and values drawn at random"""
    return drawn_mixtures(draw)


@mixtures.case(times=2)
def batch(draw: Draw) -> Five:
    """a batch drawn at random"""
    return drawn_mixtures(draw, "batch")


@mixtures.case(times=1)
def heads(draw: Draw) -> Five:
    """a batch with several heads"""
    return drawn_mixtures(draw.fix(batch=2, heads=3), "batch heads")


@mixtures.case(times=1)
def long_text(draw: Draw) -> Five:
    """90 keys, mixed into eight"""
    Q, K, V, E, F = drawn_mixtures(draw.fix(keys=90, rank=8))
    return Q, K, V, E / 9, F / 9


@mixtures.case(times=1)
def rank_of_one(draw: Draw) -> Five:
    """all keys mixed into one"""
    return drawn_mixtures(draw.fix(rank=1))


@mixtures.case(times=1)
def one_key(draw: Draw) -> Five:
    """a single key, and more mixtures than keys"""
    return drawn_mixtures(draw.fix(keys=1))


@mixtures.case(times=1)
def one_query(draw: Draw) -> Five:
    """a single query"""
    return drawn_mixtures(draw.fix(queries=1))


@mixtures.case(times=1)
def overlong(draw: Draw) -> Five:
    """scores beyond 1e12, above and below 0"""
    Q, K, V, E, F = drawn_mixtures(draw.fix(rank=3))
    # Each mixture is twice the one before, so no rounding decides which score is the largest.
    E = E[:1].abs() * 2.0 ** torch.arange(3)[:, None]
    return 1e8 * torch.cat([-Q[:1].abs(), Q[1:].abs()]), 1e8 * K.abs(), V, E, F


@mixtures.holds
def nothing_mixed_is_attention(
    attend: Callable[..., Tensor], Q: Tensor, K: Tensor, V: Tensor, E: Tensor, F: Tensor
) -> bool:
    """if each mixture is one of the keys, the result is that of scaled dot-product attention"""
    # Between scores that are far larger, rounding could decide which is the largest.
    Q, K = (x / max(1.0, float(x.abs().max()) / 100) for x in (Q, K))
    alone = torch.eye(K.shape[-2], dtype=K.dtype)
    expected = torch.softmax(Q @ K.mT / K.shape[-1] ** 0.5, dim=-1) @ V
    # Scores of a thousand leave single precision little after the point.
    return bool(torch.allclose(attend(Q, K, V, alone, alone).to(K.dtype), expected, atol=1e-2))


class Steps(Attention):
    """The keys and values mixed, and attention to the mixtures."""

    def answer(self, queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
        return self.attend(queries, E @ keys, F @ values)


SCALE.apply(
    mixtures,
    Steps,
    called={"RootOfTheKeys": "RootOfTheRank"},
    says={
        "RootOfTheKeys": "You took the square root of the rank, which is the number of mixed "
        "keys. Take the square root of the width of a key, which is the size of the last axis.",
    },
    without=["RootOfTheInputWidth"],
)
SOFTMAX.apply(
    mixtures,
    Steps,
    says={
        "SoftmaxOverQueries": "Your softmax runs over the queries. It should run over the "
        "mixtures, the last axis: the weights of each query sum to 1.",
        "SoftmaxOverTheFirstAxis": "Your softmax runs over the first axis, which in a batch are "
        "its texts. It should run over the mixtures, the last axis: the weights of each query sum "
        "to 1.",
    },
)
STABILITY.apply(mixtures, Steps)
ROLES.apply(
    mixtures,
    Steps,
    says={
        "QueriesCompared": "You compared the queries with the queries. Compare them with the "
        "mixed keys.",
        "KeysMixed": "You applied the weights to the mixed keys, so the values play no part in "
        "the result. Apply them to the mixed values.",
    },
)
TURNED.apply(mixtures, Steps)
TENSOR_DTYPE.apply(mixtures)


def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Scaled dot-product attention."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


@mixtures.misconception
def queries_compared_by_einsum(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """You compared the queries with the queries. Compare them with the mixed keys."""
    scores = torch.einsum("...qd,...rd->...qr", queries, queries) / queries.shape[-1] ** 0.5
    return torch.einsum("...qr,...rd->...qd", scores.softmax(dim=-1), F @ values)


@mixtures.misconception
def values_by_the_keys_matrix(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """Keys and values are both mixed by `project_keys`. The values have their own matrix,
    `project_values`.
    """
    return attend(queries, E @ keys, E @ values)


@mixtures.misconception
def keys_by_the_values_matrix(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """Keys and values are both mixed by `project_values`. The keys have their own matrix,
    `project_keys`.
    """
    return attend(queries, F @ keys, F @ values)


@mixtures.misconception
def matrices_swapped(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """The two matrices are swapped: `project_keys` mixes the keys, `project_values` the values."""
    return attend(queries, F @ keys, E @ values)


@mixtures.misconception
def nothing_mixed(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """This is attention to all keys. Mix the keys and the values first, and attend to the
    mixtures.
    """
    return attend(queries, keys, values)


@mixtures.misconception
def keys_not_mixed(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """The values are mixed, but the keys are not, so there is a weight for each key, and not for
    each mixed value. Mix both.
    """
    return attend(queries, keys, F @ values)


@mixtures.misconception
def values_not_mixed(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """The keys are mixed, but the values are not, so there is a weight for each mixture, and not
    for each value. Mix both.
    """
    return attend(queries, E @ keys, values)


@mixtures.misconception
def weights_mixed(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """You mix the weights, after a softmax over all keys, so they no longer sum to 1. Mix the keys
    before the scores: the softmax runs over the mixtures.
    """
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ E.T @ (F @ values)


@mixtures.misconception
def matrices_turned(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """You transposed the projections. They are (rank, keys) and go on the left as they are: each of
    their rows mixes all keys into one.
    """
    return attend(queries, E.T @ keys, F.T @ values)


@mixtures.misconception
def features_mixed(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """Your projections are on the right of keys and values, where they mix the features. They
    should mix tokens: put them on the left.
    """
    return attend(queries, keys @ E, values @ F)


@mixtures.misconception
def features_mixed_by_transposes(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """Your projections are on the right of keys and values, transposed, where they mix the
    features. They should mix tokens: put them on the left as they are.
    """
    return attend(queries, keys @ E.T, values @ F.T)


@mixtures.misconception
def queries_mixed(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """You mixed the queries as well. The queries stay as they are: there are as many context
    vectors as queries.
    """
    return attend(E @ queries, E @ keys, F @ values)


@mixtures.misconception
def averages(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """You took a softmax of the projections, so that the mixtures are averages. Use the matrices as
    they are; the softmax is only for the scores.
    """
    return attend(queries, E.softmax(dim=-1) @ keys, F.softmax(dim=-1) @ values)


@mixtures.misconception
def root_of_all_keys(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """You took the square root of the number of keys. Take the square root of the width of a key,
    which is the size of the last axis.
    """
    scores = queries @ (E @ keys).transpose(-2, -1) / keys.shape[-2] ** 0.5
    return torch.softmax(scores, dim=-1) @ (F @ values)


@mixtures.misconception
def root_of_the_second_axis(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """You took the square root of `shape[1]` of the queries. In a batch that is the number of
    queries: d_k is the last axis, counted from the end.
    """
    scores = queries @ (E @ keys).transpose(-2, -1) / queries.shape[1] ** 0.5
    return torch.softmax(scores, dim=-1) @ (F @ values)


@mixtures.misconception
def softmax_over_axis_one(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """Your softmax runs over axis 1. In a batch these are the queries: use dim=-1, which is the
    mixtures in both cases.
    """
    scores = queries @ (E @ keys).transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=1) @ (F @ values)


@mixtures.misconception
def no_transpose(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """The mixed keys are not transposed. In the product, the width of a query has to line up with
    the width of a key.
    """
    scores = queries @ (E @ keys) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ (F @ values)


@mixtures.misconception
def all_axes_turned(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """In a batch, `.T` reverses all axes. Swap only the last two: `transpose(-2, -1)`."""
    mixed = E @ keys
    turned = mixed.permute(*range(mixed.ndim - 1, -1, -1))
    scores = queries @ turned / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ (F @ values)


@mixtures.misconception
def first_axes_turned(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """In a batch, `transpose(0, 1)` swaps texts and keys. Swap the last two axes, counted from the
    end: `transpose(-2, -1)`.
    """
    scores = queries @ (E @ keys).transpose(0, 1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ (F @ values)


@mixtures.misconception
def weights_transposed(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> Tensor:
    """You transposed the weights before the product with the mixed values. They already have a row
    for each query: leave them as they are.
    """
    scores = queries @ (E @ keys).transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1).transpose(-2, -1) @ (F @ values)


@mixtures.misconception
def weights_alone(queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor) -> Tensor:
    """These are the weights of the mixtures. Use them to weight the mixed values."""
    scores = queries @ (E @ keys).transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


@mixtures.misconception
def mixed_keys_and_values(
    queries: Tensor, keys: Tensor, values: Tensor, E: Tensor, F: Tensor
) -> tuple[Tensor, Tensor]:
    """These are the mixed keys and values. Let the queries attend to them."""
    return E @ keys, F @ values


@mixtures.accepts
def mixtures_in_loops(
    queries: Tensor, keys: Tensor, values: Tensor, project_keys: Tensor, project_values: Tensor
) -> Tensor:
    """Loops over texts, mixtures and queries.

    Everything is written out: first the few mixtures of keys and of values, then plain attention to
    them. A batch is a stack of texts, so the function calls itself for each.
    """
    if queries.ndim > 2:
        texts = zip(queries, keys, values, strict=True)
        return torch.stack(
            [mixtures_in_loops(*text, project_keys, project_values) for text in texts]
        )
    mixed_keys = [sum(e * key for e, key in zip(row, keys, strict=True)) for row in project_keys]
    mixed_values = [sum(f * v for f, v in zip(row, values, strict=True)) for row in project_values]
    contexts = []
    for query in queries:
        scores = torch.stack([query @ key for key in mixed_keys]) / len(query) ** 0.5
        weights = torch.softmax(scores, dim=0)
        contexts.append(sum(w * v for w, v in zip(weights, mixed_values, strict=True)))
    return torch.stack(contexts)


@mixtures.accepts
def mixtures_by_einsum(
    queries: Tensor, keys: Tensor, values: Tensor, project_keys: Tensor, project_values: Tensor
) -> Tensor:
    """Index expressions."""
    mixed_keys = torch.einsum("rn,...nd->...rd", project_keys, keys)
    mixed_values = torch.einsum("rn,...nd->...rd", project_values, values)
    scores = torch.einsum("...qd,...rd->...qr", queries, mixed_keys)
    weights = functional.softmax(scores * queries.shape[-1] ** -0.5, dim=-1)
    return torch.einsum("...qr,...rd->...qd", weights, mixed_values)


@mixtures.accepts
def mixtures_of_scores(
    queries: Tensor, keys: Tensor, values: Tensor, project_keys: Tensor, project_values: Tensor
) -> Tensor:
    """All scores, mixed.

    It mixes the scores instead of the keys, and the weights instead of the values. The result is
    the same, but all n × n scores are computed, so nothing is saved.
    """
    scores = queries @ keys.mT @ project_keys.T / queries.size(-1) ** 0.5
    return scores.softmax(dim=-1) @ project_values @ values


@mixtures.accepts
def mixtures_by_torch(
    queries: Tensor, keys: Tensor, values: Tensor, project_keys: Tensor, project_values: Tensor
) -> Tensor:
    """PyTorch's function, given the mixtures."""
    return functional.scaled_dot_product_attention(
        queries, torch.matmul(project_keys, keys), torch.matmul(project_values, values)
    )
