"""Right answers to `KVCache` in other styles, lesson 07."""

import torch
from torch import nn

from solutions.exams.grouped_query_attention.kv_cache.exam import cache


@cache.accepts
class GrowingTensors:
    """torch.cat.

    `torch.cat` makes longer tensors for every chunk, so no buffer is allocated up front. The code
    is short, but each step copies the whole cache.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.empty = torch.zeros(batch, num_kv_heads, 0, head_dim, dtype=dtype)
        self.max_tokens = max_tokens
        self.keys = self.values = self.empty
        self.length = 0

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.length + keys.shape[2] > self.max_tokens:
            raise ValueError("the cache is full")
        self.keys = torch.cat([self.keys, keys], dim=2)
        self.values = torch.cat([self.values, values], dim=2)
        self.length += keys.shape[2]
        return self.keys, self.values

    def reset(self) -> None:
        self.keys = self.values = self.empty
        self.length = 0


@cache.accepts
class ListOfChunks:
    """A list of what was appended; the length is counted when somebody asks.

    The chunks wait in a list and are joined for every call. The length is counted when somebody
    asks, so it can never disagree with what is kept.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.max_tokens = max_tokens
        self.chunks: list[tuple[torch.Tensor, torch.Tensor]] = []

    @property
    def length(self) -> int:
        return sum(keys.shape[2] for keys, _ in self.chunks)

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.length + keys.shape[2] > self.max_tokens:
            raise ValueError(f"more than {self.max_tokens} tokens")
        self.chunks.append((keys.clone(), values.clone()))
        all_keys, all_values = zip(*self.chunks, strict=True)
        return torch.cat(all_keys, dim=2), torch.cat(all_values, dim=2)

    def reset(self) -> None:
        self.chunks.clear()


@cache.accepts
class OneTensorForBoth(nn.Module):
    """Keys and values in one buffer of a module."""

    kept: torch.Tensor

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        empty = torch.empty(2, batch, num_kv_heads, max_tokens, head_dim, dtype=dtype)
        self.register_buffer("kept", empty)
        self.length = 0

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        new = torch.stack([keys, values])
        if self.length + new.shape[3] > self.kept.shape[3]:
            raise ValueError("full")
        self.kept[:, :, :, self.length : self.length + new.shape[3]] = new
        self.length += new.shape[3]
        known = self.kept[:, :, :, : self.length]
        return known[0], known[1]

    def reset(self) -> None:
        self.length = 0
