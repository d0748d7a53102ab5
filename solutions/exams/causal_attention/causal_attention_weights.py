"""The exam of `causal_attention_weights`, lesson 04."""

import math
from collections.abc import Callable

import torch

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import (
    FAR_BELOW_SCORES,
    MIXED_SCORES,
    SIX_SCORES,
    ScoreOfMinusABillion,
    far_below,
    future,
    hide,
)
from solutions.exams.families import (
    FUTURE,
    LOOP,
    MASK,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    ZERO_SCORES,
    Causal,
)
from solutions.exams.families.family import Family
from solutions.exams.families.masks import ScoreOfMinusHundred
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

weights = Exam(reference.causal_attention_weights)


@weights.example
def six_words() -> torch.Tensor:
    """the scores of all six words"""
    return SIX_SCORES


@weights.example
def scores_of_all_kinds() -> torch.Tensor:
    """scores below zero and large ones"""
    return MIXED_SCORES


@weights.example
def two_tables() -> torch.Tensor:
    """a batch of two tables"""
    return torch.stack([MIXED_SCORES[:3, :3], -MIXED_SCORES[1:, 1:]])


@weights.example
def tables_of_heads() -> torch.Tensor:
    """two tables with two axes before them, of two heads, one of them with scores of 60"""
    # In float32, exp(60) is a number, and exp(60 + 60) is none.
    large = torch.tensor([[60.0, 2, 0], [1, 60, -3], [0.5, 59, 60]], dtype=torch.float64)
    return torch.stack([MIXED_SCORES[:3, :3], large])[None]


@weights.example
def past_far_below() -> torch.Tensor:
    """visible scores of -1e32 and less"""
    return FAR_BELOW_SCORES


@weights.case
def one_table(draw: Draw) -> torch.Tensor:
    """one table of scores"""
    return draw.tensor("tokens tokens", scale=2)


@weights.case
def several_tables(draw: Draw) -> torch.Tensor:
    """a batch of tables"""
    return draw.tensor("batch tokens tokens", scale=2)


@weights.case(times=1)
def several_heads(draw: Draw) -> torch.Tensor:
    """tables with three axes before them"""
    return draw.tensor("texts batch heads tokens tokens", scale=2)


@weights.case(times=1)
def one_word_alone(draw: Draw) -> torch.Tensor:
    """a sentence of one word"""
    return draw.fix(tokens=1).tensor("batch tokens tokens")


@weights.case(times=1)
def huge_scores(draw: Draw) -> torch.Tensor:
    """scores of ±1000"""
    return draw.tensor("batch tokens tokens", scale=1000)


@weights.case(times=1)
def drawn_past_far_below(draw: Draw) -> torch.Tensor:
    """tables with visible scores of -1e32 and less"""
    # Alike within a row, so that it is the same to lower what is hidden and to replace it.
    hidden_scores = draw.tensor("batch tokens").unsqueeze(-1)
    return hidden_scores.where(future(draw.size("tokens")), far_below(draw, "tokens"))


@weights.case(times=1, dtypes=("float32",), hints=False)
def long_text(draw: Draw) -> torch.Tensor:
    """a text of more than a thousand words"""
    # Longer than the masks that models are often given, in the dtype that takes half of the room.
    return draw.fix(tokens=1030).tensor("tokens tokens")


weights.half_but_for("scores as low as -1e32", past_far_below, drawn_past_far_below)


@weights.holds
def future_is_exactly_zero(answer: Callable[..., torch.Tensor], s: torch.Tensor) -> bool:
    """the weights of the future are exactly 0"""
    return bool((answer(s).triu(1) == 0).all())


@weights.holds
def future_scores_do_not_matter(answer: Callable[..., torch.Tensor], s: torch.Tensor) -> bool:
    """other scores in the future change no weight"""
    there = answer(s + 5 * torch.ones_like(s).triu(1))
    return torch.allclose(answer(s), there, rtol=1e-4, atol=1e-6)


@weights.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> torch.Tensor:
    """in bfloat16 as well"""
    return draw.fix(tokens=TRIED_TWICE).tensor("tokens tokens")


weights.half_but_for("16-bit floats", in_bfloat16_as_well)
weights.holds(bfloat16_stays_once)


class Steps(Causal):
    """From scores to weights."""

    def answer(self, scores: torch.Tensor) -> torch.Tensor:
        num_tokens = scores.shape[-1]
        return self.weigh(scores, self.future(num_tokens, num_tokens))


(MASK + ZERO_SCORES).apply(
    weights,
    Steps,
    called={
        "NothingHidden": "result_discarded",
        "InvertedMask": "mask_inverted",
        "ScoreOfZero": "filled_with_zero",
        "ScoreOfMinusTen": "filled_with_minus_ten",
        "ScoreOfMinusHundred": "filled_with_minus_hundred",
        "TimesInfinity": "zero_times_infinity",
        "MaskAdded": "ones_added",
        "MaskedAfterwards": "zeroed_afterwards",
        "InfinityAfterwards": "infinity_after_the_softmax",
        "DividedOnceMore": "divided_again",
    },
    says={
        "InvertedMask": "What should be visible is hidden, and the future is visible. Fill where "
        "the mask of the future is True. Or is your own `causal_mask` the wrong way round? Run its "
        "check.",
    },
)


class ScoreOfMinusThousand(ScoreOfMinusHundred):
    __doc__ = ScoreOfMinusHundred.__doc__

    fill = -1000.0


Family(ScoreOfMinusThousand, ScoreOfMinusABillion).apply(weights, Steps)
FUTURE.apply(
    weights,
    Steps,
    called={
        "PastHidden": "past_filled",
        "DiagonalHidden": "diagonal_filled",
        "NextVisible": "next_one_visible",
        "MaskOfFloats": "mask_of_ones",
    },
    says={
        "PastHidden": "You hid the past, which is below the diagonal. With queries on rows, the "
        "future is above it. Or does your own `causal_mask` hide the past? Run its check.",
        "DiagonalHidden": "You hid the diagonal as well. The first word then sees nothing, so its "
        "row is NaN. A word may see itself. Or does your own `causal_mask` hide it? Run its check.",
        "NextVisible": "Each word still sees the next one: what you hide begins one position too "
        "far to the right. Is it the same in your own `causal_mask`? Run its check.",
    },
)
SOFTMAX.apply(weights, Steps, called={"NoSoftmax": "masked_scores_only"})
STABILITY.apply(
    weights,
    Steps,
    says={
        "OneMaximumForAll": "A row whose scores are far below the largest of all gives NaN, as "
        "when that one is subtracted: every exponential there is 0, and 0 / 0 is NaN. Hide the "
        "future first, then subtract the largest score that is left in each row, or use "
        "`torch.softmax`.",
    },
)


@weights.misconception
def written_in_place(scores: torch.Tensor) -> torch.Tensor:
    """The weights are right, but the caller's scores are changed as well: `masked_fill_` with an
    underscore and `scores[…] = …` write into them. Use `masked_fill`.
    """
    return torch.softmax(scores.masked_fill_(future(scores.shape[-1]), -torch.inf), dim=-1)


@weights.misconception
def softmax_over_axis_one(scores: torch.Tensor) -> torch.Tensor:
    """The softmax runs over axis 1. In one table those are the keys, but as soon as there is a
    batch they are the queries. Count from the end: dim=-1.
    """
    return torch.softmax(scores.masked_fill(future(scores.shape[-1]), -torch.inf), dim=1)


@weights.misconception
def queries_on_columns(scores: torch.Tensor) -> torch.Tensor:
    """Your columns sum to 1, and you hid what is below the diagonal: that is right where queries
    are columns. Here they are rows: the future is above the diagonal, and the softmax runs over the
    last axis.
    """
    return hide(scores.mT, future(scores.shape[-1])).mT


@weights.misconception
def summed_over_the_batch(scores: torch.Tensor) -> torch.Tensor:
    """One table is right, but a batch is not: you divide by a sum over all of its tables, as
    `.sum()` without an axis does in a loop over the rows. Each row of each table has its own sum:
    dim=-1, keepdim=True.
    """
    masked = scores.masked_fill(future(scores.shape[-1]), -torch.inf)
    batch = tuple(range(scores.ndim - 2))
    exponentials = torch.exp(masked - masked.amax(dim=(*batch, -1), keepdim=True))
    return exponentials / exponentials.sum(dim=(*batch, -1), keepdim=True)


@weights.misconception
def itself_left_out(scores: torch.Tensor) -> torch.Tensor:
    """With your weights, no word sees itself, and the first one sees nothing at all. A word may see
    itself: in row i, the words 0 to i are visible, which is the slice `: i + 1`.
    """
    hidden = future(scores.shape[-1]) | torch.eye(scores.shape[-1], dtype=torch.bool)
    return hide(scores, hidden).nan_to_num()


@weights.misconception
def divided_by_the_root(scores: torch.Tensor) -> torch.Tensor:
    """You divided by a square root. The scores that you are given need no scaling: just mask them
    and take the softmax.
    """
    return hide(scores / math.sqrt(scores.shape[-1]), future(scores.shape[-1]))


@weights.misconception
def first_axes_indexed(scores: torch.Tensor) -> torch.Tensor:
    """One table is right. As soon as there is a batch, its tables lose whole rows, since the first
    two axes are no longer the queries and the keys: these are the last two, `[..., i, i + 1:]`.
    """
    masked = scores.clone()
    for i in range(len(scores)):
        masked[i, i + 1 :] = -torch.inf
    return torch.softmax(masked, dim=-1)


@weights.misconception
def size_of_first_axis(scores: torch.Tensor) -> torch.Tensor:
    """The mask has the size of the first axis, which is the batch as soon as there is one. The
    number of tokens is the size of the last.
    """
    return hide(scores, future(scores.shape[0]))


TENSOR_DTYPE.apply(weights)
LOOP.apply(weights)


@weights.accepts
def weights_row_by_row(scores: torch.Tensor) -> torch.Tensor:
    """Loops.

    There is no mask: each query's softmax runs over the scores that it may see, and the rest
    stays 0.
    """
    result = torch.zeros_like(scores)
    for i in range(scores.shape[-1]):
        result[..., i, : i + 1] = torch.softmax(scores[..., i, : i + 1], dim=-1)
    return result


@weights.accepts
def weights_by_addition(scores: torch.Tensor) -> torch.Tensor:
    """A mask of floats, added.

    The mask is a table of floats, 0 where a key is seen and −∞ where it is hidden, and is added
    to the scores. Many libraries expect masks in this form.
    """
    n = scores.shape[-1]
    return (scores + torch.full((n, n), -torch.inf, dtype=scores.dtype).triu(1)).softmax(dim=-1)


@weights.accepts
def weights_written_out(scores: torch.Tensor) -> torch.Tensor:
    """Exponentials, with torch.where."""
    masked = torch.where(future(scores.shape[-1]), -torch.inf, scores)
    exponentials = torch.exp(masked - masked.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
