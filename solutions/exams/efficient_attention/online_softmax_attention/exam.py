"""The exam of `online_softmax_attention`, lesson 08: what it is tried on."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_blocks
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._blocks import (
    OWN_WORK,
    drawn_beyond_measure,
    extreme_texts,
    scores_beyond_measure,
    with_scores,
)
from solutions.exams.efficient_attention._long_texts import (
    are_contexts,
    drawn,
    is_longest,
    printed,
    seed_of,
    too_long,
)
from solutions.exams.printed_numbers import numbers

online = Exam(reference.online_softmax_attention, use=try_blocks, forbids=OWN_WORK)

# In double precision their table takes 2.4 GB, more than a submission has (see `TOKENS`). One of
# that size is not square, so that a block of it is small.
_QUERIES, _KEYS, _BLOCK = 300, 1_000_000, 2_000
# Where an answer keeps something of each block, the gaps that it frees may be too small for the
# next block, and then memory ends as with a table. By the second time there are gaps enough, so it
# is asked again. A table fits at no time.
_TRIES = 3

Blocked = tuple[Tensor, Tensor, Tensor, int, bool]


@online.example
def rest_of_a_block() -> Blocked:
    """three queries, five keys of two numbers, blocks of two: the last has one key"""
    return *printed(3, 5, 2, 4), 2, False


@online.example
def causal_text() -> Blocked:
    """five tokens of three numbers, causal, blocks of two"""
    return *printed(5, 5, 3, 2), 2, True


@online.example
def three_texts() -> Blocked:
    """three texts of one head, blocks of one key"""
    return *printed(2, 4, 5, 3, 3, 1), 1, False


@online.example
def causal_heads() -> Blocked:
    """two texts of two heads, causal, blocks of three of four tokens"""
    return *printed(4, 4, 2, 3, 2, 2), 3, True


@online.example
def larger_than_the_text() -> Blocked:
    """a block that is larger than the four keys"""
    return *printed(3, 4, 3, 2), 6, False


@online.example
def large_scores() -> Blocked:
    """two texts with scores from -1000 to 1000, whose exponentials overflow or are all 0"""
    return *extreme_texts(), 2, False


@online.example
def far_below_zero() -> Blocked:
    """two queries, all of whose scores are near -20,000"""
    scores = torch.tensor([[0, -1, 0, 1], [1, 2, 0, 1]]).double() - 20_000
    return *with_scores(scores, numbers(4, 3, start=20)), 3, False


@online.example
def beyond_measure() -> Blocked:
    """three tokens, causal, scores of -1e6, -1e12 and below"""
    return *with_scores(scores_beyond_measure(), numbers(3, 3, start=20)), 2, True


@online.example
def large_future() -> Blocked:
    """four tokens, causal, the future with the highest scores"""
    scores = torch.tensor(
        [
            [-500.0, 1000, 1000, 900],
            [-499, -500, 1000, 1000],
            [-2, -1, 0, 1000],
            [700, 701, 702, 699],
        ]
    )
    return *with_scores(scores.double(), numbers(4, 3, start=20)), 2, True


@online.example
def long_text() -> Blocked:
    """32 tokens, blocks of eight"""
    return *printed(32, 32, 2, 2), 8, False


@online.example
def long_causal_text() -> Blocked:
    """32 tokens, causal, blocks of seven"""
    return *printed(32, 32, 2, 2), 7, True


@online.case(times=2)
def drawn_queries(draw: Draw) -> Blocked:
    """queries, keys and values drawn at random"""
    return *drawn(draw.fix(keys=7)), 3, False


@online.case(times=2)
def drawn_causal(draw: Draw) -> Blocked:
    """causal, several texts and heads"""
    return *drawn(draw.fix(tokens=8), "batch heads", "tokens", "tokens"), 3, True


@online.case(times=1)
def drawn_single_keys(draw: Draw) -> Blocked:
    """causal, blocks of one key"""
    return *drawn(draw, "batch", "tokens", "tokens"), 1, True


@online.case(times=1)
def drawn_one_block(draw: Draw) -> Blocked:
    """causal, a block that is larger than the text"""
    return *drawn(draw.fix(tokens=4), "", "tokens", "tokens"), 9, True


@online.case(times=1)
def drawn_one_token(draw: Draw) -> Blocked:
    """a text of one token"""
    return *drawn(draw.fix(tokens=1), "", "tokens", "tokens"), 2, True


@online.case(times=1)
def drawn_one_query(draw: Draw) -> Blocked:
    """one query, blocks that fit exactly"""
    return *drawn(draw.fix(queries=1, keys=8)), 4, False


@online.case(times=1)
def drawn_large(draw: Draw) -> Blocked:
    """scores in the hundreds"""
    queries, keys, values = drawn(draw.fix(keys=9))
    return 15 * queries, 15 * keys, values, 2, False


@online.case(times=1)
def drawn_far_below(draw: Draw) -> Blocked:
    """scores near -20,000"""
    scores = draw.fix(queries=3, keys=5).tensor("queries keys") - 20_000
    return *with_scores(scores, draw.tensor("keys d_v")), 2, False


@online.case(times=1)
def drawn_far_below_causal(draw: Draw) -> Blocked:
    """causal, scores near -20,000"""
    scores = draw.fix(tokens=4).tensor("tokens tokens") - 20_000
    return *with_scores(scores, draw.tensor("tokens d_v")), 3, True


@online.case(times=1)
def drawn_beyond_measure_causal(draw: Draw) -> Blocked:
    """causal, scores below -1e10"""
    scores = drawn_beyond_measure(draw, 4, 4)
    return *with_scores(scores, draw.fix(tokens=4).tensor("tokens d_v")), 3, True


@online.case(times=1)
def drawn_large_causal(draw: Draw) -> Blocked:
    """causal, scores in the hundreds"""
    queries, keys, values = drawn(draw.fix(tokens=9), "", "tokens", "tokens")
    return 15 * queries, 15 * keys, values, 4, True


@online.case(times=1)
def drawn_long_text(draw: Draw) -> Blocked:
    """a longer text, causal"""
    draw.fix(tokens=70, d_k=3, d_v=4)
    return *drawn(draw, "", "tokens", "tokens"), 8, True


@online.holds
def right_in_double_precision(
    attention: Callable[..., Tensor], queries: Tensor, *others: Any
) -> bool:
    """contexts of float64 are right to eight digits, which sums that are kept in float32 are not"""
    if not is_longest(queries):
        return True
    wanted = reference.online_softmax_attention(queries, *others)
    return bool((attention(queries, *others) - wanted).abs().max() <= 1e-8 * wanted.abs().max())


@online.holds
def table_does_not_fit(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    block_size: int,
    causal: bool,
) -> bool:
    """a million keys are read by 300 queries, though a table of scores does not fit into memory"""
    if not is_longest(queries):
        return True
    seed = seed_of(queries)
    wanted = _contexts_of(seed)
    for _ in range(_TRIES):
        try:
            received = attention(*too_long(_QUERIES, _KEYS, seed), _BLOCK, False)
        except (MemoryError, RuntimeError):
            continue
        return are_contexts(received, wanted)
    return False


@cache
def _contexts_of(seed: int) -> Tensor:
    """What the reference makes of a text that is too long for a table."""
    return reference.online_softmax_attention(
        *too_long(_QUERIES, _KEYS, seed), block_size=_BLOCK, causal=False
    )


@online.holds
def positions_are_more_than_a_byte(
    attention: Callable[..., Tensor], queries: Tensor, *_: object
) -> bool:
    """in a causal text of 300 tokens, each sees itself and those before it"""
    if not is_longest(queries):
        return True
    asked = *too_long(300, 300, seed_of(queries)), 41, True
    return are_contexts(attention(*asked), reference.online_softmax_attention(*asked))


@online.holds
def causal_only_if_asked(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    block_size: int,
    causal: bool,
) -> bool:
    """without the argument `causal`, queries see all keys"""
    if causal:
        return True
    asked = attention(queries, keys, values, block_size, False)
    return torch.allclose(attention(queries, keys, values, block_size), asked, rtol=1e-4, atol=1e-4)


@online.holds
def every_size_gives_the_same(
    attention: Callable[..., Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    block_size: int,
    causal: bool,
) -> bool:
    """every block size gives the same contexts"""
    whole = attention(queries, keys, values, keys.shape[-2], causal)
    part = attention(queries, keys, values, block_size, causal)
    # Near -20,000, two float32 numbers that follow each other are 0.002 apart, and so is what a
    # logarithm of a sum can hold.
    coarse = 8 * torch.finfo(queries.dtype).eps * float((queries @ keys.mT).abs().max())
    return torch.allclose(part, whole, rtol=1e-3 + coarse, atol=1e-3 + coarse)
