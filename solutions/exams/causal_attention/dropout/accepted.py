"""Right answers to `dropout` in other styles, lesson 04."""

import torch

from solutions.exams.causal_attention.dropout.exam import dropping


@dropping.accepts
def dropout_by_bernoulli(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Zeros and ones from torch.bernoulli.

    `torch.bernoulli` draws what is kept as ones and zeros, and a product applies it.
    """
    if training:
        kept = torch.bernoulli(torch.full_like(weights, 1 - p), generator=generator)
        weights = weights * kept / (1 - p)
    return weights


@dropping.accepts
def dropout_by_filling(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """masked_fill, and the division before it.

    Everything is scaled first, and then what is dropped is filled with 0. The order of the two
    steps changes nothing.
    """
    if not training:
        return weights.clone()
    dropped = torch.rand(weights.shape, generator=generator, dtype=weights.dtype) < p
    return (weights / (1 - p)).masked_fill(dropped, 0.0)


@dropping.accepts
def dropout_in_loops(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """A loop over the rows."""
    if not training:
        return weights
    rows = []
    for row in weights.reshape(-1, weights.shape[-1]):
        survives = torch.rand(len(row), generator=generator) >= p
        rows.append(torch.where(survives, row / (1 - p), 0))
    return torch.stack(rows).reshape(weights.shape)


@dropping.accepts
def dropout_by_where(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """torch.where and an in-place draw."""
    if not training or p == 0:
        return weights
    numbers = torch.empty_like(weights).uniform_(generator=generator)
    return torch.where(numbers > p, weights / (1 - p), torch.zeros_like(weights))
