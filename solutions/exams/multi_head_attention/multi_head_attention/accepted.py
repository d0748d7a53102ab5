"""Right answers to `MultiHeadAttention` in other styles, lesson 05."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from solutions.exams.multi_head_attention._specimens import future, split
from solutions.exams.multi_head_attention.multi_head_attention.exam import batched


@batched.accepts
class LikeTheDocuments(nn.Module):
    """view and transpose, a mask of floats, the scale inside the softmax, an assert."""

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
        assert d_out % num_heads == 0, "d_out must be a multiple of num_heads"
        self.d_out, self.heads, self.width = d_out, num_heads, d_out // num_heads
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        k = self.W_key(x).view(b, n, self.heads, self.width).transpose(1, 2)
        q = self.W_query(x).view(b, n, self.heads, self.width).transpose(1, 2)
        v = self.W_value(x).view(b, n, self.heads, self.width).transpose(1, 2)
        scores = q @ k.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        weights = self.dropout(torch.softmax(scores / self.width**0.5, dim=-1))
        merged = (weights @ v).transpose(1, 2).contiguous().view(b, n, self.d_out)
        projected: Tensor = self.out_proj(merged)
        return projected


@batched.accepts
class WithParameters(nn.Module):
    """nn.Parameter of shape (d_in, d_out), and einsum."""

    hidden: Tensor

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
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(d_out))
            self.W_value_bias = nn.Parameter(torch.zeros(d_out))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.num_heads, self.qkv_bias = num_heads, qkv_bias
        self.register_buffer("hidden", future(context_length), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.qkv_bias:
            q, k, v = q + self.W_query_bias, k + self.W_key_bias, v + self.W_value_bias
        q, k, v = (part.reshape(*part.shape[:2], self.num_heads, -1) for part in (q, k, v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        hidden = self.hidden[: x.shape[1], : x.shape[1]]
        weights = self.dropout(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1))
        projected: Tensor = self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
        return projected


@batched.accepts
class LibraryCall(nn.Module):
    """PyTorch's scaled_dot_product_attention."""

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
        if d_out % num_heads != 0:
            raise ValueError("d_out % num_heads != 0")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p, self.h = dropout, num_heads

    def forward(self, x: Tensor) -> Tensor:
        layers = (self.W_query, self.W_key, self.W_value)
        q, k, v = (split(layer(x), self.h) for layer in layers)
        p = self.p if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        projected: Tensor = self.out_proj(found.transpose(1, 2).flatten(2))
        return projected


@batched.accepts
class LoopOverHeads(nn.Module):
    """A loop over slices of the features."""

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
        if d_out % num_heads:
            raise ValueError("not divisible")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.width = d_out // num_heads

    def forward(self, x: Tensor) -> Tensor:
        layers = (self.W_query, self.W_key, self.W_value)
        parts = (layer(x).split(self.width, dim=-1) for layer in layers)
        found = []
        for q, k, v in zip(*parts, strict=True):
            scores = q @ k.transpose(1, 2) / math.sqrt(self.width)
            scores = scores.masked_fill(future(x.shape[1]), float("-inf"))
            found.append(self.dropout(scores.softmax(dim=-1)) @ v)
        projected: Tensor = self.out_proj(torch.cat(found, dim=-1))
        return projected
