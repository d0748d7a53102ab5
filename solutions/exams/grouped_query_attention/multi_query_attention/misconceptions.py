"""The known wrong answers to `MultiQueryAttention`, lesson 07."""

from typing import Any

import torch
from torch import nn

from solutions.exams.families import (
    BIAS,
    DROPOUT,
    FAR_ABOVE,
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
    SOFTMAX,
    SPLIT,
    ZERO_SCORES,
)
from solutions.exams.grouped_query_attention._shared_heads import Variant as Shared
from solutions.exams.grouped_query_attention.multi_query_attention.exam import single


class Variant(Shared):
    """Multi-query attention in steps, made of its own arguments in their own order."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias=qkv_bias)


@single.misconception
class KeysForEveryHead(Variant):
    """Your W_key and W_value make d_out features, room for a key and a value for every query head.
    All query heads share one key/value head here: make them d_out / num_heads features wide.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_heads * self.head_dim


@single.misconception
class ValuesForEveryHead(Variant):
    """Your W_value makes d_out features, room for values of every query head. All query heads share
    one key/value head here, its keys and its values: make both d_out / num_heads features wide.
    """

    def find_value_width(self, d_out: int) -> int:
        return d_out


@single.misconception
class QueriesForAll(KeysForEveryHead):
    """Your W_query is as wide as a single head, and W_key and W_value are as wide as all of them.
    It is the other way round: every head asks with a query of its own, and all read the same keys
    and values.
    """

    def find_query_width(self, d_out: int) -> int:
        return self.head_dim


(HEADS + SPLIT + MERGE + OUTPUT + SCALE + SOFTMAX + ROLES + GRADIENT).apply(
    single,
    Variant,
    called={
        "ScaledByAllFeatures": "ScaledByAllHeads",
        "SplitByWrongView": "SplitWithoutTranspose",
        "MergedByWrongView": "MergedWithoutTranspose",
        "Unscaled": "SingleNotScaled",
        "DividedByTheWidth": "SingleRootForgotten",
        "SoftmaxOverQueries": "SingleSoftmaxOfColumns",
        "KeysMixed": "SingleKeysMixed",
    },
    # Heads that share their values differ in their weights alone: see `HeadsAdded`.
    without=("HeadsWeighAlike", "RootOfTheQueries", "RootOfTheValues"),
)
_MASKS = MASK + FAR_ABOVE + ZERO_SCORES + FUTURE + KEPT_MASK
(_MASKS + DROPOUT + OUTPUT_DROPPED + BIAS).apply(
    single,
    Variant,
    called={
        "NothingHidden": "SingleUnmasked",
        "ScoreOfZero": "SingleHiddenByZero",
        "DiagonalHidden": "SingleDiagonalHidden",
        "PastHidden": "SinglePastHidden",
        "NoDropout": "SingleNoDropout",
        "DropoutAlways": "SingleDropoutAlways",
        "BiasAlways": "SingleBiasAlways",
    },
    says={
        "DropoutOnContexts": "You drop features, of the values or of the contexts. Drop attention "
        "weights, after the softmax and before they meet the values.",
    },
    # Dropout is tried on one word, whose only weight is 1 whatever happens to its score, and whose
    # context is its value.
    without=("DropoutOnScores", "DropoutOnMaskedScores", "DropoutOnValues"),
)


@single.misconception
class WithoutTheAxisOfHeads(Variant):
    """Your keys and values have no axis for the head, so where the queries have their heads, they
    have the texts: that fits a single text alone. Add the axis with `unsqueeze(1)`.
    """

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x.squeeze(1)


@single.misconception
class RootOfTheInputsOfAHead(Variant):
    """You divided by the root of d_in / num_heads. A query has as many features as a key, and that
    is d_out / num_heads: take the root of this.
    """

    def divisor(self, queries: torch.Tensor, keys: torch.Tensor) -> float:
        return float((self.d_in / self.num_heads) ** 0.5)


@single.misconception
class HeadsAdded(Variant):
    """All your heads have the same context, the average over the heads: their contexts were
    averaged, or their weights. Each keeps its own, and they stand side by side in d_out features.
    """

    def merge(self, contexts: torch.Tensor) -> torch.Tensor:
        return contexts.mean(dim=1).repeat(1, 1, self.num_heads)


@single.misconception
class OneQueryHead(Variant):
    """All your heads have the same scores, those of their average query. Only keys and values are
    shared: each query head asks for itself.
    """

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return super().score(queries.mean(dim=1, keepdim=True).expand_as(queries), keys)


@single.misconception
class SingleUnchecked(Variant):
    """Seven features can't be divided among three heads, and your class does not say so. Raise a
    ValueError in __init__ unless d_out is a multiple of num_heads.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        return


@single.misconception
class SingleUncheckedButViewed(SingleUnchecked):
    """Seven features can't be divided among three heads. Your class takes them, and fails later, at
    a `view` or `reshape` that does not fit. Raise a ValueError in __init__ unless d_out is a
    multiple of num_heads.
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries = self.W_query(inputs)
        queries.view(*inputs.shape[:2], self.num_heads, self.head_dim)
        return super().forward(inputs)


@single.misconception
class SingleUncheckedAndNarrow(SingleUnchecked):
    """Seven features can't be divided among three heads. Your class takes them, and its layers
    become narrower than d_out. Raise a ValueError in __init__ unless d_out is a multiple of
    num_heads.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.out_proj = nn.Linear(self.W_query.out_features, self.out_proj.out_features)

    def find_query_width(self, d_out: int) -> int:
        return self.num_heads * self.head_dim


@single.misconception
class SingleUncheckedAndLeftOver(SingleUnchecked):
    """Seven features can't be divided among three heads. Your class takes them and fails later, in
    out_proj: three heads of two features have six together. Raise a ValueError in __init__ unless
    d_out is a multiple of num_heads.
    """

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return super().split(x[..., : self.num_heads * self.head_dim])
