"""Right answers to `is_causal` in other styles, lesson 04."""

import torch

from solutions.exams.causal_attention.is_causal.exam import Attention, causal


@causal.accepts
def by_shortening(attention: Attention, inputs: torch.Tensor) -> bool:
    """The sentence cut off at each position."""
    whole = attention(inputs)
    cut = (attention(inputs[:, :n]) for n in range(1, inputs.shape[1] + 1))
    return all(torch.allclose(part, whole[:, : part.shape[1]]) for part in cut)


@causal.accepts
def one_word_at_a_time(attention: Attention, inputs: torch.Tensor) -> bool:
    """One word changed at a time."""
    before = attention(inputs)
    for j in range(inputs.shape[1]):
        other = inputs.clone()
        other[:, j] = -3 * other[:, j] + 2
        gap = (attention(other) - before)[:, :j].abs()
        if gap.numel() and gap.max() > 1e-6 * max(1, float(before.abs().max())):
            return False
    return True


@causal.accepts
def another_future(attention: Attention, inputs: torch.Tensor) -> bool:
    """A future drawn at random."""
    before = attention(inputs)
    generator = torch.Generator().manual_seed(5)
    for now in range(inputs.shape[1]):
        drawn = torch.randn(inputs.shape, generator=generator, dtype=inputs.dtype)
        other = torch.cat([inputs[:, : now + 1], drawn[:, now + 1 :]], dim=1)
        if not torch.allclose(attention(other)[:, : now + 1], before[:, : now + 1], atol=1e-7):
            return False
    return True
