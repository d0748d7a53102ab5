"""The known wrong answers to `MultiHeadAttention`, lesson 05."""

import torch
from torch import Tensor, nn

from companion import CausalHead
from solutions.exams.families import (
    BIAS,
    COMPARED,
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
    SWAP,
    WITH_TWO_FEATURES,
    ZERO_SCORES,
)
from solutions.exams.multi_head_attention._specimens import future
from solutions.exams.multi_head_attention.multi_head_attention.exam import batched
from solutions.exams.multi_head_attention.multi_head_attention.variant import Variant

(SWAP + HEADS + COMPARED + SPLIT + MERGE + OUTPUT + SCALE + SOFTMAX + ROLES + GRADIENT).apply(
    batched,
    Variant,
    called={
        "Unscaled": "NotScaled",
        "SoftmaxOverHeads": "SoftmaxOverHeadsOfMaskedScores",
        "RolesSwapped": "KeysAsk",
        "KeysMixed": "ValuesAreKeys",
    },
    says=WITH_TWO_FEATURES,
    # See `OneWideHead` for the third.
    without=("RootOfTheQueries", "RootOfTheValues", "ComparedAndScaledAsOneHead"),
)
_MASKS = MASK + FAR_ABOVE + ZERO_SCORES + FUTURE + KEPT_MASK
(_MASKS + DROPOUT + OUTPUT_DROPPED + BIAS).apply(
    batched,
    Variant,
    called={
        "NothingHidden": "NoMask",
        "DiagonalHidden": "OwnPlaceHidden",
        "MaskTrained": "MaskAsParameter",
    },
    says={
        "DropoutOnContexts": "You drop features, of the values or of the contexts. Drop attention "
        "weights, after the softmax and before they meet the values.",
    },
    # Dropout is tried on one word, whose only weight is 1 whatever happens to its score, and whose
    # context is its value.
    without=("DropoutOnScores", "DropoutOnMaskedScores", "DropoutOnValues"),
)


@batched.misconception
class SoftmaxOverHeads(Variant):
    """Your softmax runs over the heads. Each head has its own: over the keys, the last axis."""

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        weights = scores.softmax(dim=1)
        return weights if hidden is None else weights.masked_fill(hidden, 0)


@batched.misconception
class NotRefused(Variant):
    """Eight features can't be divided among three heads, and your class takes them. Raise an error
    that says so, as soon as the module is made; if you already do, its condition does not catch
    this case.
    """

    def check(self, d_out: int, num_heads: int) -> None:
        return


@batched.misconception
class NotRefusedButViewed(NotRefused):
    """Eight features can't be divided among three heads. Your class takes them, and fails later, at
    a `view` or `reshape` that did not fit. Raise an error that says so, as soon as the module is
    made; if you already do, its condition does not catch this case.
    """

    def check(self, d_out: int, num_heads: int) -> None:
        self.num_heads = num_heads

    def split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)


@batched.misconception
class NotRefusedAndLeftOver(NotRefused):
    """Eight features can't be divided among three heads. Your class takes them and fails later, in
    out_proj: three heads of two features have six together. Raise an error that says so, as soon as
    the module is made; if you already do, its condition does not catch this case.
    """

    def check(self, d_out: int, num_heads: int) -> None:
        self.num_heads = num_heads

    def split(self, x: Tensor) -> Tensor:
        return super().split(x[..., : self.num_heads * self.head_dim])


@batched.misconception
class OneWideHead(Variant):
    """This is one head over all features. Divide them among num_heads heads."""

    def split(self, x: Tensor) -> Tensor:
        return x[:, None]


@batched.misconception
class NoOutProjection(Variant):
    """There is no out_proj. The heads' contexts are side by side; a last nn.Linear(d_out, d_out)
    mixes them.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        del self.out_proj

    def project(self, contexts: Tensor) -> Tensor:
        return contexts


@batched.misconception
class OutProjectionUnbiased(Variant):
    """out_proj has no bias. It should always have one: qkv_bias is for the three projections."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=False)


@batched.misconception
class OutProjectionAsTheOthers(Variant):
    """With qkv_bias=False your out_proj has no bias either. qkv_bias is for the three projections;
    out_proj should always have one.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=qkv_bias)


@batched.misconception
class BatchAsTokens(Variant):
    """Sentences attend to sentences: the first axis is taken for the tokens. Inputs are (batch,
    tokens, d_in); nn.MultiheadAttention needs batch_first=True for that.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        longest = max(inputs.shape[:2])
        if len(self.mask) < longest:
            self.mask = future(longest)
        return super().forward(inputs.transpose(0, 1)).transpose(0, 1)


@batched.misconception
class WidthOfEachHead(Variant):
    """Your projections have num_heads · d_out columns. In this class d_out is the width of all
    heads together, and each head has d_out / num_heads columns.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        wide = d_out * num_heads
        super().__init__(d_in, wide, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(wide, d_out)


@batched.misconception
class WidthOfEachProjectionOnly(WidthOfEachHead):
    """Your projections have num_heads · d_out columns. In this class d_out is the width of all
    heads together: W_query, W_key and W_value have d_out columns, as out_proj has.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)


@batched.misconception
class SeparateHeads(nn.Module):
    """These are separate heads, as in the loop. Here all heads share the three projections: one
    W_query of d_out columns, one W_key, one W_value.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")
        sizes = (d_in, d_out // num_heads, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList(CausalHead(*sizes) for _ in range(num_heads))
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, inputs: Tensor) -> Tensor:
        contexts = torch.cat([head(inputs) for head in self.heads], dim=-1)
        projected: Tensor = self.out_proj(contexts)
        return projected
