"""Lesson 06: giving attention the order of the words: sinusoids, learned positions, RoPE and ALiBi.

Tokens are rows, and positions count from 0. An encoding has shape (positions, d_model), and its
columns form pairs: the sine and the cosine of one frequency, side by side. All functions use the
base 10000 of Vaswani et al. 2017.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from companion import rope, sinusoids


def encodings_by_hand() -> dict[str, object]:
    """The encodings of positions 2 and 3 in four columns, and two dot products of encodings.

    Returns:
        Four numbers for each of the two encodings, and one for each dot product; each number with
        four decimals.
    """
    by_hand: dict[str, object] = {
        "PE(2)": [..., ..., ..., ...],
        "PE(3)": [..., ..., ..., ...],
        "PE(2) · PE(3)": ...,
        "PE(1) · PE(3)": ...,
    }
    ### BEGIN SOLUTION (replaces the lines above)
    angles = torch.arange(4, dtype=torch.float64)[:, None] * torch.tensor([1.0, 0.01])
    encoding = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    by_hand = {
        "PE(2)": encoding[2].tolist(),
        "PE(3)": encoding[3].tolist(),
        "PE(2) · PE(3)": torch.dot(encoding[2], encoding[3]).item(),
        "PE(1) · PE(3)": torch.dot(encoding[1], encoding[3]).item(),
    }
    ### END SOLUTION
    return by_hand


def wavelengths(d_model: int) -> Tensor:
    """The wavelength of each pair of columns: after how many positions its hand has turned by 2π.

    Args:
        d_model: the number of columns of the encoding, an even number.

    Returns:
        One wavelength for each pair, the shortest first, of shape (d_model / 2,), float32.
    """
    ### BEGIN SOLUTION
    return 2 * torch.pi * 10000 ** (torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
    ### END SOLUTION


def sinusoidal_encoding(num_positions: int, d_model: int) -> Tensor:
    """The encoding of "Attention Is All You Need": one row per position, one wave per column.

    Args:
        num_positions: the number of positions, which count from 0.
        d_model: the number of columns, an even number.

    Returns:
        A table of shape (num_positions, d_model), float32. At position m, the columns 2i and 2i + 1
        are the sine and the cosine of m / 10000^(2i / d_model).

    Raises:
        ValueError: if d_model is odd. The message contains the value of d_model.
    """
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}: columns come in pairs, so it has to be even")
    rates = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
    angles = torch.arange(num_positions)[:, None] * rates
    encoding = torch.zeros(num_positions, d_model, dtype=torch.float32)
    encoding[:, 0::2] = torch.sin(angles)
    encoding[:, 1::2] = torch.cos(angles)
    return encoding
    ### END SOLUTION


def shift_matrix(k: int, d_model: int) -> Tensor:
    """The matrix that shifts the encoding of any position by k positions.

    Args:
        k: the number of positions to shift by; a negative k shifts towards the beginning.
        d_model: the number of columns of the encoding, an even number.

    Returns:
        A matrix M of shape (d_model, d_model), float32, for which `encoding[m] @ M` equals
        `encoding[m + k]` at every position m.
    """
    ### BEGIN SOLUTION
    angles = k * 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
    M = torch.zeros(d_model, d_model, dtype=torch.float32)
    for pair, angle in enumerate(angles):
        cos, sin = torch.cos(angle), torch.sin(angle)
        here = slice(2 * pair, 2 * pair + 2)
        M[here, here] = torch.tensor([[cos, -sin], [sin, cos]])
    return M
    ### END SOLUTION


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sentences, without any trainable parameters.

    Call it with inputs of shape (batch, num_tokens, d_model), where num_tokens is at most
    `context_length`. It returns a new tensor of the same shape and dtype. The table moves with the
    module to another dtype or device, as a buffer does.

    Args:
        d_model: the number of features of a token, an even number.
        context_length: the largest number of tokens in a sentence.

    Raises:
        ValueError: if d_model is odd. The message contains the value of d_model.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % 2:
            raise ValueError(f"d_model is {d_model}: columns come in pairs, so it has to be even")
        self.register_buffer("encoding", sinusoids(context_length, d_model))
        ### END SOLUTION

    def forward(self, inputs: Tensor) -> Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        return inputs + self.get_buffer("encoding")[:num_tokens]
        ### END SOLUTION


class LearnedPositions(nn.Module):
    """Adds a trainable position vector to each token.

    Call it with inputs of shape (batch, num_tokens, d_model). It returns a new tensor of the same
    shape and dtype. The position vectors are an `nn.Embedding` called `positions`.

    Args:
        d_model: the number of features of a token.
        context_length: the number of positions that have a vector.

    Raises:
        ValueError: in `forward`, if there are more tokens than positions. The message contains both
            numbers.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.positions = nn.Embedding(context_length, d_model)
        ### END SOLUTION

    def forward(self, inputs: Tensor) -> Tensor:
        ### BEGIN SOLUTION
        num_tokens, known = inputs.shape[1], self.positions.num_embeddings
        if num_tokens > known:
            raise ValueError(f"there are {num_tokens} tokens, but only {known} learned positions")
        return inputs + self.positions(torch.arange(num_tokens))
        ### END SOLUTION


def apply_rope(x: Tensor, positions: Tensor) -> Tensor:
    """Turn each pair of neighbouring features by an angle that grows with the position.

    This is RoPE in the interleaved layout: pair i consists of the features 2i and 2i + 1. At
    position m it turns by m / 10000^(2i / head_dim), from the axis of the first feature towards
    that of the second. Compute the angles in float32 or float64, whatever the dtype of x.

    Args:
        x: queries or keys of shape (..., tokens, head_dim); do not change them in place.
        positions: the positions of the tokens, integers of shape (tokens,).

    Returns:
        The turned vectors, in the shape and dtype of x.

    Raises:
        ValueError: if head_dim is odd.
    """
    ### BEGIN SOLUTION
    head_dim = x.shape[-1]
    if head_dim % 2:
        raise ValueError(f"head_dim is {head_dim}: features turn in pairs, so it has to be even")
    rates = 10000 ** (-torch.arange(0, head_dim, 2) / head_dim)
    angles = positions[:, None] * rates
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(-2).to(x.dtype)
    ### END SOLUTION


def is_relative(
    scores: Callable[[Tensor, Tensor, Tensor], Tensor],
    queries: Tensor,
    keys: Tensor,
    positions: Tensor,
    shift: int,
) -> bool:
    """Test a scoring function: do its scores stay equal when all positions move by `shift`?

    Args:
        scores: a function that takes queries, keys and positions, and returns scores of shape
            (tokens, tokens), which may be −∞ as under a mask.
        queries: a tensor of shape (tokens, d_k).
        keys: a tensor of shape (tokens, d_k).
        positions: the positions of the tokens, integers of shape (tokens,); do not change them
            in place.
        shift: the number of positions to move all tokens by.

    Returns:
        True if no score changes, up to rounding, which means that on these inputs the scores depend
        only on the distances between the tokens; False otherwise.
    """
    ### BEGIN SOLUTION
    here = scores(queries, keys, positions)
    there = scores(queries, keys, positions + shift)
    return torch.allclose(here, there, rtol=1e-4, atol=1e-5)
    ### END SOLUTION


def repaired_rope(x: Tensor, positions: Tensor) -> Tensor:
    """RoPE in the half-split layout: repair the given lines, which contain a mistake.

    Pair i consists of the features i and i + head_dim / 2; everything else is as in `apply_rope`.

    Args:
        x: queries or keys of shape (..., tokens, head_dim) with an even head_dim; do not change
            them in place.
        positions: the positions of the tokens, integers of shape (tokens,).

    Returns:
        The turned vectors, in the shape and dtype of x.
    """
    head_dim = x.shape[-1]
    rates = 10000 ** (-torch.arange(0, head_dim, 2) / head_dim)
    angles = positions[:, None] * rates
    angles = angles.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    partners = torch.cat([-second, first], dim=-1)
    ### BEGIN SOLUTION (replaces the lines above)
    angles = torch.cat([positions[:, None] * rates] * 2, dim=-1)
    ### END SOLUTION
    return (x * torch.cos(angles) + partners * torch.sin(angles)).to(x.dtype)


def to_half_split(W: Tensor, num_heads: int) -> Tensor:
    """Reorder the columns of a projection from the interleaved layout to the half-split layout.

    Args:
        W: W_query or W_key, used as inputs @ W, of shape (d_in, num_heads · head_dim): the columns
            of head 0, then those of head 1, and so on.
        num_heads: the number of heads.

    Returns:
        The reordered columns, of shape (d_in, num_heads · head_dim). Within each head, the columns
        that were the first of a pair come first, then those that were the second of a pair.
    """
    ### BEGIN SOLUTION
    d_in, d_out = W.shape
    pairs = W.reshape(d_in, num_heads, d_out // num_heads // 2, 2)
    return pairs.transpose(2, 3).reshape(d_in, d_out)
    ### END SOLUTION


def rope_attention(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Scaled dot-product attention with RoPE, in the interleaved layout and without a mask.

    Args:
        queries: a tensor of shape (batch, heads, num_queries, head_dim).
        keys: a tensor of shape (batch, heads, num_keys, head_dim).
        values: a tensor of shape (batch, heads, num_keys, d_v).
        query_positions: the positions of the queries, integers of shape (num_queries,).
        key_positions: the positions of the keys, integers of shape (num_keys,).

    Returns:
        The context vectors, of shape (batch, heads, num_queries, d_v).
    """
    ### BEGIN SOLUTION
    turned_queries = rope(queries, query_positions)
    turned_keys = rope(keys, key_positions)
    attn_scores = turned_queries @ turned_keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(attn_scores, dim=-1) @ values
    ### END SOLUTION


def alibi_bias(num_heads: int, num_tokens: int) -> Tensor:
    """The bias that ALiBi adds to the scores; the farther a key is from the query, the lower it is.

    Args:
        num_heads: the number of heads.
        num_tokens: the number of tokens.

    Returns:
        The bias, (num_heads, queries, keys), with num_tokens of both, float32: minus the distance
        between query and key, times the slope of the head. The slopes are 2^(-8 / num_heads),
        2^(-16 / num_heads), and so on, down to 2^(-8). There is no mask.
    """
    ### BEGIN SOLUTION
    counted = torch.arange(1, num_heads + 1, dtype=torch.float32)
    slopes = 2.0 ** (-8 * counted / num_heads)
    positions = torch.arange(num_tokens)
    distances = (positions[:, None] - positions).abs()
    return -slopes[:, None, None] * distances
    ### END SOLUTION
