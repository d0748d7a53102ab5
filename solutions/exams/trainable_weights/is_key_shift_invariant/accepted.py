"""Right answers to `is_key_shift_invariant` in other styles, lesson 03."""

import torch
from torch import Tensor

from solutions.exams.trainable_weights.is_key_shift_invariant.exam import Attention, shifted


@shifted.accepts
def by_the_greatest_gap(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """The largest difference is small."""
    gap = attention(queries, keys + shift, values) - attention(queries, keys, values)
    return bool(gap.abs().max() < 1e-6)


@shifted.accepts
def row_by_row(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """A loop over the words."""
    moved = attention(queries, torch.stack([key + shift for key in keys]), values)
    pairs = zip(moved, attention(queries, keys, values), strict=True)
    return all(torch.allclose(one, other) for one, other in pairs)


@shifted.accepts
def by_assertion(
    attention: Attention, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
) -> bool:
    """PyTorch's own comparison, made for tests."""
    moved = attention(queries, keys + shift[None, :], values)
    try:
        torch.testing.assert_close(moved, attention(queries, keys, values))
    except AssertionError:
        return False
    return True
