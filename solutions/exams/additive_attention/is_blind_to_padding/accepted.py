"""Right answers to `is_blind_to_padding` in other styles, lesson 01."""

import torch
from torch import Tensor

from solutions.exams.additive_attention._specimens import hidden_places
from solutions.exams.additive_attention.is_blind_to_padding.exam import (
    Attention,
    blind,
    both_alike,
)


@blind.accepts
def by_random_padding(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """Other numbers, drawn with a seed."""
    noise = 9 * torch.randn(
        annotations.shape, generator=torch.Generator().manual_seed(0), dtype=annotations.dtype
    )
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = torch.where(places, noise, annotations)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))


@blind.accepts
def sentence_after_sentence(
    attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
) -> bool:
    """A loop that changes the padding."""
    changed = annotations.clone()
    for sentence, length in zip(changed, lengths.tolist(), strict=True):
        sentence[length:] += 50
    context, weights = attention(query, annotations, lengths)
    other_context, other_weights = attention(query, changed, lengths)
    gap = max(
        (context - other_context).abs().max().item(), (weights - other_weights).abs().max().item()
    )
    return gap < 1e-6


@blind.accepts
def by_scaling(attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor) -> bool:
    """The padding turned round and moved far away."""
    places = hidden_places(annotations[..., 0], lengths)[..., None]
    changed = annotations - 20 * places.to(annotations.dtype)
    return both_alike(attention(query, annotations, lengths), attention(query, changed, lengths))
