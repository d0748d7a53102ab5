"""Lesson 07: query heads that share key/value heads, and the cache of a model that generates text.

Heads are an axis: queries are (batch, num_heads, tokens, head_dim), keys and values are
(batch, num_kv_heads, tokens, head_dim). Query heads that share a key/value head are neighbours. In
a mask, True means "hidden".
"""

from collections.abc import Callable

import torch
from torch import nn


def shared_heads_by_hand() -> dict[str, object]:
    """Four query heads that share two key/value heads, worked out on paper.

    Replace each `...` with a number.

    Returns:
        For each of the four query heads, which key/value head it reads, counted from 0; the two
        attention weights of query heads 1 and 2; the context of each query head; and how many
        numbers have to be cached for the two tokens. Weights and contexts have four decimals.
    """
    by_hand: dict[str, object] = {
        "key/value head of each query head": [..., ..., ..., ...],
        "weights of query head 1": [..., ...],
        "weights of query head 2": [..., ...],
        "context of each query head": [..., ..., ..., ...],
        "numbers kept": ...,
    }
    ### BEGIN SOLUTION (replaces the lines above)
    queries = torch.tensor([2.0, -1.0, 1.0, 0.5]).double()
    keys = torch.tensor([[2.0, 1.0], [-1.0, 1.0]]).double()
    values = torch.tensor([[10.0, 20.0], [3.0, 7.0]]).double()
    shared = [0, 0, 1, 1]
    attn_weights = torch.softmax(queries[:, None] * keys[shared], dim=-1)
    by_hand = {
        "key/value head of each query head": shared,
        "weights of query head 1": attn_weights[1].tolist(),
        "weights of query head 2": attn_weights[2].tolist(),
        "context of each query head": (attn_weights * values[shared]).sum(dim=-1).tolist(),
        "numbers kept": keys.numel() + values.numel(),
    }
    ### END SOLUTION
    return by_hand


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Repeat each key/value head once for every query head that shares it.

    Args:
        x: keys or values, (batch, num_kv_heads, tokens, head_dim).
        n_rep: how many query heads share a key/value head.

    Returns:
        (batch, num_kv_heads · n_rep, tokens, head_dim), in the dtype of `x`: index h holds the
        key/value head that query head h reads.
    """
    ### BEGIN SOLUTION
    return x.repeat_interleave(n_rep, dim=1)
    ### END SOLUTION


class MultiQueryAttention(nn.Module):
    """Causal attention with several query heads and a single key/value head.

    Call it with inputs of shape (batch, num_tokens, d_in), num_tokens at most `context_length`. It
    returns the context vectors, (batch, num_tokens, d_out). Write the computation yourself, without
    `scaled_dot_product_attention`.

    Args:
        d_in: features of an input token.
        d_out: features of a context vector; it is num_heads times head_dim.
        context_length: the largest number of tokens, for which the mask is made.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: the number of query heads.
        qkv_bias: whether the three projections add a bias; the output projection always has one.

    Raises:
        ValueError: when d_out can't be divided among the heads.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        if d_out % num_heads:
            raise ValueError(f"d_out = {d_out} can't be divided among {num_heads} heads")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        future = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1)
        self.register_buffer("mask", future)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        queries = self.W_query(inputs).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        keys, values = self.W_key(inputs)[:, None], self.W_value(inputs)[:, None]
        attn_scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        hidden = self.get_buffer("mask")[:num_tokens, :num_tokens]
        attn_weights = torch.softmax(attn_scores.masked_fill(hidden, -torch.inf), dim=-1)
        context = self.dropout(attn_weights) @ values
        return self.out_proj(context.transpose(1, 2).flatten(2))
        ### END SOLUTION


class GroupedQueryAttention(nn.Module):
    """Causal attention in which several query heads share a key/value head.

    Call it with inputs of shape (batch, num_tokens, d_in), num_tokens at most `context_length`. It
    returns the context vectors, (batch, num_tokens, d_out). Write the computation yourself, without
    `scaled_dot_product_attention`.

    Args:
        d_in: features of an input token.
        d_out: features of a context vector; it is num_heads times head_dim.
        context_length: the largest number of tokens, for which the mask is made.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: the number of query heads.
        num_kv_heads: the number of key/value heads, each as wide as a query head. The query heads
            that share one are neighbours.
        qkv_bias: whether the three projections add a bias; the output projection always has one.

    Raises:
        ValueError: if num_heads does not divide d_out, or num_kv_heads does not divide num_heads.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError(
                f"d_out = {d_out} has to be a multiple of num_heads = {num_heads}, and that a "
                f"multiple of num_kv_heads = {num_kv_heads}"
            )
        self.head_dim, self.n_rep = d_out // num_heads, num_heads // num_kv_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        future = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1)
        self.register_buffer("mask", future)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        projected = (self.W_query(inputs), self.W_key(inputs), self.W_value(inputs))
        queries, keys, values = (
            x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for x in projected
        )
        keys = keys.repeat_interleave(self.n_rep, dim=1)
        values = values.repeat_interleave(self.n_rep, dim=1)
        attn_scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        hidden = self.get_buffer("mask")[:num_tokens, :num_tokens]
        attn_weights = torch.softmax(attn_scores.masked_fill(hidden, -torch.inf), dim=-1)
        context = self.dropout(attn_weights) @ values
        return self.out_proj(context.transpose(1, 2).flatten(2))
        ### END SOLUTION


def mean_pool_heads(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """Turn the key or value projection of a multi-head model into one with fewer heads.

    Args:
        W: (d_in, num_heads · head_dim), to be used as `x @ W`; the columns of a head are
            neighbours.
        num_heads: the number of heads that W produces.
        num_kv_heads: the number of heads that the new matrix should produce; it divides num_heads.

    Returns:
        (d_in, num_kv_heads · head_dim), in the dtype of W: each new head is the mean of the
        neighbouring heads that it replaces.
    """
    ### BEGIN SOLUTION
    heads = W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1)
    return heads.mean(dim=2).flatten(1)
    ### END SOLUTION


def decoding_mask(num_queries: int, num_keys: int) -> torch.Tensor:
    """The causal mask for new tokens whose past is cached.

    Args:
        num_queries: the number of new tokens.
        num_keys: the number of all tokens, cached and new; the new ones are the last.

    Returns:
        A boolean tensor, (num_queries, num_keys): True where the key comes after the query.
    """
    ### BEGIN SOLUTION
    ones = torch.ones(num_queries, num_keys, dtype=torch.bool)
    return ones.triu(diagonal=num_keys - num_queries + 1)
    ### END SOLUTION


class KVCache:
    """The keys and values of all tokens so far, for one layer of a model that generates text.

    Its attribute `length` is the number of tokens that it holds, initially 0.

    Args:
        batch: the number of texts that are generated at once.
        num_kv_heads: the number of key/value heads.
        max_tokens: the largest number of tokens of each text that it can hold.
        head_dim: features of a head.
        dtype: of the keys and values.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        ### BEGIN SOLUTION
        shape = (batch, num_kv_heads, max_tokens, head_dim)
        self.keys = torch.zeros(shape, dtype=dtype)
        self.values = torch.zeros(shape, dtype=dtype)
        self.length = 0
        ### END SOLUTION

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Store a copy of the keys and values of new tokens, and return those of all so far.

        Args:
            keys: of one or several new tokens, (batch, num_kv_heads, new, head_dim).
            values: of the same shape.

        Returns:
            The keys and the values of all tokens so far, the oldest first, each of shape
            (batch, num_kv_heads, length, head_dim).

        Raises:
            ValueError: if there would be more than max_tokens tokens; nothing is stored then.
        """
        ### BEGIN SOLUTION
        start, end = self.length, self.length + keys.shape[2]
        if end > self.keys.shape[2]:
            raise ValueError(f"no room for {end} tokens in a cache of {self.keys.shape[2]}")
        self.keys[:, :, start:end] = keys
        self.values[:, :, start:end] = values
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]
        ### END SOLUTION

    def reset(self) -> None:
        """Forget all tokens, for a new text."""
        ### BEGIN SOLUTION
        self.length = 0
        ### END SOLUTION


def decode_step(
    inputs: torch.Tensor,
    weights: dict[str, torch.Tensor],
    past_keys: torch.Tensor,
    past_values: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Grouped-query attention for new tokens, given the keys and values of the past.

    Write the computation yourself, without `scaled_dot_product_attention`.

    Args:
        inputs: one or several new tokens, (batch, new, d_in).
        weights: matrices W for `x @ W`: "W_query", (d_in, d_out), "W_key" and "W_value",
            (d_in, num_kv_heads · head_dim), and "out_proj", (d_out, d_out).
        past_keys: of all earlier tokens, (batch, num_kv_heads, cached, head_dim); cached may be 0.
        past_values: of the same shape.

    Returns:
        The contexts of the new tokens, (batch, new, d_out), and the keys and the values of all
        tokens, each of shape (batch, num_kv_heads, cached + new, head_dim).
    """
    ### BEGIN SOLUTION
    batch, new, _ = inputs.shape
    head_dim = past_keys.shape[-1]
    queries, new_keys, new_values = (
        (inputs @ weights[name]).view(batch, new, -1, head_dim).transpose(1, 2)
        for name in ("W_query", "W_key", "W_value")
    )
    keys = torch.cat([past_keys, new_keys], dim=2)
    values = torch.cat([past_values, new_values], dim=2)
    n_rep, cached = queries.shape[1] // keys.shape[1], past_keys.shape[2]
    attn_scores = queries @ keys.repeat_interleave(n_rep, dim=1).mT / head_dim**0.5
    hidden = torch.ones_like(attn_scores, dtype=torch.bool).triu(cached + 1)
    attn_weights = torch.softmax(attn_scores.masked_fill(hidden, -torch.inf), dim=-1)
    context = attn_weights @ values.repeat_interleave(n_rep, dim=1)
    return context.transpose(1, 2).flatten(2) @ weights["out_proj"], keys, values
    ### END SOLUTION


def is_cache_exact(step: Callable[..., tuple[torch.Tensor, object]], inputs: torch.Tensor) -> bool:
    """Test whether attention with a cache gives the same contexts for chunks of every size.

    Args:
        step: called as `step(chunk, past)` with some tokens, (batch, new, d_in), and the past that
            it returned last time, or None at the beginning of a text. It returns the contexts of
            these tokens, (batch, new, d_out), and the new past.
        inputs: the texts to try it on, (batch, tokens, d_in). Do not change them.

    Returns:
        True if chunks of every size, from single tokens on, give the contexts that the whole text
        gives in a single call, up to rounding.
    """
    ### BEGIN SOLUTION
    whole, _ = step(inputs, None)
    atol = 1e-5 if whole.dtype == torch.float32 else 1e-8
    for size in range(1, inputs.shape[1]):
        past, contexts = None, []
        for chunk in torch.split(inputs, size, dim=1):
            context, past = step(chunk, past)
            contexts.append(context)
        if not torch.allclose(torch.cat(contexts, dim=1), whole, atol=atol):
            return False
    return True
    ### END SOLUTION


def repaired_window_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Repair the given lines: attention with a sliding window, for new tokens with a cached past.

    Args:
        queries: of the new tokens, (..., new, head_dim).
        keys: of all tokens, the new ones last, (..., tokens, head_dim).
        values: of all tokens, (..., tokens, head_dim).
        window: the number of tokens that a token sees: itself and the window − 1 before it.

    Returns:
        The contexts of the new tokens, (..., new, head_dim), in the dtype of the values.
    """
    seen_keys, seen_values = keys[..., -window:, :], values[..., -window:, :]
    num_queries, num_keys = queries.shape[-2], seen_keys.shape[-2]
    everything = torch.ones(num_queries, num_keys, dtype=torch.bool)
    hidden = everything.triu(num_keys - num_queries + 1)
    ### BEGIN SOLUTION (replaces the lines above)
    needed = window + queries.shape[-2] - 1
    seen_keys, seen_values = keys[..., -needed:, :], values[..., -needed:, :]
    num_queries, num_keys = queries.shape[-2], seen_keys.shape[-2]
    everything = torch.ones(num_queries, num_keys, dtype=torch.bool)
    too_old = everything.tril(num_keys - num_queries - window)
    hidden = everything.triu(num_keys - num_queries + 1) | too_old
    ### END SOLUTION
    attn_scores = queries @ seen_keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    attn_weights = torch.softmax(attn_scores.masked_fill(hidden, -torch.inf), dim=-1)
    return attn_weights @ seen_values


def kv_cache_bytes(
    batch: int,
    tokens: int,
    num_layers: int,
    num_kv_heads: int,
    head_dim: int,
    bytes_per_number: int = 2,
) -> int:
    """How many bytes the KV caches of all layers of a model take.

    Args:
        batch: the number of texts that are generated at once.
        tokens: the number of tokens of each text so far.
        num_layers: the number of layers, each of which has its own cache.
        num_kv_heads: the number of key/value heads in a layer.
        head_dim: features of a head.
        bytes_per_number: 2 for 16-bit numbers.

    Returns:
        The number of bytes.
    """
    ### BEGIN SOLUTION
    numbers = 2 * batch * tokens * num_layers * num_kv_heads * head_dim
    return numbers * bytes_per_number
    ### END SOLUTION


def bytes_read_per_token(
    num_parameters: int,
    batch: int,
    tokens: int,
    num_layers: int,
    num_kv_heads: int,
    head_dim: int,
    bytes_per_number: int = 2,
) -> float:
    """How many bytes a model reads from memory for each token that it generates.

    One step generates one token for each of the `batch` texts. It reads every parameter once, for
    all texts together, and the whole cache of each text.

    Args:
        num_parameters: the number of parameters of the model.
        batch: the number of texts that are generated at once.
        tokens: the number of tokens of each text so far.
        num_layers: the number of layers of the model.
        num_kv_heads: the number of key/value heads in a layer.
        head_dim: features of a head.
        bytes_per_number: 2 for 16-bit numbers; it holds for parameters, keys and values.

    Returns:
        The bytes read in one step, divided by the number of tokens that the step generates.
    """
    ### BEGIN SOLUTION
    of_the_cache = 2 * tokens * num_layers * num_kv_heads * head_dim
    return bytes_per_number * (num_parameters / batch + of_the_cache)
    ### END SOLUTION
