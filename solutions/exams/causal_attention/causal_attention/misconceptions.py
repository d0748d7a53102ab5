"""The known wrong answers to `CausalAttention`, lesson 04."""

import torch
from torch import nn

from solutions.exams.causal_attention.causal_attention.exam import module
from solutions.exams.causal_attention.causal_attention.variant import Variant
from solutions.exams.families import (
    BIAS,
    DROPOUT,
    FUTURE,
    GRADIENT,
    KEPT_MASK,
    MASK,
    ROLES,
    SCALE,
    SOFTMAX,
    WITH_TWO_FEATURES,
    ZERO_SCORES,
)

_MASKS = MASK + ZERO_SCORES + FUTURE + KEPT_MASK
(SCALE + SOFTMAX + ROLES + GRADIENT + _MASKS + DROPOUT + BIAS).apply(
    module,
    Variant,
    called={
        "Unscaled": "NotScaled",
        "DividedByTheWidth": "ScaledByWidth",
        "RootOfTheKeys": "ScaledByTokens",
        "RootOfTheInputWidth": "ScaledByInputs",
        "RolesSwapped": "KeysAsk",
        "KeysMixed": "KeysAreMixed",
        "NothingHidden": "NoMask",
        "ScoreOfZero": "FilledWithZero",
        "ScoreOfMinusTen": "FilledWithMinusTen",
        "ScoreOfMinusHundred": "FilledWithMinusHundred",
        "MaskOfFloats": "FloatBuffer",
        "MaskTrained": "MaskIsTrained",
    },
    says={
        **WITH_TWO_FEATURES,
        "NoDropout": "Nothing is dropped in training. Apply the dropout to the attention weights.",
    },
    without=("RootOfTheQueries", "RootOfTheValues"),
)


@module.misconception
class MaskCutToSentences(Variant):
    """You cut the mask to the number of sentences, the first axis of the inputs. The number of
    words is the size of the second.
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries, keys, values = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        return self.attend(queries, keys, values, self.cut(len(inputs)))


@module.misconception
class AllAxesTurned(Variant):
    """All axes are reversed, including the batch, as by `.T`. Swap only the last two: transpose(1,
    2).
    """

    def product(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.permute(2, 1, 0)


@module.misconception
class SentencesTurned(Variant):
    """You swapped the sentences with their words: axes 0 and 1. Swap the last two, words and
    features.
    """

    def product(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(0, 1)


@module.misconception
class WeightsReturned(Variant):
    """You return the attention weights. Multiply them by the values to get the context vectors."""

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weights


@module.misconception
class BothReturned(Variant):
    """You return two things. Return the context vectors alone."""

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:  # type: ignore[override]
        return super().mix(weights, values), weights


@module.misconception
class MaskIsNoBuffer(Variant):
    """The numbers are right, but your module has no buffer for context_length tokens. A plain
    attribute would stay behind when the module moves, and a mask made in forward is made again at
    each call. Use self.register_buffer in __init__.
    """

    def keep(self, hidden: torch.Tensor) -> None:
        self.mask = hidden


@module.misconception
class LibraryThatDropsAlways(Variant):
    """Your module drops in eval mode, too, and has no buffer for context_length tokens. `F.dropout`
    and the `dropout_p` of PyTorch's attention have to be told the mode, self.training; `nn.Dropout`
    knows it if it is made in __init__. And the mask is registered with self.register_buffer.
    """

    def keep(self, hidden: torch.Tensor) -> None:
        self.mask = hidden

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(weights, self.dropout.p)


@module.misconception
class MaskOfItsOwnSize(Variant):
    """Your mask is made for six tokens, whatever `context_length` is. Make it for context_length
    tokens.
    """

    def keep(self, hidden: torch.Tensor) -> None:
        super().keep(self.future(6, 6))

    def cut(self, num_tokens: int) -> torch.Tensor:
        return self.future(num_tokens, num_tokens)


@module.misconception
class OutputProjection(Variant):
    """Your class has an output projection. That comes with several heads, in lesson 05."""

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
