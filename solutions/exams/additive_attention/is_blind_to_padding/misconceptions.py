"""The known wrong answers to `is_blind_to_padding`, lesson 01."""

import math

import torch
from torch import Tensor

from solutions.exams.additive_attention._specimens import hidden_places
from solutions.exams.additive_attention.is_blind_to_padding.exam import (
    Attention,
    blind,
    both_alike,
)
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs


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
def close_in_double_precision(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """In single precision, results are rounded at the seventh digit, which your test takes for a
    difference: a bound such as 1e-12 is for double precision only. Allow for both, as `allclose`
    does with the tolerance that it has by default.
    """
    pairs = Compared().pairs(attention, query, annotations, lengths)
    return all(bool((before - after).abs().max() < 1e-12) for before, after in pairs)


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
