"""The exam of `is_exact`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

import companion.specimens.blockwise as specimens
from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._blocks import (
    half_a_percent_off,
    nothing_but_nan,
    together,
)
from solutions.exams.efficient_attention._long_texts import Triple
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.printed_numbers import numbers

exact = Exam(reference.is_exact, dtypes=("float64",))

Attention = Callable[[Tensor, Tensor, Tensor, int], Tensor]
Tried = tuple[Attention, Tensor, Tensor, Tensor]

# All positive, and the keys grow: with every block size but the last, the largest score comes late.
QUERIES = torch.tensor([[0.5, 1.0, 0.2, 0.7], [1.0, 0.4, 1.2, 0.9]], dtype=torch.float64)
KEYS = torch.tensor(
    [
        [0.1, 0.2, 0.3, 0.1],
        [0.5, 0.4, 0.4, 0.5],
        [0.8, 1.0, 0.7, 0.9],
        [1.2, 1.1, 1.0, 1.3],
        [1.6, 1.9, 1.5, 1.4],
        [2.3, 2.0, 2.1, 1.8],
        [2.4, 2.5, 2.2, 2.3],
        [2.9, 2.8, 2.7, 2.6],
    ],
    dtype=torch.float64,
)
VALUES = numbers(8, 3, start=20) + 2
TEXT = QUERIES, KEYS[:6], VALUES[:6]

exact.tries(
    (
        specimens.all_at_once,
        specimens.block_after_block,
        specimens.last_block_first,
        specimens.in_two_passes,
        specimens.merges_finished_blocks,
        specimens.averages_its_blocks,
        specimens.never_shrinks,
        specimens.shrinks_only_once,
        specimens.total_not_shrunk,
        specimens.drops_the_rest,
        specimens.fills_the_last_block,
        specimens.forgets_the_first_block,
        specimens.without_the_scale,
        specimens.without_the_maximum,
        specimens.wrong_for_single_keys,
        specimens.wrong_in_one_block,
        specimens.first_query_is_off,
        specimens.last_query_is_off,
        specimens.last_feature_is_off,
        specimens.never_too_small,
        specimens.never_too_large,
        specimens.gains_cancel_losses,
        specimens.slightly_off,
    ),
    TEXT,
    on="two queries, six keys",
)
exact.tries(
    [specimens.never_shrinks], (QUERIES, KEYS.flip(0), VALUES), on="the largest score comes first"
)
exact.tries([specimens.drops_the_rest], (QUERIES, KEYS, VALUES), on="eight keys")
exact.tries([specimens.drops_the_rest], (QUERIES, KEYS[:5], VALUES[:5]), on="five keys")
exact.tries(
    [specimens.shrinks_only_once], (QUERIES[:1], KEYS[:2], VALUES[:2]), on="one query, two keys"
)
exact.tries(
    [specimens.averages_its_blocks, specimens.drops_the_rest, specimens.wrong_in_one_block],
    (QUERIES, KEYS[:1], VALUES[:1]),
    on="a single key",
)
exact.tries(
    [specimens.without_the_maximum, specimens.block_after_block],
    (1000 * QUERIES, KEYS[:6], VALUES[:6]),
    on="scores in the thousands",
)


def sums_in_float32(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """Computed in float32: exact up to rounding."""
    parts = queries.float(), keys.float(), values.float()
    return specimens.block_after_block(*parts, block_size).double()


def by_the_library(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """PyTorch's own function: exact."""
    return scaled_dot_product_attention(queries, keys, values)


def adds_its_blocks(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """The contexts of the blocks, added up: not exact."""
    return together(
        lambda contexts: torch.stack(contexts).sum(dim=0), queries, keys, values, block_size
    )


def last_block_only(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """The last block alone: not exact."""
    return together(lambda contexts: contexts[-1], queries, keys, values, block_size)


def wrong_for_pairs(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """Right but for blocks of two keys: not exact."""
    contexts = specimens.all_at_once(queries, keys, values, block_size)
    return contexts + 1 if block_size == 2 else contexts


def wrong_for_one_less(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """Right but for blocks of all keys less one: not exact."""
    contexts = specimens.all_at_once(queries, keys, values, block_size)
    return contexts + 1 if block_size == len(keys) - 1 else contexts


def without_a_feature(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """The last feature of the contexts is missing from the sum: not exact."""
    contexts = specimens.all_at_once(queries, keys, values, block_size)
    return torch.cat([contexts[:, :-1], 0 * contexts[:, -1:]], dim=-1)


def growing_keys(draw: Draw) -> Triple:
    """Positive queries, and keys that grow."""
    draw.fix(keys=7)
    keys = draw.tensor("keys d_k").abs().cumsum(dim=0) / 2
    return draw.tensor("queries d_k").abs(), keys, draw.tensor("keys d_v") + 3


exact.tries(
    (
        sums_in_float32,
        by_the_library,
        adds_its_blocks,
        last_block_only,
        wrong_for_pairs,
        wrong_for_one_less,
        without_a_feature,
        nothing_but_nan,
        half_a_percent_off,
        specimens.merges_finished_blocks,
        specimens.never_shrinks,
        specimens.averages_its_blocks,
        specimens.wrong_in_one_block,
    ),
    growing_keys,
    times=1,
)


@exact.case(times=1)
def many_queries(draw: Draw) -> Tried:
    """more queries than keys"""
    queries, keys, values = growing_keys(draw.fix(queries=9))
    return specimens.block_after_block, queries, keys, values


@exact.case(times=1)
def one_key_alone(draw: Draw) -> Tried:
    """a single key"""
    queries, keys, values = growing_keys(draw)
    return specimens.wrong_for_single_keys, queries, keys[:1], values[:1]


def expected(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return torch.softmax(queries @ keys.T / queries.shape[-1] ** 0.5, dim=-1) @ values


def agrees(
    attention: Attention,
    text: Triple,
    sizes: range,
    close: Callable[[Tensor, Tensor], bool] = torch.allclose,
) -> bool:
    """Whether an attention is right with all of these block sizes."""
    right = expected(*text)
    return all(close(attention(*text, size), right) for size in sizes)


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
def never_all_keys(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """You never try a single block with all the keys, and `wrong_in_one_block` slips through.
    `range` ends one before its second argument.
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


@exact.misconception
def scale_left_out(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """`without_the_scale` passes your test, and `all_at_once`, which is exact, does not: what you
    compare with has no scale either. Divide your scores by the square root of d_k.
    """
    return agrees(
        attention,
        (queries, keys, values),
        range(1, len(keys) + 1),
        _unscaled(queries, keys, values),
    )


def _unscaled(queries: Tensor, keys: Tensor, values: Tensor) -> Callable[[Tensor, Tensor], bool]:
    right = torch.softmax(queries @ keys.T, dim=-1) @ values
    return lambda here, _: torch.allclose(here, right)


@exact.misconception
def nan_passes(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """NaN slips through: `without_the_maximum` returns it where scores are large. No comparison
    with NaN is True, so check that the difference is small, not whether it is large; and do not
    replace NaN by a number.
    """
    return agrees(
        attention,
        (queries, keys, values),
        range(1, len(keys) + 1),
        lambda here, right: not bool(((here - right).abs() > 1e-4).any()),
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


@exact.accepts
def exact_by_the_library(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """PyTorch's function, and a loop that ends at the first difference.

    PyTorch's function gives the contexts; the loop ends at the first size for which they differ.
    """
    right = scaled_dot_product_attention(queries, keys, values)
    for block_size in range(1, keys.shape[0] + 1):
        if not torch.allclose(attention(queries, keys, values, block_size), right, atol=1e-5):
            return False
    return True


@exact.accepts
def exact_by_largest_difference(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor
) -> bool:
    """The largest difference over all sizes; with NaN, no comparison is True."""
    right = expected(queries, keys, values)
    sizes = range(1, keys.size(0) + 1)
    gaps = [(attention(queries, keys, values, size) - right).abs().max() for size in sizes]
    return bool(torch.stack(gaps).max() < 1e-4)


@exact.accepts
def exact_by_assertion(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """torch.testing's assertion, caught.

    `torch.testing.assert_close` is made for tests: its message says how far the results are apart,
    and where. Here the error is caught, and only the verdict is returned.
    """
    right = scaled_dot_product_attention(queries, keys, values)
    try:
        for size in reversed(range(1, len(keys) + 1)):
            contexts = attention(queries, keys, values, size)
            torch.testing.assert_close(contexts, right, rtol=1e-4, atol=1e-4)
    except AssertionError:
        return False
    return True


@exact.accepts
def exact_all_at_once(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """All sizes stacked and compared in one call, the softmax written out."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    right = weights @ values / weights.sum(dim=-1, keepdim=True)
    sizes = range(1, len(keys) + 1)
    found = torch.stack([attention(queries, keys, values, size) for size in sizes])
    return torch.allclose(found, right.expand_as(found), atol=1e-5)
