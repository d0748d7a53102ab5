"""The exam of `masked_attention_weights`, lesson 04."""

from collections.abc import Callable

import torch

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import (
    FAR_BELOW_SCORES,
    MIXED_SCORES,
    Pair,
    far_below,
    future,
    hide,
)
from solutions.exams.families import (
    EMPTY_ROWS,
    FAR_ABOVE,
    FURTHER_ABOVE,
    LOOP,
    MASK,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    ZERO_SCORES,
    Attention,
)
from solutions.exams.families.family import Family
from solutions.exams.families.masks import LargeNegativeNumber
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

masked = Exam(reference.masked_attention_weights, forbids=("companion",))


@masked.example
def ordinary_rows() -> Pair:
    """the causal mask"""
    return MIXED_SCORES, future(4)


@masked.example
def a_hidden_row() -> Pair:
    """a row that is all hidden, and others that are not causal"""
    hidden = future(4)
    hidden[1], hidden[0, 1], hidden[3, 0] = True, False, True
    return MIXED_SCORES, hidden


@masked.example
def two_sentences() -> Pair:
    """two sentences of two queries and three keys, with masks of their own"""
    scores = torch.stack([MIXED_SCORES[2:, :3], MIXED_SCORES[:2, 1:]])
    return scores, torch.tensor([[[0, 0, 1], [1, 1, 1]], [[1, 0, 0], [0, 1, 0]]]).bool()


@masked.example
def small_scores() -> Pair:
    """one sentence of two queries and three keys, scores between −3 and 2"""
    # Next to these, a fill of −10 shows, and one of −100 does not. They stand in a batch, so that
    # what goes wrong with small scores alone is not laid to the number of axes.
    scores = torch.tensor([[[-3.0, 2.0, -1.5], [0.5, -2.5, -1.0]]], dtype=torch.float64)
    return scores, torch.tensor([[[False, True, True], [True, False, False]]])


@masked.example
def far_below_the_hidden() -> Pair:
    """visible scores of -1e32 and less"""
    hidden = future(4)
    hidden[3] = True
    return FAR_BELOW_SCORES, hidden


@masked.case
def random_masks(draw: Draw) -> Pair:
    """masks drawn at random"""
    scores = draw.tensor("batch queries keys", scale=2)
    hidden = torch.from_numpy(draw.rng.random(scores.shape) < 0.4)
    hidden[0, 0], hidden[-1, -1] = True, False
    return scores, hidden


@masked.case(times=1)
def a_hidden_sentence(draw: Draw) -> Pair:
    """a sentence that is all hidden"""
    scores = draw.tensor("batch queries keys")
    hidden = torch.zeros(scores.shape, dtype=torch.bool)
    hidden[1] = True
    return scores, hidden


@masked.case(times=1)
def a_mask_for_each_head(draw: Draw) -> Pair:
    """several batches of several heads, each with a mask of its own"""
    scores = draw.tensor("texts batch heads queries keys")
    return scores, torch.from_numpy(draw.rng.random(scores.shape) < 0.4)


@masked.case(times=1)
def hidden_and_huge(draw: Draw) -> Pair:
    """scores of ±1000"""
    scores = draw.tensor("queries keys", scale=1000)
    hidden = torch.zeros(scores.shape, dtype=torch.bool)
    hidden[0], hidden[1, 0] = True, True
    return scores, hidden


@masked.case(times=1)
def drawn_far_below_the_hidden(draw: Draw) -> Pair:
    """several sentences, with visible scores of -1e32 and less"""
    # Alike within a row, so that it is the same to lower what is hidden and to replace it.
    hidden_scores = draw.tensor("batch queries").unsqueeze(-1)
    hidden = torch.from_numpy(draw.rng.random(draw.shape("batch queries keys")) < 0.4)
    hidden[0, 0], hidden[-1, -1, 0], hidden[-1, -1, 1] = True, True, False
    return hidden_scores.where(hidden, far_below(draw, "keys")), hidden


@masked.holds
def hidden_scores_do_not_matter(
    answer: Callable[..., torch.Tensor], scores: torch.Tensor, hidden: torch.Tensor
) -> bool:
    """other scores where it is hidden change nothing"""
    here, there = answer(scores, hidden), answer(scores + 3 * hidden, hidden)
    return torch.allclose(here, there, rtol=1e-4, atol=1e-6)


@masked.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Pair:
    """in bfloat16 as well"""
    scores = draw.fix(keys=TRIED_TWICE).tensor("queries keys")
    return scores, torch.from_numpy(draw.rng.random(scores.shape) < 0.4)


masked.half_but_for("16-bit floats", in_bfloat16_as_well)
masked.holds(bfloat16_stays_once)


class Steps(Attention):
    """From scores and a mask to weights, where a row may be all hidden."""

    def answer(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.weigh(scores, hidden)

    def clean(self, weights: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return weights.masked_fill(hidden, 0)


(MASK + ZERO_SCORES).apply(
    masked,
    Steps,
    called={
        "NothingHidden": "mask_not_used",
        "InvertedMask": "mask_read_the_wrong_way",
        "ScoreOfZero": "hidden_scores_of_zero",
        "MaskedAfterwards": "zeroed_without_softmax_mask",
    },
)
EMPTY_ROWS.apply(
    masked,
    Steps,
    called={
        "NotCleaned": "nan_rows",
        "InvertedOnce": "mask_read_both_ways",
    },
    # No gradient tells it from `LargeNegativeNumber` here.
    without=["LoweredBeyondAllDigits"],
)
(FAR_ABOVE + FURTHER_ABOVE).apply(
    masked, Steps, without=["DividedByALittle", "ScoreOfMinusTenThousand"]
)


class ScoreOfMinusABillionCleaned(Attention):
    """Hidden keys enter your softmax with a large negative score, such as −10⁹, and next to lower
    ones they take all the weight, which is lost when theirs is set to 0 afterwards. Only −∞ is
    always low enough.
    """

    def hide(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return scores.masked_fill(hidden, -1e9)


class LowestNumber(LargeNegativeNumber):
    __doc__ = LargeNegativeNumber.__doc__

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor | None = None) -> torch.Tensor:
        self.fill = torch.finfo(scores.dtype).min
        return super().weigh(scores, hidden)


Family(ScoreOfMinusABillionCleaned, LowestNumber).apply(masked, Steps)
SOFTMAX.apply(
    masked,
    Steps,
    called={"SoftmaxOverQueries": "masked_over_queries"},
    without=["SoftmaxOverTheFirstAxis"],
)
STABILITY.apply(masked, Steps, without=["OneMaximumForAll"])


@masked.misconception
def exponentials_by_hand(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Exponentials of large scores overflow to ∞, and ∞ · 0 and ∞ / ∞ are NaN; those of very low
    ones are all 0, which leaves nothing to divide. Subtract from each row its largest visible score
    first, or give `torch.softmax` −∞ for the hidden ones.
    """
    exponentials = torch.exp(scores) * ~hidden
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-9)


@masked.misconception
def largest_score_added(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Exponentials of large scores overflow to ∞, and ∞ · 0 and ∞ / ∞ are NaN; those of very low
    ones are all 0, which leaves nothing to divide. Subtract from each row its largest visible score
    first, or give `torch.softmax` −∞ for the hidden ones.
    """
    largest = scores.masked_fill(hidden, -torch.inf).amax(dim=-1, keepdim=True)
    exponentials = torch.exp(scores + largest.clamp(min=-1e30)).masked_fill(hidden, 0.0)
    return exponentials / exponentials.sum(dim=-1, keepdim=True).clamp(min=1e-30)


@masked.misconception
def causal_mask_instead(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You hide the future and do not look at `hidden`. It may be any mask: use the one that you are
    given, in place of your own.
    """
    return hide(scores, future(scores.shape[-1]))


@masked.misconception
def causal_mask_first(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You fill the future with −∞, not the pairs that `hidden` marks. It may be any mask: use it
    both times.
    """
    return hide(scores, future(scores.shape[-1])).masked_fill(hidden, 0)


@masked.misconception
def causal_mask_as_well(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You hide the future as well. `hidden` already marks everything that has to be hidden, and not
    every attention layer is causal.
    """
    both = hidden | future(scores.shape[-1])
    return hide(scores, both).masked_fill(both, 0)


@masked.misconception
def hidden_rows_as_columns(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """A row that is all hidden stays NaN, and a column is 0 in its place, as when
    `hidden.all(dim=-1)` has lost its last axis and lines up with the columns. keepdim=True keeps
    it.
    """
    return torch.where(hidden.all(dim=-1), 0.0, hide(scores, hidden))


@masked.misconception
def sum_of_at_least_one(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Rows whose largest score is hidden sum to less than 1: what you divide by is never below 1
    there. Subtract the largest *visible* score of each row, or keep only a sum of 0 away from the
    division.
    """
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * ~hidden
    return exponentials / exponentials.sum(dim=-1, keepdim=True).clamp(min=1)


@masked.misconception
def everything_zero_if_one_is_nan(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """If one row is entirely hidden, you make everything 0. Only that row should be 0."""
    attn_weights = hide(scores, hidden)
    return torch.zeros_like(scores) if attn_weights.isnan().any() else attn_weights


@masked.misconception
def zero_if_any_is_hidden(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Every row in which some key is hidden is 0 here. Only a row in which all of them are hidden
    should be.
    """
    return hide(scores, hidden).masked_fill(hidden.any(dim=-1, keepdim=True), 0)


@masked.misconception
def one_truth_for_all(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """`if hidden:` and the like ask for a single answer, but each pair has its own. Use
    `masked_fill`, which looks at them one by one.
    """
    return scores.masked_fill(hidden, -torch.inf) if hidden else scores


@masked.misconception
def scores_overwritten(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The weights are right, but the caller's scores are changed as well: `masked_fill_` with an
    underscore and `scores[…] = …` write into them.
    """
    return torch.softmax(scores.masked_fill_(hidden, -torch.inf), dim=-1).masked_fill(hidden, 0)


TENSOR_DTYPE.apply(masked)
LOOP.apply(masked)


@masked.accepts
def nan_replaced(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """NaN replaced by 0."""
    return hide(scores, hidden).nan_to_num(0.0)


@masked.accepts
def masked_with_where(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """A large negative number, and torch.where."""
    lowest = torch.finfo(scores.dtype).min
    attn_weights = torch.softmax(torch.where(hidden, lowest, scores), dim=-1)
    return torch.where(hidden, 0, attn_weights).to(scores.dtype)


@masked.accepts
def masked_row_by_row(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Loops."""
    keys = scores.shape[-1]
    rows = []
    for of_scores, of_mask in zip(scores.reshape(-1, keys), hidden.reshape(-1, keys), strict=True):
        row = torch.zeros_like(of_scores)
        if not of_mask.all():
            row[~of_mask] = torch.softmax(of_scores[~of_mask], dim=0)
        rows.append(row)
    return torch.stack(rows).reshape(scores.shape)


@masked.accepts
def masked_and_divided(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Exponentials, divided by at least a little."""
    largest = scores.masked_fill(hidden, -torch.inf).amax(-1, keepdim=True)
    exponentials = (scores - largest).masked_fill(hidden, -torch.inf).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)
