"""Right answers to `CausalAttention` in other styles, lesson 04."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from solutions.exams.causal_attention.causal_attention.exam import module


@module.accepts
class WithParameters(nn.Module):
    """nn.Parameter of shape (d_in, d_out)."""

    hidden: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(d_out))
            self.W_value_bias = nn.Parameter(torch.zeros(d_out))
        self.qkv_bias = qkv_bias
        self.dropout = nn.Dropout(dropout)
        places = torch.arange(context_length)
        self.register_buffer("hidden", places > places[:, None], persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[-2]
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.qkv_bias:
            queries = queries + self.W_query_bias
            keys = keys + self.W_key_bias
            values = values + self.W_value_bias
        scores = torch.einsum("bqd,bkd->bqk", queries, keys) / keys.shape[-1] ** 0.5
        weights = scores.masked_fill(self.hidden[:n, :n], float("-inf")).softmax(dim=-1)
        mixed: torch.Tensor = self.dropout(weights) @ values
        return mixed


@module.accepts
class FloatMaskInPlace(nn.Module):
    """A buffer of floats, filled in place, the scale inside the softmax."""

    mask: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, length, _ = x.shape
        attn_scores = self.W_query(x) @ self.W_key(x).mT
        attn_scores.masked_fill_(self.mask[:length, :length] > 0, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.d_out**0.5, -1)
        mixed: torch.Tensor = self.dropout(attn_weights) @ self.W_value(x)
        return mixed


@module.accepts
class LibraryCall(nn.Module):
    """PyTorch's scaled_dot_product_attention, with a mask of what is visible."""

    visible: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout
        ones = torch.ones(1, context_length, context_length, dtype=torch.bool)
        self.register_buffer("visible", ones.tril())

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        p, n = self.p if self.training else 0.0, inputs.shape[1]
        projected = (self.W_query(inputs), self.W_key(inputs), self.W_value(inputs))
        return scaled_dot_product_attention(*projected, self.visible[:, :n, :n], dropout_p=p)


@module.accepts
class TokenByToken(nn.Module):
    """A loop over the tokens, each with its row of the mask."""

    mask: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.d_k = d_out
        self.register_buffer(
            "mask", torch.full((context_length, context_length), -torch.inf).triu(1)
        )

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        contexts = []
        keys, values = self.W_key(inputs), self.W_value(inputs)
        for i in range(inputs.shape[1]):
            query = self.W_query(inputs[:, i : i + 1])
            scores = query @ keys.transpose(1, 2) / self.d_k**0.5
            scores = scores + self.mask[i, : inputs.shape[1]]
            contexts.append(self.dropout(torch.softmax(scores, dim=-1)) @ values)
        return torch.cat(contexts, dim=1)
