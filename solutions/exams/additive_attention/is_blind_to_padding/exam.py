"""The exam of `is_blind_to_padding`, lesson 01: what it is tried on."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion.specimens import padding
from solutions import additive_attention as reference
from solutions.exams.additive_attention import _leaks as leaks
from solutions.exams.additive_attention._specimens import (
    BATCH,
    LONG,
    Pair,
    hidden_places,
    tensor,
)
from solutions.exams.spoiled import late_place, of_one_number, only, place_in_turn, signs_changed

Attention = Callable[[Tensor, Tensor, Tensor], Pair]

blind = Exam(reference.is_blind_to_padding, dtypes=("float64",))

SINGLE_STEP = torch.finfo(torch.float32).eps
QUERIES = tensor([0.5, -1.0, 0.3], [-0.2, 0.8, 0.4])


def padded(lengths: tuple[int, int], filler: float) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, the two sentences with something else in their padding, and their lengths."""
    sizes = torch.tensor(lengths)
    hidden = hidden_places(BATCH[..., 0], sizes)
    return QUERIES, torch.where(hidden[..., None], filler, BATCH), sizes


blind.tries(
    (
        padding.masked_attention,
        padding.average_of_words,
        padding.average_less_padding,
        padding.unmasked_attention,
        padding.one_too_far,
        padding.first_length_for_all,
        padding.zeroed_padding,
        padding.centred_attention,
        padding.raised_attention,
        padding.faint_attention,
        padding.average_of_everything,
        padding.misreported_weights,
    ),
    padded((3, 2), 0),
    on="3 and 2 words, padded with 0",
)
blind.tries([padding.unmasked_attention], padded((3, 2), 1), on="3 and 2 words, padded with 1")
blind.tries([padding.unmasked_attention], padded((4, 3), 7), on="4 and 3 words, padded with 7")
blind.tries([padding.masked_attention], padded((4, 4), 0), on="4 and 4 words, padded with 0")
blind.tries(
    (padding.centred_attention, padding.average_of_words),
    padded((4, 4), 0),
    on="4 and 4 words, no padding at all",
)
blind.tries([padding.last_length_for_all], padded((2, 3), 0), on="2 and 3 words, padded with 0")
blind.tries([padding.masked_attention], padded((2, 2), 0), on="2 and 2 words, padded with 0")
blind.tries([padding.last_place_too], padded((2, 2), 0), on="2 and 2 words, padded with 0")


def five_sentences(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, sentences of seven positions, and how many words each has."""
    words = draw.fix(batch=5, source=7, d=6).tensor("batch source d")
    return draw.tensor("batch d"), words, torch.from_numpy(draw.rng.permutation([5, 2, 4, 1, 3]))


blind.tries(
    (
        leaks.last_word,
        leaks.by_cosines,
        leaks.only_the_last_sentence,
        leaks.faintly,
        leaks.weights_of_another_mask,
    ),
    five_sentences,
)


blind.tries([leaks.last_feature_of_everything], five_sentences, times=1)


def leak_at(draw: Draw, part: int, place: tuple[int, ...], words: Tensor, length: int) -> Attention:
    """A number of the contexts, or of the weights, that sees one number of the padding."""
    sentence, feature = place[0], int(draw.rng.integers(words.shape[2]))
    position = int(draw.rng.integers(length, words.shape[1]))

    def attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
        found = padding.masked_attention(query, annotations, lengths)
        found[part][only(*place)] += 0.1 * annotations[only(sentence, position, feature)].sum()
        return found

    return attention


@blind.case(times=6)
def one_number_is_wrong(draw: Draw) -> tuple[Attention, Tensor, Tensor, Tensor]:
    """one number of the contexts, or of the weights, depends on the padding"""
    query, words, lengths = five_sentences(draw)
    part = draw.in_turn(range(2))
    place = place_in_turn(draw, 5, (6, 7)[part])
    return leak_at(draw, part, place, words, int(lengths[place[0]])), query, words, lengths


@blind.case(times=2)
def a_late_number_is_wrong(draw: Draw) -> tuple[Attention, Tensor, Tensor, Tensor]:
    """of many sentences one of the last sees one of its last positions, which are padding"""
    # A function that is lent is given no more than 4,096 numbers.
    batch, source, d = (int(size) for size in draw.rng.integers(11, 15, size=3))
    words = draw.fix(batch=batch, source=source, d=d).tensor("batch source d")
    lengths = torch.from_numpy(draw.rng.integers(1, source - 3, size=batch))
    part = draw.in_turn(range(2))
    place = late_place(draw, batch, (d, source)[part])
    attention = leak_at(draw, part, place, words, source - 3)
    return attention, draw.tensor("batch d"), words, lengths


@blind.case(times=2)
def a_long_sentence(draw: Draw) -> tuple[Attention, Tensor, Tensor, Tensor]:
    """a sentence of more than a thousand positions"""
    words = draw.fix(batch=1, source=LONG, d=2).tensor("batch source d")
    length = LONG - int(draw.rng.integers(3, 70))
    seen = leak_at(draw, 1, (0, *late_place(draw, LONG)), words, LONG - 3)
    attention = draw.in_turn((padding.masked_attention, seen))
    return attention, draw.tensor("batch d"), words, torch.tensor([length])


blind.half_but_for("a sentence of more than a thousand positions", a_long_sentence)


@blind.case(times=1, dtypes=("float32",))
def rounded_in_single_precision(draw: Draw) -> tuple[Attention, Tensor, Tensor, Tensor]:
    """contexts and weights that only rounding changes, by a step of their precision"""
    query, words, lengths = five_sentences(draw)
    words = words.float()

    def attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
        exact = padding.masked_attention(query.double(), annotations.double(), lengths)
        contexts, weights = (part.to(annotations.dtype) for part in exact)
        step = 0 if annotations.equal(words.to(annotations.dtype)) else SINGLE_STEP
        return contexts * (1 + step), weights * (1 + step)

    return attention, query, words, lengths


blind.half_but_for("rounding in single precision", rounded_in_single_precision)


blind.tries([leaks.padding_direction], five_sentences, times=1)

# How the contexts, or the weights alone, are spoiled.
WAYS = [
    (part, spoil)
    for part in range(2)
    for spoil in (
        leaks.cancelled,
        leaks.rows_exchanged,
        leaks.columns_exchanged,
        signs_changed,
        leaks.stretched,
    )
]


@blind.case(times=len(WAYS))
def one_part_is_spoiled(draw: Draw) -> tuple[Attention, Tensor, Tensor, Tensor]:
    """the contexts alone, or the weights alone, are spoiled by the padding"""
    words = draw.fix(batch=8, source=7, d=8).tensor("batch source d")
    lengths = torch.from_numpy(draw.rng.integers(1, 7, size=8))
    part, spoil = draw.in_turn(WAYS)

    def attention(query: Tensor, annotations: Tensor, lengths: Tensor, /) -> Pair:
        contexts, weights = padding.masked_attention(query, annotations, lengths)
        seen = torch.where(hidden_places(weights, lengths)[..., None], annotations, 0).sum()
        return (contexts, spoil(weights, seen)) if part else (spoil(contexts, seen), weights)

    return attention, draw.tensor("batch d"), words, lengths


@blind.case(times=1)
def padding_is_averaged(draw: Draw) -> tuple[Attention, Tensor, Tensor, Tensor]:
    """the padding is averaged with the words, and may hold what a test would put there"""
    return padding.average_of_everything, *five_sentences(draw)


@blind.holds
def no_filling_is_a_blind_spot(
    answer: Callable[..., bool],
    attention: Attention,
    query: Tensor,
    annotations: Tensor,
    lengths: Tensor,
) -> bool:
    """the padding may already be the number that a test would put there"""
    if attention is not padding.average_of_everything:
        return True
    places = hidden_places(annotations[..., 0], lengths)
    fillings: list[Tensor] = []

    def watched(query: Tensor, given: Tensor, lengths: Tensor, /) -> Pair:
        # A test may cut the sentences off, or take them one by one.
        if given.shape == annotations.shape:
            fillings.append(given[places].detach())
        return attention(query, given, lengths)

    answer(watched, query, annotations.clone(), lengths)
    filled = [annotations.index_put((places,), one) for one in of_one_number(fillings)]
    return not any(answer(attention, query, other, lengths) for other in filled)


blind.half_but_for("padding that already holds what it is filled with", padding_is_averaged)


def both_alike(one: Pair, other: Pair) -> bool:
    """Whether contexts and weights agree."""
    return all(torch.allclose(a, b) for a, b in zip(one, other, strict=True))
