"""The known wrong answers to `online_softmax_attention`, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention._block_endings import ENDING
from solutions.exams.efficient_attention._blocks import (
    BLOCKS,
    MAXIMUM,
    RISING,
    Blockwise,
    NoMaximum,
    NothingShrunk,
    StartedFurtherBelow,
)
from solutions.exams.efficient_attention.online_softmax_attention.exam import online
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.families.family import Family


@online.misconception
def nothing_shrunk(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Your answer is right as long as the first block holds the largest score. When a later block
    raises it, both sums are still relative to the old one: multiply them by exp(old - new) first.
    """
    return NothingShrunk().answer(queries, keys, values, block_size, causal)


@online.misconception
def whole_table(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """The contexts are right, but you made a tensor with a number for every pair of a query and a
    key: all scores, or a mask for all of them. Only make those of one block at a time.
    """
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(scores, dim=-1) @ values


class Online(Blockwise):
    """The steps of a learner who makes the context as wide as a value before the first block."""

    def nothing_yet(self, queries: Tensor, values: Tensor) -> Tensor:
        return queries.new_zeros(*queries.shape[:-1], values.shape[-1])


(RISING + MAXIMUM + BLOCKS + ENDING).apply(online, Online)


class ShrunkByTheBlock(Blockwise):
    """You multiply the earlier sums by exp(largest of this block - new), and that number says
    nothing about them. What they are relative to is the largest score *before* this block: multiply
    by exp(old - new).
    """

    def raised(self, highest: Tensor, scores: Tensor) -> Tensor:
        self.newest = scores.amax(dim=-1, keepdim=True)
        return super().raised(highest, scores)

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.exp(self.newest - highest)


class ScaledInTheWeightsAlone(Blockwise):
    """The exponents of your weights are divided by √d_k, but not that of the factor by which the
    earlier sums shrink. Both are differences of scores: divide the scores where you compute them,
    and use nothing else after that.
    """

    root = 1.0

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        self.root = super().divisor(queries, keys, values)
        return 1.0

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        return torch.exp((scores - highest) / self.root)


class AverageOfTheWeights(Blockwise):
    """You average the weights of a block where you collect their sum, so the sum is too small by
    the size of each block. Take `sum`, not `mean`.
    """

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return total * shrink + weights.mean(dim=-1, keepdim=True)


class AsWideAsAQuery(Online):
    """The tensor in which you collect the context has as many columns as a query. A context is a
    mixture of values: make it (..., queries, d_v).
    """

    def nothing_yet(self, queries: Tensor, values: Tensor) -> Tensor:
        return torch.zeros_like(queries)


class KeysAndValuesExchanged(Online):
    """You use the values as keys, and mix the keys. Compare the queries with the keys, and mix the
    values.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        return super().answer(queries, values, keys, block_size, causal)


class NothingHidden(Blockwise):
    """With `causal`, your tokens still see the future. Hide the keys that come after a query."""

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores


class HiddenAnyway(Blockwise):
    """You hide the future even where `causal` is False. Hide it only if `causal` is True."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        return super().answer(queries, keys, values, block_size, True)


class CausalTurnedRound(Blockwise):
    """You hide the future if `causal` is False, but not if it is True."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        return super().answer(queries, keys, values, block_size, not causal)


class CountedFromTheBlock(Blockwise):
    """Your mask counts the keys of every block from 0, so later blocks show what they should hide.
    Add the position at which the block starts.
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return super().hidden(num_queries, 0, width)


class CountedBackwards(Blockwise):
    """Your mask moves the wrong way from block to block: later blocks hide less of the future than
    they should. Key j of a block is at position start + j; with `triu`, that means a diagonal of
    1 - start.
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return super().hidden(num_queries, -start, width)


class SmallerBlockHidden(Blockwise):
    """With `causal`, you leave out the last block where it is smaller than the others. Hide only
    the keys that come after a query.
    """

    size = 1

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        self.size = block_size if causal else 1
        return super().answer(queries, keys, values, block_size, causal)

    def starts(self, num_keys: int, block_size: int) -> range:
        return range(0, num_keys - self.size + 1, block_size)


class ItselfHidden(Blockwise):
    """With `causal`, your tokens do not see themselves; the first one sees nothing and gets NaN.
    Hide only what comes after a token.
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return super().hidden(num_queries, start + 1, width)


class NextVisible(Blockwise):
    """With `causal`, your tokens see one token of the future. Query i sees the keys 0 to i."""

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return super().hidden(num_queries, start - 1, width)


class PastHidden(Blockwise):
    """With `causal`, you hide the past and show the future. It should be the other way round."""

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return torch.arange(start, start + width) < torch.arange(num_queries)[:, None]


class MaskTurnedRound(Blockwise):
    """With `causal`, you hide what should be visible, including the token itself, and show the
    future. Invert the mask.
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return ~super().hidden(num_queries, start, width)


class MaskTransposed(Blockwise):
    """Your mask has the queries on columns: rows should be queries, and columns the keys of the
    block. If you compare positions, those of the queries need a second axis, [:, None].
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        return torch.arange(start, start + width)[:, None] > torch.arange(num_queries)


class ScoreOfZero(Blockwise):
    """You gave hidden keys the score 0, but exp(0 - highest) is not zero. Fill with −∞."""

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, 0)


class ScoreOfMinusHundred(Blockwise):
    """You gave hidden keys a score such as −100, but some visible ones are even lower. Fill with
    −∞.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, -100)


class ScoreOfMinusTenThousand(Blockwise):
    """You gave hidden keys a score such as −10,000, which is enough until the visible ones are even
    lower. Fill with −∞.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, -1e4)


class ScoreOfMinusABillion(Blockwise):
    """You gave hidden keys a score such as -1e9, which is enough until the visible ones are even
    lower. Fill with −∞.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, -1e9)


class NothingBelowMinusABillion(StartedFurtherBelow, ScoreOfMinusABillion):
    """Your largest score starts at a number such as -1e9, and hidden keys have it as their score.
    That is enough until the visible scores are even lower: start at −∞, and fill with −∞.
    """


class HiddenAfterwards(Blockwise):
    """Where a hidden key has the highest score, you take that as the largest, and relative to it
    the exponentials of the visible ones round to 0. Hide the scores before you look for the
    largest.
    """

    now = torch.empty(0)

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        self.now = hidden
        return scores

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        weights = super().weigh(scores, highest)
        return weights.masked_fill(self.now, 0) if self.now.numel() else weights


class HiddenByAProduct(NoMaximum, HiddenAfterwards):
    """With scores of ordinary size your answer is right. But exponentials of large ones are
    infinite, which a product with 0 does not undo, because ∞ · 0 is NaN; and those of very low ones
    are all 0, and 0 / 0 is NaN. Hide the scores, and subtract the largest one so far.
    """

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        weights = torch.exp(scores)
        return weights * ~self.now if self.now.numel() else weights


class HiddenFromTheValuesAlone(HiddenAfterwards):
    """With `causal`, you leave the future out of the values, but it is still in the sum that you
    divide by. Hide the scores, before they become weights.
    """

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return super().add_weights(total, shrink, self.whole)

    whole = torch.empty(0)

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        self.whole = torch.exp(scores - highest)
        return super().weigh(scores, highest)


class DiagonalBlocksVisible(Blockwise):
    """You hide whole blocks only: in its own block, a token still sees what comes after it. Inside
    that block the mask is still needed.
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        hidden = super().hidden(num_queries, start, width)
        return hidden.all(dim=-1, keepdim=True).expand_as(hidden)


class DiagonalBlocksHidden(Blockwise):
    """A token gets nothing from a block in which any key is hidden from it, so it misses those of
    its own block, unless it is the last there. Leave out only the blocks that are entirely hidden,
    and mask the others.
    """

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        hidden = super().hidden(num_queries, start, width)
        return hidden.any(dim=-1, keepdim=True).expand_as(hidden)


Family(
    ShrunkByTheBlock,
    ScaledInTheWeightsAlone,
    AverageOfTheWeights,
    AsWideAsAQuery,
    KeysAndValuesExchanged,
    NothingHidden,
    HiddenAnyway,
    CausalTurnedRound,
    CountedFromTheBlock,
    CountedBackwards,
    SmallerBlockHidden,
    ItselfHidden,
    NextVisible,
    PastHidden,
    MaskTurnedRound,
    MaskTransposed,
    ScoreOfZero,
    ScoreOfMinusHundred,
    ScoreOfMinusTenThousand,
    ScoreOfMinusABillion,
    NothingBelowMinusABillion,
    HiddenAfterwards,
    HiddenByAProduct,
    HiddenFromTheValuesAlone,
    DiagonalBlocksVisible,
    DiagonalBlocksHidden,
).apply(online, Online)


@online.misconception
def averaged(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """You attend to each block separately and take the average over the blocks. Each block should
    count in proportion to the sum of its weights, all of them relative to the same largest score.
    """
    return each_alone(queries, keys, values, block_size, causal).mean(dim=0)


@online.misconception
def added(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """You attend to each block separately, with weights that sum to 1 in each block, and add the
    contexts. The weights of a query should sum to 1 over all blocks: divide once, after the last
    block.
    """
    return each_alone(queries, keys, values, block_size, causal).sum(dim=0)


def each_alone(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool
) -> Tensor:
    """Attention to each block alone, (blocks, …, queries, d_v)."""
    contexts = []
    for start in range(0, keys.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = queries @ keys[..., block, :].mT / queries.shape[-1] ** 0.5
        if causal:
            hidden = Blockwise().hidden(queries.shape[-2], start, scores.shape[-1])
            scores = scores.masked_fill(hidden, -torch.inf)
        contexts.append(torch.softmax(scores, dim=-1) @ values[..., block, :])
    return torch.stack(contexts)


TENSOR_DTYPE.apply(online)
