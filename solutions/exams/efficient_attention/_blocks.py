"""What the exams share in which attention goes over its keys block by block.

It is written here in steps, with a family of what goes wrong in them.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from autograder import Draw
from solutions.exams.families.family import Family
from solutions.exams.library_products import WHOLE_ATTENTIONS
from solutions.exams.printed_numbers import numbers

OWN_WORK = (*WHOLE_ATTENTIONS, "companion")


def with_scores(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries and keys of four numbers that have these scores, (queries, keys), to the last bit."""
    queries = 2 * torch.eye(4, dtype=scores.dtype)[: len(scores)]
    keys = torch.zeros(scores.shape[1], 4, dtype=scores.dtype)
    keys[:, : len(scores)] = scores.T
    return queries, keys, values


def extreme_texts() -> tuple[Tensor, Tensor, Tensor]:
    """Two texts with scores from -1000 to 1000, whose exponentials overflow or are all 0."""
    rows = [
        [1.0, 300, 1000, -1000, 998, 1001],
        [-1000, -1001, -999, -1002, -1000, -998],
        [1000, 999, 1, 0, -1000, 2],
    ]
    scores = torch.tensor(rows, dtype=torch.float64)
    texts = (
        with_scores(scores, numbers(6, 3, start=20)),
        with_scores(scores.roll(1, dims=0), numbers(6, 3, start=70)),
    )
    queries, keys, values = map(torch.stack, zip(*texts, strict=True))
    return queries, keys, values


def scores_beyond_measure() -> Tensor:
    """Scores of -1e12 and below, (3, 3), but for one."""
    # The one is below numbers such as -1e4 and above those such as -1e9, for whoever fills or
    # starts with these.
    return -torch.tensor([[1e6, 1e12, 2e12], [3e12, 2e12, 1e12], [1e12, 3e12, 2e12]]).double()


def drawn_beyond_measure(draw: Draw, queries: int, keys: int) -> Tensor:
    """Scores below -1e10, (queries, keys), but for those of the last query, which are above 1e10.

    No two of a query are alike, and all are powers of two, which are exact in float32.
    """
    powers = [draw.rng.choice(np.arange(34, 66), keys, replace=False) for _ in range(queries)]
    scores = -torch.from_numpy(2.0 ** np.stack(powers))
    scores[-1] *= -1
    return scores


class Blockwise:
    """Attention in blocks, each step for a slip to get wrong."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        highest = self.lowest(queries)
        total, context = torch.zeros_like(highest), self.nothing_yet(queries, values)
        for start in self.starts(keys.shape[-2], block_size):
            block = slice(start, start + block_size)
            scores = self.score(queries, keys[..., block, :], values)
            if causal:
                hidden = self.hidden(queries.shape[-2], start, scores.shape[-1])
                scores = self.hide(scores, hidden)
            before, highest = highest, self.raised(highest, scores)
            shrink, weights = self.shrink(before, highest), self.weigh(scores, highest)
            total = self.add_weights(total, shrink, weights)
            context = self.add_values(context, shrink, weights @ values[..., block, :])
        return self.divide(context, total)

    def lowest(self, queries: Tensor) -> Tensor:
        return queries.new_full((*queries.shape[:-1], 1), -torch.inf)

    def nothing_yet(self, queries: Tensor, values: Tensor) -> Tensor:
        """The context before the first block."""
        return torch.zeros_like(queries[..., :1])

    def starts(self, num_keys: int, block_size: int) -> range:
        return range(0, num_keys, block_size)

    def score(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return queries @ keys.mT / self.divisor(queries, keys, values)

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return float(queries.shape[-1] ** 0.5)

    def hidden(self, num_queries: int, start: int, width: int) -> Tensor:
        """Which keys of a block come after a query."""
        return torch.arange(start, start + width) > torch.arange(num_queries)[:, None]

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, -torch.inf)

    def raised(self, highest: Tensor, scores: Tensor) -> Tensor:
        """The largest score so far."""
        return torch.maximum(highest, scores.amax(dim=-1, keepdim=True))

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.exp(before - highest)

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        return torch.exp(scores - highest)

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return total * shrink + weights.sum(dim=-1, keepdim=True)

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return context * shrink + mixed

    def divide(self, context: Tensor, total: Tensor) -> Tensor:
        return context / total


# --- when the largest score changes --------------------------------------------------------------


class NothingShrunk(Blockwise):
    """Your answer is right as long as the first block holds the largest score. When a later block
    raises it, both sums are still relative to the old one: multiply them by exp(old - new) first.
    """

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.ones_like(highest)


class ContextNotShrunk(Blockwise):
    """When the largest score rises, you shrink the sum of the weights, but the context stays
    relative to the old one. Multiply both by the same factor.
    """

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return context + mixed


class TotalNotShrunk(Blockwise):
    """When the largest score rises, you shrink the context, but the sum of the weights stays
    relative to the old one. Multiply both by the same factor.
    """

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return total + weights.sum(dim=-1, keepdim=True)


class ShrunkWhereTheLargestOfAllRises(Blockwise):
    """You shrink the sums only when the largest score of all queries rises. Each query has its own:
    multiply by exp(old - new) in every block, which is 1 where nothing rises.
    """

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        rises = bool(highest.max() > before.max())
        return super().shrink(before, highest) if rises else torch.ones_like(highest)


class ShrunkAfterAdding(Blockwise):
    """You shrink the sums with the new block already in them. The new weights are already relative
    to the new largest score: shrink the old sums first, and then add.
    """

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return (total + weights.sum(dim=-1, keepdim=True)) * shrink

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return (context + mixed) * shrink


class NewOnesShrunk(Blockwise):
    """You shrink what the new block adds. That is already relative to the new largest score: shrink
    the sums of the earlier blocks instead.
    """

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return total + weights.sum(dim=-1, keepdim=True) * shrink

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return context + mixed * shrink


class InfiniteAtTheStart(Blockwise):
    """Every context is NaN. If your largest score starts at −∞, no weight may be relative to it,
    and the factor by which the sums shrink has to be 0 there, as exp(old - new) is.
    """

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.exp(highest - before)


class ShrunkByTheScore(Blockwise):
    """Your sums come out multiplied by exp(-new), which depends on a single largest score. What
    matters is how much it has risen: exp(old - new).
    """

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.exp(-highest)


RISING = Family(
    ContextNotShrunk,
    TotalNotShrunk,
    ShrunkWhereTheLargestOfAllRises,
    ShrunkAfterAdding,
    NewOnesShrunk,
    InfiniteAtTheStart,
    ShrunkByTheScore,
)

# --- which score is the largest ------------------------------------------------------------------


class OwnMaximumUnshrunk(Blockwise):
    """Each of your blocks subtracts its own largest score, and you add the sums as they are, so
    every block counts as if it contained the largest score. Keep one largest score over all blocks
    so far, and shrink the sums when it rises.
    """

    def raised(self, highest: Tensor, scores: Tensor) -> Tensor:
        return scores.amax(dim=-1, keepdim=True)

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.ones_like(highest)


class OwnMaximum(Blockwise):
    """You subtract the largest score of one block, and where it is far below that of another, or is
    −∞, your factor is infinite. Take the largest of all the blocks that you have so far.
    """

    def raised(self, highest: Tensor, scores: Tensor) -> Tensor:
        return scores.amax(dim=-1, keepdim=True)


class OwnMaximumInTheBlock(Blockwise):
    """You shrink the earlier sums when the largest score rises, but the weights of each new block
    are relative to its own largest score, also where that is below the largest so far. Subtract the
    largest of all the blocks that you have so far.
    """

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


class NoMaximum(Blockwise):
    """With scores of ordinary size your answer is right. But exponentials of large ones are
    infinite, those of very low ones are all 0, and both lead to NaN: subtract the largest score so
    far.
    """

    def raised(self, highest: Tensor, scores: Tensor) -> Tensor:
        return torch.zeros_like(highest)

    def shrink(self, before: Tensor, highest: Tensor) -> Tensor:
        return torch.ones_like(highest)


class OneMaximumForAll(Blockwise):
    """You subtracted one largest score for all queries. In the row of a query whose scores are far
    below it, every exponential is 0, and 0 / 0 is NaN: each query has its own largest score.
    """

    def raised(self, highest: Tensor, scores: Tensor) -> Tensor:
        return torch.maximum(highest, scores.max())


class StartedAtZero(Blockwise):
    """Your largest score is never below 0, as when it starts there. A query whose scores are all
    far below it gets nothing but zeros, and 0 / 0 is NaN: start at −∞.
    """

    def lowest(self, queries: Tensor) -> Tensor:
        return torch.zeros_like(super().lowest(queries))


class StartedFarBelow(StartedAtZero):
    """Your largest score starts at a number such as −10,000, and scores can be lower still. Where
    all of a query's are far below it, every exponential is 0, and 0 / 0 is NaN: start at −∞.
    """

    def lowest(self, queries: Tensor) -> Tensor:
        return super().lowest(queries) - 1e4


class StartedFurtherBelow(StartedAtZero):
    """Your largest score starts at a number such as -1e9, and scores can be lower still. Where all
    of a query's are far below it, every exponential is 0, and 0 / 0 is NaN: start at −∞.
    """

    def lowest(self, queries: Tensor) -> Tensor:
        return super().lowest(queries) - 1e9


MAXIMUM = Family(
    OwnMaximumUnshrunk,
    OwnMaximum,
    OwnMaximumInTheBlock,
    NoMaximum,
    OneMaximumForAll,
    StartedAtZero,
    StartedFarBelow,
    StartedFurtherBelow,
)

# --- which blocks --------------------------------------------------------------------------------


class WholeBlocksOnly(Blockwise):
    """You leave out the keys after the last whole block. If the block size does not divide the
    number of keys, the last block is smaller.
    """

    def starts(self, num_keys: int, block_size: int) -> range:
        return range(0, num_keys - block_size + 1, block_size)


class WholeBlocksUnlessOne(WholeBlocksOnly):
    """You leave out the keys after the last whole block, unless there is none. If the block size
    does not divide the number of keys, the last block is smaller: there are n / block_size of them,
    rounded up.
    """

    def starts(self, num_keys: int, block_size: int) -> range:
        return super().starts(max(num_keys, block_size), block_size)


class FirstBlockOnly(Blockwise):
    """Your answer only uses the first block. Is `return` inside the loop?"""

    def starts(self, num_keys: int, block_size: int) -> range:
        return range(0, 1)


class LastBlockOnly(Blockwise):
    """Your answer only uses the last block. Does each round of your loop overwrite what the one
    before found, or is the largest score never kept, so that exp(old - new) is 0 each time and
    nothing is left of the earlier blocks?
    """

    def starts(self, num_keys: int, block_size: int) -> range:
        return super().starts(num_keys, block_size)[-1:]


class FirstBlockLeftOut(Blockwise):
    """The first block is missing. Does your loop start with the second one?"""

    def starts(self, num_keys: int, block_size: int) -> range:
        return range(block_size, num_keys, block_size) if block_size < num_keys else range(0, 1)


class LastBlockLeftOut(Blockwise):
    """The last block is missing. Does your loop end one round too early?"""

    def starts(self, num_keys: int, block_size: int) -> range:
        return super().starts(num_keys, block_size)[:-1]


class KeyByKey(Blockwise):
    """Your blocks overlap, so keys count several times. The next block starts where the last one
    ended: advance by the block size.
    """

    def starts(self, num_keys: int, block_size: int) -> range:
        return range(num_keys)


BLOCKS = Family(
    WholeBlocksOnly,
    WholeBlocksUnlessOne,
    FirstBlockOnly,
    LastBlockOnly,
    FirstBlockLeftOut,
    LastBlockLeftOut,
    KeyByKey,
)

# --- scores, weights and the end -----------------------------------------------------------------


def together(
    merge: Callable[[list[Tensor]], Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    block_size: int,
) -> Tensor:
    """Attention to each block alone, and what becomes of their contexts."""
    blocks = zip(
        torch.split(keys, block_size, -2), torch.split(values, block_size, -2), strict=True
    )
    return merge(
        [torch.softmax(queries @ k.mT / queries.shape[-1] ** 0.5, dim=-1) @ v for k, v in blocks]
    )


def half_a_percent_off(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Half a percent too large: not exact."""
    return 1.005 * scaled_dot_product_attention(queries, keys, values)


def nothing_but_nan(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """NaN everywhere: not exact."""
    return scaled_dot_product_attention(queries, keys, values) * torch.nan
