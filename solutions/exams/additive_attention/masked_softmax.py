"""The exam of `masked_softmax`, lesson 01."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    LONG,
    Function,
    Pair,
    draw_lengths,
    hidden_places,
    tensor,
)
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

masked = Exam(reference.masked_softmax)


@masked.example
def three_lengths() -> Pair:
    """three sentences of 4, 2 and 1 words"""
    scores = tensor([1.0, -0.5, 0.3, 2.0], [0.2, 1.1, -1.0, 0.7], [-2.0, 0.5, 1.5, -0.4])
    return scores, torch.tensor([4, 2, 1])


@masked.example
def loud_padding() -> Pair:
    """padding with scores of 1000"""
    return tensor([-1.0, 0.5, 1000.0], [1000.0, 999.0, 1000.0]), torch.tensor([2, 2])


@masked.example
def low_words() -> Pair:
    """words with scores of about -1000"""
    return tensor([-1000.0, -1001.0, 0.5], [0.2, -1.0, 0.7]), torch.tensor([2, 3])


@masked.example
def very_low_words() -> Pair:
    """words with scores of about -20000"""
    return tensor([-20000.0, -20001.0, 0.5], [0.2, -1.0, 0.7]), torch.tensor([2, 3])


@masked.example
def lowest_words() -> Pair:
    """words with scores of -1e32 and less"""
    return tensor([-2e32, -1e32, 0.5], [0.2, -1.0, 0.7]), torch.tensor([2, 3])


@masked.example
def as_many_as_places() -> Pair:
    """as many sentences as positions"""
    scores = tensor([0.5, -1.0, 2.0], [-0.5, 0.3, -0.7], [-0.2, 0.9, 1.1])
    return scores, torch.tensor([3, 1, 2])


@masked.example
def words_of_no_score() -> Pair:
    """words with a score of exactly 0"""
    return tensor([0.0, -1.5, 2.0, 0.5], [1.5, 0.0, 0.0, -1.0]), torch.tensor([2, 3])


@masked.example
def nothing_to_hide() -> Pair:
    """sentences without padding"""
    return tensor([1.0, -0.5, 0.3], [0.2, 1.1, -1.0]), torch.tensor([3, 3])


@masked.case
def any_scores(draw: Draw) -> Pair:
    """scores drawn at random"""
    scores = draw.tensor("batch source", scale=2)
    return scores, draw_lengths(draw)


@masked.case
def huge_scores(draw: Draw) -> Pair:
    """scores of ±1000"""
    scores = draw.tensor("batch source", scale=1000)
    return scores, draw_lengths(draw)


@masked.case(times=1)
def words_far_below(draw: Draw) -> Pair:
    """words with scores of -1e32 and less, in several sentences"""
    scores, lengths = draw.tensor("batch source"), draw_lengths(draw)
    lengths[0] = 1
    low = -1e32 * (1 + torch.from_numpy(draw.rng.permutation(draw.size("source"))))
    return scores.where(hidden_places(scores, lengths), low), lengths


@masked.case(times=1)
def long_sentences(draw: Draw) -> Pair:
    """sentences of more than a thousand positions"""
    scores, lengths = draw.fix(source=LONG).tensor("batch source"), draw_lengths(draw)
    lengths[0] = LONG - int(draw.rng.integers(1, 70))
    return scores, lengths


@masked.case(times=1)
def as_many_as_long(draw: Draw) -> Pair:
    """as many sentences as positions"""
    draw.fix(batch=4, source=4)
    return draw.tensor("batch source"), torch.tensor([4, 2, 1, 3])


masked.half_but_for(
    "scores far from 0",
    *(loud_padding, low_words, very_low_words, lowest_words),
    *(huge_scores, words_far_below),
)
masked.half_but_for("sentences of more than a thousand positions", long_sentences)


@masked.holds
def padding_gets_nothing(masked_softmax: Function, scores: Tensor, lengths: Tensor) -> bool:
    """padding gets a weight of exactly 0, and the words 1 in total"""
    weights = masked_softmax(scores, lengths)
    behind = torch.arange(scores.shape[1]) >= lengths[:, None]
    ones = torch.ones(len(scores), dtype=weights.dtype)
    # The logarithm of a sum of powers, from scores of 1000, is off by some 1e-4 in float32.
    in_total = torch.allclose(weights.sum(dim=1), ones, atol=1e-3)
    return bool((weights[behind] == 0).all()) and in_total


@masked.holds
def padding_is_not_read(masked_softmax: Function, scores: Tensor, lengths: Tensor) -> bool:
    """other scores in the padding change nothing"""
    behind = torch.arange(scores.shape[1]) >= lengths[:, None]
    other = scores.masked_fill(behind, 3.0)
    here, there = masked_softmax(scores, lengths), masked_softmax(other, lengths)
    return torch.allclose(here, there, rtol=1e-4, atol=1e-6)


@masked.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Pair:
    """in bfloat16 as well"""
    scores = draw.fix(source=TRIED_TWICE).tensor("batch source")
    return scores, draw_lengths(draw)


masked.half_but_for("16-bit floats", in_bfloat16_as_well)
masked.holds(bfloat16_stays_once)


@masked.misconception
def lengths_unused(scores: Tensor, lengths: Tensor) -> Tensor:
    """The padding gets weights, too. Hide the positions from `lengths` on before the softmax. If
    you already do, check that you use the new tensor that `masked_fill` returns.
    """
    return torch.softmax(scores, dim=-1)


@masked.misconception
def zeroed_after(scores: Tensor, lengths: Tensor) -> Tensor:
    """With padding, your weights no longer sum to 1: the softmax still counts the padding, whose
    weights become 0 only afterwards. Hide its scores first.
    """
    return torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)


@masked.misconception
def scores_set_to_zero(scores: Tensor, lengths: Tensor) -> Tensor:
    """Padding enters your softmax with a score of 0, or nearly 0, and exp(0) is 1, not 0. The score
    whose exponential is 0 is -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), 0.0), dim=-1)


@masked.misconception
def hidden_over_the_batch(scores: Tensor, lengths: Tensor) -> Tensor:
    """Your softmax runs over the sentences, down the columns. It should run over the positions of
    each sentence, the last axis.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -math.inf), dim=0)


@masked.misconception
def one_place_too_many(scores: Tensor, lengths: Tensor) -> Tensor:
    """One padded position stays visible. Positions count from 0: in a sentence of 2 words, these
    have positions 0 and 1, and position 2 has to be hidden.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths + 1), -math.inf), dim=-1)


@masked.misconception
def one_place_too_few(scores: Tensor, lengths: Tensor) -> Tensor:
    """The last word of each sentence is hidden, too. Positions count from 0: in a sentence of 2
    words, these have positions 0 and 1, and the first one to hide is 2.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths - 1), -math.inf), dim=-1)


@masked.misconception
def nothing_but_nan(scores: Tensor, lengths: Tensor) -> Tensor:
    """Whole rows are NaN. Did you hide the words as well? Or did you multiply by -inf? 0 · -inf is
    NaN, not 0: choose between the score and -inf, with `masked_fill` or `torch.where`.
    """
    return torch.softmax(scores + hidden_places(scores, lengths) * -math.inf, dim=-1)


@masked.misconception
def words_hidden(scores: Tensor, lengths: Tensor) -> Tensor:
    """You hid the words and kept the padding: is the comparison the wrong way round? Where nothing
    is left, the result is NaN.
    """
    return torch.softmax(scores.masked_fill(~hidden_places(scores, lengths), -math.inf), dim=-1)


@masked.misconception
def renormalised(scores: Tensor, lengths: Tensor) -> Tensor:
    """Setting the padding to 0 after the softmax, or after its exponentials, and dividing by the
    sum of the others works, until the padding's score is so large that nothing is left: 0 / 0 is
    NaN. Hide the scores first.
    """
    kept = torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)


@masked.misconception
def renormalised_by_the_table(scores: Tensor, lengths: Tensor) -> Tensor:
    """All your weights together sum to 1, or are NaN where nothing is left: you set those of the
    padding to 0 after the softmax, and divided by the sum of the whole table. Hide the scores
    before the softmax, and the weights of every sentence sum to 1.
    """
    kept = torch.softmax(scores, dim=-1).masked_fill(hidden_places(scores, lengths), 0.0)
    return kept / kept.sum()


@masked.misconception
def zero_score_then_renormalised(scores: Tensor, lengths: Tensor) -> Tensor:
    """You gave the padding a weight of 0 and divided the others by their sum. That works until the
    words have such low scores that their weights are all 0, and 0 / 0 is NaN. Hide the scores with
    -inf, before the softmax.
    """
    places = hidden_places(scores, lengths)
    kept = torch.softmax(scores.masked_fill(places, 0.0), dim=-1).masked_fill(places, 0.0)
    return kept / kept.sum(dim=-1, keepdim=True)


@masked.misconception
def not_small_enough(scores: Tensor, lengths: Tensor) -> Tensor:
    """You gave the padding a low score, but not low enough: it keeps a little weight, and where all
    the other scores are far lower, it gets all of it. Use -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -10.0), dim=-1)


@masked.misconception
def minus_one_hundred(scores: Tensor, lengths: Tensor) -> Tensor:
    """The number that you gave to the padding, or added to its scores, hides it only while the
    words have far higher scores. Where all of theirs are far lower, the padding gets all the
    weight: use -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -100.0), dim=-1)


@masked.misconception
def minus_ten_thousand(scores: Tensor, lengths: Tensor) -> Tensor:
    """The number that you gave to the padding, or added to its scores, hides it only while the
    words have far higher scores. Where all of theirs are far lower, the padding gets all the
    weight: use -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -1e4), dim=-1)


@masked.misconception
def minus_a_billion(scores: Tensor, lengths: Tensor) -> Tensor:
    """The padding has a low score in your softmax, such as -1e6 or -1e9, which hides it only while
    the words have higher ones. Where all of theirs are lower still, the padding gets all the
    weight: use -inf.
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths), -1e9), dim=-1)


@masked.misconception
def lowered_by_ten(scores: Tensor, lengths: Tensor) -> Tensor:
    """The scores of the padding were lowered, by 10 or so. The padding still gets a little weight,
    and where its scores are high, nearly all of it. Only -inf hides every score.
    """
    return torch.softmax(scores - 10.0 * hidden_places(scores, lengths), dim=-1)


@masked.misconception
def lowered_by_a_hundred(scores: Tensor, lengths: Tensor) -> Tensor:
    """The scores of the padding were lowered, by 100 or so. That hides the padding only if the
    words are not lower by just as much: next to padding of 1000, words with scores near 0 get no
    weight. Only -inf hides every score.
    """
    return torch.softmax(scores - 100.0 * hidden_places(scores, lengths), dim=-1)


@masked.misconception
def zero_scores_hidden(scores: Tensor, lengths: Tensor) -> Tensor:
    """You hide every score that is 0, but a word can also have a score of 0. The lengths alone
    decide what is hidden.
    """
    kept = scores.masked_fill(hidden_places(scores, lengths), 0.0)
    return torch.softmax(kept.masked_fill(kept == 0, -math.inf), dim=-1)


@masked.misconception
def first_sentence_length(scores: Tensor, lengths: Tensor) -> Tensor:
    """Every sentence was cut at the length of the first one. Compare positions and lengths as a row
    and a column: (batch, 1) against (source,).
    """
    return torch.softmax(scores.masked_fill(hidden_places(scores, lengths[:1]), -math.inf), dim=-1)


@masked.misconception
def longest_sentence_length(scores: Tensor, lengths: Tensor) -> Tensor:
    """Every sentence was cut at the length of the longest one, so that shorter ones keep padding.
    Compare positions and lengths as a row and a column: (source,) against (batch, 1).
    """
    longest = lengths.max().expand_as(lengths)
    return torch.softmax(scores.masked_fill(hidden_places(scores, longest), -math.inf), dim=-1)


@masked.misconception
def exponentials_by_hand(scores: Tensor, lengths: Tensor) -> Tensor:
    """The exponentials you compute overflow, or all become 0, and then the division gives NaN.
    Subtract the largest score of the words first, or use `torch.softmax`.
    """
    exponentials = scores.masked_fill(hidden_places(scores, lengths), -math.inf).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@masked.misconception
def exponentials_times_the_table(scores: Tensor, lengths: Tensor) -> Tensor:
    """The exponentials you compute overflow, and multiplying by 0 does not undo it: inf · 0 is NaN.
    Or all of them become 0, and 0 / 0 is NaN. Hide the scores first, then use `torch.softmax`.
    """
    exponentials = scores.exp() * ~hidden_places(scores, lengths)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@masked.misconception
def written_into(scores: Tensor, lengths: Tensor) -> Tensor:
    """The numbers are right, but `masked_fill_` and assignments change the tensor that was passed
    in. `masked_fill`, without the underscore at the end, makes a new one.
    """
    scores.masked_fill_(hidden_places(scores, lengths), -math.inf)
    return torch.softmax(scores, dim=-1)


@masked.misconception
def lengths_as_a_row(scores: Tensor, lengths: Tensor) -> Tensor:
    """Your comparison lines the lengths up with the positions, as a row. Make a column of them,
    `lengths[:, None]`, so that each sentence is compared with its own length.
    """
    return torch.softmax(
        scores.masked_fill(torch.arange(scores.shape[-1]) >= lengths, -math.inf), dim=-1
    )


TENSOR_DTYPE.apply(masked)
LOOP.apply(masked)


@masked.accepts
def masked_in_a_loop(scores: Tensor, lengths: Tensor) -> Tensor:
    """A loop over the sentences.

    Each sentence gets a softmax over its own words, and the padding keeps the 0 it began with.
    Nothing has to be hidden, but every sentence waits for the one before it.
    """
    weights = torch.zeros_like(scores)
    for i, length in enumerate(lengths.tolist()):
        weights[i, :length] = torch.softmax(scores[i, :length], dim=0)
    return weights


@masked.accepts
def masked_by_adding(scores: Tensor, lengths: Tensor) -> Tensor:
    """A bias of -inf, added."""
    bias = torch.zeros_like(scores)
    bias[torch.arange(scores.shape[1]).expand_as(scores) >= lengths.unsqueeze(1)] = -math.inf
    return (scores.where(bias == 0, bias)).softmax(dim=1)


@masked.accepts
def masked_by_exponentials(scores: Tensor, lengths: Tensor) -> Tensor:
    """Exponentials, written out.

    The softmax is written out: the largest score among the words is subtracted, and exp(−∞) gives
    the padding a weight of exactly 0.
    """
    is_word = torch.arange(scores.shape[1])[None] < lengths[:, None]
    largest = torch.where(is_word, scores, -math.inf).amax(dim=1, keepdim=True)
    exponentials = torch.where(is_word, scores - largest, -math.inf).exp()
    return exponentials / exponentials.sum(dim=1, keepdim=True)
