"""The exam of `repaired_blockwise_attention`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._block_endings import ENDING
from solutions.exams.efficient_attention._blocks import (
    BLOCKS,
    MAXIMUM,
    OWN_WORK,
    RISING,
    Blockwise,
    NothingShrunk,
    OwnMaximumUnshrunk,
    drawn_beyond_measure,
    extreme_texts,
    scores_beyond_measure,
    together,
    with_scores,
)
from solutions.exams.efficient_attention._long_texts import drawn, printed
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.families.family import Family
from solutions.exams.printed_numbers import numbers

repaired = Exam(reference.repaired_blockwise_attention, forbids=OWN_WORK)

Blocked = tuple[Tensor, Tensor, Tensor, int]


@repaired.example
def rising() -> Blocked:
    """two queries whose scores rise from key to key, blocks of two of six keys"""
    scores = torch.tensor([[0.5, 1, 1.5, 2, 2.5, 3], [-3, -1, 0, 0.5, 1, 4]]).double()
    return *with_scores(scores, numbers(6, 3, start=20)), 2


@repaired.example
def same_in_each() -> Blocked:
    """two queries with the same largest score in each block: here the broken cell is right"""
    scores = torch.tensor([[3, 2, 3, 0.5, 0, 3], [2, 1.5, -1, 2, 2, -3]]).double()
    return *with_scores(scores, numbers(6, 3, start=20)), 2


@repaired.example
def rest_of_a_block() -> Blocked:
    """three queries, five keys of two numbers, blocks of two: the last has one key"""
    return *printed(3, 5, 2, 4), 2


@repaired.example
def three_texts() -> Blocked:
    """three texts of one head, blocks of one key"""
    return *printed(2, 4, 5, 3, 3, 1), 1


@repaired.example
def larger_than_the_text() -> Blocked:
    """a block that is larger than the four keys"""
    return *printed(3, 4, 3, 2), 6


@repaired.example
def large_scores() -> Blocked:
    """two texts with scores from -1000 to 1000, whose exponentials overflow or are all 0"""
    return *extreme_texts(), 2


@repaired.example
def far_below_zero() -> Blocked:
    """two queries, all of whose scores are near -20,000"""
    scores = torch.tensor([[0, -1, 0, 1], [1, 2, 0, 1]]).double() - 20_000
    return *with_scores(scores, numbers(4, 3, start=20)), 3


@repaired.example
def beyond_measure() -> Blocked:
    """three queries, with scores of -1e6, -1e12 and below"""
    return *with_scores(scores_beyond_measure(), numbers(3, 3, start=20)), 2


@repaired.case(times=2)
def drawn_queries(draw: Draw) -> Blocked:
    """queries, keys and values drawn at random"""
    return *drawn(draw.fix(keys=7)), 3


@repaired.case(times=1)
def drawn_single_keys(draw: Draw) -> Blocked:
    """blocks of one key"""
    return *drawn(draw, "batch"), 1


@repaired.case(times=1)
def drawn_one_block(draw: Draw) -> Blocked:
    """a block that is larger than the number of keys"""
    return *drawn(draw.fix(keys=4)), 9


@repaired.case(times=1)
def drawn_one_key(draw: Draw) -> Blocked:
    """a single key"""
    return *drawn(draw.fix(keys=1)), 2


@repaired.case(times=1)
def drawn_heads(draw: Draw) -> Blocked:
    """several texts and heads"""
    return *drawn(draw.fix(keys=8), "batch heads"), 3


@repaired.case(times=1)
def drawn_large(draw: Draw) -> Blocked:
    """scores in the hundreds"""
    queries, keys, values = drawn(draw.fix(keys=9))
    return 15 * queries, 15 * keys, values, 2


@repaired.case(times=1)
def beyond_measure_drawn(draw: Draw) -> Blocked:
    """scores below -1e10"""
    scores = drawn_beyond_measure(draw, 3, 5)
    return *with_scores(scores, draw.fix(keys=5).tensor("keys d_v")), 2


@repaired.holds
def every_size_gives_the_same(
    attention: Callable[..., Tensor], queries: Tensor, keys: Tensor, values: Tensor, size: int
) -> bool:
    """every block size gives the same contexts"""
    whole = attention(queries, keys, values, keys.shape[-2])
    part = attention(queries, keys, values, size)
    return torch.allclose(part, whole, rtol=1e-3, atol=1e-3)


@repaired.misconception
def as_given(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """These are still the results of the broken cell, whose sums are each relative to the largest
    score of their own block. Before you add them up, make all of them relative to one score: the
    largest of all blocks.
    """
    return OwnMaximumUnshrunk().answer(queries, keys, values, block_size)


class Merged:
    """The sums of each block, relative to its own largest score, and how they are joined."""

    def answer(self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
        found: list[tuple[Tensor, ...]] = []
        for some, mixed in zip(
            torch.split(keys, block_size, -2), torch.split(values, block_size, -2), strict=True
        ):
            scores = queries @ some.mT / queries.shape[-1] ** 0.5
            top = scores.amax(dim=-1, keepdim=True)
            weights = torch.exp(scores - top)
            found.append((top, weights.sum(dim=-1, keepdim=True), weights @ mixed))
        tops, totals, contexts = (torch.stack(part) for part in zip(*found, strict=True))
        shrink = self.shrink(tops)
        return self.context(contexts, totals, shrink) / self.total(totals, shrink)

    def shrink(self, tops: Tensor) -> Tensor:
        return torch.exp(tops - tops.amax(dim=0))

    def context(self, contexts: Tensor, totals: Tensor, shrink: Tensor) -> Tensor:
        return (contexts * shrink).sum(dim=0)

    def total(self, totals: Tensor, shrink: Tensor) -> Tensor:
        return (totals * shrink).sum(dim=0)


class Grown(Merged):
    """Your factors grow where they should shrink: a block whose largest score is far below the
    others now counts most. The exponent is the block's largest score minus that of all blocks.
    """

    def shrink(self, tops: Tensor) -> Tensor:
        return torch.exp(tops.amax(dim=0) - tops)


class OnlyContextsJoined(Merged):
    """You make the contexts of the blocks relative to one largest score, but add up their totals as
    they are. Multiply both by the same factor.
    """

    def total(self, totals: Tensor, shrink: Tensor) -> Tensor:
        return totals.sum(dim=0)


class OnlyTotalsJoined(Merged):
    """You make the totals of the blocks relative to one largest score, but add up their contexts as
    they are. Multiply both by the same factor.
    """

    def context(self, contexts: Tensor, totals: Tensor, shrink: Tensor) -> Tensor:
        return contexts.sum(dim=0)


class ByTheirTopsAlone(Merged):
    """You divide in each block, and then weight the blocks by their largest scores alone. A block
    in which many keys score high counts for more: how much is said by its sum of exponentials.
    """

    def context(self, contexts: Tensor, totals: Tensor, shrink: Tensor) -> Tensor:
        return (contexts / totals * shrink).sum(dim=0)

    def total(self, totals: Tensor, shrink: Tensor) -> Tensor:
        return shrink.sum(dim=0)


Family(Grown, OnlyContextsJoined, OnlyTotalsJoined, ByTheirTopsAlone).apply(repaired, Merged)
Family(NothingShrunk).apply(repaired, Blockwise)
RISING.apply(repaired, Blockwise)
MAXIMUM.apply(repaired, Blockwise, without=("OwnMaximumUnshrunk",))
BLOCKS.apply(repaired, Blockwise)
ENDING.apply(repaired, Blockwise)


def with_the_largest_of(queries: Tensor, keys: Tensor, values: Tensor, first: int) -> Tensor:
    """All weights relative to the largest score of the first keys."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = torch.exp(scores - scores[..., :first].amax(dim=-1, keepdim=True))
    return weights @ values / weights.sum(dim=-1, keepdim=True)


@repaired.misconception
def first_block_decides(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """You keep the largest score from the beginning of the text, so later scores far above it
    overflow. Subtract the largest score of each block, and bring all blocks to the largest of them.
    """
    return with_the_largest_of(queries, keys, values, block_size)


@repaired.misconception
def first_key_decides(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """You keep the largest score from the beginning of the text, so later scores far above it
    overflow. Subtract the largest score of each block, and bring all blocks to the largest of them.
    """
    return with_the_largest_of(queries, keys, values, 1)


@repaired.misconception
def averaged(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """You attend to each block separately and take the average over the blocks. Each block should
    count in proportion to the sum of its weights, all of them relative to the same largest score.
    """
    return together(
        lambda contexts: torch.stack(contexts).mean(dim=0), queries, keys, values, block_size
    )


@repaired.misconception
def added(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """You attend to each block separately, with weights that sum to 1 in each block, and add the
    contexts. The weights of a query should sum to 1 over all blocks: divide once, after the last
    block.
    """
    return together(
        lambda contexts: torch.stack(contexts).sum(dim=0), queries, keys, values, block_size
    )


TENSOR_DTYPE.apply(repaired)


@repaired.accepts
def repaired_as_it_goes(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """The online softmax: one pair of sums, corrected whenever the largest score rises."""
    highest = torch.full((*queries.shape[:-1], 1), -torch.inf, dtype=queries.dtype)
    total = torch.zeros_like(highest)
    context = torch.zeros_like(highest)
    for start in range(0, keys.shape[-2], block_size):
        part = slice(start, start + block_size)
        scores = queries @ keys[..., part, :].transpose(-2, -1) / queries.shape[-1] ** 0.5
        before, highest = highest, torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        shrink, weights = torch.exp(before - highest), torch.exp(scores - highest)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        context = context * shrink + weights @ values[..., part, :]
    return context / total


@repaired.accepts
def repaired_in_two_passes(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int
) -> Tensor:
    """One loop for the largest score, a second one for the sums."""
    scale = queries.shape[-1] ** 0.5
    blocks = list(
        zip(
            torch.split(keys, block_size, dim=-2),
            torch.split(values, block_size, dim=-2),
            strict=True,
        )
    )
    tops = [(queries @ k.mT / scale).amax(dim=-1, keepdim=True) for k, _ in blocks]
    highest = torch.stack(tops).amax(dim=0)
    weights = [torch.exp(queries @ k.mT / scale - highest) for k, _ in blocks]
    total = sum((w.sum(dim=-1, keepdim=True) for w in weights), torch.zeros_like(highest))
    parts = [w @ v for w, (_, v) in zip(weights, blocks, strict=True)]
    return torch.stack(parts).sum(dim=0) / total


@repaired.accepts
def repaired_by_logarithms(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int
) -> Tensor:
    """A finished context, and the logarithm of the sum of the weights."""
    context = torch.zeros(*queries.shape[:-1], values.shape[-1], dtype=values.dtype)
    known = torch.full((*queries.shape[:-1], 1), -torch.inf, dtype=queries.dtype)
    for start in range(0, keys.shape[-2], block_size):
        part = slice(start, start + block_size)
        scores = torch.matmul(queries, keys[..., part, :].transpose(-1, -2))
        scores = scores / queries.shape[-1] ** 0.5
        new = torch.logsumexp(scores, dim=-1, keepdim=True)
        both = torch.logaddexp(known, new)
        mixed = torch.softmax(scores, dim=-1) @ values[..., part, :]
        context = context * torch.exp(known - both) + mixed * torch.exp(new - both)
        known = both
    return context


@repaired.accepts
def repaired_key_by_key(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """One key after the other, whatever the blocks."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    highest, total = scores[..., :1], torch.ones_like(scores[..., :1])
    context = values[..., :1, :].expand(*queries.shape[:-1], -1)
    for key in range(1, keys.shape[-2]):
        score = scores[..., key : key + 1]
        new = torch.where(score > highest, score, highest)
        shrink, weight = torch.exp(highest - new), torch.exp(score - new)
        context = context * shrink + weight * values[..., key : key + 1, :]
        total, highest = total * shrink + weight, new
    return context / total


@repaired.accepts
def repaired_in_place(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """Sums that are shrunk in place."""
    m = torch.full(queries.shape[:-1], -torch.inf, dtype=queries.dtype)
    sums = torch.zeros(*queries.shape[:-1], values.shape[-1] + 1, dtype=queries.dtype)
    values = torch.cat([values, torch.ones_like(values[..., :1])], dim=-1)
    for first in range(0, keys.shape[-2], block_size):
        s = queries @ keys[..., first : first + block_size, :].mT / queries.shape[-1] ** 0.5
        m_new = torch.maximum(m, s.max(dim=-1).values)
        sums *= torch.exp(m - m_new)[..., None]
        sums += torch.exp(s - m_new[..., None]) @ values[..., first : first + block_size, :]
        m = m_new
    return sums[..., :-1] / sums[..., -1:]
