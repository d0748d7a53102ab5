"""Right answers as published code has them, lesson 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion import sinusoids
from solutions.exams.positional_encoding.alibi_bias import alibi
from solutions.exams.positional_encoding.apply_rope import rotary
from solutions.exams.positional_encoding.is_relative import relative
from solutions.exams.positional_encoding.learned_positions import learned
from solutions.exams.positional_encoding.positional_encoding import module
from solutions.exams.positional_encoding.repaired_rope import repaired
from solutions.exams.positional_encoding.rope_attention import attention
from solutions.exams.positional_encoding.shift_matrix import shift
from solutions.exams.positional_encoding.sinusoidal_encoding import encoding
from solutions.exams.positional_encoding.to_half_split import layout
from solutions.exams.positional_encoding.wavelengths import lengths


def inverse_frequencies(dim: int) -> Tensor:
    return 1.0 / (10000.0 ** (torch.arange(0, dim, 2).float() / dim))


@lengths.accepts
def lengths_of_frequencies(d_model: int) -> Tensor:
    """A full turn, divided by the frequencies."""
    return torch.tensor(2 * math.pi) / inverse_frequencies(d_model)


@module.accepts
class FrozenParameter(nn.Module):
    """A parameter that asks for no gradient."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.encoding = nn.Parameter(sinusoids(context_length, d_model), requires_grad=False)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1], :].unsqueeze(0)


@encoding.accepts
def encoding_by_polar(num_positions: int, d_model: int) -> Tensor:
    """Complex numbers, whose parts are swapped."""
    assert d_model % 2 == 0, f"odd dimension {d_model}"
    freqs = torch.outer(torch.arange(num_positions).float(), inverse_frequencies(d_model))
    freqs_cis = torch.polar(torch.ones_like(freqs), freqs)
    return torch.view_as_real(freqs_cis).flip(-1).reshape(num_positions, d_model)


@encoding.accepts
def encoding_by_scatter(num_positions: int, d_model: int) -> Tensor:
    """Both halves made side by side, then put into their columns."""
    if d_model % 2 != 0:
        raise ValueError(f"Cannot use sin/cos positional encoding with odd dim (got {d_model})")
    sinusoid = torch.einsum("i,j->ij", torch.arange(num_positions), inverse_frequencies(d_model))
    columns = torch.arange(d_model).view(-1, 2).t().reshape(-1)
    table = torch.empty(num_positions, d_model)
    table[:, columns] = torch.cat([sinusoid.sin(), sinusoid.cos()], dim=1)
    return table


@shift.accepts
def shift_by_diagonals(k: int, d_model: int) -> Tensor:
    """The cosines on the diagonal, the sines beside it."""
    angles = k * inverse_frequencies(d_model)
    beside = torch.stack((angles.sin(), torch.zeros_like(angles)), dim=-1).flatten()[:-1]
    cosines = torch.repeat_interleave(angles.cos(), 2)
    return torch.diag(cosines) - torch.diag(beside, 1) + torch.diag(beside, -1)


@module.accepts
class LazyTable(nn.Module):
    """The first rows of a buffer with a batch axis that is not saved."""

    pe: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        assert d_model % 2 == 0, f"d_model must be even, not {d_model}"
        position = torch.arange(context_length, dtype=torch.float32).unsqueeze(1)
        angles = torch.matmul(position, inverse_frequencies(d_model).unsqueeze(0))
        pe = torch.stack((angles.sin(), angles.cos()), dim=-1).view(1, context_length, d_model)
        self.register_buffer("pe", pe, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[:, : x.size(1)].requires_grad_(False)


@learned.accepts
class WithPositionIds(nn.Module):
    """Position ids kept as a buffer, and an assert."""

    position_ids: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)
        ids = torch.arange(context_length).expand((1, -1))
        self.register_buffer("position_ids", ids, persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        T, block_size = inputs.size(1), self.position_ids.size(1)
        assert block_size >= T, f"Cannot forward sequence of length {T}, block size is {block_size}"
        position_embeddings: Tensor = self.positions(self.position_ids[:, :T])
        return inputs + position_embeddings


@rotary.accepts
def rope_by_polar(x: Tensor, positions: Tensor) -> Tensor:
    """Pairs as complex numbers, multiplied by others of length 1."""
    if x.shape[-1] % 2:
        raise ValueError("complex numbers need an even head_dim")
    freqs = torch.outer(positions.float(), inverse_frequencies(x.shape[-1]))
    freqs_cis = torch.polar(torch.ones_like(freqs), freqs)
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)


@rotary.accepts
def rope_by_rotating_every_two(x: Tensor, positions: Tensor) -> Tensor:
    """Each pair swapped, the second negated."""
    assert x.shape[-1] % 2 == 0
    sinusoid = torch.einsum("i,j->ij", positions.float(), inverse_frequencies(x.shape[-1]))
    sin, cos = (
        torch.repeat_interleave(part, 2, dim=-1) for part in (sinusoid.sin(), sinusoid.cos())
    )
    rotated = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
    return ((x * cos) + (rotated * sin)).to(x.dtype)


@rotary.accepts
def rope_by_small_matrices(x: Tensor, positions: Tensor) -> Tensor:
    """A rotation matrix for each position and pair."""
    if x.size(-1) % 2 != 0:
        raise ValueError(f"got an odd dimension: {x.size(-1)}")
    theta = positions[:, None].float() * inverse_frequencies(x.size(-1))
    c, s = theta.cos(), theta.sin()
    R = torch.stack((torch.stack((c, -s), -1), torch.stack((s, c), -1)), -2)
    pairs = x.float().reshape(*x.shape[:-1], -1, 2)
    return torch.einsum("tfij,...tfj->...tfi", R, pairs).reshape(x.shape).type_as(x)


@repaired.accepts
def repaired_by_rotating_half(x: Tensor, positions: Tensor) -> Tensor:
    """rotate_half, as in published models."""
    freqs = torch.outer(positions.float(), inverse_frequencies(x.shape[-1]))
    emb = torch.cat((freqs, freqs), dim=-1)
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    rotate_half = torch.cat((-x2, x1), dim=-1)
    return ((x.float() * emb.cos()) + (rotate_half.float() * emb.sin())).type_as(x)


@repaired.accepts
def repaired_by_complex_halves(x: Tensor, positions: Tensor) -> Tensor:
    """The halves as real and imaginary parts."""
    real, imaginary = torch.chunk(x.float(), 2, dim=-1)
    freqs = torch.outer(positions.float(), inverse_frequencies(x.shape[-1]))
    turned = torch.complex(real, imaginary) * torch.exp(1j * freqs)
    return torch.cat((turned.real, turned.imag), dim=-1).type_as(x)


@layout.accepts
def layout_by_permuting(W: Tensor, num_heads: int) -> Tensor:
    """The rows of the transposed matrix, as scripts that convert weights have it."""
    dim2, dim1 = W.shape
    w = W.t().view(num_heads, dim1 // num_heads // 2, 2, dim2)
    return w.transpose(1, 2).reshape(dim1, dim2).t()


@layout.accepts
def layout_by_index(W: Tensor, num_heads: int) -> Tensor:
    """A list of columns."""
    head_dim = W.size(1) // num_heads
    order = [*range(0, head_dim, 2), *range(1, head_dim, 2)]
    index = torch.tensor([head * head_dim + one for head in range(num_heads) for one in order])
    return torch.index_select(W, 1, index)


@attention.accepts
def attention_by_complex_numbers(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Complex numbers, then PyTorch's function."""
    inv_freq = inverse_frequencies(queries.shape[-1])

    def turned(x: Tensor, positions: Tensor) -> Tensor:
        angles = torch.outer(positions.float(), inv_freq)
        x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(x_ * torch.exp(1j * angles)).flatten(-2).type_as(x)

    q, k = turned(queries, query_positions), turned(keys, key_positions)
    return functional.scaled_dot_product_attention(q, k, values)


@relative.accepts
def relative_by_largest_gap(
    scores: Callable[[Tensor, Tensor, Tensor], Tensor],
    queries: Tensor,
    keys: Tensor,
    positions: Tensor,
    shift: int,
) -> bool:
    """torch.testing's assertion, caught."""
    here, there = (scores(queries, keys, positions + by) for by in (0, shift))
    try:
        torch.testing.assert_close(there, here, rtol=1e-4, atol=1e-5)
    except AssertionError:
        return False
    return True


@alibi.accepts
def alibi_by_letters(num_heads: int, num_tokens: int) -> Tensor:
    """Slopes as powers of the first, distances as a Toeplitz matrix."""
    start = 2 ** (-8 / num_heads)
    slopes = torch.tensor([start ** (head + 1) for head in range(num_heads)])
    context_position = torch.arange(num_tokens)[:, None]
    memory_position = torch.arange(num_tokens)[None, :]
    relative_position = torch.abs(memory_position - context_position).float()
    return torch.einsum("h,ij->hij", slopes.neg(), relative_position)
