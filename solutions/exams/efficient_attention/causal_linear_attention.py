"""The exam of `causal_linear_attention`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import both_signs, elu_plus_one, try_features
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._long_texts import (
    CAUSAL_TOKENS,
    FeatureMap,
    Linear,
    Mapped,
    drawn,
    is_longest,
    no_feature_is_too_small,
    one_feature,
    printed,
    reads_too_long,
    softplus_and_one,
)
from solutions.exams.efficient_attention._other_linears import LINEAR
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.families.family import Family
from solutions.exams.printed_numbers import numbers

causal = Exam(reference.causal_linear_attention, use=try_features)


@causal.example
def four_tokens() -> Mapped:
    """four tokens, three numbers to a key, five to a value"""
    return *printed(4, 4, 3, 5), elu_plus_one


@causal.example
def twice_the_features() -> Mapped:
    """five tokens of two numbers, and a map that makes four features of them"""
    queries, keys, values = printed(5, 5, 2, 3)
    return queries, 2 * keys, values, both_signs


@causal.example
def two_texts() -> Mapped:
    """two texts, two heads each, three tokens"""
    return *printed(3, 3, 4, 2, 2, 2), elu_plus_one


@causal.example
def all_of_a_size() -> Mapped:
    """four texts of four tokens, four numbers to a query, a key and a value"""
    queries, keys, values = (numbers(4, 4, 4, start=start) for start in (1, 80, 160))
    return queries, keys, values, elu_plus_one


@causal.example
def long_text() -> Mapped:
    """a text of 140 tokens"""
    return *printed(140, 140, 2, 3), elu_plus_one


@causal.case(times=2)
def drawn_tokens(draw: Draw) -> Mapped:
    """tokens drawn at random"""
    return *drawn(draw, "", "tokens", "tokens"), elu_plus_one


@causal.case(times=1)
def drawn_heads(draw: Draw) -> Mapped:
    """several texts and heads"""
    return *drawn(draw, "batch heads", "tokens", "tokens"), both_signs


@causal.case(times=1)
def drawn_other_features(draw: Draw) -> Mapped:
    """a feature map of another kind, which adds a feature"""
    return *drawn(draw, "batch", "tokens", "tokens"), softplus_and_one


@causal.case(times=1)
def drawn_one_feature(draw: Draw) -> Mapped:
    """a feature map that leaves a single feature"""
    return *drawn(draw, "", "tokens", "tokens"), one_feature


@causal.case(times=1)
def drawn_one_token(draw: Draw) -> Mapped:
    """a text of one token"""
    return *drawn(draw.fix(tokens=1), "", "tokens", "tokens"), elu_plus_one


@causal.case(times=1)
def drawn_long_text(draw: Draw) -> Mapped:
    """a longer text"""
    return *drawn(draw.fix(tokens=80, d_k=3, d_v=4), "", "tokens", "tokens"), both_signs


@causal.holds
def table_does_not_fit(attention: Callable[..., Tensor], queries: Tensor, *_: object) -> bool:
    """a text of 24,000 tokens is read, though a table of its weights does not fit into memory"""
    return not is_longest(queries) or reads_too_long(
        attention, reference.causal_linear_attention, queries, CAUSAL_TOKENS
    )


causal.holds(no_feature_is_too_small)


@causal.holds
def first_sees_itself_alone(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    feature_map: FeatureMap,
) -> bool:
    """the first token sees itself alone: its context is its own value"""
    contexts = attention(queries, keys, values, feature_map)
    return torch.allclose(contexts[..., 0, :], values[..., 0, :], rtol=1e-4, atol=1e-4)


@causal.holds
def future_does_not_matter(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    feature_map: FeatureMap,
) -> bool:
    """what comes later does not change the contexts of the tokens before it"""
    half = (queries.shape[-2] + 1) // 2
    whole = attention(queries, keys, values, feature_map)
    beginning = (x[..., :half, :].clone() for x in (queries, keys, values))
    part = attention(*beginning, feature_map)
    return torch.allclose(part, whole[..., :half, :], rtol=1e-4, atol=1e-4)


class CausalLinear(Linear):
    """A token sees itself and the tokens before it."""

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        return per_key.cumsum(dim=dim)


@causal.misconception
def nobody_hidden(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """Your tokens see the whole text, including the future. Each needs its own sums, over itself
    and the tokens before it: running sums, which `cumsum` computes.
    """
    return Linear().answer(queries, keys, values, feature_map)


@causal.misconception
def whole_table(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """The contexts are right, but you computed the weight of every pair and hid the future in this
    table, whose size grows with the square of the number of tokens. Use a running sum instead.
    """
    weights = (feature_map(queries) @ feature_map(keys).mT).tril()
    return weights @ values / weights.sum(dim=-1, keepdim=True)


@causal.misconception
def table_divided_by_all(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You hide the future in the numerator, but divide by a sum that includes the future. Besides,
    a running sum makes the table of all pairs unnecessary.
    """
    weights = feature_map(queries) @ feature_map(keys).mT
    return weights.tril() @ values / weights.sum(dim=-1, keepdim=True)


LINEAR.apply(
    causal,
    CausalLinear,
    says={
        "DividedByKeyFeatures": "You divided by the key features so far, added up without the "
        "query. Each query has its own sum: its features times the running sum of the key "
        "features.",
        "DividedByTheNumberOfKeys": "You divided by the number of keys that a token sees, so the "
        "weights do not sum to 1. Divide by their sum: the query's features times the running sum "
        "of the key features.",
        "RolesSwapped": "You swapped queries and keys, so you summed the queries. Take the "
        "running sum over the keys, and multiply each query's features by it.",
        "Undivided": "Your weights do not sum to 1: divide by their sum, which is the query's "
        "features times the running sum of the key features.",
    },
)


class TotalOfAll(CausalLinear):
    """The values are summed up to each token, but you divide by a sum over the whole text. The sum
    of the key features has to be a running sum as well.
    """

    def total(self, offered: Tensor) -> Tensor:
        return offered.sum(dim=-2, keepdim=True)


class SummaryOfAll(CausalLinear):
    """You divide by a running sum, but the numerator contains the values of the whole text. Take a
    running sum of the products of keys and values as well.
    """

    def summary(self, products: Tensor) -> Tensor:
        return products.sum(dim=-3, keepdim=True)


class WithoutItself(CausalLinear):
    """Your tokens see what comes before them, but not themselves; the first one sees nothing, and 0
    / 0 is NaN. Add a token's own key and value before you use its query.
    """

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        return per_key.cumsum(dim=dim) - per_key


class WithoutItselfGuarded(WithoutItself):
    """Your tokens see what comes before them, but not themselves, so the context of the first one
    is 0. Add a token's own key and value before you use its query.
    """

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed / (total + 1e-7)


class PastHidden(CausalLinear):
    """Your tokens see themselves and what comes after them. The sum should run from the first token
    on.
    """

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        return per_key.flip(dim).cumsum(dim=dim).flip(dim)


class OverTheFirstAxis(CausalLinear):
    """Without further axes in front your answer is right. With them, a sum of yours runs over the
    first axis: it should run over the axis of the tokens, counted from the end.
    """

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        return per_key.cumsum(dim=0)


class OverAxisOne(CausalLinear):
    """With a single axis in front of the tokens your answer is right. With none, or with more, a
    sum of yours runs over something else, because axis 1 is not always that of the tokens: count
    their axis from the end.
    """

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        return per_key.cumsum(dim=1)


class OverAxisTwo(CausalLinear):
    """With two axes in front of the tokens your answer is right. With fewer, axis 2 is not that of
    the tokens, or it is not there: count their axis from the end.
    """

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        return per_key.cumsum(dim=2)


class OverTheFeatures(CausalLinear):
    """Your sum of products runs over the features. It should run over the tokens, which are the
    third axis from the end once each key feature has been multiplied by each number of a value.
    """

    def summary(self, products: Tensor) -> Tensor:
        return products.cumsum(dim=-2)


class OverTheValues(CausalLinear):
    """Your sum of products runs over the numbers of a value. It should run over the tokens, which
    are the third axis from the end once each key feature has been multiplied by each number of a
    value.
    """

    def summary(self, products: Tensor) -> Tensor:
        return products.cumsum(dim=-1)


class TotalOverTheFeatures(CausalLinear):
    """Your denominator sums over the features of a key. It should be a running sum over the tokens,
    dim=-2, of each feature by itself.
    """

    def total(self, offered: Tensor) -> Tensor:
        return offered.cumsum(dim=-1)


class TotalNotSummed(CausalLinear):
    """You divide only by each token's weight for itself. Take a running sum of the key features, as
    of the products.
    """

    def total(self, offered: Tensor) -> Tensor:
        return offered


class SummaryNotSummed(CausalLinear):
    """Each of your tokens only uses its own value. Take a running sum of the products of keys and
    values.
    """

    def summary(self, products: Tensor) -> Tensor:
        return products


class QueriesSummed(CausalLinear):
    """You summed the queries, too. Each query is used on its own: sum only what comes from keys and
    values.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        return super().attend(asked.cumsum(dim=-2), offered, values)


class SummedTwice(CausalLinear):
    """A sum runs over the tokens twice, so that early tokens count several times. Multiply first,
    keys with values, and sum once.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        total = (asked * self.total(offered)).sum(dim=-1, keepdim=True)
        return self.divide(self.mix(asked, offered.cumsum(dim=-2), values), total)


class ProductsOfSums(CausalLinear):
    """You summed keys and values separately and then multiplied, so every key is combined with
    every value. Multiply each token's key features by its own value, and sum these products.
    """

    def summary(self, products: Tensor) -> Tensor:
        return products

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        total = (asked * self.total(offered)).sum(dim=-1, keepdim=True)
        mixed = self.mix(asked, offered.cumsum(dim=-2), values.cumsum(dim=-2))
        return self.divide(mixed, total)


Family(
    TotalOfAll,
    SummaryOfAll,
    WithoutItself,
    WithoutItselfGuarded,
    PastHidden,
    OverTheFirstAxis,
    OverAxisOne,
    OverAxisTwo,
    OverTheFeatures,
    OverTheValues,
    TotalOverTheFeatures,
    TotalNotSummed,
    SummaryNotSummed,
    QueriesSummed,
    SummedTwice,
    ProductsOfSums,
).apply(causal, CausalLinear)
TENSOR_DTYPE.apply(causal)


@causal.misconception
def softmax_attention(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """This is causal attention with a softmax. In linear attention, the weight of a key is the dot
    product of its features and the query's, divided by the sum of these products.
    """
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    future = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1) @ values


@causal.misconception
def stacked_in_front(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """The contexts are right, but in a batch the tokens are the first axis of your result. They
    should come just before the numbers of a context: if you stack them, do so along dim=-2.
    """
    return CausalLinear().answer(queries, keys, values, feature_map).movedim(-2, 0)


@causal.misconception
def stacked_behind(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """The contexts are right, but they are columns of your result. They should be rows: if you
    stack them, do so along dim=-2.
    """
    return CausalLinear().answer(queries, keys, values, feature_map).mT


@causal.misconception
def last_token_alone(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """This is only the context of the last token. If you have a loop, collect a context in each
    round.
    """
    return CausalLinear().answer(queries, keys, values, feature_map)[..., -1, :]


@causal.accepts
def token_by_token(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """A loop with a state, as a recurrent network.

    A loop carries a summary and a total along, as a recurrent network does. It holds a single state
    at a time, where running sums hold one for each token.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    summary = torch.zeros_like(offered[..., 0, :, None] * values[..., 0, None, :])
    total = torch.zeros_like(offered[..., 0, :])
    contexts = []
    for t in range(queries.shape[-2]):
        summary = summary + offered[..., t, :, None] * values[..., t, None, :]
        total = total + offered[..., t, :]
        mixed = (asked[..., t, :, None] * summary).sum(dim=-2)
        contexts.append(mixed / (asked[..., t, :] * total).sum(dim=-1, keepdim=True))
    return torch.stack(contexts, dim=-2)


@causal.accepts
def with_ones(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """A column of ones beside the values: its mixture is the sum of the weights."""
    values = torch.cat([values, torch.ones_like(values[..., :1])], dim=-1)
    products = feature_map(keys).unsqueeze(-1) * values.unsqueeze(-2)
    mixed = (feature_map(queries).unsqueeze(-1) * products.cumsum(-3)).sum(-2)
    return mixed[..., :-1] / mixed[..., -1:]


@causal.accepts
def by_einsum(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """Index expressions around running sums.

    Two running sums, written with einsum: `kv` holds the products of features and values up to each
    token, and `z` the totals that divide.
    """
    q, k = feature_map(queries), feature_map(keys)
    kv = torch.einsum("...tf,...tv->...tfv", k, values).cumsum(dim=-3)
    z = torch.einsum("...tf,...tf->...t", q, k.cumsum(dim=-2))
    return torch.einsum("...tf,...tfv->...tv", q, kv) / z.unsqueeze(-1)
