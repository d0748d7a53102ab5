"""The exam of `next_token_distribution`, lesson 09."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import transformer as reference
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

distribution = Exam(
    reference.next_token_distribution,
    forbids=("companion",),
    unasked={"gradients": "it draws the next token of a model that is trained"},
)

Call = tuple[Tensor, *tuple[float | None, ...]]

FOUR = [2.0, 1.0, 0.0, -1.0]
SIX = [0.5, 2.0, -1.0, 1.5, 2.5, 0.0]

_with_top_p: list[Callable[..., Call]] = []
for _logits, _settings, _what in (
    (FOUR, (), "four tokens, no settings"),
    (SIX, (1.0, None, None), "six tokens, all of which are kept"),
    (SIX, (0.5, None, None), "a temperature of 0.5"),
    (SIX, (2.0, None, None), "a temperature of 2"),
    (SIX, (1.0, 2, None), "the top 2"),
    (SIX, (1.0, 4, None), "the top 4"),
    (SIX, (1.0, 1, None), "the top 1"),
    (SIX, (1.0, 9, None), "the top 9 of six"),
    (FOUR, (1.0, None, 0.7), "a top-p of 0.7"),
    (SIX, (1.0, None, 0.5), "a top-p of 0.5"),
    (SIX, (1.0, None, 0.9), "a top-p of 0.9"),
    (SIX, (1.0, None, 0.01), "a tiny top-p"),
    (SIX, (1.0, None, 0.99), "a top-p of 0.99"),
    (SIX, (1.0, 3, 0.8), "the top 3, of these a top-p of 0.8"),
    (SIX, (1.0, 4, 0.75), "the top 4, of these a top-p of 0.75"),
    (SIX, (0.5, None, 0.8), "a temperature of 0.5 and a top-p of 0.8"),
    (SIX, (3.0, 4, 0.6), "a temperature of 3, the top 4 and a top-p of 0.6"),
    (FOUR, (0.01, None, 0.9), "a temperature near 0"),
    (FOUR, (0.001, None, 1.0), "a temperature near 0 and a top-p of 1"),
    ([1000.0, 998.0, 1001.0], (1.0, 2, None), "logits of a thousand"),
    ([0.5], (2.0, 1, 0.5), "a vocabulary of one token"),
):

    def _example(
        logits: list[float] = _logits,
        settings: tuple[float | None, ...] = _settings,
    ) -> Call:
        return torch.tensor(logits, dtype=torch.float64), *settings

    _example.__doc__ = _what
    distribution.example(_example)
    if _settings and _settings[-1]:
        _with_top_p.append(_example)


def drawn_p(draw: Draw, logits: Tensor, temperature: float = 1.0, top_k: int | None = None) -> Call:
    """A call whose top-p lies in the middle of a token's probability, far from any tie."""
    shares = torch.softmax(logits / temperature, dim=-1).sort(descending=True).values.numpy()
    shares = shares[:top_k] / shares[:top_k].sum()
    places = np.flatnonzero(shares > 0.04)
    at = int(draw.rng.choice(places))
    before = float(shares[:at].sum())
    top_p = before + float(shares[at]) * float(draw.rng.uniform(0.3, 0.7))
    return logits, temperature, top_k, round(top_p, 3)


@distribution.case
def some_temperature(draw: Draw) -> Call:
    """another temperature, a vocabulary of 80"""
    logits = draw.fix(vocabulary=80).tensor("vocabulary", scale=2.0)
    return logits, draw.in_turn([0.3, 1.5, 30.0]) * float(draw.rng.uniform(0.8, 1.2))


@distribution.case
def some_k(draw: Draw) -> Call:
    """top-k, a vocabulary of 80"""
    logits = draw.fix(vocabulary=80).tensor("vocabulary", scale=2.0)
    return logits, 1.0, draw.in_turn([2, 20, 55]) + int(draw.rng.integers(18))


@distribution.case
def some_p(draw: Draw) -> Call:
    """top-p, a vocabulary of 20"""
    return drawn_p(draw, draw.fix(vocabulary=20).tensor("vocabulary", scale=2.0))


@distribution.case
def all_of_it(draw: Draw) -> Call:
    """temperature, top-k, which may be above the vocabulary, and top-p together"""
    logits = draw.fix(vocabulary=12).tensor("vocabulary", scale=2.0)
    temperature = round(float(draw.rng.uniform(0.5, 2.5)), 2)
    top_k = draw.in_turn([3, 6, 50]) + int(draw.rng.integers(3))
    return drawn_p(draw, logits, temperature, top_k)


@distribution.case(times=1)
def k_above_the_vocabulary(draw: Draw) -> Call:
    """a top-k above the vocabulary"""
    return draw.tensor("vocabulary"), 2.0, 50, None


@distribution.case(times=1)
def cold(draw: Draw) -> Call:
    """a temperature near 0, and logits that are as near to each other"""
    return draw.tensor("vocabulary", scale=2e-6), 1e-6


@distribution.case(times=1)
def tiny_p(draw: Draw) -> Call:
    """a tiny top-p"""
    return draw.tensor("vocabulary"), 1.0, None, 1e-6


@distribution.case(times=1)
def whole_p(draw: Draw) -> Call:
    """a top-p of 1, of a model that is certain"""
    # Only there is the sum exactly 1, and no matter of rounding.
    return torch.from_numpy(draw.rng.permutation(6)).double(), 0.001, None, 1.0


@distribution.case(times=1)
def nearly_whole_p(draw: Draw) -> Call:
    """a top-p of almost 1"""
    # Of the probabilities 0.99966 is reached with four tokens, and 0.99995 with five.
    return torch.from_numpy(2 * draw.rng.permutation(7)).double(), 1.0, None, 0.9998


@distribution.case(times=1)
def small_p(draw: Draw) -> Call:
    """a small top-p, and a vocabulary of 300 tokens, all of them nearly as likely"""
    logits = torch.from_numpy(draw.rng.permutation(300) / 1000).double()
    shares = torch.softmax(logits, dim=-1).sort(descending=True).values
    return logits, 1.0, None, float(shares[0] + shares[1] / 2)


@distribution.case(times=2)
def large_logits(draw: Draw) -> Call:
    """logits that are all large, or all far below zero"""
    # None so far from the others that its probability is 0, also among the least likely.
    return draw.tensor("vocabulary", scale=3.0) + draw.in_turn([1000, -1000]), 1.0, 4, None


# In float32, such logits have few digits left for what tells them apart.
@distribution.case(times=1, dtypes=("float64",))
def far_below_zero(draw: Draw) -> Call:
    """logits that are still further below zero"""
    return draw.tensor("vocabulary") - 20000, 1.0, 3


@distribution.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Call:
    """in bfloat16 as well"""
    return (draw.fix(vocabulary=TRIED_TWICE).tensor("vocabulary"),)


distribution.half_but_for("16-bit floats", in_bfloat16_as_well)
distribution.half_but_for(
    "top-p", *_with_top_p, some_p, all_of_it, tiny_p, small_p, nearly_whole_p, whole_p
)
distribution.half_but_for("a temperature near 0", cold)


@distribution.holds
def others_are_zero(answer: Any, logits: Tensor, *settings: Any) -> bool:
    """The probabilities of the tokens that are not kept are 0, and not just small."""
    others = reference.next_token_distribution(logits, *settings) == 0
    # Of what is kept, some rounds to 0 here that has a last digit elsewhere.
    return bool((answer(logits, *settings)[others] < 1e-30).all())


@distribution.holds
def unlikely_tokens_are_kept(answer: Any, logits: Tensor, *settings: Any) -> bool:
    """The probability of a token that is kept may be tiny, and is not 0."""
    expected = reference.next_token_distribution(logits, *settings)
    kept = expected > 1e-30
    found = answer(logits, *settings)[kept] / expected[kept]
    return bool(((found > 0.5) & (found < 2)).all())


@distribution.holds
def sums_to_one(answer: Any, logits: Tensor, *settings: Any) -> bool:
    """The probabilities sum to 1."""
    return bool((answer(logits, *settings).sum() - 1).abs() < 1e-4)


distribution.holds(bfloat16_stays_once)
