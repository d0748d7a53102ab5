"""Right answers to `positive_random_features` in other styles, lesson 08."""

import math

import torch
from torch import Tensor

from solutions.exams.efficient_attention.positive_random_features.exam import features


@features.accepts
def feature_by_feature(x: Tensor, directions: Tensor) -> Tensor:
    """A loop over the directions.

    A loop makes one feature for each direction. But for the common factor at the end, no feature
    depends on any other.
    """
    scaled = x / math.sqrt(math.sqrt(x.size(-1)))
    shrink = torch.exp(-(torch.linalg.vector_norm(scaled, dim=-1) ** 2) / 2)
    columns = [torch.exp((scaled * w).sum(dim=-1)) * shrink for w in directions]
    return torch.stack(columns, dim=-1) / math.sqrt(len(columns))


@features.accepts
def features_by_einsum(x: Tensor, directions: Tensor) -> Tensor:
    """Index expressions."""
    scaled = x * x.shape[-1] ** -0.25
    squares = torch.einsum("...d,...d->...", scaled, scaled)[..., None]
    along = torch.einsum("...d,md->...m", scaled, directions)
    return torch.exp(along - squares / 2) * directions.shape[0] ** -0.5


@features.accepts
def root_in_the_exponent(x: Tensor, directions: Tensor) -> Tensor:
    """Everything in the exponent, the number of features as a logarithm.

    Dividing by √m is subtracting half of log m in the exponent. That leaves a single `exp` and no
    division after it.
    """
    d, m = x.shape[-1], len(directions)
    exponent = x @ directions.T / d**0.25 - (x * x).sum(-1, keepdim=True) / (2 * d**0.5)
    return torch.exp(exponent - 0.5 * math.log(m))


@features.accepts
def directions_scaled(x: Tensor, directions: Tensor) -> Tensor:
    """The directions take the scale, and the two exponentials are multiplied.

    The scale goes into the directions, and two exponentials are multiplied. For long vectors the
    first one may overflow, where one exponential of the difference would not.
    """
    d = x.shape[-1]
    grown = torch.exp(torch.nn.functional.linear(x, directions / d**0.25))
    return (
        grown
        * torch.exp(-0.5 * x.pow(2).sum(dim=-1, keepdim=True) / d**0.5)
        / len(directions) ** 0.5
    )
