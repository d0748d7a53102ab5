"""The exam of `mask_then_renormalise`, lesson 04."""

from collections.abc import Callable

import torch
from torch import nn

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import MIXED_SCORES, SIX_WEIGHTS, future, hide
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.sixteen_bits import bfloat16_stays

renormalised = Exam(reference.mask_then_renormalise)


@renormalised.example
def full_weights() -> torch.Tensor:
    """the full weights of six words"""
    return SIX_WEIGHTS


@renormalised.example
def one_word_each() -> torch.Tensor:
    """two texts of one word each"""
    return torch.ones(2, 1, 1, dtype=torch.float64)


@renormalised.example
def uneven_weights() -> torch.Tensor:
    """a batch of uneven weights"""
    scores = torch.stack([MIXED_SCORES[:3, :3], MIXED_SCORES[1:, 1:]])
    # With six decimals, lower ones would leave nothing of a row to divide by.
    return scores.clamp(min=-12).softmax(dim=-1).round(decimals=6)


@renormalised.case
def random_weights(draw: Draw) -> torch.Tensor:
    """one table of weights"""
    return draw.tensor("tokens tokens").softmax(dim=-1)


@renormalised.case
def batch_of_weights(draw: Draw) -> torch.Tensor:
    """a batch of tables"""
    return draw.tensor("batch tokens tokens").softmax(dim=-1)


@renormalised.case(times=1)
def weights_of_heads(draw: Draw) -> torch.Tensor:
    """tables with three axes before them"""
    return draw.tensor("texts batch heads tokens tokens").softmax(dim=-1)


@renormalised.case(times=1)
def future_takes_nearly_all(draw: Draw) -> torch.Tensor:
    """weights of which the future has nearly all"""
    scores = draw.fix(tokens=6).tensor("batch tokens tokens", scale=0.3)
    # Some 1e-11 is left of the first row: `normalize` takes sums below 1e-12 for 1e-12.
    return (scores + 23.5 * torch.ones_like(scores).triu(1)).softmax(dim=-1)


@renormalised.case(times=1)
def lonely_weight(draw: Draw) -> torch.Tensor:
    """a sentence of one word"""
    return draw.fix(tokens=1).tensor("batch tokens tokens").softmax(dim=-1)


@renormalised.case(times=1, dtypes=("float32",), hints=False)
def long_text(draw: Draw) -> torch.Tensor:
    """a text of more than a thousand words"""
    # Longer than the masks that models are often given, in the dtype that takes half of the room.
    return draw.fix(tokens=1030).tensor("tokens tokens").softmax(dim=-1)


renormalised.half_but_for("rows of which little is left", uneven_weights, future_takes_nearly_all)


@renormalised.holds
def rows_sum_to_one(answer: Callable[..., torch.Tensor], w: torch.Tensor) -> bool:
    """each row sums to 1"""
    total = answer(w).sum(dim=-1)
    return torch.allclose(total, torch.ones_like(total), atol=1e-5)


renormalised.holds(bfloat16_stays)


@renormalised.misconception
def not_renormalised(weights: torch.Tensor) -> torch.Tensor:
    """The future is 0, and all rows but the last sum to less than 1. Divide each row by what is
    left of it.
    """
    return weights.tril()


@renormalised.misconception
def sums_across_columns(weights: torch.Tensor) -> torch.Tensor:
    """You divided columns by the sums of rows: without its last axis, the vector of sums lines up
    with the columns. Write keepdim=True.
    """
    past = weights.tril()
    return past / past.sum(dim=-1)


@renormalised.misconception
def columns_normalised(weights: torch.Tensor) -> torch.Tensor:
    """Your columns sum to 1. Each query has a row, so sum over the last axis."""
    past = weights.tril()
    return past / past.sum(dim=-2, keepdim=True)


@renormalised.misconception
def axis_one_normalised(weights: torch.Tensor) -> torch.Tensor:
    """You sum over axis 1. In one table those are the keys, but as soon as there is a batch they
    are the queries. Count from the end: dim=-1.
    """
    past = weights.tril()
    return past / past.sum(dim=1, keepdim=True)


@renormalised.misconception
def divided_by_the_length(weights: torch.Tensor) -> torch.Tensor:
    """The squares in each of your rows sum to 1: `F.normalize` divides by the length of a vector
    unless it is given `p=1`. Divide by the sum of the row.
    """
    past = weights.tril()
    return past / past.square().sum(dim=-1, keepdim=True).sqrt()


@renormalised.misconception
def softmax_of_weights(weights: torch.Tensor) -> torch.Tensor:
    """You took a softmax of the weights, which gives weight to the zeros again. Divide each row by
    its sum.
    """
    return weights.tril().softmax(dim=-1)


@renormalised.misconception
def masked_softmax_of_weights(weights: torch.Tensor) -> torch.Tensor:
    """You took a second softmax, of the weights, which evens them out. They have already been
    through one: divide each row by its sum.
    """
    return hide(weights, future(weights.shape[-1]))


@renormalised.misconception
def shared_evenly(weights: torch.Tensor) -> torch.Tensor:
    """Your rows sum to 1, but you distributed the weight of the hidden words evenly. Each visible
    word gains in proportion to its weight: divide the row by what is left of it.
    """
    past = weights.tril()
    seen = torch.arange(1, weights.shape[-1] + 1, dtype=weights.dtype)[:, None]
    return (past + (1 - past.sum(dim=-1, keepdim=True)) / seen).tril()


@renormalised.misconception
def divided_by_the_whole(weights: torch.Tensor) -> torch.Tensor:
    """You divided by one sum of all the weights. Each row has its own sum."""
    past = weights.tril()
    return past / past.sum()


@renormalised.misconception
def kept_the_future(weights: torch.Tensor) -> torch.Tensor:
    """You kept the upper triangle, the future. Keep the lower one."""
    kept = weights.triu()
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def lost_the_diagonal(weights: torch.Tensor) -> torch.Tensor:
    """You removed the diagonal, too, so the first row is 0 / 0. A word may see itself."""
    kept = weights.tril(-1)
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def next_one_kept(weights: torch.Tensor) -> torch.Tensor:
    """Each word keeps the weight of the next one: what you keep includes one diagonal too many."""
    kept = weights.tril(1)
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def only_the_future_kept(weights: torch.Tensor) -> torch.Tensor:
    """You kept the part that should go: the future, above the diagonal. Keep the lower triangle."""
    kept = weights.triu(1)
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def filled_with_minus_infinity(weights: torch.Tensor) -> torch.Tensor:
    """The hidden weights are infinite when you divide. Filling with −∞ is for scores, before a
    softmax. Here nothing turns it into 0: fill with 0.
    """
    past = weights.masked_fill(future(weights.shape[-1]), -torch.inf)
    return past / past.sum(dim=-1, keepdim=True)


@renormalised.misconception
def nothing_masked(weights: torch.Tensor) -> torch.Tensor:
    """These are the weights as they came. Set the future to 0, then divide each row by its sum."""
    return weights / weights.sum(dim=-1, keepdim=True)


def _never_by_zero(name: str, divisor: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """A division that is kept away from 0 by so much that small sums are lost."""

    def wrong(weights: torch.Tensor) -> torch.Tensor:
        past = weights.tril()
        return past / divisor(past.sum(dim=-1, keepdim=True))

    wrong.__name__ = name
    wrong.__doc__ = (
        "Where the future had nearly all of the weight, your rows do not sum to 1. Does what you "
        "divide by have a small number added to it, or is it kept above one? Divide by the sum."
    )
    renormalised.misconception(wrong)


_never_by_zero("a_hundred_millionth_added", lambda total: total + 1e-8)
_never_by_zero("a_billionth_added", lambda total: total + 1e-9)
_never_by_zero("no_less_than_a_billionth", lambda total: total.clamp(min=1e-9))


@renormalised.misconception
def renormalised_in_place(weights: torch.Tensor) -> torch.Tensor:
    """The result is right, but the caller's weights are changed as well, as by an operation with an
    underscore, by `/=` or by `weights[…] = …`.
    """
    weights.tril_()
    return weights / weights.sum(dim=-1, keepdim=True)


TENSOR_DTYPE.apply(renormalised)
LOOP.apply(renormalised)


@renormalised.accepts
def renormalised_in_loops(weights: torch.Tensor) -> torch.Tensor:
    """Loops.

    Row by row, what a query may see is divided by its own sum. The future is never touched.
    """
    result = torch.zeros_like(weights)
    for i in range(weights.shape[-1]):
        seen = weights[..., i, : i + 1]
        result[..., i, : i + 1] = seen / seen.sum(dim=-1, keepdim=True)
    return result


@renormalised.accepts
def renormalised_by_the_library(weights: torch.Tensor) -> torch.Tensor:
    """nn.functional.normalize."""
    return nn.functional.normalize(weights.masked_fill(future(weights.shape[-1]), 0), p=1, dim=-1)


@renormalised.accepts
def renormalised_by_product(weights: torch.Tensor) -> torch.Tensor:
    """A product with a triangle of ones.

    A product with a triangle of ones hides the future. It works for weights, where 0 means
    hidden, and never for scores.
    """
    past = weights * torch.ones_like(weights).tril()
    return past / past.sum(-1).unsqueeze(-1)
