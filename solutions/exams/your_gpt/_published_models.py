"""Right answers to `RotaryAttention` and `GPT` as published code has them, lesson 10."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion import LIBRARY, Cache, Parts, RotaryBlock
from solutions.exams.your_gpt.gpt import gpt
from solutions.exams.your_gpt.rotary_attention import rotary


def precompute_freqs_cis(dim: int, end: int, theta: float = 10000.0) -> Tensor:
    """The rotation of each position and pair, as complex numbers."""
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    angles = torch.outer(torch.arange(end), freqs).float()
    return torch.polar(torch.ones_like(angles), angles)


def apply_rotary_emb(xq: Tensor, xk: Tensor, freqs_cis: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys, (batch, tokens, heads, head_dim), rotated in float32."""
    turns = freqs_cis[None, :, None]
    xq_, xk_ = (torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) for x in (xq, xk))
    xq_out, xk_out = (torch.view_as_real(x * turns).flatten(3) for x in (xq_, xk_))
    return xq_out.type_as(xq), xk_out.type_as(xk)


@rotary.accepts
class RotaryAsInLlama(nn.Module):
    """A table of complex numbers, heads that are expanded, an added mask, softmax in float32."""

    freqs_cis: Tensor

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None):
        super().__init__()
        self.n_kv_heads, self.head_dim = num_kv_heads, d_model // num_heads
        self.n_rep = num_heads // num_kv_heads
        self.W_query = nn.Linear(d_model, num_heads * self.head_dim, bias=False)
        self.W_key = nn.Linear(d_model, self.n_kv_heads * self.head_dim, bias=False)
        self.W_value = nn.Linear(d_model, self.n_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * self.head_dim, d_model, bias=False)

    def repeat_kv(self, x: Tensor) -> Tensor:
        bs, n_kv_heads, slen, head_dim = x.shape
        expanded = x[:, :, None].expand(bs, n_kv_heads, self.n_rep, slen, head_dim)
        return expanded.reshape(bs, n_kv_heads * self.n_rep, slen, head_dim)

    def forward(self, x: Tensor, cache: Cache | None = None) -> Tensor:
        bsz, seqlen, _ = x.shape
        start_pos = cache.length if cache else 0
        xq = self.W_query(x).view(bsz, seqlen, -1, self.head_dim)
        xk = self.W_key(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.W_value(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        freqs_cis = precompute_freqs_cis(self.head_dim, start_pos + seqlen)
        xq, xk = apply_rotary_emb(xq, xk, freqs_cis[start_pos:])
        xq, keys, values = (y.transpose(1, 2) for y in (xq, xk, xv))
        if cache:
            keys, values = cache.append(keys, values)
        keys, values = self.repeat_kv(keys), self.repeat_kv(values)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        if seqlen > 1:
            mask = torch.triu(torch.full((seqlen, seqlen), float("-inf")), diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos)), mask]).type_as(xq)
            scores = scores + mask
        scores = functional.softmax(scores.float(), dim=-1).type_as(xq)
        output = torch.matmul(scores, values).transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        result: Tensor = self.out_proj(output)
        return result


@rotary.accepts
class RotaryAsFlash(nn.Module):
    """One fused product, sine and cosine for each feature, and PyTorch's function."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None):
        super().__init__()
        self.n_head, self.n_kv_head = num_heads, num_kv_heads
        self.head_dim = d_model // num_heads
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.W_value = nn.Linear(d_model, num_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    @staticmethod
    def rotate_every_two(x: Tensor) -> Tensor:
        """Each pair of neighbours (a, b) as (−b, a)."""
        return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)

    def forward(self, hidden_states: Tensor, cache: Cache | None = None) -> Tensor:
        B, T, C = hidden_states.size()
        past = cache.length if cache is not None else 0
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        heads = functional.linear(hidden_states, weight).view(B, T, -1, self.head_dim)
        sizes = [self.n_head, self.n_kv_head, self.n_kv_head]
        q, k, v = torch.split(heads.transpose(1, 2), sizes, dim=1)
        inv_freq = 10000 ** -(torch.arange(0, self.head_dim, 2).float() / self.head_dim)
        sinusoid = torch.einsum("i,j->ij", torch.arange(past, past + T).float(), inv_freq)
        sinusoid = sinusoid.repeat_interleave(2, dim=-1)
        sin, cos = sinusoid.sin().to(q.dtype), sinusoid.cos().to(q.dtype)
        q = q * cos + self.rotate_every_two(q) * sin
        k = k * cos + self.rotate_every_two(k) * sin
        if cache is not None:
            k, v = cache.append(k, v)
        q_idx = torch.arange(past, past + T)[:, None]
        y = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=q_idx >= torch.arange(past + T), enable_gqa=self.n_head != len(k[0])
        )
        result: Tensor = self.out_proj(y.transpose(1, 2).contiguous().view(B, T, C))
        return result


@gpt.accepts
class AsNanoGPT(nn.Module):
    """A layer for the logits whose weights are tied, and an initialisation for all modules."""

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        d_hidden: int,
        num_blocks: int,
        parts: Parts = LIBRARY,
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, d_model)
        self.blocks = nn.ModuleList(
            [
                RotaryBlock(d_model, num_heads, num_kv_heads, d_hidden, parts)
                for _ in range(num_blocks)
            ]
        )
        self.norm = parts.RMSNorm(d_model)
        self.lm_head = nn.Linear(d_model, vocabulary, bias=False)
        self.tokens.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        x = self.tokens(idx)
        for i, block in enumerate(self.blocks):
            x = block(x, caches[i] if caches is not None else None)
        x = self.norm(x)
        logits: Tensor = self.lm_head(x)
        return logits


@gpt.accepts
class AsHuggingFace(nn.Module):
    """past_key_values for each layer, and the embedding's matrix by functional.linear."""

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        d_hidden: int,
        num_blocks: int,
        parts: Parts = LIBRARY,
    ):
        super().__init__()
        self.config = {
            "d_model": d_model,
            "num_heads": num_heads,
            "num_kv_heads": num_kv_heads,
            "d_hidden": d_hidden,
            "parts": parts,
        }
        self.tokens = nn.Embedding(vocabulary, d_model, padding_idx=None)
        self.tokens.weight.data.normal_(mean=0.0, std=0.02)
        self.blocks = nn.ModuleList()
        for _layer_idx in range(num_blocks):
            self.blocks.append(RotaryBlock(**self.config))  # type: ignore[arg-type]
        self.norm = parts.RMSNorm(d_model)

    def forward(self, input_ids: Tensor, past_key_values: Sequence[Cache] | None = None) -> Tensor:
        hidden_states = self.tokens(input_ids)
        layer_pasts: Sequence[Cache | None] = past_key_values or tuple([None] * len(self.blocks))
        for block, layer_past in zip(self.blocks, layer_pasts, strict=True):
            hidden_states = block(hidden_states, layer_past)
        hidden_states = self.norm(hidden_states)
        return functional.linear(hidden_states, self.tokens.weight)
