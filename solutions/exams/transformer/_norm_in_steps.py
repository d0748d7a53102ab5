"""A normalisation in steps, for the exams of `LayerNorm` and `RMSNorm`, lesson 09."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

Module = tuple[Mapping[str, object], Mapping[str, Tensor], tuple[Tensor], bool, int]

# What a learner writes here is what these do.
OWN_WORK = (
    *("layer_norm", "LayerNorm", "native_layer_norm", "rms_norm", "RMSNorm"),
    *("group_norm", "GroupNorm", "native_group_norm", "batch_norm", "native_batch_norm"),
    *("BatchNorm1d", "instance_norm", "InstanceNorm1d"),
    *("local_response_norm", "LocalResponseNorm", "CrossMapLRN2d"),
)


class Norm(nn.Module):
    """A normalisation in steps, for misconceptions to get one of them wrong."""

    kept = True
    usual_eps = 1e-5
    # Of other models' published code.
    foreign_eps = 1e-6

    def __init__(self, d_model: int, eps: float | None = None) -> None:
        super().__init__()
        self.eps = self.chosen(self.usual_eps if eps is None else eps)
        self.weight = nn.Parameter(self.first_weight(d_model))

    def chosen(self, eps: float) -> float:
        return eps

    def first_weight(self, d_model: int) -> Tensor:
        return torch.ones(d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.scale(self.normalise(inputs))

    def normalise(self, inputs: Tensor) -> Tensor:
        centred = self.centre(inputs)
        return self.divide(centred, self.divisor(self.spread(centred)))

    def centre(self, inputs: Tensor) -> Tensor:
        return inputs

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        """What is averaged over."""
        return (-1,)

    def average(self, inputs: Tensor) -> Tensor:
        return inputs.mean(dim=self.axes(inputs), keepdim=self.kept)

    def spread(self, centred: Tensor) -> Tensor:
        return self.average(centred.square())

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread + self.eps)

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        return centred / divisor

    def scale(self, normed: Tensor) -> Tensor:
        return self.shift(normed * self.weight)

    def shift(self, scaled: Tensor) -> Tensor:
        return scaled
