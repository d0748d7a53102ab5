"""The exam of `linear_attention`, lesson 08: what it is tried on."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import both_signs, elu_plus_one, try_features
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._long_texts import (
    FeatureMap,
    Mapped,
    drawn,
    is_longest,
    no_feature_is_too_small,
    one_feature,
    printed,
    reads_too_long,
    softplus_and_one,
)
from solutions.exams.printed_numbers import numbers

linear = Exam(reference.linear_attention, use=try_features, forbids=("kernel_attention",))


@linear.example
def two_queries() -> Mapped:
    """two queries, five keys of three numbers, values of four"""
    return *printed(2, 5, 3, 4), elu_plus_one


@linear.example
def twice_the_features() -> Mapped:
    """three queries, four keys of two numbers, and a map that makes four features of them"""
    queries, keys, values = printed(3, 4, 2, 3)
    return queries, 2 * keys, values, both_signs


@linear.example
def two_texts() -> Mapped:
    """two texts, two heads each, three queries, five keys"""
    return *printed(3, 5, 4, 2, 2, 2), elu_plus_one


@linear.example
def all_of_a_size() -> Mapped:
    """four texts of four tokens, four numbers to a query, a key and a value"""
    queries, keys, values = (numbers(4, 4, 4, start=start) for start in (1, 120, 160))
    return queries, keys, values, elu_plus_one


@linear.example
def long_text() -> Mapped:
    """a text of 32 tokens"""
    return *printed(32, 32, 2, 3), elu_plus_one


@linear.case(times=2)
def drawn_queries(draw: Draw) -> Mapped:
    """queries, keys and values drawn at random"""
    return *drawn(draw), elu_plus_one


@linear.case(times=1)
def drawn_heads(draw: Draw) -> Mapped:
    """several texts and heads"""
    return *drawn(draw, "batch heads"), both_signs


@linear.case(times=1)
def drawn_other_features(draw: Draw) -> Mapped:
    """a feature map of another kind, which adds a feature"""
    return *drawn(draw, "batch"), softplus_and_one


@linear.case(times=1)
def drawn_one_feature(draw: Draw) -> Mapped:
    """a feature map that leaves a single feature"""
    return *drawn(draw), one_feature


@linear.case(times=1)
def drawn_one_key(draw: Draw) -> Mapped:
    """a single key"""
    return *drawn(draw.fix(keys=1)), elu_plus_one


@linear.case(times=1)
def drawn_one_query(draw: Draw) -> Mapped:
    """a single query"""
    return *drawn(draw.fix(queries=1)), elu_plus_one


@linear.case(times=1)
def drawn_long_text(draw: Draw) -> Mapped:
    """a longer text"""
    draw.fix(queries=70, keys=90, d_k=3, d_v=4)
    return *drawn(draw), both_signs


@linear.holds
def table_does_not_fit(attention: Callable[..., Tensor], queries: Tensor, *_: object) -> bool:
    """a text of 17,000 tokens is read, though a table of its weights does not fit into memory"""
    return not is_longest(queries) or reads_too_long(attention, reference.linear_attention, queries)


linear.holds(no_feature_is_too_small)


@linear.holds
def equal_values_stay(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    feature_map: FeatureMap,
) -> bool:
    """if all values are the same vector, every context is this vector"""
    contexts = attention(queries, keys, torch.ones_like(values), feature_map)
    return torch.allclose(contexts, torch.ones_like(contexts), atol=1e-4)


@linear.holds
def order_does_not_matter(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    feature_map: FeatureMap,
) -> bool:
    """the contexts do not depend on the order of the keys"""
    here = attention(queries, keys, values, feature_map)
    there = attention(queries, keys.flip(-2), values.flip(-2), feature_map)
    return torch.allclose(here, there, rtol=1e-4, atol=1e-5)
