"""The exam of `softmax_with_sink`, lesson 09."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import transformer as reference
from solutions.exams.printed_numbers import numbers
from solutions.exams.sixteen_bits import bfloat16_is_near

sinks = Exam(reference.softmax_with_sink, forbids=("companion",))

Call = tuple[Tensor, Tensor]


def hiding(scores: Tensor, *hidden: tuple[int, ...]) -> Tensor:
    """The scores with −inf at some places."""
    for place in hidden:
        scores[place] = -torch.inf
    return scores


@sinks.example
def two_heads() -> Call:
    """one text, two heads, two queries, three keys, the second query's last key hidden"""
    return hiding(numbers(1, 2, 2, 3), (0, 0, 1, 2), (0, 1, 1, 2)), torch.tensor([0.0, 1.5])


@sinks.example
def nothing_to_read() -> Call:
    """a query whose keys are all hidden"""
    scores = hiding(numbers(1, 2, 2, 3, start=20), (0, 0, 0), (0, 1, 1, 0))
    return scores, torch.tensor([0.5, -1.0])


@sinks.example
def square() -> Call:
    """two texts, heads, queries and keys"""
    return numbers(2, 2, 2, 2, start=40), torch.tensor([-0.5, 1.0])


@sinks.example
def high_scores() -> Call:
    """scores of several hundred, the second head's last key hidden"""
    scores = torch.tensor([[[[801.0, 800.0, 799.5]], [[-900.0, -899.0, -torch.inf]]]])
    return scores.double(), torch.tensor([800.0, -900.5])


@sinks.example
def high_sink() -> Call:
    """a sink far above all scores of one head, and far below those of another"""
    return numbers(1, 2, 1, 3, start=60), torch.tensor([900.0, -900.0])


def drawn(draw: Draw, scale: float = 1.0) -> Call:
    """Scores of which some are hidden, and no row's all, and one sink for each head."""
    scores = draw.tensor("batch heads queries keys", scale=scale)
    chances = torch.from_numpy(draw.rng.random(tuple(scores.shape)))
    hidden = (chances < 0.25) & (chances < chances.amax(dim=-1, keepdim=True))
    return scores.masked_fill(hidden, -torch.inf), draw.tensor("heads", scale=scale)


# The first one: what gradients are asked for, which are NaN where weights were NaN on the way.
@sinks.case(times=1)
def hidden_texts(draw: Draw) -> Call:
    """a text that is all hidden"""
    scores, sink = drawn(draw)
    return hiding(scores, (-1,)), sink


@sinks.case
def scores_of_some_heads(draw: Draw) -> Call:
    """scores drawn at random, some of them hidden"""
    return drawn(draw)


@sinks.case(times=1)
def a_single_head(draw: Draw) -> Call:
    """a single head"""
    return drawn(draw.fix(heads=1))


@sinks.case(times=1)
def a_single_key(draw: Draw) -> Call:
    """a single key"""
    return drawn(draw.fix(keys=1))


@sinks.case(times=1)
def hundreds(draw: Draw) -> Call:
    """scores and sinks of some hundreds"""
    return drawn(draw, scale=300.0)


# In float32, such scores have few digits left for what tells them apart.
@sinks.case(times=1, dtypes=("float64",))
def far_below_zero(draw: Draw) -> Call:
    """scores and sinks far below 0, a text that is all hidden"""
    scores, sink = drawn(draw)
    return hiding(scores - 20000, (-1,)), sink - 20000


# Keys of the case that is tried in bfloat16 as well, as many as in no other.
_TRIED_TWICE = 9


@sinks.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Call:
    """in bfloat16 as well"""
    return drawn(draw.fix(keys=_TRIED_TWICE))


sinks.half_but_for("16-bit floats", in_bfloat16_as_well)


sinks.holds(
    bfloat16_is_near(
        "of scores and sinks in bfloat16 the weights are nearly the same, and in bfloat16",
        _TRIED_TWICE,
        atol=0.05,
    )
)


@sinks.holds
def hidden_keys_are_zero(answer: Callable[..., Tensor], scores: Tensor, sink: Tensor) -> bool:
    """the weight of a hidden key is 0, and not just small"""
    return bool((answer(scores, sink)[scores == -torch.inf] == 0).all())


@sinks.holds
def only_differences_count(answer: Callable[..., Tensor], scores: Tensor, sink: Tensor) -> bool:
    """the same number added to all scores and to all sinks changes nothing"""
    here, there = answer(scores, sink), answer(scores + 2, sink + 2)
    return torch.allclose(here, there, rtol=1e-3, atol=1e-5)
