"""The exam of `linear_attention_step`, lesson 08: what it is tried on."""

from collections.abc import Callable

from torch import Tensor

from autograder import Draw, Exam
from companion import both_signs, elu_plus_one
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._long_texts import (
    FAR_BELOW,
    FeatureMap,
    is_a_third,
    one_feature,
    softplus_and_one,
)
from solutions.exams.printed_numbers import numbers

step = Exam(
    reference.linear_attention_step,
    returns=("context", "state"),
    unasked={"gradients": "a model that decodes is not trained"},
)

State = tuple[Tensor, Tensor]
Stepped = tuple[State, Tensor, Tensor, Tensor, FeatureMap]
Result = tuple[Tensor, State]


def after(keys: Tensor, values: Tensor, feature_map: FeatureMap) -> State:
    """The state in which some tokens leave it."""
    offered = feature_map(keys)
    return offered.mT @ values, offered.sum(dim=-2)


def rounded(state: State) -> State:
    """With few decimals, to print."""
    summary, total = state
    return summary.round(decimals=3), total.round(decimals=3)


def printed(tokens: int, d_k: int, d_v: int, feature_map: FeatureMap) -> Stepped:
    """A token after so many others."""
    past = numbers(tokens, d_k, start=200), numbers(tokens, d_v, start=400)
    state = rounded(after(*past, feature_map))
    new = numbers(d_k, start=20), numbers(d_k, start=50), numbers(d_v, start=80)
    return state, *new, feature_map


@step.example
def first_token() -> Stepped:
    """the first token: the state is of zeros"""
    return printed(0, 3, 2, elu_plus_one)


@step.example
def fourth_token() -> Stepped:
    """the fourth token"""
    return printed(3, 3, 2, elu_plus_one)


@step.example
def twice_the_features() -> Stepped:
    """the third token, and a map that makes four features of two numbers"""
    return printed(2, 2, 3, both_signs)


@step.example
def square_state() -> Stepped:
    """the sixth token, as many features as numbers of a value"""
    return printed(5, 3, 3, elu_plus_one)


def drawn(draw: Draw, tokens: int, feature_map: FeatureMap) -> Stepped:
    """A token after so many others."""
    draw.fix(tokens=tokens)
    past = draw.tensor("tokens d_k"), draw.tensor("tokens d_v")
    query, key, value = draw.tensor("d_k"), draw.tensor("d_k"), draw.tensor("d_v")
    return after(*past, feature_map), query, key, value, feature_map


@step.case(times=2)
def drawn_token(draw: Draw) -> Stepped:
    """a token after five others"""
    return drawn(draw, 5, elu_plus_one)


@step.case(times=1)
def drawn_first(draw: Draw) -> Stepped:
    """the first token"""
    return drawn(draw, 0, both_signs)


@step.case(times=1)
def drawn_other_features(draw: Draw) -> Stepped:
    """a feature map of another kind, which adds a feature"""
    return drawn(draw, 4, softplus_and_one)


@step.case(times=1)
def drawn_one_feature(draw: Draw) -> Stepped:
    """a feature map that leaves a single feature"""
    return drawn(draw, 4, one_feature)


@step.case(times=1)
def drawn_late(draw: Draw) -> Stepped:
    """a token after a hundred others"""
    return drawn(draw, 100, elu_plus_one)


@step.holds
def no_feature_is_too_small(
    step_function: Callable[..., Result],
    state: State,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    feature_map: FeatureMap,
) -> bool:
    """keys have the weights that their features say, even where these are nearly 0"""
    if state[1].any():
        return True
    value, (earlier, new) = value.double(), FAR_BELOW
    there = after(earlier[None], value[None], elu_plus_one)
    context, _ = step_function(there, 0 * new, new.clone(), 0 * value, elu_plus_one)
    return is_a_third(context, value)


@step.holds
def state_never_grows(
    step_function: Callable[..., Result],
    state: State,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    feature_map: FeatureMap,
) -> bool:
    """however many steps are taken, the state keeps its size, and the context of a repeated token
    moves towards its value
    """
    gaps = []
    kept: State = (state[0].clone(), state[1].clone())
    for _ in range(4):
        context, kept = step_function(kept, query, key, value, feature_map)
        gaps.append(float((context - value).abs().max()))
    shapes = [part.shape for part in kept] == [part.shape for part in state]
    return shapes and gaps[-1] <= gaps[0] + 1e-4
