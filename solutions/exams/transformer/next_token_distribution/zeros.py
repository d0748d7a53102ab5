"""What goes wrong in `next_token_distribution` where logits are set to 0."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.transformer.next_token_distribution.misconceptions import Choosing, declared


@declared
class HiddenAsZeros(Choosing):
    """You set the logits that are not kept to 0, and exp(0) is 1, so the softmax still gives them
    some probability. Set them to −inf, or set probabilities to 0 after the softmax.
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        kept = super().chosen(logits, temperature, top_k, top_p) > 0
        return torch.softmax((logits / temperature).masked_fill(~kept, 0.0), dim=-1)


@declared
class HiddenAsZerosInTurn(Choosing):
    __doc__ = HiddenAsZeros.__doc__

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        tempered = logits / temperature
        for limits in ((top_k, None), (None, top_p)):
            kept = super().chosen(tempered, 1.0, *limits) > 0
            tempered = tempered.masked_fill(~kept, 0.0)
        return torch.softmax(tempered, dim=-1)


@declared
class HiddenAsZerosByTopK(Choosing):
    """Your top-k sets the logits of the other tokens to 0, and exp(0) is 1, so the softmax still
    gives them some probability. Set them to −inf.
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        kept = super().chosen(logits, temperature, top_k, None) > 0
        tempered = (logits / temperature).masked_fill(~kept, 0.0)
        return super().chosen(tempered, 1.0, None, top_p)
