"""The known wrong answers to `CrossAttention`, lesson 05."""

import torch
from torch import Tensor, nn

from solutions.exams.families import (
    BIAS,
    COMPARED,
    DROPOUT,
    EMPTY_ROWS,
    FAR_ABOVE,
    FURTHER_ABOVE,
    GRADIENT,
    HEADS,
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
from solutions.exams.multi_head_attention.cross_attention.exam import cross
from solutions.exams.multi_head_attention.cross_attention.variant import Variant

(EMPTY_ROWS + MASK + FAR_ABOVE + FURTHER_ABOVE + ZERO_SCORES).apply(
    cross,
    Variant,
    called={
        "NotCleaned": "NotANumber",
        "LargeNegativeNumber": "VeryNegative",
        "NothingHidden": "PaddingSeen",
        "InvertedMask": "PaddingInverted",
        "InvertedUncleaned": "OnlyPaddingSeen",
        "ScoreOfZero": "PaddingScoredZero",
        "ScoreOfZeroCleaned": "PaddingScoredZeroThenCleaned",
        "MaskedAfterwards": "PaddingAfterSoftmax",
    },
    says={
        "NotCleaned": "A sentence that is all padding gives NaN, because a softmax over nothing "
        "but −∞ is 0 / 0. Set the weights of hidden keys to 0 after the softmax as well.",
        "LargeNegativeNumber": "A sentence that is all padding gets equal weights everywhere, as "
        "happens when scores are filled with a number such as −10⁹. It should get zeros.",
    },
)
(HEADS + COMPARED + SPLIT + MERGE + OUTPUT + SCALE + SOFTMAX + ROLES + GRADIENT).apply(
    cross,
    Variant,
    called={
        "Unscaled": "CrossNotScaled",
        "ScaledByAllFeatures": "CrossScaledByAll",
        "SoftmaxOverQueries": "CrossSoftmaxOverQueries",
        "SplitByWrongView": "CrossSplitByWrongView",
        "MergedByWrongView": "CrossMergedByWrongView",
        "NotProjected": "CrossNotProjected",
        "KeysMixed": "ValuesAreKeysOfEncoder",
        "RootOfTheInputWidth": "RootOfTheEncoderWidth",
    },
    says={
        "RootOfTheInputWidth": "Your scores are divided by the square root of d_encoder, the width "
        "of what is read. A score is a sum of head_dim products, so take the width of one head.",
        "RootOfTheKeys": "Your scores are divided by the square root of the number of keys, which "
        "is the length of `encoder`. Take the square root of the width of one head, head_dim.",
    },
    without=["RootOfTheValues"],
)
(DROPOUT + OUTPUT_DROPPED + BIAS).apply(
    cross,
    Variant,
    called={"NoDropout": "CrossWithoutDropout", "BiasNever": "CrossBiasNever"},
    says={
        "DropoutOnContexts": "You drop features, of the values or of the contexts. Drop attention "
        "weights, after the softmax and before they are multiplied by the values.",
    },
    # Dropout is tried on one key, whose only weight is 1 whatever happens to its score, and whose
    # value is the context.
    without=("DropoutOnScores", "DropoutOnMaskedScores", "DropoutOnValues"),
)


@cross.misconception
class NoAxesForThePadding(Variant):
    """A mask (batch, keys) and scores (batch, heads, queries, keys) are lined up from the right, so
    the mask's sentences line up with the queries. If there are equally many of both, you get no
    error. Make it (batch, 1, 1, keys).
    """

    def hidden(self, padding: Tensor) -> Tensor:
        return padding


@cross.misconception
class OneAxisForThePadding(Variant):
    """padding[:, None] is (batch, 1, keys), and its sentences line up with the heads. If there are
    equally many of both, you get no error. Make it (batch, 1, 1, keys).
    """

    def hidden(self, padding: Tensor) -> Tensor:
        return padding[:, None]


@cross.misconception
class PaddingOnQueries(Variant):
    """You hid rows, which are the queries. The padding is in the sequence that is read, so hide the
    columns, which are the keys, with padding[:, None, None, :].
    """

    def hidden(self, padding: Tensor) -> Tensor:
        return padding[:, None, :, None]


@cross.misconception
class NaNReplacedAtTheEnd(Variant):
    """You turn NaN into zeros after out_proj. That is too late: the bias of out_proj is lost, and
    some gradients are still NaN. Set the weights to 0.
    """

    def clean(self, weights: Tensor, hidden: Tensor) -> Tensor:
        return weights

    def project(self, contexts: Tensor) -> Tensor:
        return torch.nan_to_num(super().project(contexts))


@cross.misconception
class RootOfTheDecoderWidth(Variant):
    """Your scores are divided by the square root of d_decoder, the width of what asks. A score is a
    sum of head_dim products, so take the width of one head.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(self.W_query.in_features**0.5)


@cross.misconception
class NeedsAMask(Variant):
    """Without a mask, `padding` is None, and your class stops with an error. In that case there is
    nothing to hide.
    """

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        hidden = self.hidden(padding)  # type: ignore[arg-type]
        return self.attend_in_heads(*self.projected(decoder, encoder), hidden)


@cross.misconception
class ShapedByKeys(Variant):
    """You merge into as many tokens as `encoder` has. There is one output for each query."""

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        self.shape = (*encoder.shape[:2], self.out_proj.in_features)
        return super().forward(decoder, encoder, padding)

    def merge(self, contexts: Tensor) -> Tensor:
        return contexts.transpose(1, 2).reshape(self.shape)


@cross.misconception
class NothingFromTheEmpty(Variant):
    """Where everything is padding, you return zeros. The zeros should go into out_proj, which adds
    its bias to them.
    """

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        found: Tensor = super().forward(decoder, encoder, padding)
        return found if padding is None else found * ~padding.all(dim=1)[:, None, None]


@cross.misconception
class ValuesOfTheDecoder(Variant):
    """You took the values from the decoder. Both keys and values are made from `encoder`."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_encoder, d_out, dropout, num_heads, qkv_bias)
        self.W_value = nn.Linear(d_decoder, d_out, bias=qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(encoder), self.W_value(decoder)


@cross.misconception
class KeysOfTheDecoder(Variant):
    """You took the keys from the decoder. Both keys and values are made from `encoder`."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_encoder, d_out, dropout, num_heads, qkv_bias)
        self.W_key = nn.Linear(d_decoder, d_out, bias=qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(decoder), self.W_value(encoder)


@cross.misconception
class QueriesOfTheEncoder(Variant):
    """You made the queries from the encoder, too. It is the decoder that asks, so they are made
    from `decoder`.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_encoder, d_encoder, d_out, dropout, num_heads, qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(encoder), self.W_key(encoder), self.W_value(encoder)


@cross.misconception
class ReadsItself(Variant):
    """The decoder reads itself here: queries, keys and values are all made from it. The sequence to
    read is `encoder`.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_decoder, d_out, dropout, num_heads, qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(decoder), self.W_value(decoder)


@cross.misconception
class RolesExchanged(Variant):
    """Here the encoder asks and the decoder answers. There is one output for each token of
    `decoder`, so it is the decoder that asks.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_encoder, d_decoder, d_out, dropout, num_heads, qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(encoder), self.W_key(decoder), self.W_value(decoder)


@cross.misconception
class RolesExchangedThroughout(RolesExchanged):
    """Here the encoder asks and the decoder answers, and the padding hides the encoder's queries.
    There is one output for each token of `decoder`, so it is the decoder that asks.
    """

    def hidden(self, padding: Tensor) -> Tensor:
        return padding[:, None, :, None]


@cross.misconception
class CausalAsWell(Variant):
    """You hide the future, too. A decoder may read the whole sentence that it translates: there is
    no causal mask between two sequences.
    """

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        hidden = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(1)
        return super().score(q, k).masked_fill(hidden, -torch.inf)


@cross.misconception
class CausalAfterwards(Variant):
    __doc__ = CausalAsWell.__doc__

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return super().weigh(scores, hidden).tril()
