"""What the exams of lesson 06 share."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Tolerance

Sizes = tuple[int, int]
Turned = tuple[Tensor, Tensor]
Rope = Callable[[Tensor, Tensor], Tensor]

# An angle of 60 in float32 is off by some 1e-5 already, and frequencies can be computed in several
# ways.
WAVES = Tolerance(absolute=2e-4)

# Two sentences of three tokens with four features.
FEW_TOKENS = torch.tensor(
    [
        [[0.5, -1.0, 2.0, 0.0], [1.5, 0.25, -0.5, 1.0], [-2.0, 0.75, 1.0, -1.5]],
        [[1.0, 2.0, -1.0, 0.5], [0.0, -0.5, 3.0, 1.25], [0.5, 0.5, -1.0, 2.0]],
    ],
    dtype=torch.float64,
)

SOME_QUERIES = torch.tensor(
    [[1.0, -0.5, 2.0, 0.5], [0.5, 1.5, -1.0, 1.0], [-1.0, 2.0, 0.5, -0.5], [2.0, 0.0, 1.0, -1.5]],
    dtype=torch.float64,
)
SOME_KEYS = SOME_QUERIES.flip(0).roll(1, dims=1) * 0.5


def far_into_a_text(draw: Draw) -> int:
    """A position beyond the end of any table of angles that was made for a longest text.

    Use it where vectors have two features: their frequency is 1, so that every right answer has
    angles without rounding, in float32 as well.
    """
    return int(draw.rng.integers(2**17, 2**20))


def in_no_order(draw: Draw, size: int) -> Tensor:
    """Positions with gaps, of which the second comes before the first."""
    places = torch.from_numpy(draw.rng.permutation(40)[:size].copy())
    places[:2] = places[:2].sort(descending=True).values
    return places


def learns_in_evaluation(module: Any, inputs: Tensor) -> bool:
    """Whether gradients come back to the inputs."""
    leaf = inputs.detach().clone().requires_grad_()
    module.train(False)
    output = module(leaf)
    if not output.requires_grad:
        return False
    output.sum().backward()
    return leaf.grad is not None


def encoding_learns_in_evaluation(
    module_class: Callable[..., Any], d_model: int, context_length: int, inputs: Tensor
) -> bool:
    """gradients come back in evaluation as well"""
    if d_model % 2:
        return True
    made = module_class(d_model=d_model, context_length=context_length).to(inputs.dtype)
    return learns_in_evaluation(made, inputs)


def exponents(d_model: int) -> Tensor:
    """0, 2/d, 4/d, …: one for each pair of columns."""
    return torch.arange(0, d_model, 2) / d_model


def rates(d_model: int) -> Tensor:
    """By what angle each pair turns from one position to the next."""
    return 10000 ** -exponents(d_model)


def waves(angles: Tensor) -> Tensor:
    """Sine and cosine of each angle side by side."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def every_angle(num_positions: int, d_model: int) -> Tensor:
    return torch.arange(num_positions)[:, None] * rates(d_model)


def refuse_odd(d_model: int) -> None:
    if d_model % 2:
        raise ValueError(f"d_model has to be even, not {d_model}")


def pair_angles(x: Tensor, positions: Tensor) -> Tensor:
    """(tokens, head_dim / 2); the width has to be even."""
    if x.shape[-1] % 2:
        raise ValueError("head_dim has to be even")
    return positions[:, None] * rates(x.shape[-1])


def turn(x: Tensor, angles: Tensor) -> Tensor:
    """Each pair of neighbours, turned by its angle."""
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return pairs.flatten(-2).to(x.dtype)


def turn_halves(x: Tensor, angles: Tensor) -> Tensor:
    """The same, for pairs that lie half of the width apart."""
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.to(x.dtype)
