"""The exam of `is_blind_to_padding`, lesson 05: what it is tried on."""

from collections.abc import Callable

import torch
from torch import Tensor

import companion.specimens.padding_specimens as specimens
from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.multi_head_attention._leaks import (
    features_exchange,
    larger_ones_counted,
    off_by_a_little,
    one_feature,
    padding_of_another_sentence,
    queries_cancel,
    queries_exchange,
    rounded_by_the_padding,
    second_half,
    sees_without_gradients,
    sentences_cancel,
    sentences_exchange,
    signs_change,
)
from solutions.exams.multi_head_attention._specimens import mixed, padded_at_the_end
from solutions.exams.spoiled import late_place, of_one_number, only, place_in_turn

blind = Exam(reference.is_blind_to_padding, dtypes=("float64",))

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
Tried = tuple[Attention, Tensor, Tensor, Tensor]

# Thirds, since sums of quarters are exact, and a comparison to the last bit would pass.
TRIED_QUERIES = (mixed(2, 3, 3, seed=127) / 3).round(decimals=4)
TRIED_CONTEXT = (mixed(2, 4, 3, seed=128) / 3).round(decimals=4)
TRIED_PADDING = torch.tensor([[0, 0, 0, 1], [0, 1, 1, 1]]).bool()

blind.tries(
    (
        specimens.blind_attention,
        specimens.blind_average,
        specimens.blind_maximum,
        specimens.leave_queries_alone,
        specimens.count_real_keys,
        specimens.first_key_only,
        specimens.no_padding_mask,
        specimens.inverted_mask,
        specimens.first_mask_for_all,
        specimens.zeroed_scores,
        specimens.masked_afterwards,
        specimens.last_is_forgotten,
        specimens.first_is_forgotten,
        specimens.lowered_by_padding,
        specimens.faint_leak,
        specimens.fainter_leak,
        specimens.last_feature_leaks,
        specimens.cancelling_leak,
    ),
    (TRIED_QUERIES, TRIED_CONTEXT, TRIED_PADDING),
)


@blind.example
def zeros_in_the_padding() -> Tried:
    """no_padding_mask, with zeros in the padding"""
    context = TRIED_CONTEXT.masked_fill(TRIED_PADDING[..., None], 0)
    return specimens.no_padding_mask, TRIED_QUERIES, context, TRIED_PADDING


@blind.example
def ones_in_the_padding() -> Tried:
    """no_padding_mask, with ones in the padding"""
    context = TRIED_CONTEXT.masked_fill(TRIED_PADDING[..., None], 1)
    return specimens.no_padding_mask, TRIED_QUERIES, context, TRIED_PADDING


@blind.example
def sevens_in_the_padding() -> Tried:
    """lowered_by_padding, with sevens in the padding"""
    context = TRIED_CONTEXT.masked_fill(TRIED_PADDING[..., None], 7)
    return specimens.lowered_by_padding, TRIED_QUERIES, context, TRIED_PADDING


def drawn_padding(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, a context, and its padding, of which each sentence has some."""
    queries, context = draw.tensor("batch queries d"), draw.tensor("batch keys d")
    padding = padded_at_the_end(context, draw)
    padding[:, -1] = True
    return queries, context, padding


blind.tries(
    (
        second_half,
        one_feature,
        specimens.fainter_leak,
        specimens.count_real_keys,
        specimens.first_key_only,
        specimens.blind_average,
        specimens.last_is_forgotten,
        specimens.masked_afterwards,
        specimens.blind_maximum,
        specimens.cancelling_leak,
    ),
    drawn_padding,
    times=1,
)


def leak_at(place: tuple[int, ...], key: int, feature: int) -> Attention:
    """A number that sees one of a padded key, and nothing else of the padding."""

    def attention(queries: Tensor, context: Tensor, padding: Tensor, /) -> Tensor:
        found = specimens.blind_attention(queries, context, padding)
        found[only(*place)] += 0.1 * context[only(place[0], key, feature)].sum()
        return found

    return attention


def padded_at(draw: Draw, sentence: int, key: int, batch: int, keys: int) -> Tensor:
    """Padding anywhere, there too, and in each sentence a real key."""
    padding = torch.from_numpy(draw.rng.random((batch, keys)) < 0.5)
    padding[:, (key + int(draw.rng.integers(1, keys))) % keys] = False
    padding[sentence, key] = True
    return padding


@blind.case(times=7)
def one_number_is_wrong(draw: Draw) -> Tried:
    """one number depends on one padded key, which may stand before real ones"""
    draw.fix(batch=6, queries=5, keys=7, d=8)
    *place, key = place_in_turn(draw, 6, 5, 8, 7)
    padding = padded_at(draw, place[0], key, 6, 7)
    attention = leak_at(tuple(place), key, int(draw.rng.integers(8)))
    return attention, draw.tensor("batch queries d"), draw.tensor("batch keys d"), padding


@blind.case(times=1)
def a_late_number_is_wrong(draw: Draw) -> Tried:
    """of many queries one of the last sees one of the last of many keys, which is padding"""
    # A function that is lent is given no more than 4,096 numbers.
    batch, queries, keys, d = sizes = draw.rng.integers(11, 13, size=4).tolist()
    draw.fix(batch=batch, queries=queries, keys=keys, d=d)
    sentence, query, key, feature = late_place(draw, *sizes)
    padding = padded_at(draw, sentence, key, batch, keys)
    attention = leak_at((sentence, query, feature), key, *late_place(draw, d))
    return attention, draw.tensor("batch queries d"), draw.tensor("batch keys d"), padding


def several_of_each(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Five sentences of four queries each."""
    return drawn_padding(draw.fix(batch=5, queries=4))


blind.tries(
    (sentences_cancel, queries_cancel, padding_of_another_sentence, off_by_a_little),
    several_of_each,
    times=1,
)


@blind.case(times=1)
def padding_is_counted(draw: Draw) -> Tried:
    """numbers in the padding that are larger are counted, of which no gradient tells"""
    return larger_ones_counted, *several_of_each(draw)


@blind.case(times=1)
def nothing_has_a_gradient(draw: Draw) -> Tried:
    """padding is seen, under torch.no_grad()"""
    return sees_without_gradients, *several_of_each(draw)


def eight_of_each(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Eight sentences of eight queries each, and contexts of six keys, of eight features."""
    return drawn_padding(draw.fix(batch=8, queries=8, keys=6, d=8))


blind.tries(
    (sentences_exchange, queries_exchange, features_exchange, signs_change),
    eight_of_each,
    times=1,
)


@blind.case(times=1)
def zeros_are_padding(draw: Draw) -> Tried:
    """zeros in the padding, and all of it leaks"""
    queries, context, padding = drawn_padding(draw)
    context[padding] = 0
    return specimens.no_padding_mask, queries, context, padding


@blind.case(times=1)
def ones_are_padding(draw: Draw) -> Tried:
    """ones in the padding, and all of it leaks"""
    queries, context, padding = drawn_padding(draw)
    context[padding] = 1
    return specimens.no_padding_mask, queries, context, padding


@blind.case(times=1)
def padding_is_subtracted(draw: Draw) -> Tried:
    """the padding is subtracted, and may hold what a test would fill it with"""
    return specimens.lowered_by_padding, *drawn_padding(draw)


@blind.case(times=1)
def nothing_is_padding(draw: Draw) -> Tried:
    """without any padding nothing can leak"""
    queries, context = draw.tensor("batch queries d"), draw.tensor("batch keys d")
    return specimens.no_padding_mask, queries, context, torch.zeros(context.shape[:2]).bool()


def near_one(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers that no test can take for rounding errors, nor their last digits for more."""
    queries, context, padding = drawn_padding(draw)
    return 1 + queries.sigmoid(), 1 + context.sigmoid(), padding


@blind.case(times=1, dtypes=("float32",))
def rounding_in_float32(draw: Draw) -> Tried:
    """rounding is all that the padding changes, of numbers in the hundreds, in float32"""
    # Their last digits are above 1e-5: rounding grows with the numbers.
    queries, context, padding = near_one(draw)
    return rounded_by_the_padding, queries, 300 * context, padding


@blind.case(times=1, dtypes=("float32",))
def leak_in_float32(draw: Draw) -> Tried:
    """a thousandth of an average with the padding in it is added, of numbers in float32"""
    return specimens.fainter_leak, *near_one(draw)


@blind.holds
def no_filling_is_a_blind_spot(
    answer: Callable[..., bool],
    attention: Attention,
    queries: Tensor,
    context: Tensor,
    padding: Tensor,
) -> bool:
    """the padding may already be the number that a test would put there"""
    # Next to large numbers, a softmax might leave the padding of other specimens no weight.
    if attention is not specimens.lowered_by_padding:
        return True
    fillings: list[Tensor] = []

    def watched(queries: Tensor, given: Tensor, mask: Tensor, /) -> Tensor:
        fillings.append(given[padding])
        return attention(queries, given, mask)

    answer(watched, queries, context.clone(), padding)
    filled = [context.index_put((padding,), one) for one in of_one_number(fillings)]
    return not any(answer(attention, queries, other, padding) for other in filled)


blind.half_but_for(
    "padding that already holds what it is filled with",
    sevens_in_the_padding,
    padding_is_subtracted,
)
blind.half_but_for("what no gradient tells of", padding_is_counted, nothing_has_a_gradient)
blind.half_but_for("numbers in float32", rounding_in_float32, leak_in_float32)
