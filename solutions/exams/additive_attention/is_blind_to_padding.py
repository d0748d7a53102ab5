"""The exam of `is_blind_to_padding`, lesson 01."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion.specimens import padding
from solutions import additive_attention as reference
from solutions.exams.additive_attention import _leaks as leaks
from solutions.exams.additive_attention._specimens import BATCH, Pair, hidden_places, tensor
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.spoiled import late_place, of_one_number, only, place_in_turn, signs_changed

Attention = Callable[[Tensor, Tensor, Tensor], Pair]

blind = Exam(reference.is_blind_to_padding, dtypes=("float64",))

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

    def attention(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
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

    def attention(query: Tensor, annotations: Tensor, lengths: Tensor) -> Pair:
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

    def watched(query: Tensor, given: Tensor, lengths: Tensor) -> Pair:
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


class Compared(Comparison):
    """Contexts and weights, before and after the padding got other values."""

    def pairs(
        self, attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
    ) -> Pairs:
        changed = annotations + 7 * hidden_places(annotations[..., 0], lengths)[..., None]
        before = attention(query, annotations, lengths)
        return zip(before, attention(query, changed, lengths), strict=True)


VERDICT.apply(
    blind,
    Compared,
    called={
        "AlwaysTrue": "nothing_changed",
        "TurnedRound": "answer_turned_round",
        "ATableOfTruths": "a_table_of_answers",
    },
    says={
        "AlwaysTrue": "Your test passes every attention function. Do both calls get the same "
        "padding, or do you compare a result with itself? Put other values there for one of them.",
        "AlwaysFalse": "Your test returns False for everything, even where there is no padding. "
        "Did you change true words as well, or `lengths`? Or does your comparison never find two "
        "results alike?",
    },
)
CLOSENESS.apply(blind, Compared)
EXTENT.apply(
    blind,
    Compared,
    called={"FirstRowOnly": "first_sentence_only", "LastRowOnly": "last_sentence_only"},
    says={
        "AnyNumber": "Your test is satisfied too soon. Does it accept when some of the entries "
        "agree, or only change the positions beyond the longest sentence? No entry may change, "
        "whatever the padding of any sentence holds.",
        "FirstRowOnly": "Your test misses an attention function that only goes wrong in the "
        "shorter sentence. Did you look at the first sentence only, or only change the positions "
        "beyond the longest?",
        "LastRowOnly": "Your test misses an attention function that only goes wrong in the first "
        "sentence. Look at all of them. If you do so in a loop, does the last pass overwrite what "
        "earlier ones found?",
    },
    without=["FirstNumberOnly", "TotalsOnly"],
)


@blind.misconception
def padding_zeroed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your change leaves zeros as they are: you set the padding to 0, or multiplied it. Add
    something to the existing values.
    """
    changed = annotations.masked_fill(hidden_places(annotations[..., 0], lengths)[..., None], 0.0)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def padding_set_to_one(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You set the padding to 1, but in some of these sentences it already has this value, and then
    nothing changes. Add something to the existing values.
    """
    changed = annotations.masked_fill(hidden_places(annotations[..., 0], lengths)[..., None], 1.0)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def padding_set_to_seven(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You set the padding to 7, but in some of these sentences it already has this value, and then
    nothing changes. Add something to the existing values.
    """
    changed = annotations.masked_fill(hidden_places(annotations[..., 0], lengths)[..., None], 7.0)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def weights_compared(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test is satisfied when the weights agree. In some attention functions only the contexts
    change: both have to agree.
    """
    changed = annotations + 7 * hidden_places(annotations[..., 0], lengths)[..., None]
    return torch.allclose(
        attention(query, annotations, lengths)[1], attention(query, changed, lengths)[1]
    )


@blind.misconception
def contexts_compared(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test is satisfied when the contexts agree. In some attention functions only the weights
    change: both have to agree.
    """
    changed = annotations + 7 * hidden_places(annotations[..., 0], lengths)[..., None]
    return torch.allclose(
        attention(query, annotations, lengths)[0], attention(query, changed, lengths)[0]
    )


@blind.misconception
def poisoned(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """As soon as there is padding, your test rejects every attention function: 0 · NaN is NaN, and
    so is 0 · inf. Use an ordinary, finite number.
    """
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = annotations.masked_fill(places, math.nan)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def everything_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Your test rejects every attention function that depends on the words, because it changes the
    words as well. Change only the positions from `lengths` on.
    """
    return both_alike(
        attention(query, annotations, lengths), attention(query, annotations + 1, lengths)
    )


@blind.misconception
def last_place_only(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You changed the last position of every sentence. In some sentences it is not padding, and in
    others it is not all of the padding.
    """
    changed = annotations.clone()
    changed[:, -1] += 7
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def words_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """It seems that you changed words: attention functions that do ignore padding fail, and one for
    which changing all the words makes no difference passes. Only the positions from `lengths` on
    may change.
    """
    is_word = ~hidden_places(annotations[..., 0], lengths)
    changed = annotations + 7 * is_word[..., None]
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def from_the_shortest_on(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You changed all sentences from the end of the shortest one on, where longer ones still have
    words. Use each sentence's own length.
    """
    changed = annotations.clone()
    changed[:, int(lengths.min()) :] += 7
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def lengths_changed(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You changed `lengths`, which tells the attention function that padding is words. Leave them
    as they are, and change the values in the padding.
    """
    full = torch.full_like(lengths, annotations.shape[1])
    return both_alike(attention(query, annotations, lengths), attention(query, annotations, full))


@blind.misconception
def weights_are_zero(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You only check whether the weights of the padding are 0. An attention function can return
    such weights and still let the padding into its contexts: change the padding, and compare both.
    """
    _, weights = attention(query, annotations, lengths)
    return bool((weights[hidden_places(weights, lengths)] == 0).all())


@blind.misconception
def one_too_late(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """You leave the first padded position as it is. In a sentence of 2 words, these have positions
    0 and 1; position 2 is padding.
    """
    places = hidden_places(annotations[..., 0], lengths + 1)[..., None]
    changed = annotations + 7 * places
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def first_padding_alone(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """An attention function that looks at a later position of the padding, but not at the first,
    passes your test. Change every padded position.
    """
    is_first = hidden_places(annotations[..., 0], lengths) & ~hidden_places(
        annotations[..., 0], lengths + 1
    )
    changed = annotations + 7 * is_first[..., None]
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.misconception
def caller_s_padding(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """You write into the annotations that you were given, and so compare a result with itself.
    Change a copy: `annotations.clone()`, or `masked_fill` without the underscore at the end.
    """
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    annotations += 7 * places
    return both_alike(
        attention(query, annotations, lengths), attention(query, annotations, lengths)
    )


@blind.accepts
def by_random_padding(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Other numbers, drawn with a seed."""
    noise = 9 * torch.randn(
        annotations.shape, generator=torch.Generator().manual_seed(0), dtype=annotations.dtype
    )
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = torch.where(places, noise, annotations)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.accepts
def sentence_after_sentence(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """A loop that changes the padding."""
    changed = annotations.clone()
    for sentence, length in zip(changed, lengths.tolist(), strict=True):
        sentence[length:] += 50
    context, weights = attention(query, annotations, lengths)
    other_context, other_weights = attention(query, changed, lengths)
    gap = max(
        (context - other_context).abs().max().item(), (weights - other_weights).abs().max().item()
    )
    return gap < 1e-7


@blind.accepts
def by_scaling(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """The padding turned round and moved far away."""
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = annotations - 20 * places.to(annotations.dtype)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))
