"""Right answers to `is_cache_exact` in other styles, lesson 07."""

import torch

from companion import Past
from solutions.exams.grouped_query_attention.is_cache_exact.exam import (
    StepFunction,
    every_size,
    exact,
    fed,
)


@exact.accepts
def all_sizes_at_once(step: StepFunction, inputs: torch.Tensor) -> bool:
    """The largest difference over all sizes."""
    whole = step(inputs, None)[0]
    gaps = [(fed(step, inputs, size) - whole).abs().max() for size in every_size(inputs)]
    return not gaps or bool(torch.stack(gaps).max() < 1e-6)


@exact.accepts
def against_single_tokens(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Every size, the whole text among them, against token by token."""
    slow = fed(step, inputs, 1)
    sizes = range(1, inputs.shape[1] + 1)
    return all(torch.allclose(fed(step, inputs, size), slow, atol=1e-7) for size in sizes)


@exact.accepts
def while_tokens_are_left(step: StepFunction, inputs: torch.Tensor) -> bool:
    """A loop over what is left, comparing chunk by chunk."""
    whole = step(inputs, None)[0]
    for size in range(1, inputs.shape[1]):
        past: Past = None
        done = 0
        while done < inputs.shape[1]:
            context, past = step(inputs[:, done : done + size], past)
            gap = (context - whole[:, done : done + size]).abs().max()
            # Of NaN neither is true.
            if not gap < 1e-6:
                return False
            done += size
    return True
