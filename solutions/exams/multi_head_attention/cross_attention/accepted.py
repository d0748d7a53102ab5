"""Right answers to `CrossAttention` in other styles, lesson 05."""

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from solutions.exams.multi_head_attention.cross_attention.exam import cross


@cross.accepts
class CrossByLoop(nn.Module):
    """A loop over the heads."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.width = d_out // num_heads

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        projected = self.W_query(decoder), self.W_key(encoder), self.W_value(encoder)
        found = []
        for q, k, v in zip(*(x.split(self.width, dim=-1) for x in projected), strict=True):
            weights = q @ k.transpose(1, 2) / self.width**0.5
            if padding is not None:
                weights = weights.masked_fill(padding[:, None], float("-inf"))
            weights = weights.softmax(dim=-1)
            if padding is not None:
                weights = torch.where(padding[:, None], torch.zeros_like(weights), weights)
            found.append(self.dropout(weights) @ v)
        out: Tensor = self.out_proj(torch.cat(found, dim=-1))
        return out


@cross.accepts
class CrossByLibrary(nn.Module):
    """PyTorch's scaled_dot_product_attention, which knows rows that are all hidden."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p, self.h = dropout, num_heads

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        projected = self.W_query(decoder), self.W_key(encoder), self.W_value(encoder)
        q, k, v = (x.reshape(*x.shape[:2], self.h, -1).transpose(1, 2) for x in projected)
        seen = None if padding is None else ~padding[:, None, None]
        p = self.p if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=p)
        out: Tensor = self.out_proj(found.transpose(1, 2).flatten(2))
        return out


@cross.accepts
class CrossByEinsum(nn.Module):
    """Parameters, einsum, and exponentials divided by at least a little."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_decoder, d_out))
        self.W_key = nn.Parameter(torch.randn(d_encoder, d_out))
        self.W_value = nn.Parameter(torch.randn(d_encoder, d_out))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(d_out))
            self.W_value_bias = nn.Parameter(torch.zeros(d_out))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.h, self.bias = num_heads, qkv_bias

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        q, k, v = decoder @ self.W_query, encoder @ self.W_key, encoder @ self.W_value
        if self.bias:
            q, k, v = q + self.W_query_bias, k + self.W_key_bias, v + self.W_value_bias
        q, k, v = (x.reshape(*x.shape[:2], self.h, -1) for x in (q, k, v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None], float("-inf"))
        highest = scores.amax(dim=-1, keepdim=True).detach().clamp(min=-1e30)
        shares = torch.exp(scores - highest)
        weights = self.dropout(shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-30))
        out: Tensor = self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
        return out
