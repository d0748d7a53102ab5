"""The exam of `is_causal`, lesson 04: what it is tried on."""

from collections.abc import Callable

import torch

import companion.specimens.causal_specimens as specimens
from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import TWO_SENTENCES
from solutions.exams.spoiled import cancelling

Attention = Callable[[torch.Tensor], torch.Tensor]
Tried = tuple[Attention, torch.Tensor]

causal = Exam(reference.is_causal, dtypes=("float64",))

causal.tries(
    (
        specimens.causal_attention,
        specimens.average_so_far,
        specimens.average_by_subtraction,
        specimens.word_before,
        specimens.keeps_each_word,
        specimens.sees_everything,
        specimens.leaks_by_one,
        specimens.leaks_when_long,
        specimens.masks_first_sentence,
        specimens.masks_last_sentence,
        specimens.softmax_over_queries,
        specimens.hides_after_softmax,
        specimens.hides_a_little,
        specimens.leaks_faintly,
        specimens.one_feature_leaks,
        specimens.first_sees_second,
        specimens.second_sees_third,
        specimens.second_sees_last,
        specimens.raised_by_the_future,
        specimens.lowered_by_the_future,
        specimens.future_cancels_out,
        specimens.reads_from_the_end,
    ),
    TWO_SENTENCES,
    on="two sentences of six words",
)
causal.tries([specimens.leaks_when_long], TWO_SENTENCES[:, :4], on="four words")
causal.tries([specimens.masks_first_sentence], TWO_SENTENCES[:1], on="one sentence")
causal.tries([specimens.sees_everything], TWO_SENTENCES[:, :1], on="one word")
# Whoever counts features for words watches one place alone.
causal.tries([specimens.causal_attention], TWO_SENTENCES[..., :2], on="words of two features")
# Whoever counts sentences for words watches as many words as there are.
THREE_SENTENCES = torch.cat([TWO_SENTENCES, TWO_SENTENCES[:1].flip(1)])
causal.tries([specimens.second_sees_third], THREE_SENTENCES, on="three sentences")


@causal.example
def zeros_to_come() -> Tried:
    """sees_everything, on two words of which the second is zeros"""
    inputs = TWO_SENTENCES[:, :2].clone()
    inputs[:, 1] = 0
    return specimens.sees_everything, inputs


def as_it_is(inputs: torch.Tensor) -> torch.Tensor:
    """Every word keeps its vector: causal."""
    return inputs.clone()


def largest_so_far(inputs: torch.Tensor) -> torch.Tensor:
    """The largest number so far, feature by feature: causal."""
    return inputs.cummax(dim=1).values


def two_words(inputs: torch.Tensor) -> torch.Tensor:
    """A window of two words: causal."""
    return inputs + specimens.word_before(inputs)


def always_the_same(inputs: torch.Tensor) -> torch.Tensor:
    """The same vector for every word: causal."""
    return torch.ones_like(inputs)


def sentence_mean_removed(inputs: torch.Tensor) -> torch.Tensor:
    """Less the average of the sentence: not causal."""
    return inputs - inputs.mean(dim=1, keepdim=True)


def two_ahead(inputs: torch.Tensor) -> torch.Tensor:
    """Each word sees the one after the next: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, :-2] += 0.1 * inputs[:, 2:]
    return seen


def leak_at_the_end(inputs: torch.Tensor) -> torch.Tensor:
    """Only the last word but one sees the last: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, -2:-1] += 0.1 * inputs[:, -1:]
    return seen


def last_sentence_leaks(inputs: torch.Tensor) -> torch.Tensor:
    """Only the last sentence of the batch is not masked: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[-1:] = specimens.sees_everything(inputs[-1:])
    return seen


def last_feature_leaks(inputs: torch.Tensor) -> torch.Tensor:
    """Only the last feature leaks: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[..., -1] = inputs[..., -1].flip(1)
    return seen


def faint_leak(inputs: torch.Tensor) -> torch.Tensor:
    """A thousandth of everything leaks: not causal."""
    return specimens.causal_attention(inputs) + 1e-3 * inputs.mean(dim=1, keepdim=True)


def sentences_cancel(inputs: torch.Tensor) -> torch.Tensor:
    """What one sentence gains from its end, another one loses: not causal."""
    return cancelling(specimens.causal_attention(inputs), 0, 0.1 * inputs[0, -1, -1])


def three_sentences(draw: Draw) -> torch.Tensor:
    """Three sentences of seven words."""
    return draw.fix(batch=3, tokens=7).tensor("batch tokens d_in")


causal.tries(
    (
        as_it_is,
        largest_so_far,
        two_words,
        always_the_same,
        sentence_mean_removed,
        two_ahead,
        leak_at_the_end,
        last_sentence_leaks,
        last_feature_leaks,
        faint_leak,
        sentences_cancel,
    ),
    three_sentences,
    times=1,
)


@causal.case(times=1)
def one_word_has_no_future(draw: Draw) -> Tried:
    """a sentence of one word, which has no future"""
    return specimens.sees_everything, draw.fix(tokens=1).tensor("batch tokens d_in")


@causal.case(times=3)
def one_word_sees_the_next(draw: Draw) -> Tried:
    """one word within the sentence sees the next one"""
    inputs = draw.fix(tokens=9).tensor("batch tokens d_in")
    # Neither of the first two words, nor the last: who looks behind these alone sees nothing.
    word = int(draw.rng.integers(2, 7))

    def attention(inputs: torch.Tensor) -> torch.Tensor:
        seen = specimens.causal_attention(inputs)
        seen[:, word : word + 1] += 0.1 * inputs[:, word + 1 : word + 2].sum(1, keepdim=True)
        return seen

    return attention, inputs


@causal.case(times=1)
def long_sentence_leaks(draw: Draw) -> Tried:
    """a mask that was made for four words, on 30"""
    return specimens.leaks_when_long, draw.fix(tokens=30).tensor("batch tokens d_in")
