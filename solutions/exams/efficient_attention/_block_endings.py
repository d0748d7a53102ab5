"""What goes wrong in attention block by block with the scale, the division and what is added."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention._blocks import Blockwise
from solutions.exams.families.family import Family


class Unscaled(Blockwise):
    """The scores are not scaled. Divide them by the square root of d_k."""

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return 1.0


class DividedByTheWidth(Blockwise):
    """Your scores are divided by d_k itself. Divide by its square root, once."""

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return queries.shape[-1]


class MultipliedByTheRoot(Blockwise):
    """Your scores are multiplied by √d_k. Divide by it."""

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return float(queries.shape[-1] ** -0.5)


class RootOfTheBlock(Blockwise):
    """You took the square root of the number of keys in a block. Take that of d_k, the number of
    features of a key.
    """

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return float(keys.shape[-2] ** 0.5)


class RootOfTheQueries(Blockwise):
    """You took the square root of the number of queries. Take that of d_k, the number of features
    of a query.
    """

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return float(queries.shape[-2] ** 0.5)


class RootOfTheValues(Blockwise):
    """You took the square root of the width of a value. Take that of d_k, the width of a key."""

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return float(values.shape[-1] ** 0.5)


class RootOfTheBlockSize(Blockwise):
    """You took the square root of the block size. Take that of d_k, the number of features of a
    key.
    """

    size = 1

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        self.size = self.root_of(keys, block_size)
        return super().answer(queries, keys, values, block_size, causal)

    def root_of(self, keys: Tensor, block_size: int) -> int:
        return block_size

    def divisor(self, queries: Tensor, keys: Tensor, values: Tensor) -> float:
        return float(self.size**0.5)


class RootOfAllKeys(RootOfTheBlockSize):
    """You took the square root of the number of all keys. Take that of d_k, the number of features
    of a key.
    """

    def root_of(self, keys: Tensor, block_size: int) -> int:
        return keys.shape[-2]


class KeysMixed(Blockwise):
    """You mixed the keys with the weights. Mix the values instead."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
    ) -> Tensor:
        return super().answer(queries, keys, keys, block_size, causal)


class Undivided(Blockwise):
    """You did not divide, so the weights do not sum to 1. Divide the context by their sum once,
    after the last block.
    """

    def divide(self, context: Tensor, total: Tensor) -> Tensor:
        return context


class DividedInEveryBlock(Blockwise):
    """You divide the context after every block, and the next one adds to a context that is already
    divided. Divide once, after the last block.
    """

    total = torch.empty(0)

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        self.total = super().add_weights(total, shrink, weights)
        return self.total

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return super().add_values(context, shrink, mixed) / self.total

    def divide(self, context: Tensor, total: Tensor) -> Tensor:
        return context


class OwnSumInEveryBlock(Blockwise):
    """You divide what each block adds by that block's own sum, so every block counts as much as all
    the earlier ones. Keep a sum over all blocks, and divide by it once, after the last block.
    """

    own = torch.empty(0)

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        self.own = weights.sum(dim=-1, keepdim=True)
        return super().add_weights(total, shrink, weights)

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return super().add_values(context, shrink, mixed / self.own)

    def divide(self, context: Tensor, total: Tensor) -> Tensor:
        return context


class OwnSumAndTheWholeOne(OwnSumInEveryBlock):
    """You divide twice: what each block adds by that block's own sum, and in the end everything by
    the sum over all blocks. Leave out the division inside the loop.
    """

    def divide(self, context: Tensor, total: Tensor) -> Tensor:
        return context / total


class SumSoFarInEveryBlock(OwnSumInEveryBlock):
    """You divide what each block adds by the sum so far, which is a smaller one for the first
    blocks than for the last. Divide once, after the last block, by the sum over all of them.
    """

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        self.own = super().add_weights(total, shrink, weights)
        return self.own


class SoftmaxInEveryBlock(Blockwise):
    """You take a softmax in every block, so that the weights of each block sum to 1 before they
    meet those of the others. Take exp(scores - highest) instead, with the largest score so far, and
    divide once, after the last block.
    """

    def weigh(self, scores: Tensor, highest: Tensor) -> Tensor:
        # Of a block in which a token sees nothing, a softmax makes NaN.
        return torch.softmax(scores, dim=-1)


class KeysCounted(Blockwise):
    """You divided by the number of keys. Divide by the sum of their weights."""

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return total + weights.shape[-1]


class ValuesLeftOut(Blockwise):
    """Your contexts are all 0: no value is left in them. Add each block's weighted values."""

    def add_values(self, context: Tensor, shrink: Tensor, mixed: Tensor) -> Tensor:
        return 0 * mixed


class WeightsLeftOut(Blockwise):
    """You divide by 0: no weight is left in the sum. Add those of each block."""

    def add_weights(self, total: Tensor, shrink: Tensor, weights: Tensor) -> Tensor:
        return torch.zeros_like(shrink)


ENDING = Family(
    ValuesLeftOut,
    WeightsLeftOut,
    Unscaled,
    DividedByTheWidth,
    MultipliedByTheRoot,
    RootOfTheBlock,
    RootOfTheBlockSize,
    RootOfAllKeys,
    RootOfTheQueries,
    RootOfTheValues,
    KeysMixed,
    Undivided,
    DividedInEveryBlock,
    OwnSumInEveryBlock,
    OwnSumAndTheWholeOne,
    SumSoFarInEveryBlock,
    SoftmaxInEveryBlock,
    KeysCounted,
)
