"""The exam of `positive_random_features`, lesson 08: what it is tried on."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.printed_numbers import numbers

features = Exam(reference.positive_random_features, forbids=("companion",))

Two = tuple[Tensor, Tensor]


@features.example
def three_tokens() -> Two:
    """three tokens of four numbers, five directions"""
    return numbers(3, 4), numbers(5, 4, start=60)


@features.example
def many_features() -> Two:
    """two tokens of two numbers, seven directions"""
    return numbers(2, 2, start=11), numbers(7, 2, start=90)


@features.example
def square() -> Two:
    """three tokens of three numbers, three directions"""
    return numbers(3, 3, start=30), numbers(3, 3, start=120)


@features.example
def three_texts() -> Two:
    """three texts of one head, two tokens of five numbers each, four directions"""
    return numbers(3, 1, 2, 5, start=150), numbers(4, 5, start=260)


@features.case(times=2)
def drawn_tokens(draw: Draw) -> Two:
    """tokens and directions drawn at random"""
    return draw.tensor("tokens d"), draw.tensor("features d")


@features.case(times=1)
def drawn_heads(draw: Draw) -> Two:
    """several texts and heads"""
    return draw.tensor("batch heads tokens d"), draw.tensor("features d")


@features.case(times=1)
def drawn_one_token(draw: Draw) -> Two:
    """a single token"""
    draw.fix(tokens=1)
    return draw.tensor("tokens d"), draw.tensor("features d")


@features.case(times=1)
def drawn_one_direction(draw: Draw) -> Two:
    """a single direction"""
    draw.fix(features=1)
    return draw.tensor("tokens d"), draw.tensor("features d")


@features.case(times=1)
def drawn_many_directions(draw: Draw) -> Two:
    """many more directions than numbers"""
    draw.fix(features=64)
    return draw.tensor("tokens d"), draw.tensor("features d")


@features.case(times=1)
def drawn_wide(draw: Draw) -> Two:
    """tokens of 64 numbers, of which the first lies along a direction"""
    draw.fix(d=64)
    x, directions = draw.tensor("tokens d"), draw.tensor("features d")
    # The exponent is 64 - 32, and no other is as large: both exponentials fit into float32.
    directions[0] *= 8 / directions[0].norm()
    x[0] = 64**0.25 * directions[0]
    return x, directions


@features.holds
def all_are_positive(function: Callable[[Tensor, Tensor], Tensor], x: Tensor, w: Tensor) -> bool:
    """no feature is below zero"""
    return bool((function(x, w) >= 0).all())


@features.holds
def small_features_are_exact(
    function: Callable[[Tensor, Tensor], Tensor], x: Tensor, w: Tensor
) -> bool:
    """the features of long vectors are right, though they are nearly 0"""
    # Half of their square is 40, so the features are about exp(-40): far below what is added to
    # numbers to keep them away from 0, and far above the smallest number of float32.
    long = x / x.norm(dim=-1, keepdim=True) * (2 * 40 * x.shape[-1] ** 0.5) ** 0.5
    wanted = reference.positive_random_features(long, w)
    return torch.allclose(function(long, w).to(wanted.dtype), wanted, rtol=1e-2, atol=0)


@features.holds
def a_zero_has_features_of_one(
    function: Callable[[Tensor, Tensor], Tensor], x: Tensor, w: Tensor
) -> bool:
    """the features of a vector of zeros have the dot product 1 with themselves, as exp(0) has"""
    of_zeros = function(torch.zeros_like(x), w)
    return bool((of_zeros.square().sum(dim=-1) - 1).abs().max() < 1e-4)
