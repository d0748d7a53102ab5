"""The exam of `dropout`, lesson 04: what it is tried on."""

from collections.abc import Callable
from functools import partial

import torch

from autograder import Draw, Exam
from companion import try_dropout
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import SIX_WEIGHTS
from solutions.exams.sixteen_bits import bfloat16_stays

dropping = Exam(reference.dropout, use=try_dropout)

Trial = tuple[torch.Tensor, float, int, bool]

_MANY = 10_000
# A hundred of so many are dropped, and with a rate of a thousandth two hundred.
_SELDOM, _FEW_OF = 0.0005, (400, 500)
_DROPPED = range(40, 150)


@dropping.example
def a_fifth() -> Trial:
    """in training, p = 0.2"""
    return SIX_WEIGHTS, 0.2, 1, True


@dropping.example
def most() -> Trial:
    """two sentences, in training, p = 0.6"""
    return torch.stack([SIX_WEIGHTS, SIX_WEIGHTS.flip(0, 1)]), 0.6, 2, True


@dropping.example
def in_use() -> Trial:
    """not in training, p = 0.2"""
    return SIX_WEIGHTS, 0.2, 3, False


@dropping.example
def no_dropout() -> Trial:
    """in training, p = 0"""
    return SIX_WEIGHTS, 0.0, 4, True


@dropping.case(times=2)
def batch_in_training(draw: Draw) -> Trial:
    """a batch of weights, in training"""
    drawn = draw.fix(queries=7, keys=6).tensor("batch queries keys").softmax(dim=-1)
    return drawn, (0.2, 0.3, 0.7)[draw.size("batch") % 3], 100, True


@dropping.case(times=1)
def heads_in_training(draw: Draw) -> Trial:
    """batches of heads with few weights each, in training"""
    draw.fix(texts=2, batch=2, heads=2, queries=2, keys=2)
    return draw.tensor("texts batch heads queries keys").softmax(dim=-1), 0.3, 200, True


@dropping.case(times=1)
def many_in_training(draw: Draw) -> Trial:
    """many weights, in training, with a rate of three decimals"""
    # Amid two hundredths, and so many weights that chance takes what is dropped to neither.
    p = (0.135, 0.235, 0.335)[int(draw.rng.integers(3))]
    drawn = draw.fix(queries=120, keys=120).tensor("queries keys").softmax(dim=-1)
    return drawn, p, 400, True


@dropping.case(times=1)
def one_row_in_training(draw: Draw) -> Trial:
    """a single row of numbers of both signs, in training"""
    row = draw.fix(keys=5).tensor("keys")
    row[0], row[1] = row[0].abs(), -row[1].abs()
    return row, 0.6, 300, True


@dropping.case(times=1)
def batch_in_use(draw: Draw) -> Trial:
    """a batch of weights, not in training"""
    return draw.tensor("batch queries keys").softmax(dim=-1), 0.3, 100, False


@dropping.holds
def on_unless_told_otherwise(
    answer: Callable[..., torch.Tensor], weights: torch.Tensor, p: float, seed: int, training: bool
) -> bool:
    """called without `training`, it does what it does in training"""
    # The driver passes `training` in every call.
    call = partial(answer, weights, p)
    left_out = call(torch.Generator().manual_seed(seed))
    return left_out.equal(call(torch.Generator().manual_seed(seed), True))


@dropping.holds
def dtype_is_kept(
    answer: Callable[..., torch.Tensor], weights: torch.Tensor, p: float, seed: int, training: bool
) -> bool:
    """of numbers in bfloat16, the result is in bfloat16"""
    return bfloat16_stays(answer, weights, p, torch.Generator().manual_seed(seed), training)


@dropping.holds
def no_rate_is_too_small(
    answer: Callable[..., torch.Tensor], weights: torch.Tensor, p: float, seed: int, training: bool
) -> bool:
    """with p = 0.0005, about one weight in 2000 is dropped"""
    if weights.numel() < _MANY:
        return True
    generator = torch.Generator().manual_seed(seed)
    result = answer(weights.new_ones(_FEW_OF), _SELDOM, generator, True)
    return int((result == 0).sum()) in _DROPPED


dropping.half_but_for("rates of three decimals and more", many_in_training)
