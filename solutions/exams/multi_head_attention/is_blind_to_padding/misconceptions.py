"""The known wrong answers to `is_blind_to_padding`, lesson 05."""

import torch
from torch import Tensor

from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.multi_head_attention.is_blind_to_padding.exam import Attention, blind


def _changed(context: Tensor, padding: Tensor) -> Tensor:
    return torch.where(padding[..., None], 5 - context, context)


class Compared(Comparison):
    """The contexts, before and after the padding got other values."""

    def pairs(
        self, attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
    ) -> Pairs:
        changed = attention(queries, _changed(context, padding), padding)
        yield attention(queries, context, padding), changed


VERDICT.apply(
    blind,
    Compared,
    called={"AlwaysTrue": "same_twice"},
    says={
        "AlwaysTrue": "Your test passes every attention. Do you pass it the changed context?",
        "AlwaysFalse": "Your test fails every attention, even one that looks at nothing. Do "
        "both calls get the same queries?",
    },
)
CLOSENESS.apply(
    blind,
    Compared,
    called={"TooGenerous": "a_tenth_allowed"},
    says={
        "TooGenerous": "You allow for more than rounding: `faint_leak` gets through, which adds "
        "a hundredth of an average with the padding in it. torch.allclose has tolerances of its "
        "own that are enough.",
    },
    without=["ToTheLastBit"],
)
EXTENT.apply(
    blind,
    Compared,
    called={
        "FirstRowOnly": "first_sentence_only",
        "LastRowOnly": "last_sentence_only",
        "TotalsOnly": "means_compared",
    },
    says={
        "FirstRowOnly": "A leak in the second sentence goes unseen. Change all padding of all "
        "sentences, and compare all of them.",
        "TotalsOnly": "`cancelling_leak` gets through: it raises one feature by as much as it "
        "lowers another. In sums and means that cancels, and a single feature may not show it: "
        "compare all numbers, one by one.",
    },
)


@blind.misconception
def everything_changed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change more than the padding, such as the whole context. Real words may well change the
    result: change the padding only.
    """
    changed = attention(queries, 5 - context, padding)
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def real_keys_changed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change the real words, and leave the padding as it is. True means padding."""
    changed = attention(queries, _changed(context, ~padding), padding)
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def mask_changed(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Your two calls differ in their masks, and not in the padding. Change what stands in the
    padding, and pass the same mask both times.
    """
    changed = attention(queries, context, torch.zeros_like(padding))
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def mask_changed_as_well(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Your two calls differ in more than the padding: in their masks, too. With another mask, even
    a blind function returns something else. Pass `padding` as it is, both times.
    """
    changed = attention(queries, _changed(context, padding), torch.zeros_like(padding))
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def mask_turned_round(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """In both calls you pass a mask other than `padding`, such as an inverted or an empty one, so
    the attention sees the padding, which you change. Pass `padding` as it is.
    """
    changed = attention(queries, _changed(context, padding), ~padding)
    return torch.allclose(attention(queries, context, ~padding), changed)


@blind.misconception
def mask_and_change_turned_round(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You take False for padding, in what you change and in the mask that you pass. True means
    padding, in both.
    """
    changed = attention(queries, _changed(context, ~padding), ~padding)
    return torch.allclose(attention(queries, context, ~padding), changed)


@blind.misconception
def first_query_only(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """A leak at the last query goes unseen, as when you look at the first query only. Compare all
    of them.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding)[:, 0], changed[:, 0])


@blind.misconception
def to_the_last_bit(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """`blind_average` adds the padding and takes it away again, which leaves an error in the last
    digits, and your test takes it for a leak. Allow for rounding, with torch.allclose in place of
    `==` and `equal`; huge numbers in the padding would make it large.
    """
    filled = torch.where(padding[..., None], context - 1 / 3, context)
    changed = attention(queries, filled, padding)
    return torch.equal(attention(queries, context, padding), changed)


@blind.misconception
def a_hundredth_allowed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You allow for more than rounding: `fainter_leak` gets through, which adds a thousandth of an
    average with the padding in it. torch.allclose has tolerances of its own that are enough.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding), changed, atol=1e-2)


@blind.misconception
def far_too_generous(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You allow for more than rounding. A small leak is a leak: torch.allclose has tolerances of
    its own that are enough.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding), changed, atol=1.0)


@blind.misconception
def only_rounding_in_float64(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Your tolerance is too small for float32, whose numbers have about seven digits: there,
    rounding alone makes your test return False, and the larger the numbers, the more there is of
    it. Leave torch.allclose its own tolerances: `rtol` grows with the numbers.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding), changed, rtol=0, atol=1e-12)


@blind.misconception
def padding_set_to_zero(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Where the padding is zeros already, you change nothing: 0 in place of 0, or 2 · 0. Put values
    there that differ from the old ones.
    """
    other = context.clone()
    other[padding] = 0
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def first_query_after_zeros(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Two things go unseen. One is a leak at the last query, as when you look at the first query
    only: compare all of them. And where the padding is zeros already, you change nothing, as 0 in
    place of 0 and 2 · 0 do: put values there that differ from the old ones.
    """
    found = attention(queries, context, padding)[:, 0]
    other = context.masked_fill(padding[..., None], 0)
    return torch.allclose(found, attention(queries, other, padding)[:, 0])


@blind.misconception
def padding_set_to_one(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Where the padding is ones already, you change nothing. Put values there that differ from the
    old ones.
    """
    other = context.clone()
    other[padding] = 1
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def padding_set_to_seven(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Where the padding is sevens already, you change nothing, and any number may stand there. Make
    the new values from the old ones, so that they always differ.
    """
    other = context.clone()
    other[padding] = 7
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def filled_with_infinity(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You fill the padding with inf or NaN. Even a weight of 0 can't stop that, since 0 · inf is
    NaN: put finite numbers there.
    """
    other = context.clone()
    other[padding] = torch.inf
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def last_place_only(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change only part of the padding. Change it everywhere the mask is True, and nowhere
    else.
    """
    other = context.clone()
    other[:, -1] += 9.0
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def padding_reordered(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You only put the padding into another order, which a sum over it does not notice. Put other
    values there.
    """
    other = context.clone()
    for sentence, hidden in zip(other, padding, strict=True):
        sentence[hidden] = sentence[hidden].flip(0)
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def context_overwritten(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You write into the caller's context. Change a copy: context.clone()."""
    before = attention(queries, context, padding)
    context[padding] += 7.0
    return torch.allclose(before, attention(queries, context, padding))


@blind.misconception
def overwritten_at_once(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You write into the caller's context, and so both calls are given the same values. `other =
    context` is a second name for it, not a copy: context.clone().
    """
    context[padding] += 7.0
    return torch.allclose(
        attention(queries, context, padding), attention(queries, context, padding)
    )


@blind.misconception
def one_feature_changed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change some features of the padding and not all: `last_feature_leaks` gets through.
    Change all of them.
    """
    other = context.clone()
    other[..., 0][padding] += 9.0
    return torch.allclose(attention(queries, context, padding), attention(queries, other, padding))


@blind.misconception
def one_sentence_is_enough(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Your test is satisfied when one of the sentences stays the same. All of them have to."""
    before, after = (attention(queries, x, padding) for x in (context, _changed(context, padding)))
    return any(map(torch.allclose, before, after))
