"""Lesson 06: telling attention the order of the words: sinusoids, learned rows, RoPE and ALiBi.

Tokens are rows, positions count from 0. An encoding is (positions, d_model), its columns in pairs:
sine and cosine of one frequency side by side. All functions use the base 10000 of the 2017 paper.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from companion import rope, sinusoids


def encodings_by_hand() -> dict[str, object]:
    """The encodings of the positions 2 and 3 in four columns, and what they have in common.

    Returns:
        Four numbers for each of the two encodings, and two dot products; each rounded to four
        decimals.
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
    """After how many positions each pair of columns has gone round once.

    Args:
        d_model: how many columns the encoding has, an even number.

    Returns:
        One wavelength for each pair, the shortest first, (d_model / 2,), float32.
    """
    ### BEGIN SOLUTION
    return 2 * torch.pi * 10000 ** (torch.arange(0, d_model, 2) / d_model)
    ### END SOLUTION


def sinusoidal_encoding(num_positions: int, d_model: int) -> Tensor:
    """The encoding of "Attention Is All You Need": a row for each position, a wave in each column.

    Args:
        num_positions: how many positions, counted from 0.
        d_model: how many columns, an even number.

    Returns:
        (num_positions, d_model), float32: in columns 2i and 2i + 1 the sine and the cosine of
        position / 10000^(2i / d_model).

    Raises:
        ValueError: when d_model is odd. The message says which d_model that was.
    """
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}: columns come in pairs, so it has to be even")
    rates = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(num_positions)[:, None] * rates
    encoding = torch.zeros(num_positions, d_model)
    encoding[:, 0::2] = torch.sin(angles)
    encoding[:, 1::2] = torch.cos(angles)
    return encoding
    ### END SOLUTION


def shift_matrix(k: int, d_model: int) -> Tensor:
    """The matrix that moves an encoding by k positions, whatever position it is the encoding of.

    Args:
        k: by how many positions; below 0, it moves towards the beginning.
        d_model: how many columns the encoding has, an even number.

    Returns:
        M, (d_model, d_model), float32, so that `encoding[p] @ M` is `encoding[p + k]`.
    """
    ### BEGIN SOLUTION
    angles = k * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    M = torch.zeros(d_model, d_model)
    for pair, angle in enumerate(angles):
        cos, sin = torch.cos(angle), torch.sin(angle)
        here = slice(2 * pair, 2 * pair + 2)
        M[here, here] = torch.tensor([[cos, -sin], [sin, cos]])
    return M
    ### END SOLUTION


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sentences; nothing in it is trained.

    Call it with inputs of shape (batch, num_tokens, d_model), num_tokens at most `context_length`.
    It returns a new tensor of the same shape and dtype. The table moves with the module, as buffers
    do.

    Args:
        d_model: features of a token, an even number.
        context_length: the largest number of tokens.

    Raises:
        ValueError: when d_model is odd. The message says which d_model that was.
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
    """Adds to each token a trained vector that belongs to its position.

    Call it with inputs of shape (batch, num_tokens, d_model). It returns a new tensor of the same
    shape and dtype. The vectors are an `nn.Embedding` called `positions`.

    Args:
        d_model: features of a token.
        context_length: how many positions have a vector.

    Raises:
        ValueError: in `forward`, when there are more tokens than positions. The message has both
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

    Pair i is features 2i and 2i + 1. At position p it is turned by p / 10000^(2i / head_dim),
    from the first feature's axis towards the second's. Angles are float32 or finer, whatever x is.

    Args:
        x: queries or keys, (..., tokens, head_dim); not to be written to.
        positions: where the tokens stand, (tokens,), whole numbers.

    Returns:
        The turned vectors, in the shape and dtype of x.

    Raises:
        ValueError: when head_dim is odd.
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
    """Test a way to score: do the scores stay the same when all positions move by `shift`?

    Args:
        scores: a function from queries, keys and positions to scores, (tokens, tokens).
        queries: (tokens, d_k).
        keys: (tokens, d_k).
        positions: where the tokens stand, (tokens,), whole numbers; not to be written to.
        shift: by how much to move them.

    Returns:
        True when no score changes, up to rounding: on these inputs, the scores depend on the
        distances between the tokens alone.
    """
    ### BEGIN SOLUTION
    here = scores(queries, keys, positions)
    there = scores(queries, keys, positions + shift)
    return torch.allclose(here, there, rtol=1e-4, atol=1e-5)
    ### END SOLUTION


def repaired_rope(x: Tensor, positions: Tensor) -> Tensor:
    """RoPE in the half-split layout: a given, broken cell to repair.

    Pair i is features i and i + head_dim / 2; otherwise everything is as in `apply_rope`.

    Args:
        x: queries or keys, (..., tokens, head_dim), head_dim even; not to be written to.
        positions: where the tokens stand, (tokens,), whole numbers.

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
    """A projection made for the interleaved layout, in the order that half-split needs.

    Args:
        W: W_query or W_key, to be used as x @ W, (d_in, num_heads · head_dim): the columns of the
            first head, then those of the second, and so on.
        num_heads: how many heads there are.

    Returns:
        The same columns, (d_in, num_heads · head_dim). Within each head, those that were the first
        of a pair come first, then those that were the second.
    """
    ### BEGIN SOLUTION
    d_in, d_out = W.shape
    pairs = W.reshape(d_in, num_heads, d_out // num_heads // 2, 2)
    return pairs.transpose(2, 3).reshape(d_in, d_out)
    ### END SOLUTION


def rope_attention(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Scaled dot-product attention whose scores know how far apart query and key stand.

    Args:
        queries: (batch, heads, num_queries, head_dim).
        keys: (batch, heads, num_keys, head_dim).
        values: (batch, heads, num_keys, d_v).
        query_positions: where the queries stand, (num_queries,), whole numbers.
        key_positions: where the keys stand, (num_keys,), whole numbers.

    Returns:
        The context vectors, (batch, heads, num_queries, d_v). Nobody is masked.
    """
    ### BEGIN SOLUTION
    turned_queries = rope(queries, query_positions)
    turned_keys = rope(keys, key_positions)
    attn_scores = turned_queries @ turned_keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(attn_scores, dim=-1) @ values
    ### END SOLUTION


def alibi_bias(num_heads: int, num_tokens: int) -> Tensor:
    """What ALiBi adds to the scores: less and less, the farther the key is from the query.

    Args:
        num_heads: how many heads there are.
        num_tokens: how many tokens there are.

    Returns:
        (num_heads, num_tokens, num_tokens), float32, queries on rows: minus the distance between
        query and key, times the slope of the head. The slopes are 2^(-8 / num_heads),
        2^(-16 / num_heads), and so on, down to 2^(-8). Nothing is masked here.
    """
    ### BEGIN SOLUTION
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    places = torch.arange(num_tokens)
    distances = (places[:, None] - places).abs()
    return -slopes[:, None, None] * distances
    ### END SOLUTION
