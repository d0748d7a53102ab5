"""The known wrong answers to `is_key_shift_invariant`, lesson 03."""

import torch
from torch import Tensor, nn

from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.trainable_weights.is_key_shift_invariant.exam import Attention, shifted


class Compared(Comparison):
    """The contexts without the shift and with it."""

    def pairs(
        self, attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
    ) -> Pairs:
        yield attention(queries, keys, values), attention(queries, keys + shift, values)


VERDICT.apply(
    shifted,
    Compared,
    called={"AlwaysTrue": "both_sides_alike", "TurnedRound": "verdict_turned_round"},
    says={
        "AlwaysTrue": "Your test passes every attention function. Both sides of the comparison "
        "seem to be the same thing: shift the keys on one side."
    },
)
CLOSENESS.apply(
    shifted,
    Compared,
    called={
        "ToTheLastBit": "compared_exactly",
        "TooGenerous": "compared_loosely",
        "RisesOverlooked": "shrinkage_alone",
        "FallsOverlooked": "growth_alone",
    },
)
EXTENT.apply(shifted, Compared, without=["FirstNumberOnly", "TotalsOnly"])


@shifted.misconception
def close_in_double_precision(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """In single precision, results are rounded at the seventh digit, which your test takes for a
    difference: a bound such as 1e-12 is for double precision only. Allow for both, as `allclose`
    does with the tolerance that it has by default.
    """
    gap = attention(queries, keys + shift, values) - attention(queries, keys, values)
    return bool(gap.abs().max() < 1e-12)


@shifted.misconception
def queries_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift the queries. The property is about the keys: add the vector to each of them."""
    moved = attention(queries + shift, keys, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def queries_and_keys_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift both the queries and the keys. Shift only the keys."""
    moved = attention(queries + shift, keys + shift, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def one_key_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift only one key, or some, so their scores change relative to the others. Add the
    vector to all the keys.
    """
    moved = keys.clone()
    moved[0] = moved[0] + shift
    return torch.allclose(attention(queries, moved, values), attention(queries, keys, values))


@shifted.misconception
def keys_handed_in_first(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You pass the keys first, as if they were the queries. The order is queries, keys, values, in
    both calls.
    """
    moved = attention(keys + shift, queries, values)
    return torch.allclose(moved, attention(keys, queries, values))


@shifted.misconception
def one_call_in_another_order(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """The two calls differ in more than the shift: one of them has the queries and keys in the
    opposite order.
    """
    moved = attention(keys + shift, queries, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def shifted_in_place(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You write to the caller's keys, as `keys += shift` does. Create new ones: `keys + shift`."""
    before = attention(queries, keys, values)
    keys += shift
    return torch.allclose(attention(queries, keys, values), before, rtol=1e-4, atol=1e-6)


@shifted.misconception
def shifted_in_place_at_once(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """The keys themselves are changed, as by `keys += shift`, so both of your calls get shifted
    ones. Create new ones: `keys + shift`.
    """
    keys += shift
    moved = attention(queries, keys, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def compared_to_three_decimals(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your comparison lets small changes pass, like those that a small shift causes. Allow for
    rounding only: 1e-6 or so, or the default tolerance of `torch.allclose`.
    """
    moved = attention(queries, keys + shift, values)
    return torch.allclose(moved, attention(queries, keys, values), atol=1e-3)


@shifted.misconception
def values_shifted_plainly(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift the values. The property is about the keys, which have the same width as the
    shift.
    """
    moved = attention(queries, keys, values + shift)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def a_shift_of_ones_own(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You change the keys by something other than `shift`: a shift of zeros should change nothing,
    but yours does. Use the argument.
    """
    moved = attention(queries, keys + 1, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def first_number_of_the_shift(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Of the shift, you add only the first entry to the keys. Add the whole vector: each of its
    entries is for one feature.
    """
    moved = attention(queries, keys + shift[0], values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def shift_subtracted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You subtract the shift from the keys, and some attentions change only where it is added. Add
    it.
    """
    moved = attention(queries, keys - shift, values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def sum_of_the_shift(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You do not add `shift` itself to the keys, but something computed from it, such as its sum,
    its size or its negative. Add the vector itself: each of its entries is for one feature.
    """
    moved = attention(queries, keys + shift.sum(), values)
    return torch.allclose(moved, attention(queries, keys, values))


@shifted.misconception
def compared_with_pytorchs(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test passes what returns the same as scaled dot-product attention, but other functions
    have the property too. Compare each function with itself, without the shift and with it.
    """
    own = nn.functional.scaled_dot_product_attention(queries, keys, values)
    return torch.allclose(attention(queries, keys, values), own)


@shifted.misconception
def shifted_compared_with_pytorchs(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You compare with the result of scaled dot-product attention, so other functions that have the
    property fail. Compare each function with itself, without the shift and with it.
    """
    own = nn.functional.scaled_dot_product_attention(queries, keys, values)
    return torch.allclose(attention(queries, keys + shift, values), own)


@shifted.misconception
def compared_with_the_values(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You compare contexts with the values that went in. Compare the function with itself, without
    the shift and with it.
    """
    moved = attention(queries, keys + shift, values)
    return torch.allclose(moved, values)


@shifted.misconception
def sums_of_weights(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You test whether the weights of each query sum to 1, which is a different property. The
    question here is whether a shift of the keys changes anything.
    """
    ones = torch.ones_like(values)
    return torch.allclose(attention(queries, keys, ones), ones)


@shifted.misconception
def never_true(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test only returns True for a shift of zeros. Compare the contexts, with and without the
    shift: the inputs differ anyway.
    """
    return torch.equal(keys + shift, keys)


@shifted.misconception
def first_feature_only(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your test looks at the first feature only. Any of them can be wrong: compare all of them."""
    moved = attention(queries, keys + shift, values)
    return torch.allclose(moved[:, 0], attention(queries, keys, values)[:, 0])


@shifted.misconception
def lengths_compared(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your comparison misses contexts that keep their length but change direction, as when you
    compare lengths or sizes: an attention function that only changes the sign passes. Compare entry
    by entry.
    """
    moved = attention(queries, keys + shift, values)
    return torch.allclose(moved.norm(), attention(queries, keys, values).norm())


@shifted.misconception
def totals_only(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """Your comparison sums or averages over the words, which can hide a wrong row. Compare entry
    by entry.
    """
    moved = attention(queries, keys + shift, values).sum(dim=0)
    return torch.allclose(moved, attention(queries, keys, values).sum(dim=0))


@shifted.misconception
def values_shifted(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """You shift the values, so every context moves by the same vector, which is a different
    property. Shift the keys.
    """
    moved = attention(queries, keys, values + shift)
    return torch.allclose(moved, attention(queries, keys, values) + shift)
