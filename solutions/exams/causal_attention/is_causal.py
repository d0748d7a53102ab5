"""The exam of `is_causal`, lesson 04."""

from collections.abc import Callable

import torch

import companion.specimens.causal_specimens as specimens
from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import TWO_SENTENCES
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs

Attention = Callable[[torch.Tensor], torch.Tensor]
Tried = tuple[Attention, torch.Tensor]

causal = Exam(reference.is_causal, dtypes=("float64",))

causal.tries(
    (
        specimens.causal_attention,
        specimens.average_so_far,
        specimens.average_by_subtraction,
        specimens.word_before,
        specimens.sees_everything,
        specimens.leaks_by_one,
        specimens.leaks_when_long,
        specimens.masks_first_sentence,
        specimens.masks_last_sentence,
        specimens.softmax_over_queries,
        specimens.hides_after_softmax,
        specimens.hides_a_little,
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
    ),
    three_sentences,
    times=1,
)


@causal.case(times=1)
def one_word_has_no_future(draw: Draw) -> Tried:
    """a sentence of one word, which has no future"""
    return specimens.sees_everything, draw.fix(tokens=1).tensor("batch tokens d_in")


@causal.case(times=1)
def long_sentence_leaks(draw: Draw) -> Tried:
    """a mask that was made for four words, on 30"""
    return specimens.leaks_when_long, draw.fix(tokens=30).tensor("batch tokens d_in")


def _unchanged(
    attention: Attention,
    inputs: torch.Tensor,
    now: int,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    changed = inputs.clone()
    changed[:, now:] += 1
    return close(attention(changed)[:, :now], attention(inputs)[:, :now])


def _everywhere(
    attention: Attention,
    inputs: torch.Tensor,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    return all(_unchanged(attention, inputs, now, close) for now in range(1, inputs.shape[1]))


class Compared(Comparison):
    """What stands before each place, before and after all that comes from there on has changed."""

    def pairs(self, attention: Attention, inputs: torch.Tensor) -> Pairs:
        for now in range(1, inputs.shape[1]):
            changed = inputs.clone()
            changed[:, now:] += 1
            yield attention(inputs)[:, :now], attention(changed)[:, :now]


VERDICT.apply(
    causal,
    Compared,
    called={"TurnedRound": "opposite_said"},
    says={
        "AlwaysTrue": "Your test passes every attention, the one without a mask as well. Does the "
        "changed sentence go in? Do you change words, on the middle axis, and by enough for "
        "torch.allclose to see?"
    },
    without=["ATableOfTruths"],
)
CLOSENESS.apply(causal, Compared)
EXTENT.apply(
    causal,
    Compared,
    called={"FirstRowOnly": "first_sentence_compared", "LastRowOnly": "last_sentence_compared"},
)


@causal.misconception
def only_the_last_word_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the last word only. An attention can leak from any other: change what comes after
    each place in turn. If you do, in a loop: does the last round overwrite what earlier ones found?
    """
    return _unchanged(attention, inputs, inputs.shape[1] - 1)


@causal.misconception
def only_the_first_word_watched(attention: Attention, inputs: torch.Tensor) -> bool:
    """You watch the first word only. Others can see the future as well: watch all words before the
    change, for each place of it. If you do, in a loop: does a `return` end it in the first round?
    """
    return _unchanged(attention, inputs, 1)


@causal.misconception
def only_in_the_middle(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the second half and watch the first. A leak within one half goes unseen: do it for
    each place.
    """
    return _unchanged(attention, inputs, max(1, inputs.shape[1] // 2))


@causal.misconception
def only_the_next_word_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change one word and watch the one before it only. A word can see further ahead than that:
    watch all words before the change.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now] += 1
        before, after = attention(inputs)[:, now - 1], attention(changed)[:, now - 1]
        if not torch.allclose(before, after):
            return False
    return True


@causal.misconception
def last_word_never_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never change the last word: your loop ends one place too early."""
    for now in range(1, inputs.shape[1] - 1):
        changed = inputs.clone()
        changed[:, now] += 1
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def last_place_left_out(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never watch the last word but one: your loop ends one place too early. It can see the
    last.
    """
    return all(_unchanged(attention, inputs, now) for now in range(1, inputs.shape[1] - 1))


@causal.misconception
def future_reordered(attention: Attention, inputs: torch.Tensor) -> bool:
    """You put the words to come in another order. An attention that mixes them all may give the
    same for any order: put other words in their places.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = inputs[:, now:].flip(1)
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def changed_words_watched_too(attention: Attention, inputs: torch.Tensor) -> bool:
    """You also compare the words that you changed, and those may change. Compare only what stands
    before the change.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed), attention(inputs)):
            return False
    return True


@causal.misconception
def one_place_too_far(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare one place too many: the first word that you changed is among those that you
    watch.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed)[:, : now + 1], attention(inputs)[:, : now + 1]):
            return False
    return True


@causal.misconception
def one_place_too_few(attention: Attention, inputs: torch.Tensor) -> bool:
    """You leave out the word just before the change, which gives a leak by one away."""
    for now in range(2, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed)[:, : now - 1], attention(inputs)[:, : now - 1]):
            return False
    return True


@causal.misconception
def past_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the past and ask that the future stays the same. It is the other way round: the
    past must not notice the future.
    """
    return _everywhere(lambda x: attention(x.flip(1)).flip(1), inputs.flip(1))


@causal.misconception
def first_sentence_only(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try the first sentence only. An attention can be causal there and leak in the others."""
    return _everywhere(attention, inputs[:1])


@causal.misconception
def own_sentences(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try sentences of your own. Some attentions leak in one batch and not in another: try the
    `inputs` that you are given.
    """
    drawn = torch.randn(2, 6, inputs.shape[-1], generator=torch.Generator().manual_seed(0))
    return _everywhere(attention, drawn.to(inputs))


@causal.misconception
def own_sentence(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try one sentence of your own. Some attentions leak in one batch and not in another: try
    the `inputs` that you are given.
    """
    drawn = torch.randn(1, 6, inputs.shape[-1], generator=torch.Generator().manual_seed(0))
    return _everywhere(attention, drawn.to(inputs))


@causal.misconception
def inputs_overwritten(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the inputs themselves, and the sentences of whoever called you with them. Change a
    copy: inputs.clone().
    """
    original = inputs.clone()
    inputs[:, -1] += 1
    return _everywhere(attention, original)


@causal.misconception
def future_of_nan(attention: Attention, inputs: torch.Tensor) -> bool:
    """You put NaN or ∞ in the place of the future. A weight of 0 does not hide them: 0 · NaN is
    NaN. Change the future into ordinary numbers.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = torch.nan
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def a_table_of_truths(attention: Attention, inputs: torch.Tensor) -> torch.Tensor:
    """This is an answer for every number. Say True or False once, for all of them together."""
    changed = inputs.clone()
    changed[:, -1] += 1
    return torch.isclose(attention(changed)[:, :-1], attention(inputs)[:, :-1])


@causal.accepts
def by_shortening(attention: Attention, inputs: torch.Tensor) -> bool:
    """The sentence cut off at each place."""
    whole = attention(inputs)
    cut = (attention(inputs[:, :n]) for n in range(1, inputs.shape[1] + 1))
    return all(torch.allclose(part, whole[:, : part.shape[1]]) for part in cut)


@causal.accepts
def one_word_at_a_time(attention: Attention, inputs: torch.Tensor) -> bool:
    """One word changed at a time."""
    before = attention(inputs)
    for j in range(inputs.shape[1]):
        other = inputs.clone()
        other[:, j] = -3 * other[:, j] + 2
        gap = (attention(other) - before)[:, :j].abs()
        if gap.numel() and gap.max() > 1e-6:
            return False
    return True


@causal.accepts
def another_future(attention: Attention, inputs: torch.Tensor) -> bool:
    """A future drawn at random."""
    before = attention(inputs)
    generator = torch.Generator().manual_seed(5)
    for now in range(inputs.shape[1]):
        drawn = torch.randn(inputs.shape, generator=generator, dtype=inputs.dtype)
        other = torch.cat([inputs[:, : now + 1], drawn[:, now + 1 :]], dim=1)
        if not torch.allclose(attention(other)[:, : now + 1], before[:, : now + 1], atol=1e-7):
            return False
    return True
