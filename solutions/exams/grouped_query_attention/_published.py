"""Right answers as published code has them, lesson 07."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.grouped_query_attention.bytes_read_per_token import read
from solutions.exams.grouped_query_attention.decode_step import step
from solutions.exams.grouped_query_attention.decoding_mask import mask
from solutions.exams.grouped_query_attention.grouped_query_attention import grouped
from solutions.exams.grouped_query_attention.is_cache_exact import exact
from solutions.exams.grouped_query_attention.kv_cache import cache
from solutions.exams.grouped_query_attention.kv_cache_bytes import size
from solutions.exams.grouped_query_attention.mean_pool_heads import pooling
from solutions.exams.grouped_query_attention.multi_query_attention import single
from solutions.exams.grouped_query_attention.repaired_window_attention import window
from solutions.exams.grouped_query_attention.repeat_kv import repeating


@repeating.accepts
def repeated_as_published(hidden_states: Tensor, n_rep: int) -> Tensor:
    """expand and reshape, as published models have it."""
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(
        batch, num_key_value_heads, n_rep, slen, head_dim
    )
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


@repeating.accepts
def repeated_by_index_select(x: Tensor, n_rep: int) -> Tensor:
    """The number of each head's key/value head."""
    shared = torch.div(torch.arange(x.size(1) * n_rep), n_rep, rounding_mode="floor")
    return torch.index_select(x, 1, shared)


@pooling.accepts
def pooled_by_avg_pool(W: Tensor, num_heads: int, num_kv_heads: int) -> Tensor:
    """Means as pooling over an axis of heads."""
    head_dim = W.shape[1] // num_heads
    heads = W.view(-1, num_heads, head_dim).transpose(1, 2)
    means = functional.avg_pool1d(heads, kernel_size=num_heads // num_kv_heads)
    return means.transpose(1, 2).reshape(W.shape[0], -1)


@mask.accepts
def mask_by_positions(num_queries: int, num_keys: int) -> Tensor:
    """Positions in the cache, compared."""
    cache_position = torch.arange(num_keys - num_queries, num_keys)
    return torch.gt(torch.arange(num_keys), cache_position.reshape(-1, 1))


@mask.accepts
def mask_of_additive_floats(num_queries: int, num_keys: int) -> Tensor:
    """Zeros for the cache beside minus infinity for the new ones."""
    new = torch.full((num_queries, num_queries), float("-inf")).triu(diagonal=1)
    return torch.hstack([torch.zeros((num_queries, num_keys - num_queries)), new]) < 0


@single.accepts
class FusedQueries(nn.Module):
    """One product for queries, key and value, the heads beside the tokens."""

    mask: Tensor

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
        assert d_out % num_heads == 0
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.attention_dropout = nn.Dropout(dropout)
        seen = torch.tril(torch.ones((context_length, context_length), dtype=torch.bool))
        self.register_buffer("mask", seen, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
        fused = functional.linear(x, weight, bias)
        query = fused[..., : -2 * self.head_dim].reshape(B, T * self.num_heads, self.head_dim)
        key, value = torch.chunk(fused[..., -2 * self.head_dim :], 2, dim=-1)
        scores = torch.bmm(query, key.transpose(1, 2)) * self.head_dim**-0.5
        scores = scores.view(B, T, self.num_heads, T)
        scores = torch.where(self.mask[:T, None, :T], scores, torch.finfo(scores.dtype).min)
        weights = self.attention_dropout(functional.softmax(scores, dim=-1))
        context = torch.bmm(weights.view(B, T * self.num_heads, T), value)
        result: Tensor = self.out_proj(context.view(B, T, -1))
        return result


@grouped.accepts
class GroupedAsPublished(nn.Module):
    """repeat_kv by expanding, a mask that is added, the softmax in float32."""

    causal_mask: Tensor

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
        assert d_out % num_heads == 0, "hidden_size must be divisible by num_heads"
        assert num_heads % num_kv_heads == 0, "num_heads must be divisible by num_kv_heads"
        self.num_kv_heads, self.head_dim = num_kv_heads, d_out // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.attention_dropout = dropout
        future = torch.full((1, 1, context_length, context_length), float("-inf")).triu(1)
        self.register_buffer("causal_mask", future, persistent=False)

    def repeat_kv(self, x: Tensor) -> Tensor:
        B, H, T, D = x.shape
        expanded = x[:, :, None].expand(B, H, self.num_key_value_groups, T, D)
        return expanded.reshape(B, H * self.num_key_value_groups, T, D)

    def forward(self, hidden_states: Tensor) -> Tensor:
        bsz, q_len, _ = hidden_states.size()
        query, key, value = (
            layer(hidden_states).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        key, value = self.repeat_kv(key), self.repeat_kv(value)
        attn_weights = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(self.head_dim)
        attn_weights = attn_weights + self.causal_mask[:, :, :q_len, :q_len]
        attn_weights = functional.softmax(attn_weights, dim=-1, dtype=torch.float32)
        attn_weights = functional.dropout(
            attn_weights.to(query.dtype), p=self.attention_dropout, training=self.training
        )
        attn_output = torch.matmul(attn_weights, value).transpose(1, 2).contiguous()
        result: Tensor = self.out_proj(attn_output.reshape(bsz, q_len, -1))
        return result


@cache.accepts
class CacheAsTuple(nn.Module):
    """Past and new keys joined by torch.cat, in a module, and an assert for the size."""

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.max_tokens = max_tokens
        self.empty = torch.empty(batch, num_kv_heads, 0, head_dim, dtype=dtype)
        self.layer_past = (self.empty, self.empty)

    @property
    def length(self) -> int:
        return self.layer_past[0].shape[-2]

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        assert self.length + keys.shape[-2] <= self.max_tokens, "cache is full"
        past_key, past_value = self.layer_past
        self.layer_past = torch.cat((past_key, keys), -2), torch.cat((past_value, values), -2)
        return self.layer_past

    def reset(self) -> None:
        self.layer_past = (self.empty, self.empty)


@step.accepts
def step_as_published(
    inputs: Tensor, weights: dict[str, Tensor], past_keys: Tensor, past_values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A fused product, an additive mask, the softmax in float32."""
    bsz, q_len, _ = inputs.shape
    n_kv_heads, cached, head_dim = past_keys.shape[1:]
    width = n_kv_heads * head_dim
    fused = inputs @ torch.cat([weights[name] for name in ("W_query", "W_key", "W_value")], dim=1)
    xq, xk, xv = torch.split(fused, [fused.shape[-1] - 2 * width, width, width], dim=-1)
    xq = xq.view(bsz, q_len, n_kv_heads, -1, head_dim)
    keys = torch.cat((past_keys, xk.view(bsz, q_len, n_kv_heads, head_dim).transpose(1, 2)), dim=2)
    values = torch.cat(
        (past_values, xv.view(bsz, q_len, n_kv_heads, head_dim).transpose(1, 2)), dim=2
    )
    mask = torch.full((q_len, q_len), float("-inf")).triu(1)
    mask = torch.hstack([torch.zeros(q_len, cached), mask]).type_as(xq)
    scores = torch.einsum("bqhgd,bhkd->bhgqk", xq, keys) * head_dim**-0.5 + mask
    scores = functional.softmax(scores.float(), dim=-1).type_as(xq)
    output = torch.einsum("bhgqk,bhkd->bqhgd", scores, values).reshape(bsz, q_len, -1)
    return output @ weights["out_proj"], keys, values


@exact.accepts
def exact_token_by_token_and_chunks(
    step: Callable[..., tuple[Tensor, object]], inputs: Tensor
) -> bool:
    """A recursion over what is left, for each size of chunks."""
    whole = step(inputs, None)[0]

    def chunks(rest: Tensor, past: object, size: int) -> list[Tensor]:
        if not rest.size(1):
            return []
        context, past = step(rest[:, :size], past)
        return [context, *chunks(rest[:, size:], past, size)]

    return all(
        torch.isclose(torch.cat(chunks(inputs, None, size), dim=1), whole).all().item()
        for size in range(1, inputs.size(1))
    )


@window.accepts
def window_over_all_keys(queries: Tensor, keys: Tensor, values: Tensor, window: int) -> Tensor:
    """Nothing is cut off: positions and a mask of floats."""
    q_len, kv_len = queries.size(-2), keys.size(-2)
    q_pos = torch.arange(kv_len - q_len, kv_len).unsqueeze(-1)
    distance = q_pos - torch.arange(kv_len)
    allowed = (distance >= 0) & (distance < window)
    bias = torch.zeros(q_len, kv_len, dtype=queries.dtype).masked_fill(~allowed, float("-inf"))
    return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)


@size.accepts
def size_by_prod(
    batch: int,
    tokens: int,
    num_layers: int,
    num_kv_heads: int,
    head_dim: int,
    bytes_per_number: int = 2,
) -> int:
    """The shape of the cache, multiplied."""
    kv_shape = (2, num_layers, batch, num_kv_heads, tokens, head_dim)
    return math.prod(kv_shape) * bytes_per_number


@read.accepts
def read_in_two_parts(
    num_parameters: int,
    batch: int,
    tokens: int,
    num_layers: int,
    num_kv_heads: int,
    head_dim: int,
    bytes_per_number: int = 2,
) -> float:
    """The model's bytes, shared by the batch, and those of one text's cache."""
    model = num_parameters * bytes_per_number
    kv_cache = math.prod((2, num_layers, batch, num_kv_heads, tokens, head_dim, bytes_per_number))
    return (model + kv_cache) / batch
