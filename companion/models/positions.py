"""Sinusoids and RoPE, for the exercises and pictures that build on them."""

import torch


def sinusoids(num_positions: int, d_model: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """The sinusoidal encoding of Vaswani and others (2017, section 3.5).

    Args:
        num_positions: how many positions, counted from 0.
        d_model: how many columns, an even number.
        dtype: of the numbers.

    Returns:
        `(num_positions, d_model)`: pairs of a sine and a cosine.

    Raises:
        ValueError: when d_model is odd.
    """
    return sinusoids_at(torch.arange(num_positions), d_model, dtype)


def sinusoids_at(
    positions: torch.Tensor, d_model: int, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """The same rows, for tokens that stand anywhere.

    Args:
        positions: where the tokens stand, `(tokens,)`.
        d_model: how many columns, an even number.
        dtype: of the numbers.

    Returns:
        `(tokens, d_model)`.

    Raises:
        ValueError: when d_model is odd.
    """
    if d_model % 2:
        raise ValueError(f"There is no sinusoidal encoding with {d_model} columns: it needs pairs.")
    return torch.view_as_real(_turns(positions, d_model)).flip(-1).flatten(1).to(dtype)


def rope(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Rotary position embedding of Su and others (2021), in the interleaved layout.

    Args:
        x: queries or keys, `(..., tokens, head_dim)`, head_dim even.
        positions: where the tokens stand, `(tokens,)`.

    Returns:
        The turned vectors, in the shape and dtype of `x`.
    """
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
    turned = torch.view_as_real(pairs * _turns(positions, x.shape[-1]))
    return turned.flatten(-2).to(x.dtype)


def _turns(positions: torch.Tensor, width: int) -> torch.Tensor:
    """One complex number of length 1 for each position and pair, (positions, width / 2)."""
    rates = 10000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.outer(positions.double(), rates)
    return torch.polar(torch.ones_like(angles), angles)
