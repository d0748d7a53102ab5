"""Right answers to `RotaryAttention` in other styles, lesson 10."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from companion import LIBRARY, Cache, Parts
from solutions.exams.your_gpt.rotary_attention.exam import rotary


@rotary.accepts
class WithAllParts(nn.Module):
    """Most of the parts, in a loop over the names of the projections."""

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: Parts = LIBRARY
    ) -> None:
        super().__init__()
        head_dim = d_model // num_heads
        self.parts, self.heads = parts, {"W_query": num_heads}
        self.heads |= dict.fromkeys(("W_key", "W_value"), num_kv_heads)
        for name, heads in self.heads.items():
            self.add_module(name, nn.Linear(d_model, heads * head_dim, bias=False))
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        parts = self.parts
        if cache is None:
            # A cache for this text alone spares the other case.
            batch, tokens, width = inputs.shape
            head_dim = width // self.heads["W_query"]
            sizes = batch, self.heads["W_key"], tokens, head_dim
            cache = parts.KVCache(*sizes, dtype=inputs.dtype)
        positions = cache.length + torch.arange(inputs.shape[1])
        q, k, v = (
            parts.split_heads(self.get_submodule(name)(inputs), heads)
            for name, heads in self.heads.items()
        )
        k, v = cache.append(parts.apply_rope(k, positions), v)
        k, v = (parts.repeat_kv(x, q.shape[1] // x.shape[1]) for x in (k, v))
        scores = parts.apply_rope(q, positions) @ k.transpose(2, 3) * q.shape[-1] ** -0.5
        hidden = parts.decoding_mask(q.shape[2], k.shape[2])
        weights = parts.masked_attention_weights(scores, hidden.expand(scores.shape))
        result: Tensor = self.out_proj(parts.merge_heads(weights @ v))
        return result


@rotary.accepts
class InParameters(nn.Module):
    """Parameters instead of layers, and index expressions; no part is used, nothing is repeated."""

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None
    ) -> None:
        super().__init__()
        self.groups, self.head_dim = num_kv_heads, d_model // num_heads
        width = num_kv_heads * self.head_dim
        self.W_query = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.W_key = nn.Parameter(torch.randn(d_model, width) / d_model**0.5)
        self.W_value = nn.Parameter(torch.randn(d_model, width) / d_model**0.5)
        self.out_proj = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)

    def rotated(self, x: Tensor, start: int) -> Tensor:
        """Each pair of neighbours, of (batch, tokens, heads, head_dim)."""
        places = torch.arange(start, start + x.shape[1]).double()
        rates = 10000 ** (-torch.arange(0, self.head_dim, 2).double() / self.head_dim)
        angles = torch.einsum("t,p->tp", places, rates)[:, None]
        cos, sin = angles.cos().to(x), angles.sin().to(x)
        first, second = x[..., 0::2], x[..., 1::2]
        pairs = (first * cos - second * sin, first * sin + second * cos)
        return torch.stack(pairs, dim=-1).flatten(3)

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        start = cache.length if cache is not None else 0
        heads = (*inputs.shape[:2], -1, self.head_dim)
        queries = self.rotated((inputs @ self.W_query).view(heads), start)
        keys = self.rotated((inputs @ self.W_key).view(heads), start).transpose(1, 2)
        values = (inputs @ self.W_value).view(heads).transpose(1, 2)
        if cache is not None:
            keys, values = cache.append(keys, values)
        queries = torch.unflatten(queries, 2, (self.groups, -1)) / math.sqrt(self.head_dim)
        scores = torch.einsum("bqgrd,bgkd->bgrqk", queries, keys)
        future = torch.full(scores.shape[-2:], -torch.inf, dtype=scores.dtype).triu(start + 1)
        weights = (scores + future).softmax(dim=-1)
        contexts = torch.einsum("bgrqk,bgkd->bqgrd", weights, values)
        return contexts.flatten(2) @ self.out_proj


@rotary.accepts
class ByComplexNumbers(nn.Module):
    """Complex numbers for the rotation, and PyTorch's attention, which shares the heads itself."""

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None
    ) -> None:
        super().__init__()
        self.head_dim = d_model // num_heads
        widths = (self.head_dim * heads for heads in (num_heads, num_kv_heads, num_kv_heads))
        layers = (nn.Linear(d_model, width, bias=False) for width in widths)
        self.W_query, self.W_key, self.W_value = layers
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor, cache: Cache | None = None) -> Tensor:
        start, new = getattr(cache, "length", 0), x.shape[1]
        rates = 1.0 / 10000 ** (torch.arange(0, self.head_dim, 2) / self.head_dim)
        angles = torch.outer(torch.arange(start, start + new).float(), rates)
        turns = torch.polar(torch.ones_like(angles), angles).to(torch.complex128)
        q, k, v = (
            layer(x).view(len(x), new, -1, self.head_dim).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        q, k = (
            torch.view_as_real(torch.view_as_complex(y.double().unflatten(-1, (-1, 2))) * turns)
            .flatten(-2)
            .to(x.dtype)
            for y in (q, k)
        )
        if cache is not None:
            k, v = cache.append(k, v)
        visible = torch.ones(new, start + new, dtype=torch.bool).tril(start)
        y = scaled_dot_product_attention(q, k, v, attn_mask=visible, enable_gqa=True)
        result: Tensor = self.out_proj(y.transpose(1, 2).reshape(x.shape))
        return result


@rotary.accepts
class TokenByToken(nn.Module):
    """One token and one head at a time: each sees what came before it, so there is no mask."""

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: Parts = LIBRARY
    ) -> None:
        super().__init__()
        self.num_heads, self.n_rep, self.parts = num_heads, num_heads // num_kv_heads, parts
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, d_model // self.n_rep, bias=False)
        self.W_value = nn.Linear(d_model, d_model // self.n_rep, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        start = 0 if cache is None else cache.length
        head_dim = inputs.shape[-1] // self.num_heads
        places = torch.arange(start, start + inputs.shape[1])
        queries = self.W_query(inputs).split(head_dim, dim=-1)
        queries = [self.parts.apply_rope(head, places) for head in queries]
        keys = torch.stack(
            [
                self.parts.apply_rope(head, places)
                for head in self.W_key(inputs).split(head_dim, dim=-1)
            ],
            dim=1,
        )
        values = torch.stack(self.W_value(inputs).split(head_dim, dim=-1), dim=1)
        if cache is not None:
            keys, values = cache.append(keys, values)
        rows = []
        for n, place in enumerate(places.tolist()):
            heads = []
            for h, query in enumerate(queries):
                seen = keys[:, h // self.n_rep, : place + 1]
                scores = (seen @ query[:, n, :, None]).squeeze(-1) / math.sqrt(head_dim)
                past = values[:, h // self.n_rep, : place + 1]
                heads.append((scores.softmax(dim=-1)[..., None] * past).sum(dim=1))
            rows.append(torch.cat(heads, dim=-1))
        result: Tensor = self.out_proj(torch.stack(rows, dim=1))
        return result
