"""The known wrong answers to `GroupedQueryAttention`, lesson 07."""

import math

import torch

from solutions.exams.families import (
    BIAS,
    DROPOUT,
    FAR_ABOVE,
    FURTHER_ABOVE,
    FUTURE,
    GRADIENT,
    HEADS,
    KEPT_MASK,
    MASK,
    MERGE,
    OUTPUT,
    OUTPUT_DROPPED,
    ROLES,
    SCALE,
    SHARED,
    SOFTMAX,
    SPLIT,
    ZERO_SCORES,
)
from solutions.exams.grouped_query_attention._shared_heads import Variant
from solutions.exams.grouped_query_attention.grouped_query_attention.exam import grouped

(SHARED + HEADS + SPLIT + MERGE + OUTPUT + SCALE + SOFTMAX + ROLES + GRADIENT).apply(
    grouped,
    Variant,
    called={
        "SharedHeadsAveraged": "HeadsMixed",
        "SplitByWrongView": "GroupedSplitWithoutTranspose",
        "MergedByWrongView": "GroupedMergedWithoutTranspose",
        "NotProjected": "GroupedNotProjected",
        "Unscaled": "GroupedNotScaled",
        "DividedByTheWidth": "GroupedRootForgotten",
        "SoftmaxOverQueries": "GroupedSoftmaxOfColumns",
        "KeysMixed": "GroupedKeysMixed",
    },
    without=("RootOfTheQueries", "RootOfTheValues"),
)
_MASKS = MASK + FAR_ABOVE + FURTHER_ABOVE + ZERO_SCORES + FUTURE + KEPT_MASK
(_MASKS + DROPOUT + OUTPUT_DROPPED + BIAS).apply(
    grouped,
    Variant,
    called={
        "NothingHidden": "GroupedUnmasked",
        "ScoreOfZero": "GroupedHiddenByZero",
        "DiagonalHidden": "GroupedDiagonalHidden",
        "NoDropout": "GroupedNoDropout",
        "DropoutOnContexts": "GroupedDropoutOnContexts",
        "DropoutAlways": "GroupedDropoutAlways",
        "BiasNever": "GroupedBiasNever",
    },
    says={
        "DropoutOnContexts": "You drop features, of the values or of the contexts. Drop attention "
        "weights, after the softmax and before they are multiplied by the values.",
    },
    # Dropout is tried on one word, whose only weight is 1 whatever happens to its score, and whose
    # context is its value.
    without=("DropoutOnScores", "DropoutOnMaskedScores", "DropoutOnValues"),
)


@grouped.misconception
class HeadsPerShare(Variant):
    """W_key is as wide as num_heads / num_kv_heads heads. num_kv_heads is how many there are, not
    how many query heads share one.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_heads // num_kv_heads * self.head_dim


@grouped.misconception
class KeysAsWideAsQueries(Variant):
    """W_key and W_value have d_out columns here, as W_query has. They produce fewer heads,
    num_kv_heads, and each of these is as wide as a query head: d_out / num_heads.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_heads * self.head_dim


@grouped.misconception
class OneForAll(Variant):
    """Your W_key and W_value are as wide as a single key/value head, as in multi-query attention.
    Make room for num_kv_heads of them.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return self.head_dim


@grouped.misconception
class FeaturesRepeated(Variant):
    """You repeated the features before you split them into heads, so a head consists of copies of a
    few of its features. Split into heads first.
    """

    def split(self, x: torch.Tensor) -> torch.Tensor:
        n_rep = self.num_heads * self.head_dim // x.shape[-1]
        return super().split(x.repeat_interleave(n_rep, dim=-1))


@grouped.misconception
class MergedRoundByRound(Variant):
    """The contexts are right, but the heads were merged in a different order: the first query head
    of each group, then the second of each. Merge them group by group, in the order in which they
    were split.
    """

    def merge(self, contexts: torch.Tensor) -> torch.Tensor:
        num_kv_heads = self.kv_width // self.head_dim
        shares = contexts.reshape(len(contexts), num_kv_heads, -1, *contexts.shape[2:])
        return super().merge(shares.transpose(1, 2).flatten(1, 2))


@grouped.misconception
class DealtAndMergedByGroup(Variant):
    """Your query heads take the key/value heads in turn, so neighbours read different ones, and
    they are merged in another order than they were split. Neighbours should share a key/value head:
    the axis of the groups, num_kv_heads, comes before that of the heads of a group, both times.
    """

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x.repeat(1, self.num_heads // x.shape[1], 1, 1)

    def merge(self, contexts: torch.Tensor) -> torch.Tensor:
        num_kv_heads = self.kv_width // self.head_dim
        rounds = contexts.reshape(len(contexts), -1, num_kv_heads, *contexts.shape[2:])
        return super().merge(rounds.transpose(1, 2).flatten(1, 2))


@grouped.misconception
class QueriesOfAShareAveraged(Variant):
    """Query heads that share a key/value head have the same scores here, those of their average
    query. Only keys and values are shared: each query head keeps its own queries.
    """

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        num_kv_heads = self.kv_width // self.head_dim
        shares = queries.reshape(len(queries), num_kv_heads, -1, *queries.shape[2:])
        averaged = shares.mean(dim=2, keepdim=True).expand_as(shares).flatten(1, 2)
        return super().score(averaged, keys)


@grouped.misconception
class ScaledByKeyWidth(Variant):
    """You divided by the square root of the width of several heads. What counts is the width of
    one.
    """

    def divisor(self, queries: torch.Tensor, keys: torch.Tensor) -> float:
        return math.sqrt(self.kv_width)


@grouped.misconception
class ScaledByGroup(Variant):
    """You divided by the square root of the width of all query heads that share a key/value head. A
    score is a sum of head_dim products, so divide by the square root of the width of one head.
    """

    def divisor(self, queries: torch.Tensor, keys: torch.Tensor) -> float:
        return math.sqrt(self.out_proj.in_features * self.head_dim / self.kv_width)


@grouped.misconception
class ScaledByShare(Variant):
    """You divided by the square root of the number of query heads that share a key/value head.
    Divide by the square root of the width of one head.
    """

    def divisor(self, queries: torch.Tensor, keys: torch.Tensor) -> float:
        return math.sqrt(self.num_heads * self.head_dim / self.kv_width)


@grouped.misconception
class ScaledByKeyHeads(Variant):
    """You divided by the square root of the number of key/value heads. Divide by the square root of
    their width, head_dim.
    """

    def divisor(self, queries: torch.Tensor, keys: torch.Tensor) -> float:
        return math.sqrt(self.kv_width // self.head_dim)


@grouped.misconception
class ValuesNotShared(Variant):
    """The keys are shared among neighbours, but the values are assigned in turn. Handle both in the
    same way.
    """

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        n_rep = self.num_heads * self.head_dim // self.kv_width
        return weights @ values[:, ::n_rep].repeat(1, n_rep, 1, 1)


@grouped.misconception
class SharesUnchecked(Variant):
    """Six query heads can't share four key/value heads evenly, but your class accepts them. In
    __init__, check both that d_out is a multiple of num_heads and that num_heads is a multiple of
    num_kv_heads, and raise a ValueError.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if d_out % num_heads:
            raise ValueError("not a multiple")


@grouped.misconception
class FeaturesSharedOut(Variant):
    """Six query heads can't share four key/value heads evenly, but your class accepts them where
    d_out is a multiple of both numbers. It is num_heads that has to be a multiple of num_kv_heads.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if d_out % num_heads or d_out % num_kv_heads:
            raise ValueError("not a multiple")


@grouped.misconception
class WidthUnchecked(Variant):
    """Ten features can't be divided among four heads, but your class does not say so. Raise a
    ValueError in __init__ unless d_out is a multiple of num_heads.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if num_heads % num_kv_heads:
            raise ValueError("not a multiple")


@grouped.misconception
class WidthUncheckedButViewed(WidthUnchecked):
    """Ten features can't be divided among four heads. Your class accepts them and fails later, at a
    `view` or `reshape` that does not fit. Raise a ValueError in __init__ unless d_out is a multiple
    of num_heads.
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries = self.W_query(inputs)
        queries.view(*inputs.shape[:2], self.num_heads, self.head_dim)
        return super().forward(inputs)


@grouped.misconception
class WidthUncheckedAndLeftOver(WidthUnchecked):
    """Ten features can't be divided among four heads. Your class accepts them and fails later, in
    out_proj: four heads of two features have eight together. Raise a ValueError in __init__ unless
    d_out is a multiple of num_heads.
    """

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return super().split(x[..., : self.num_heads * self.head_dim])
