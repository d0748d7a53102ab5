"""`RotaryAttention` in steps, lesson 10, for misconceptions to get one of them wrong."""

import torch
from torch import Tensor, nn

from companion import Cache, rope
from solutions.exams.families import SharedHeads

Pair = tuple[Tensor, Tensor]


class Variant(SharedHeads, nn.Module):
    """Rotary grouped-query attention with a cache, in steps."""

    bias, out_bias = False, False

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None
    ) -> None:
        super().__init__()
        self.d_in, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.kv_width = self.find_kv_width(num_kv_heads)
        self.W_query = nn.Linear(d_model, d_model, bias=self.bias)
        self.W_key = nn.Linear(d_model, self.kv_width, bias=self.bias)
        self.W_value = nn.Linear(d_model, self.kv_width, bias=self.bias)
        self.out_proj = nn.Linear(d_model, d_model, bias=self.out_bias)

    def find_kv_width(self, num_kv_heads: int) -> int:
        return num_kv_heads * self.head_dim

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        start = self.first_position(cache)
        positions = torch.arange(start, start + inputs.shape[1])
        queries, keys, values = (
            self.in_heads(layer(inputs), positions)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        queries, keys = self.rotate(queries, keys, positions)
        keys, values = self.remember(keys, self.valued(values, positions), cache)
        queries, keys = self.rotate_later(queries, keys, positions, cache)
        hidden = self.hidden(queries.shape[2], keys.shape[2], cache)
        return self.project(self.merge(self.attend(queries, keys, values, hidden)))

    def first_position(self, cache: Cache | None) -> int:
        return 0 if cache is None else cache.length

    def in_heads(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.split(x)

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        """Both before the keys are cached."""
        return rope(queries, positions), rope(keys, positions)

    def valued(self, values: Tensor, positions: Tensor) -> Tensor:
        return values

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return (keys, values) if cache is None else cache.append(keys, values)

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        """Both after the keys were cached."""
        return queries, keys

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        return self.future(queries, keys)

    def project(self, contexts: Tensor) -> Tensor:
        projected: Tensor = self.out_proj(contexts)
        return projected
