"""What goes wrong in `next_token_distribution` where tokens are sorted and put back."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.transformer.next_token_distribution.misconceptions import Choosing, declared


@declared
class Sorted(Choosing):
    """The probabilities are right, but they are sorted. Put each back at its own token: `sort` also
    returns the index of each.
    """

    def finished(self, shares: Tensor) -> Any:
        return (shares / shares.sum()).sort(descending=True).values


@declared
class PutBackElsewhere(Choosing):
    """You put the sorted probabilities back at the wrong tokens. If `order` says where each came
    from, p[order] only rearranges them once more: use `scatter` instead, or index with the argsort
    of `order`.
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        shares = super().chosen(logits, temperature, top_k, top_p)
        order = self.order(logits / temperature)
        return shares[order][order]

    def order(self, logits: Tensor) -> Tensor:
        return torch.softmax(logits, dim=-1).argsort(descending=True)


@declared
class LogitsPutBackElsewhere(PutBackElsewhere):
    # Probabilities can round to the same number where logits do not.
    __doc__ = PutBackElsewhere.__doc__

    def order(self, logits: Tensor) -> Tensor:
        return logits.argsort(descending=True)


@declared
class TopPPutBackElsewhere(Choosing):
    """With `top_p`, you put the sorted probabilities back at the wrong tokens. If `order` says
    where each came from, p[order] only rearranges them once more: use `scatter` instead.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        ordered, order = shares.sort(descending=True)
        number = self.how_many(ordered, top_p)
        ordered[number:] = 0
        return ordered[order]


@declared
class SortedByTopP(Choosing):
    """With `top_p`, your probabilities come out sorted. Put each back at its own token: `sort` also
    returns the index of each.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return super().first_p(shares, top_p).sort(descending=True).values


@declared
class SortedByBoth(SortedByTopP):
    """With `top_k` or `top_p`, your probabilities come out sorted. Put each back at its own token:
    `sort` also returns the index of each.
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        return super().first_k(shares, top_k).sort(descending=True).values


@declared
class MaskOfTopPNotPutBack(Choosing):
    """Your top-p decides in sorted order which tokens go, but removes tokens in the order of the
    vocabulary. Put the mask back in that order first, with `scatter`.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        ordered, order = shares.sort(descending=True)
        return shares.masked_fill(self.put_back(self.gone(ordered, top_p), order), 0.0)

    def gone(self, ordered: Tensor, top_p: float) -> Tensor:
        return ordered.cumsum(dim=0) - ordered >= top_p

    def put_back(self, gone: Tensor, order: Tensor) -> Tensor:
        return gone


@declared
class ShiftedMaskNotPutBack(MaskOfTopPNotPutBack):
    # As much published code makes it: where a sum is exactly top_p, one token more is kept.
    __doc__ = MaskOfTopPNotPutBack.__doc__

    def gone(self, ordered: Tensor, top_p: float) -> Tensor:
        return torch.cat([torch.tensor([False]), ordered.cumsum(dim=0)[:-1] > top_p])


@declared
class MaskOfTopPPutBackElsewhere(MaskOfTopPNotPutBack):
    """Your top-p decides in sorted order which tokens go, and mask[order] does not put the mask
    back in the order of the vocabulary: it rearranges it once more. Use `scatter`.
    """

    def put_back(self, gone: Tensor, order: Tensor) -> Tensor:
        return gone[order]


@declared
class TemperatureAsAPower(Choosing):
    """You raise the chosen probabilities to the power 1/temperature. Top-p should use probabilities
    with the temperature in them, and at a low temperature all powers become 0, which gives NaN:
    divide the logits by the temperature before anything else.
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        powers = super().chosen(logits, 1.0, top_k, top_p) ** (1 / temperature)
        return powers / powers.sum()
