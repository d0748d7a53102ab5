"""What goes wrong with attention inside of a block, and with a block's dropout, lesson 09."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.families.family import Family
from solutions.exams.transformer._blocks.steps import Block, later

# --- attention -----------------------------------------------------------------------------------


class OneHead(Block):
    """Your attention has one head. Pass num_heads on to nn.MultiheadAttention."""

    def attention(self, d_model: int, num_heads: int, dropout: float) -> nn.MultiheadAttention:
        return super().attention(d_model, 1, dropout)


class BatchNotFirst(Block):
    """Your attention takes the sentences of a batch for tokens, so they see each other: without
    batch_first=True, nn.MultiheadAttention expects (tokens, batch, d_model).
    """

    def attention(self, d_model: int, num_heads: int, dropout: float) -> nn.MultiheadAttention:
        return nn.MultiheadAttention(d_model, num_heads)


class TupleAdded(Block):
    """nn.MultiheadAttention returns two things, the outputs and the weights, and you go on with
    both. Use only the first.
    """

    def attend(self, x: Tensor, context: Tensor, **masks: Any) -> Any:
        return self.self_attn(x, context, context, **masks)

    def drop(self, place: int, made: Any) -> Any:
        return made if isinstance(made, tuple) else super().drop(place, made)


class TupleDropped(TupleAdded):
    __doc__ = TupleAdded.__doc__

    def drop(self, place: int, made: Any) -> Tensor:
        dropped: Tensor = self.dropout(made)
        return dropped


class HeadsNotScaled(Block):
    """You compute attention yourself, and its scores are not scaled. Divide them by the square root
    of the width of one head, or let nn.MultiheadAttention do it.
    """

    def divisor(self, d_model: int, num_heads: int) -> float:
        return 1.0

    def call(
        self, attn: nn.MultiheadAttention, x: Tensor, keys: Tensor, values: Tensor, **masks: Any
    ) -> Any:
        weights, biases = attn.in_proj_weight.chunk(3), attn.in_proj_bias.chunk(3)
        q, k, v = (
            functional.linear(given, weight, bias).view(*given.shape[:2], attn.num_heads, -1)
            for given, weight, bias in zip((x, keys, values), weights, biases, strict=True)
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        scores = scores / self.divisor(x.shape[-1], attn.num_heads)
        if masks.get("attn_mask") is not None:
            scores = scores.masked_fill(masks["attn_mask"], -torch.inf)
        if masks.get("key_padding_mask") is not None:
            scores = scores.masked_fill(masks["key_padding_mask"][:, None, None], -torch.inf)
        return attn.out_proj(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).flatten(2))


class HeadsScaledByAllFeatures(HeadsNotScaled):
    """You compute attention yourself, and divide by the square root of d_model. Divide by the
    square root of the width of one head, d_model / num_heads.
    """

    def divisor(self, d_model: int, num_heads: int) -> float:
        return float(d_model**0.5)


class HeadsDividedByTheWidth(HeadsNotScaled):
    """You compute attention yourself, and divide the scores by the width of a head. Divide by its
    square root.
    """

    def divisor(self, d_model: int, num_heads: int) -> float:
        return d_model / num_heads


ATTENTION = Family(
    OneHead,
    BatchNotFirst,
    TupleAdded,
    TupleDropped,
    HeadsNotScaled,
    HeadsScaledByAllFeatures,
    HeadsDividedByTheWidth,
)

# --- the future ----------------------------------------------------------------------------------


class Causal(Block):
    """A block whose tokens do not see those after them."""

    def future(self, queries: int, keys: int) -> Tensor:
        """True where a key is hidden."""
        return later(queries, keys)

    def attend_past(self, x: Tensor, **masks: Any) -> Any:
        hidden = self.future(x.shape[1], x.shape[1])
        return self.attend(x, x, attn_mask=hidden, **masks)


class FutureSeen(Causal):
    """Your tokens see those after them, so a model learns to copy the next one. Pass the
    self-attention a mask of the future: attn_mask, True above the diagonal.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return torch.zeros(queries, keys, dtype=torch.bool)


class PastHidden(Causal):
    """You hid the past, so each token sees only itself and those after it. In attn_mask True means
    hidden, queries are rows, and the future is above the diagonal: triu.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return torch.ones(queries, keys, dtype=torch.bool).tril(-1)


class PastAndSelfHidden(Causal):
    """Your mask is True where a token may look. In nn.MultiheadAttention's attn_mask True means
    hidden, so only the future remains visible here, and the last token sees nothing.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return torch.ones(queries, keys, dtype=torch.bool).tril()


class DiagonalHidden(Causal):
    """You hid the diagonal as well, so no token sees itself, and the first one sees nothing. Begin
    one position above the diagonal: triu(1).
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return later(queries, keys, by=0)


class PastAndSelfHiddenWithWeights(PastAndSelfHidden):
    # Of a row in which all is hidden, a layer that is asked for its weights makes NaN, and one that
    # is asked for none makes zeros.
    __doc__ = PastAndSelfHidden.__doc__

    def attend(self, x: Tensor, context: Tensor, **masks: Any) -> Any:
        return self.self_attn(x, context, context, **masks)[0]


class DiagonalHiddenWithWeights(DiagonalHidden):
    __doc__ = DiagonalHidden.__doc__

    def attend(self, x: Tensor, context: Tensor, **masks: Any) -> Any:
        return self.self_attn(x, context, context, **masks)[0]


class NextSeen(Causal):
    """Each token still sees the next one, because your mask begins one position too far from the
    diagonal. Use triu(1).
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return later(queries, keys, by=2)


class MaskOfFloats(Causal):
    """Your mask is made of ones and zeros, which are added to the scores, so the future gets
    more weight instead of none. Make it True and False: .bool().
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return later(queries, keys).to(self.linear1.weight.dtype)


class MaskOfFloat32(Causal):
    """Your mask is made of float32 numbers. An attention layer that also returns its weights needs
    a mask of True and False, or of 0 and −∞ in the dtype of the inputs. `torch.ones` and
    `generate_square_subsequent_mask` make float32 unless you pass another dtype.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return later(queries, keys).float()

    def attend(self, x: Tensor, context: Tensor, **masks: Any) -> Any:
        return self.self_attn(x, context, context, **masks)[0]


class InfiniteMaskOfFloat32(MaskOfFloat32):
    __doc__ = MaskOfFloat32.__doc__

    def future(self, queries: int, keys: int) -> Tensor:
        return nn.Transformer.generate_square_subsequent_mask(keys)[:queries]


class MaskByTheBatch(Causal):
    """Your mask has a row and a column for each sentence of the batch. It needs one for each token:
    inputs.shape[1].
    """

    def attend_past(self, x: Tensor, **masks: Any) -> Any:
        return self.attend(x, x, attn_mask=self.future(len(x), len(x)), **masks)


class HintWithoutMask(Causal):
    """is_causal=True only says something about a mask that is passed as well: pass both, or
    attn_mask alone.
    """

    def attend_past(self, x: Tensor, **masks: Any) -> Any:
        return self.attend(x, x, is_causal=True, **masks)


CAUSAL = Family(
    FutureSeen,
    PastHidden,
    PastAndSelfHidden,
    PastAndSelfHiddenWithWeights,
    DiagonalHidden,
    DiagonalHiddenWithWeights,
    NextSeen,
    MaskOfFloats,
    MaskOfFloat32,
    InfiniteMaskOfFloat32,
    MaskByTheBatch,
    HintWithoutMask,
)

# --- dropout -------------------------------------------------------------------------------------


class NoDropout(Block):
    """No feature is dropped in training: apply dropout to the result of each part, before the
    sum.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return made


class DropoutAtFirstAlone(Block):
    """Dropout is applied only to the result of attention. Apply it to the result of the
    feed-forward layer as well.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return made if place == len(self.places) - 1 else super().drop(place, made)


class DropoutAtLastAlone(Block):
    """Dropout is applied only to the result of the feed-forward layer. Apply it to the result of
    attention as well.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return super().drop(place, made) if place == len(self.places) - 1 else made


class DropoutAlways(Block):
    """Your block drops features in eval mode, too. `nn.Dropout` knows the mode if it is made in
    __init__; `F.dropout` has to be told: training=self.training.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return functional.dropout(made, self.dropout.p)


class DropoutOnTheSum(Block):
    """You drop features of the sum, so some features of x are lost, too. Apply dropout to the
    result of a part, before you add it.
    """

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return self.drop(place, x + made)


class DropoutOnTheFirstSum(DropoutOnTheSum):
    """You drop features of the first sum, so some features of x are lost, too. Apply dropout to the
    result of attention, before you add it.
    """

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, x, made) if place == 0 else Block.add(self, place, x, made)


class DropoutOnTheLastSum(DropoutOnTheSum):
    """You drop features of the last sum, so some features of x are lost, too. Apply dropout to the
    result of the feed-forward layer, before you add it.
    """

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        is_last = place == len(self.places) - 1
        return super().add(place, x, made) if is_last else Block.add(self, place, x, made)


class DropoutOnTheNorms(Block):
    """You drop features of what a normalisation returns. Apply dropout to the result of a part,
    before you add it.
    """

    def is_wrong(self, place: int) -> bool:
        return True

    def norm(self, place: int, x: Tensor) -> Tensor:
        normed = super().norm(place, x)
        return super().drop(place, normed) if self.is_wrong(place) else normed

    def drop(self, place: int, made: Tensor) -> Tensor:
        return made if self.is_wrong(place) else super().drop(place, made)


class DropoutOnTheFirstNorm(DropoutOnTheNorms):
    """You drop features of what `norm1` returns. Apply dropout to the result of the self-attention,
    before you add it.
    """

    def is_wrong(self, place: int) -> bool:
        return place == 0


class DropoutInside(Block):
    """You drop features between `linear1` and `linear2` as well, as PyTorch's own block does. Here
    dropout applies only to the result of a part.
    """

    def activate(self, x: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(super().activate(x))
        return dropped


class DropoutInsideAlone(DropoutInside):
    """You drop features between `linear1` and `linear2`, but none after `linear2`. Apply dropout to
    the result of a part.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return made if place == len(self.places) - 1 else super().drop(place, made)


class DropoutOnWeights(Block):
    """You drop attention weights as well, because nn.MultiheadAttention has its own dropout. Leave
    that at 0; here dropout applies only to the result of a part.
    """

    def attention(self, d_model: int, num_heads: int, dropout: float) -> nn.MultiheadAttention:
        return nn.MultiheadAttention(d_model, num_heads, dropout, batch_first=True)


class DropoutOnWeightsAlone(DropoutOnWeights):
    """You drop attention weights instead of what attention returns, because nn.MultiheadAttention
    has its own dropout. Leave that at 0, and apply dropout to the result of a part.
    """

    def drop(self, place: int, made: Tensor) -> Tensor:
        return super().drop(place, made) if place == len(self.places) - 1 else made


class FixedDropout(Block):
    """Your dropout uses a p of its own. Use the one that is passed to the class:
    nn.Dropout(dropout).
    """

    def rate(self, dropout: float) -> float:
        return 0.5


class FixedDropoutOfATenth(FixedDropout):
    __doc__ = FixedDropout.__doc__

    def rate(self, dropout: float) -> float:
        return 0.1


class KeptInsteadOfDropped(Block):
    """You passed nn.Dropout the probability of keeping a feature. Its p, like `dropout`, is the
    probability of dropping one.
    """

    def rate(self, dropout: float) -> float:
        return 1 - dropout


DROPOUT = Family(
    NoDropout,
    DropoutAtFirstAlone,
    DropoutAtLastAlone,
    DropoutAlways,
    DropoutOnTheSum,
    DropoutOnTheFirstSum,
    DropoutOnTheLastSum,
    DropoutOnTheNorms,
    DropoutOnTheFirstNorm,
    DropoutInside,
    DropoutInsideAlone,
    DropoutOnWeights,
    DropoutOnWeightsAlone,
    FixedDropout,
    FixedDropoutOfATenth,
    KeptInsteadOfDropped,
)
