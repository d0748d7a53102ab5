"""Right answers to `MultiQueryAttention` in other styles, lesson 07."""

import torch
from torch import nn

from solutions.exams.grouped_query_attention._specimens import future, hide
from solutions.exams.grouped_query_attention.multi_query_attention.exam import single


@single.accepts
class SingleByBroadcasting(nn.Module):
    """One key/value head that broadcasts over the query heads, in parameters."""

    hidden: torch.Tensor

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
            raise ValueError("d_out must be divisible by num_heads")
        self.num_heads, self.head_dim, self.qkv_bias = num_heads, d_out // num_heads, qkv_bias
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, self.head_dim))
        self.W_value = nn.Parameter(torch.rand(d_in, self.head_dim))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(self.head_dim))
            self.W_value_bias = nn.Parameter(torch.zeros(self.head_dim))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("hidden", future(context_length), persistent=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        batch, tokens, _ = inputs.shape
        queries, keys, values = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        if self.qkv_bias:
            queries = queries + self.W_query_bias
            keys, values = keys + self.W_key_bias, values + self.W_value_bias
        queries = queries.view(batch, tokens, self.num_heads, self.head_dim)
        scores = torch.einsum("bqhd,bkd->bhqk", queries, keys) / self.head_dim**0.5
        weights = self.dropout(hide(scores, self.hidden[:tokens, :tokens]))
        context = torch.einsum("bhqk,bkd->bqhd", weights, values)
        result: torch.Tensor = self.out_proj(context.reshape(batch, tokens, -1))
        return result


@single.accepts
class SingleInLoops(nn.Module):
    """A loop over the query heads."""

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
        self.head_dim, rest = divmod(d_out, num_heads)
        if rest:
            raise ValueError(f"{num_heads} heads do not divide {d_out}")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        keys, values = self.W_key(inputs), self.W_value(inputs)
        contexts = []
        for queries in self.W_query(inputs).split(self.head_dim, dim=-1):
            scores = queries @ keys.mT * self.head_dim**-0.5
            weights = hide(scores, future(inputs.shape[1]))
            contexts.append(self.dropout(weights) @ values)
        joined: torch.Tensor = self.out_proj(torch.cat(contexts, dim=-1))
        return joined


@single.accepts
class SingleWithAddedMask(nn.Module):
    """Keys expanded over the query heads, the scale in the queries, and a mask that is added."""

    mask: torch.Tensor

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
            raise ValueError("the heads can't be equally wide")
        self.num_heads, self.p = num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out // num_heads, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out // num_heads, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        everything = torch.full((context_length, context_length), -torch.inf)
        self.register_buffer("mask", everything.triu(1))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        tokens = inputs.shape[1]
        queries = self.W_query(inputs).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        keys = self.W_key(inputs).unsqueeze(1).expand_as(queries)
        values = self.W_value(inputs).unsqueeze(1).expand_as(queries)
        scores = (queries * queries.shape[-1] ** -0.5) @ keys.mT + self.mask[:tokens, :tokens]
        weights = nn.functional.dropout(scores.softmax(-1), self.p, training=self.training)
        joined: torch.Tensor = self.out_proj((weights @ values).transpose(1, 2).flatten(2))
        return joined
