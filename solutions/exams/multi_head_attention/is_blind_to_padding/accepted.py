"""Right answers to `is_blind_to_padding` in other styles, lesson 05."""

import torch
from torch import Tensor

from solutions.exams.multi_head_attention.is_blind_to_padding.exam import Attention, blind


@blind.accepts
def by_a_copy(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """A copy, written to."""
    other = context.clone()
    other[padding] -= 4.0
    found = attention(queries, context, padding)
    gap = attention(queries, other, padding) - found
    return bool(gap.abs().max() < 1e-6 * max(1, float(found.abs().max())))


@blind.accepts
def by_noise(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Noise, added to the padding."""
    noise = torch.randn(context.shape, generator=torch.Generator().manual_seed(3)).to(context)
    other = context + noise * padding[..., None]
    found, again = (attention(queries, x, padding) for x in (context, other))
    return torch.allclose(found, again, atol=1e-7)


@blind.accepts
def by_fillings(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Several fillings, one after another."""
    found = []
    for filling in (-2.0, 0.5, 3.0):
        other = context.masked_fill(padding[:, :, None], filling)
        found.append(attention(queries, other, padding))
    return all(torch.allclose(found[0], one) for one in found[1:])
