"""What the exams of lesson 00b share."""

import math

import torch
from torch import Tensor

Pair = tuple[Tensor, Tensor]


def wave(*shape: int, shift: float = 0.0) -> Tensor:
    """Numbers between -1 and 1 without any pattern that an axis could hide in."""
    numbers = torch.arange(math.prod(shape), dtype=torch.float64)
    waves = torch.cos(1.7 * numbers + shift + 0.01 * numbers**2)
    return waves.round(decimals=2).reshape(shape)
