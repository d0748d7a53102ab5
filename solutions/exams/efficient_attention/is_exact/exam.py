"""The exam of `is_exact`, lesson 08: what it is tried on."""

from collections.abc import Callable, Collection

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
from solutions.exams.printed_numbers import numbers
from solutions.exams.spoiled import (
    cancelling,
    exchanging,
    late_place,
    only,
    place_in_turn,
    spoiled,
)

exact = Exam(reference.is_exact, dtypes=("float64",))

Attention = Callable[[Tensor, Tensor, Tensor, int], Tensor]
Tried = tuple[Attention, Tensor, Tensor, Tensor]

# All positive, and the keys grow: with every block size but the last, the largest score comes late.
QUERIES = torch.tensor([[0.5, 1.0, 0.2], [1.0, 0.4, 1.2]], dtype=torch.float64)
KEYS = torch.tensor(
    [
        [0.1, 0.2, 0.3],
        [0.5, 0.4, 0.4],
        [0.8, 1.0, 0.7],
        [1.2, 1.1, 1.0],
        [1.6, 1.9, 1.5],
        [2.3, 2.0, 2.1],
        [2.4, 2.5, 2.2],
        [2.9, 2.8, 2.7],
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


def sums_in_float32(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Computed in float32: exact up to rounding."""
    parts = queries.float(), keys.float(), values.float()
    return specimens.block_after_block(*parts, block_size).double()


def by_the_library(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """PyTorch's own function: exact."""
    return scaled_dot_product_attention(queries, keys, values)


def adds_its_blocks(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """The contexts of the blocks, added up: not exact."""
    return together(
        lambda contexts: torch.stack(contexts).sum(dim=0), queries, keys, values, block_size
    )


def last_block_only(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """The last block alone: not exact."""
    return together(lambda contexts: contexts[-1], queries, keys, values, block_size)


def wrong_for_pairs(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Right but for blocks of two keys: not exact."""
    contexts = specimens.all_at_once(queries, keys, values, block_size)
    return contexts + 1 if block_size == 2 else contexts


def wrong_for_one_less(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Right but for blocks of all keys less one: not exact."""
    contexts = specimens.all_at_once(queries, keys, values, block_size)
    return contexts + 1 if block_size == len(keys) - 1 else contexts


def without_a_feature(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """The last feature of the contexts is missing from the sum: not exact."""
    contexts = specimens.all_at_once(queries, keys, values, block_size)
    return torch.cat([contexts[:, :-1], 0 * contexts[:, -1:]], dim=-1)


def growing_keys(draw: Draw, keys: int = 7) -> Triple:
    """Positive queries, and keys that grow."""
    growing = draw.fix(keys=keys).tensor("keys d_k").abs().cumsum(dim=0) / 2
    return draw.tensor("queries d_k").abs(), growing, draw.tensor("keys d_v") + 3


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


def wrong_in_blocks_of(sizes: Collection[int], wrong: Callable[[Tensor], Tensor]) -> Attention:
    """An attention function that is right but for some block sizes."""

    def attention(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
        contexts = specimens.all_at_once(queries, keys, values, block_size)
        return wrong(contexts) if block_size in sizes else contexts

    return attention


@exact.case(times=7)
def one_number_is_wrong(draw: Draw) -> Tried:
    """one number is wrong, with one block size alone"""
    text, size = growing_keys(draw.fix(queries=5, d_v=6)), draw.in_turn(range(1, 8))
    return wrong_in_blocks_of([size], spoiled(draw, *place_in_turn(draw, 5, 6))), *text


@exact.case(times=3)
def large_blocks_are_wrong(draw: Draw) -> Tried:
    """one number is wrong, with one large block size alone, of many keys"""
    text, size = growing_keys(draw.fix(queries=5, d_v=6), 18), draw.in_turn(range(8, 19))
    return wrong_in_blocks_of([size], spoiled(draw, *place_in_turn(draw, 5, 6))), *text


@exact.case(times=1)
def largest_blocks_are_wrong(draw: Draw) -> Tried:
    """one of the last of many queries is wrong, with one still larger block size alone"""
    queries, keys, d_v = (int(draw.rng.integers(least, least + 5)) for least in (12, 24, 14))
    text = growing_keys(draw.fix(queries=queries, d_v=d_v), keys)
    size = int(draw.rng.integers(20, keys))
    return wrong_in_blocks_of([size], spoiled(draw, *late_place(draw, queries, d_v))), *text


@exact.case(times=1)
def little_among_many(draw: Draw) -> Tried:
    """one number of thousands is off by 0.002"""
    queries, d_v = (int(draw.rng.integers(least, least + 5)) for least in (55, 100))
    place = only(*late_place(draw, queries, d_v))

    def wrong(contexts: Tensor) -> Tensor:
        found = contexts.clone()
        found[place] += 0.002
        return found

    text = growing_keys(draw.fix(queries=queries, d_v=d_v))
    return wrong_in_blocks_of(range(1, 8), wrong), *text


@exact.case(times=1)
def beside_zero(draw: Draw) -> Tried:
    """a feature that should be 0 is 1e-15"""
    queries, keys, values = growing_keys(draw)
    values[:, 0] = 0
    rounding = 1e-15 * torch.eye(values.shape[1], dtype=values.dtype)[0]
    rounded = wrong_in_blocks_of(range(1, 8), lambda contexts: contexts + rounding)
    return rounded, queries, keys, values


@exact.case(times=1, dtypes=("float32",))
def rounded_in_32_bits(draw: Draw) -> Tried:
    """rounding errors of 32 bits"""
    # Small scores and values, so that these errors are far below a millionth.
    queries, keys, values = growing_keys(draw)
    queries, keys, values = queries / 8, keys / 8, values / 16
    values[:, 0] = 0

    def rounded(contexts: Tensor) -> Tensor:
        step = torch.finfo(contexts.dtype).eps
        off = contexts * (1 + 2 * step)
        # Less than the absolute difference that `allclose` allows by default.
        off[:, 0] = step / 100
        return off

    return wrong_in_blocks_of(range(1, 8), rounded), queries, keys, values


exact.half_but_for("a small difference in one number of many", little_among_many)
exact.half_but_for("rounding errors of a 0, or of 32 bits", beside_zero, rounded_in_32_bits)


@exact.case(times=1)
def queries_cancel(draw: Draw) -> Tried:
    """a query's context is too large, and another's too small by as much"""
    text = growing_keys(draw.fix(queries=4))
    return wrong_in_blocks_of(range(1, 8), lambda contexts: cancelling(contexts, 0)), *text


@exact.case(times=1)
def queries_exchange(draw: Draw) -> Tried:
    """two queries exchange their contexts"""
    text = growing_keys(draw.fix(queries=5))
    return wrong_in_blocks_of(range(1, 8), exchanging(draw, 5)), *text


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
