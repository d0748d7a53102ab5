"""The exam of `is_causal`, lesson 04: what it is tried on."""

from collections.abc import Callable

import torch

import companion.specimens.causal_specimens as specimens
from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import TWO_SENTENCES
from solutions.exams.spoiled import (
    cancelling,
    last_digits_changed,
    late_place,
    of_one_number,
    only,
    place_in_turn,
    shuffled,
    signs_changed,
)

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


def as_it_is(inputs: torch.Tensor, /) -> torch.Tensor:
    """Every word keeps its vector: causal."""
    return inputs.clone()


def largest_so_far(inputs: torch.Tensor, /) -> torch.Tensor:
    """The largest number so far, feature by feature: causal."""
    return inputs.cummax(dim=1).values


def two_words(inputs: torch.Tensor, /) -> torch.Tensor:
    """A window of two words: causal."""
    return inputs + specimens.word_before(inputs)


def always_the_same(inputs: torch.Tensor, /) -> torch.Tensor:
    """The same vector for every word: causal."""
    return torch.ones_like(inputs)


def sentence_mean_removed(inputs: torch.Tensor, /) -> torch.Tensor:
    """Less the average of the sentence: not causal."""
    return inputs - inputs.mean(dim=1, keepdim=True)


def two_ahead(inputs: torch.Tensor, /) -> torch.Tensor:
    """Each word sees the one after the next: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, :-2] += 0.1 * inputs[:, 2:]
    return seen


def leak_at_the_end(inputs: torch.Tensor, /) -> torch.Tensor:
    """Only the last word but one sees the last: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, -2:-1] += 0.1 * inputs[:, -1:]
    return seen


def last_sentence_leaks(inputs: torch.Tensor, /) -> torch.Tensor:
    """Only the last sentence of the batch is not masked: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[-1:] = specimens.sees_everything(inputs[-1:])
    return seen


def last_feature_leaks(inputs: torch.Tensor, /) -> torch.Tensor:
    """Only the last feature leaks: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[..., -1] = inputs[..., -1].flip(1)
    return seen


def faint_leak(inputs: torch.Tensor, /) -> torch.Tensor:
    """A thousandth of everything leaks: not causal."""
    return specimens.causal_attention(inputs) + 1e-3 * inputs.mean(dim=1, keepdim=True)


def next_direction(inputs: torch.Tensor, /) -> torch.Tensor:
    """Of the next word, each sees the size of the features next to each other: not causal."""
    contexts, following = specimens.causal_attention(inputs), inputs[:, 1:]
    # Neither a longer word nor its opposite is another one here.
    contexts[:, :-1] += 0.1 * torch.nn.functional.normalize(following, dim=-1).square()
    return contexts


def sentences_cancel(inputs: torch.Tensor, /) -> torch.Tensor:
    """What one sentence gains from its end, another one loses: not causal."""
    return cancelling(specimens.causal_attention(inputs), 0, 0.1 * inputs[0, -1, -1])


def next_of_another_sentence(inputs: torch.Tensor, /) -> torch.Tensor:
    """Each word sees the next one of the sentence before in the batch: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, :-1] += 0.1 * inputs.roll(1, dims=0)[:, 1:]
    return seen


def five_sentences(draw: Draw) -> torch.Tensor:
    """Five sentences of eight words, of six features."""
    return draw.fix(batch=5, tokens=8, d_in=6).tensor("batch tokens d_in")


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
        next_direction,
        sentences_cancel,
        next_of_another_sentence,
    ),
    five_sentences,
    times=1,
)


def larger_ones_counted(inputs: torch.Tensor, /) -> torch.Tensor:
    """Each word counts the larger numbers among those to come, feature by feature: not causal."""
    larger = inputs[:, None] > inputs[:, :, None]
    to_come = torch.ones(larger.shape[1:3]).triu(1)[..., None]
    return specimens.causal_attention(inputs) + (larger * to_come).sum(dim=2)


@torch.no_grad()
def sees_without_gradients(inputs: torch.Tensor, /) -> torch.Tensor:
    """Every word sees everything, and nothing has a gradient: not causal."""
    return specimens.sees_everything(inputs)


@causal.case(times=1)
def later_words_are_counted(draw: Draw) -> Tried:
    """words count the later ones that are larger, of which no gradient tells"""
    return larger_ones_counted, five_sentences(draw)


@causal.case(times=1)
def nothing_has_a_gradient(draw: Draw) -> Tried:
    """all words are seen, under torch.no_grad()"""
    return sees_without_gradients, five_sentences(draw)


def later_word_seen(place: tuple[int, ...], feature: int, ahead: int = 1) -> Attention:
    """A feature of a word that sees one of a later word, in one sentence; nothing else leaks."""
    sentence, word, _ = place

    def attention(inputs: torch.Tensor, /) -> torch.Tensor:
        contexts = specimens.causal_attention(inputs)
        contexts[only(*place)] += 0.1 * inputs[only(sentence, word + ahead, feature)].sum()
        return contexts

    return attention


@causal.case(times=7)
def one_word_sees_the_next(draw: Draw) -> Tried:
    """one word of one sentence sees the next one"""
    inputs = five_sentences(draw)
    return later_word_seen(place_in_turn(draw, 5, 7, 6), int(draw.rng.integers(6))), inputs


@causal.case(times=3)
def one_word_of_many_sees_a_later_one(draw: Draw) -> Tried:
    """one word within a long sentence sees a later one, and none of those between"""
    inputs = draw.fix(batch=5, tokens=30, d_in=6).tensor("batch tokens d_in")
    place = place_in_turn(draw, 5, 26, 6)
    ahead = int(draw.rng.integers(3, 29 - place[1]))
    return later_word_seen(place, int(draw.rng.integers(6)), ahead), inputs


@causal.case(times=1)
def late_word_sees_the_next(draw: Draw) -> Tried:
    """a word near the end of a still longer sentence sees the next one"""
    # A function that is lent is given no more than 4,096 numbers.
    batch, tokens, d_in = 11, int(draw.rng.integers(34, 38)), 10
    inputs = draw.fix(batch=batch, tokens=tokens, d_in=d_in).tensor("batch tokens d_in")
    place = late_place(draw, batch, tokens - 1, d_in)
    return later_word_seen(place, *late_place(draw, d_in)), inputs


def features_shuffled(contexts: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    """Features exchange their numbers."""
    return shuffled(contexts.transpose(0, -1), by).transpose(0, -1)


@causal.case(times=3)
def contexts_exchange(draw: Draw) -> Tried:
    """a word's numbers change their places or their signs when its future is another"""
    inputs = draw.fix(batch=8, tokens=6, d_in=8).tensor("batch tokens d_in")
    word = int(draw.rng.integers(4))
    spoil = draw.in_turn((shuffled, features_shuffled, signs_changed))

    def attention(inputs: torch.Tensor, /) -> torch.Tensor:
        contexts, future = specimens.causal_attention(inputs), inputs[:, word + 1 :]
        contexts[:, word : word + 1] = spoil(contexts[:, word : word + 1], future.sum())
        return contexts

    return attention, inputs


@causal.case(times=1)
def one_word_has_no_future(draw: Draw) -> Tried:
    """a sentence of one word, which has no future"""
    return specimens.sees_everything, draw.fix(tokens=1).tensor("batch tokens d_in")


@causal.case(times=1)
def future_is_added(draw: Draw) -> Tried:
    """a second word is added to the first, and may hold what a test would put there"""
    return specimens.raised_by_the_future, draw.fix(tokens=2).tensor("batch tokens d_in")


def with_other_features(attention: Attention, d_out: int) -> Attention:
    """The same attention, whose contexts have as many features as it is told."""

    def wide(inputs: torch.Tensor, /) -> torch.Tensor:
        contexts = attention(inputs)
        return contexts.repeat(1, 1, -(-d_out // inputs.shape[-1]))[..., :d_out]

    return wide


def last_of_other_features_leaks(d_out: int) -> Attention:
    """Contexts of which the last feature sees everything, whatever their width."""
    causal_one = with_other_features(specimens.causal_attention, d_out)

    def leaks(inputs: torch.Tensor, /) -> torch.Tensor:
        contexts = causal_one(inputs)
        contexts[..., -1] = inputs[..., -1].flip(1)
        return contexts

    return leaks


@causal.case(times=2)
def other_features(draw: Draw) -> Tried:
    """contexts with fewer features than the inputs, or with more"""
    d_out = draw.in_turn((4, 9))
    return with_other_features(specimens.causal_attention, d_out), five_sentences(draw)


@causal.case(times=2)
def last_of_other_features(draw: Draw) -> Tried:
    """contexts with fewer features than the inputs, or with more, of which the last one leaks"""
    return last_of_other_features_leaks(draw.in_turn((4, 9))), five_sentences(draw)


def rounded_by_the_sentence(inputs: torch.Tensor, /) -> torch.Tensor:
    """Averages so far, of which the whole sentence decides the last digit: causal."""
    return last_digits_changed(specimens.average_so_far(inputs), inputs.sum())


def near_one(draw: Draw) -> torch.Tensor:
    """Numbers that no test can take for rounding errors, nor their last digits for more."""
    shape = draw.fix(tokens=6).shape("batch tokens d_in")
    return torch.from_numpy(draw.rng.uniform(0.5, 1.5, shape))


@causal.case(times=1, dtypes=("float32",))
def rounding_in_float32(draw: Draw) -> Tried:
    """rounding is all that the future changes, of numbers in the hundreds, in float32"""
    # Their last digits are above 1e-5: rounding grows with the numbers.
    return rounded_by_the_sentence, 400 * near_one(draw)


@causal.case(times=1, dtypes=("float32",))
def leak_in_float32(draw: Draw) -> Tried:
    """a thousandth of everything leaks, of numbers in float32"""
    return faint_leak, near_one(draw)


@causal.holds
def no_filling_is_a_blind_spot(
    answer: Callable[..., bool], attention: Attention, inputs: torch.Tensor
) -> bool:
    """the words to come may already be the number that a test would put there"""
    if attention is not specimens.raised_by_the_future:
        return True
    fillings: list[torch.Tensor] = []

    def watched(given: torch.Tensor, /) -> torch.Tensor:
        # A test may cut the sentences off.
        fillings.extend(given[:, 1:].detach().clone().unbind(dim=1))
        return attention(given)

    answer(watched, inputs.clone())
    blind_spots = of_one_number(fillings)
    filled = [torch.stack([inputs[:, 0], filling], dim=1) for filling in blind_spots]
    return not any(answer(attention, other) for other in filled)


causal.half_but_for("words that already hold what they are filled with", future_is_added)
causal.half_but_for(
    "contexts with other features than the inputs", other_features, last_of_other_features
)
causal.half_but_for("what no gradient tells of", later_words_are_counted, nothing_has_a_gradient)
causal.half_but_for("numbers in float32", rounding_in_float32, leak_in_float32)
