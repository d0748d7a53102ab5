"""Rotary grouped-query attention with a cache, by PyTorch's own function."""

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from companion.models.positions import rope


class Cache(Protocol):
    """Keeps the keys and values of one layer, as lesson 07's `KVCache` does."""

    length: int

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append new ones, (batch, num_kv_heads, new, head_dim), and return all."""


class LibraryRotaryAttention(nn.Module):
    """What lesson 10's `RotaryAttention` computes, by PyTorch's `scaled_dot_product_attention`.

    Call it with (batch, tokens, d_model), and with a cache if the tokens continue a text; it
    returns (batch, tokens, d_model).

    Args:
        d_model: the number of features of a token.
        num_heads: the number of query heads, a divisor of d_model.
        num_kv_heads: the number of key/value heads, a divisor of num_heads.
        parts: its `apply_rope` rotates queries and keys; left out, the library's.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None
    ) -> None:
        super().__init__()
        self.head_dim = d_model // num_heads
        self._rotated = getattr(parts, "apply_rope", rope)
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.W_value = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        start = 0 if cache is None else cache.length
        positions = torch.arange(start, start + inputs.shape[1])
        projected = (layer(inputs) for layer in (self.W_query, self.W_key, self.W_value))
        q, k, v = (x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for x in projected)
        q, k = self._rotated(q, positions), self._rotated(k, positions)
        if cache is not None:
            k, v = cache.append(k, v)
        visible = positions[:, None] >= torch.arange(k.shape[2])
        contexts = scaled_dot_product_attention(q, k, v, attn_mask=visible, enable_gqa=True)
        result: Tensor = self.out_proj(contexts.transpose(1, 2).flatten(2))
        return result
