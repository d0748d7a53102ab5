"""The exam of `is_cache_exact`, lesson 07: what it is tried on."""

from collections.abc import Callable

import torch

import companion.specimens.cached_steps as specimens
from autograder import Draw, Exam
from companion import Past
from solutions import grouped_query_attention as reference
from solutions.exams.grouped_query_attention import _drawn_steps as drawn
from solutions.exams.grouped_query_attention._specimens import TWO_TEXTS
from solutions.exams.spoiled import (
    cancelling,
    exchanging,
    late_place,
    place_in_turn,
    spoiled,
)

exact = Exam(reference.is_cache_exact, dtypes=("float64",))

StepFunction = drawn.StepFunction
Tried = tuple[StepFunction, torch.Tensor]

exact.tries(
    (
        specimens.attends_to_its_cache,
        specimens.recomputes_everything,
        specimens.running_average,
        specimens.only_itself,
        specimens.doubles_each_token,
        specimens.mask_from_the_start,
        specimens.no_mask_in_the_chunk,
        specimens.sees_its_chunk_only,
        specimens.keeps_the_last_chunk,
        specimens.trims_before_attending,
        specimens.pads_odd_chunks,
        specimens.keeps_three_of_a_chunk,
        specimens.largest_of_its_chunk,
        specimens.smallest_of_its_chunk,
        specimens.shortcut_for_one,
        specimens.first_text_only,
        specimens.last_text_only,
        specimens.cancelling_features,
        specimens.cancelling_tokens,
        specimens.rounds_its_cache,
    ),
    TWO_TEXTS,
    on="two texts of six words",
)
exact.tries([specimens.first_text_only], TWO_TEXTS[:1], on="one text")
exact.tries(
    (specimens.pads_odd_chunks, specimens.shortcut_for_one), TWO_TEXTS[:, :2], on="two words"
)
exact.tries([specimens.only_itself], TWO_TEXTS[:, :1], on="one word, of which there is one chunk")


def five_texts(draw: Draw) -> torch.Tensor:
    """Five texts of seven words, of six features."""
    return draw.fix(batch=5, tokens=7, d_in=6).tensor("batch tokens d_in")


exact.tries(
    (
        drawn.sums_so_far,
        drawn.largest_so_far,
        drawn.smallest_in_the_chunk,
        drawn.the_word_before,
        drawn.word_before_in_the_chunk,
        drawn.counts_places_anew,
        drawn.forgets_the_first,
        drawn.average_of_the_chunk,
        drawn.last_feature_is_new,
        drawn.faintly_different,
        drawn.a_little_louder,
        drawn.nothing_but_nan,
        drawn.nan_for_zero,
        specimens.keeps_the_last_chunk,
        specimens.keeps_three_of_a_chunk,
    ),
    five_texts,
    times=1,
)


def wrong_in_size(draw: Draw, size: int) -> StepFunction:
    """A step that is wrong in one number of five texts, in chunks of one size."""
    text, feature = place_in_turn(draw, 5, 6)
    return drawn.wrong_in_chunks_of(
        size, spoiled(draw, text, int(draw.rng.integers(size)), feature)
    )


@exact.case(times=6)
def one_number_is_wrong(draw: Draw) -> Tried:
    """one number is wrong, in chunks of one size alone"""
    inputs = five_texts(draw)
    return wrong_in_size(draw, draw.in_turn(range(1, 7))), inputs


@exact.case(times=3)
def large_chunks_are_wrong(draw: Draw) -> Tried:
    """one number of a long text is wrong, in large chunks of one size alone"""
    inputs = draw.fix(batch=5, tokens=16, d_in=6).tensor("batch tokens d_in")
    return wrong_in_size(draw, draw.in_turn(range(7, 16))), inputs


@exact.case(times=2)
def largest_chunks_are_wrong(draw: Draw) -> Tried:
    """one of the last numbers of still larger chunks is wrong, in those of one size alone"""
    # A function that is lent is given no more than 4,096 numbers, those of its cache among them: so
    # in one turn there are many texts and features, and in the other many words.
    least_sizes = draw.in_turn(((11, 18, 11), (3, 40, 4)))
    batch, tokens, d_in = (int(draw.rng.integers(least, least + 3)) for least in least_sizes)
    inputs = draw.fix(batch=batch, tokens=tokens, d_in=d_in).tensor("batch tokens d_in")
    size = int(draw.rng.integers(tokens - 4, tokens))
    return drawn.wrong_in_chunks_of(
        size, spoiled(draw, *late_place(draw, batch, size, d_in))
    ), inputs


@exact.case(times=1)
def texts_cancel(draw: Draw) -> Tried:
    """with a cache, one text's contexts are too large, and another's too small by as much"""
    return drawn.wrong_with_a_cache(lambda contexts: cancelling(contexts, 0)), five_texts(draw)


@exact.case(times=1)
def texts_exchange(draw: Draw) -> Tried:
    """with a cache, two texts exchange their contexts"""
    return drawn.wrong_with_a_cache(exchanging(draw, 5)), five_texts(draw)


@exact.case(times=1)
def tokens_exchange(draw: Draw) -> Tried:
    """with a cache, the contexts of each chunk are in reverse"""
    return drawn.wrong_with_a_cache(lambda contexts: contexts.flip(1)), five_texts(draw)


@exact.case(times=1)
def one_word_is_one_chunk(draw: Draw) -> Tried:
    """a text of one word, of which there is one chunk"""
    return specimens.mask_from_the_start, draw.fix(tokens=1).tensor("batch tokens d_in")


@exact.case(times=1)
def two_words_one_by_one(draw: Draw) -> Tried:
    """a text of two words, of which a second chunk can't see itself"""
    return specimens.shortcut_for_one, draw.fix(tokens=2).tensor("batch tokens d_in")


@exact.case(times=1)
def long_text_is_forgotten(draw: Draw) -> Tried:
    """a cache that holds five tokens, on a text of 20"""
    return drawn.forgets_the_first, draw.fix(tokens=20).tensor("batch tokens d_in")


@exact.case(times=1, dtypes=("float32",))
def rounded_in_32_bits(draw: Draw) -> Tried:
    """rounding errors of 32 bits"""
    # Numbers of which a step of rounding is below a millionth, which some take for their bound.
    inputs = draw.tensor("batch tokens d_in").clamp(-1, 1)
    return drawn.a_little_rounded, inputs


@exact.case(times=2)
def other_features(draw: Draw) -> Tried:
    """contexts with fewer features than the inputs, or with more"""
    d_out = draw.in_turn((4, 9))
    return drawn.with_other_features(specimens.running_average, d_out), five_texts(draw)


@exact.case(times=1)
def grows_in_place(draw: Draw) -> Tried:
    """a cache that grows in place"""
    return drawn.growing_in_place(), five_texts(draw)


exact.half_but_for("rounding errors of 32 bits", rounded_in_32_bits)
exact.half_but_for("contexts with other features than the inputs", other_features)
exact.half_but_for("a cache that grows in place", grows_in_place)


def fed(function: StepFunction, inputs: torch.Tensor, size: int) -> torch.Tensor:
    """The contexts of a text, in chunks of one size."""
    past: Past = None
    contexts = []
    for start in range(0, inputs.shape[1], size):
        context, past = function(inputs[:, start : start + size], past)
        contexts.append(context)
    return torch.cat(contexts, dim=1)


def agrees(
    function: StepFunction,
    inputs: torch.Tensor,
    sizes: range,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    whole = function(inputs, None)[0]
    return all(close(fed(function, inputs, size), whole) for size in sizes)


def every_size(inputs: torch.Tensor) -> range:
    return range(1, inputs.shape[1])
