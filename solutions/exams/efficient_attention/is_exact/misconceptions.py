"""The known wrong answers to `is_exact`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor

from solutions.exams.efficient_attention._long_texts import Triple
from solutions.exams.efficient_attention.is_exact.exam import Attention, agrees, exact, expected
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs


class Compared(Comparison):
    """Scaled dot-product attention, and that in blocks of every size."""

    def pairs(self, attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> Pairs:
        for size in range(1, len(keys) + 1):
            yield expected(queries, keys, values), attention(queries, keys, values, size)


VERDICT.apply(
    exact,
    Compared,
    called={"AlwaysTrue": "everybody_passes", "AlwaysFalse": "nobody_passes"},
    says={
        "AlwaysTrue": "Every attention function passes your test. Compare with scaled dot-product "
        "attention that you compute yourself, and return False if the two differ for any block "
        "size.",
        "AlwaysFalse": "Not even `all_at_once` passes your test, although it ignores the block "
        "size and is exact. Look at what you compare with, and at what you return.",
    },
    without=["ATableOfTruths"],
)
CLOSENESS.apply(
    exact,
    Compared,
    called={"ToTheLastBit": "compared_exactly"},
    says={
        "ToTheLastBit": "You compare to the last bit, as `==` and `torch.equal` do, but the "
        "online softmax differs in its last bits. Allow for that, with torch.allclose.",
        "TooGenerous": "You allow for more than rounding, and `slightly_off` slips through. Leave "
        "torch.allclose its own tolerances, or take 1e-4 at most.",
        "RisesOverlooked": "Your differences keep their signs, and `never_too_small`, whose "
        "contexts are only ever too large, slips through. Take abs() first.",
        "FallsOverlooked": "Your differences keep their signs, and `never_too_large`, whose "
        "contexts are only ever too small, slips through. Take abs() first.",
    },
)
EXTENT.apply(
    exact,
    Compared,
    called={"AnyNumber": "any_number_will_do"},
    says={
        "FirstRowOnly": "You compare only the context of the first query. `last_query_is_off` is "
        "right there: compare all of them.",
        "LastRowOnly": "You compare only the context of the last query. `first_query_is_off` is "
        "right there: compare all of them.",
        "TotalsOnly": "You compare sums or averages, and in `gains_cancel_losses` one number makes "
        "up for another. Compare number by number.",
    },
)


@exact.misconception
def a_thousandth_allowed(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """You allow for more than rounding, and `slightly_off` slips through. Leave torch.allclose its
    own tolerances, or take 1e-4 at most.
    """
    sizes = range(1, len(keys) + 1)
    text = queries, keys, values
    return agrees(attention, text, sizes, lambda a, b: torch.allclose(a, b, atol=1e-3))


@exact.misconception
def first_size_only(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Only blocks of a single key count in your test, and `wrong_in_one_block`, `drops_the_rest`
    and others are right with these. Try every size. If you do so in a loop, does it return in its
    first pass?
    """
    return agrees(attention, (queries, keys, values), range(1, 2))


@exact.misconception
def pairs_only(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Only blocks of two keys count in your test. `wrong_for_single_keys` is right with these: try
    every size.
    """
    return agrees(attention, (queries, keys, values), range(2, 3))


@exact.misconception
def last_size_only(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Only a single block with all the keys counts in your test, and with that most functions are
    right. Try every size. If you do so in a loop, does the last pass overwrite what earlier ones
    found?
    """
    return agrees(attention, (queries, keys, values), range(len(keys), len(keys) + 1))


@exact.misconception
def sizes_from_zero(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Your block sizes begin with 0, in which some of the functions stop, and end one too early.
    They go from 1 to the number of keys, both included: `range(1, len(keys) + 1)`.
    """
    return agrees(attention, (queries, keys, values), range(len(keys)))


@exact.misconception
def never_all_keys(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You never try a single block with all the keys, and `wrong_in_one_block` slips through. A
    `range` ends one before its second argument, and a step such as 2 makes it leave out sizes.
    """
    return agrees(attention, (queries, keys, values), range(1, len(keys)))


@exact.misconception
def never_single_keys(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You never try blocks of a single key, and `wrong_for_single_keys` slips through. The sizes
    start at 1.
    """
    return agrees(attention, (queries, keys, values), range(2, len(keys) + 1))


@exact.misconception
def neither_first_nor_last(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """You try neither single keys nor all of them in one block, so `wrong_for_single_keys` and
    `wrong_in_one_block` slip through. The sizes go from 1 to the number of keys, both included.
    """
    return agrees(attention, (queries, keys, values), range(2, len(keys)))


@exact.misconception
def divisors_only(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You try only sizes that divide the number of keys, and `drops_the_rest` slips through. The
    last block may be smaller: try every size.
    """
    right = expected(queries, keys, values)
    sizes = [size for size in range(1, len(keys) + 1) if len(keys) % size == 0]
    return all(torch.allclose(attention(queries, keys, values, size), right) for size in sizes)


@exact.misconception
def some_sizes_only(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You try only some sizes, such as powers of two, and not that of a single key, so
    `wrong_for_single_keys` slips through. Try every size, from 1 to the number of keys.
    """
    right = expected(queries, keys, values)
    return all(torch.allclose(attention(queries, keys, values, size), right) for size in (2, 4, 8))


@exact.misconception
def powers_of_two_only(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You try only the sizes 1, 2, 4 and so on. Each of them divides eight keys, so in that case
    `drops_the_rest` slips through. Try every size, from 1 to the number of keys.
    """
    right = expected(queries, keys, values)
    sizes = [2**k for k in range(len(keys)) if 2**k <= len(keys)]
    return all(torch.allclose(attention(queries, keys, values, size), right) for size in sizes)


@exact.misconception
def half_at_most(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You try no size above half the number of keys. `drops_the_rest` and `wrong_in_one_block` go
    wrong with larger ones: go up to the number of keys.
    """
    return agrees(attention, (queries, keys, values), range(1, len(keys) // 2 + 1))


@exact.misconception
def sizes_of_the_queries(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """Your sizes go up to 2, or to the number of queries. Blocks are of keys: go up to the number
    of keys.
    """
    return agrees(attention, (queries, keys, values), range(1, len(queries) + 1))


@exact.misconception
def sizes_of_the_features(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """Your sizes go up to 4, or to the number of features. Blocks are of keys: go up to the number
    of keys.
    """
    return agrees(attention, (queries, keys, values), range(1, keys.shape[-1] + 1))


@exact.misconception
def one_size_is_enough(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Your test already passes when one block size gives the right contexts. Every size has to give
    them: use `all`, not `any`, or return False at the first that does not.
    """
    right = expected(queries, keys, values)
    sizes = range(1, len(keys) + 1)
    return any(torch.allclose(attention(queries, keys, values, size), right) for size in sizes)


@exact.misconception
def compared_with_itself(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """You compare the attention function with itself, in blocks of another size.
    `without_the_scale` is equally wrong with every block size and slips through: compute the right
    contexts yourself.
    """
    whole = attention(queries, keys, values, len(keys))
    sizes = range(1, len(keys) + 1)
    return all(torch.allclose(attention(queries, keys, values, size), whole) for size in sizes)


def by_another_scale(attention: Attention, text: Triple, divisor: float) -> bool:
    """Whether an attention agrees with one whose scores are divided by this."""
    queries, keys, values = text
    right = torch.softmax(queries @ keys.T / divisor, dim=-1) @ values
    return agrees(
        attention, text, range(1, len(keys) + 1), lambda here, _: torch.allclose(here, right)
    )


@exact.misconception
def scale_left_out(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """`without_the_scale` passes your test, and `all_at_once`, which is exact, does not: what you
    compare with has no scale either. Divide your scores by the square root of d_k.
    """
    return by_another_scale(attention, (queries, keys, values), 1.0)


@exact.misconception
def other_weights(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """`all_at_once`, which is exact, does not pass your test unless there is a single key. Do you
    compare to the last bit, as `torch.equal` does? Use torch.allclose. If you do, what you compare
    with has other weights: divide the scores by the square root of d_k, the width of a key, and
    take the softmax over the keys.
    """
    return by_another_scale(attention, (queries, keys, values), len(queries) ** 0.5)


def nothing_above(
    attention: Attention,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    gap: Callable[[Tensor, Tensor], Tensor],
) -> bool:
    """Whether no gap is found to be large, as none is that is NaN."""
    return agrees(
        attention,
        (queries, keys, values),
        range(1, len(keys) + 1),
        lambda here, right: not bool((gap(here, right) > 1e-4).any()),
    )


@exact.misconception
def nan_passes(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """NaN slips through: `without_the_maximum` returns it where scores are large. `>` and `<` are
    False of NaN, so check that the difference is small, not whether it is large; and do not replace
    NaN by a number.
    """
    return nothing_above(attention, queries, keys, values, lambda here, right: (here - right).abs())


@exact.misconception
def falls_and_nan_pass(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Your differences keep their signs, and `never_too_large`, whose contexts are only ever too
    small, slips through: take abs() first. So does NaN, which is not above any bound: ask whether
    the difference is small.
    """
    return nothing_above(attention, queries, keys, values, lambda here, right: here - right)


@exact.misconception
def rises_and_nan_pass(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Your differences keep their signs, and `never_too_small`, whose contexts are only ever too
    large, slips through: take abs() first. So does NaN, which is not above any bound: ask whether
    the difference is small.
    """
    return nothing_above(attention, queries, keys, values, lambda here, right: right - here)


@exact.misconception
def signed_average(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You take an average, or a sum, of differences that keep their signs: below 0 it is never too
    large, and in `gains_cancel_losses` it is 0. Take abs() of the differences, and the largest.
    """
    return agrees(
        attention,
        (queries, keys, values),
        range(1, len(keys) + 1),
        lambda here, right: not bool((here - right).mean() > 1e-5),
    )


@exact.misconception
def signed_average_of_numbers(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """You take an average, or a sum, of differences that keep their signs: below 0 it is never too
    large, and in `gains_cancel_losses` it is 0. Take abs() of the differences, and the largest.
    """
    return agrees(
        attention,
        (queries, keys, values),
        range(1, len(keys) + 1),
        lambda here, right: bool((here - right).mean() < 1e-4),
    )


@exact.misconception
def average_within_a_thousandth(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """You take an average, or a sum, of differences that keep their signs, and in
    `gains_cancel_losses` it is 0. Besides, `slightly_off` slips through, which is off by more than
    rounding. Take abs() of the differences, and allow the largest of them 1e-4 at most.
    """
    return agrees(
        attention,
        (queries, keys, values),
        range(1, len(keys) + 1),
        lambda here, right: bool((here - right).mean().abs() <= 1e-3),
    )


@exact.misconception
def a_table_of_truths(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> list[bool]:
    """This gives an answer for every block size. Return a single True or False for all of them
    together.
    """
    right = expected(queries, keys, values)
    sizes = range(1, len(keys) + 1)
    return [torch.allclose(attention(queries, keys, values, size), right) for size in sizes]
