"""Parts of a decoder that a step can be tried with: a score and a recurrent cell.

Their weights are fixed and fit any width, so that a step is all that is left to write.
"""

import torch
from torch import Tensor


def plain_score(state: Tensor, annotations: Tensor, /) -> Tensor:
    """How well each annotation matches a state.

    Args:
        state: `(batch, hidden)`.
        annotations: `(batch, source, key_dim)`.

    Returns:
        The scores, `(batch, source)`.
    """
    W = _fixed(state.shape[-1], annotations)
    return torch.einsum("bh,hd,bsd->bs", state, W, annotations)


def plain_cell(inputs: Tensor, state: Tensor, /) -> Tensor:
    """The simplest recurrent cell, Elman's: `tanh(inputs W + state U)`.

    Args:
        inputs: `(batch, anything)`.
        state: `(batch, hidden)`.

    Returns:
        The new state, `(batch, hidden)`.
    """
    W, U = _fixed(inputs.shape[-1], state), _fixed(state.shape[-1], state)
    return torch.tanh(inputs @ W + state @ U)


def _fixed(rows: int, like: Tensor) -> Tensor:
    """A matrix of fixed numbers between -1 and 1, no two rows or columns of it alike."""
    columns = like.shape[-1]
    ramp = torch.arange(1, rows * columns + 1, dtype=torch.float64)
    return torch.cos(ramp * ramp).reshape(rows, columns).to(like.dtype)
