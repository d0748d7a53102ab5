"""Right answers to `GroupedQueryAttention` in other styles, lesson 07."""

import torch
from torch import nn

from solutions.exams.grouped_query_attention._specimens import future, hide
from solutions.exams.grouped_query_attention.grouped_query_attention.exam import grouped


@grouped.accepts
class GroupedByView(nn.Module):
    """The queries viewed as (shares, heads per share), in parameters; nothing is repeated."""

    hidden: torch.Tensor

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
        if d_out % num_heads != 0 or num_heads % num_kv_heads != 0:
            raise ValueError("sizes do not fit")
        self.num_kv_heads, self.head_dim, self.qkv_bias = num_kv_heads, d_out // num_heads, qkv_bias
        width = num_kv_heads * self.head_dim
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, width))
        self.W_value = nn.Parameter(torch.rand(d_in, width))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(width))
            self.W_value_bias = nn.Parameter(torch.zeros(width))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("hidden", future(context_length), persistent=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        batch, tokens, _ = inputs.shape
        queries, keys, values = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        if self.qkv_bias:
            queries = queries + self.W_query_bias
            keys, values = keys + self.W_key_bias, values + self.W_value_bias
        queries = queries.view(batch, tokens, self.num_kv_heads, -1, self.head_dim)
        keys = keys.view(batch, tokens, self.num_kv_heads, self.head_dim)
        values = values.view(batch, tokens, self.num_kv_heads, self.head_dim)
        scores = torch.einsum("bqgrd,bkgd->bgrqk", queries, keys) / self.head_dim**0.5
        weights = self.dropout(hide(scores, self.hidden[:tokens, :tokens]))
        context = torch.einsum("bgrqk,bkgd->bqgrd", weights, values)
        result: torch.Tensor = self.out_proj(context.reshape(batch, tokens, -1))
        return result


@grouped.accepts
class GroupedInLoops(nn.Module):
    """A loop over the query heads, each with its slice of the keys and values."""

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
        if num_heads % num_kv_heads:
            raise ValueError("heads can't be shared evenly")
        if d_out % num_heads:
            raise ValueError("heads can't be equally wide")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.n_rep = num_heads // num_kv_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries = self.W_query(inputs).split(self.head_dim, dim=-1)
        keys = self.W_key(inputs).split(self.head_dim, dim=-1)
        values = self.W_value(inputs).split(self.head_dim, dim=-1)
        contexts = []
        for head in range(self.num_heads):
            shared = head // self.n_rep
            scores = queries[head] @ keys[shared].transpose(1, 2) / self.head_dim**0.5
            weights = self.dropout(hide(scores, future(inputs.shape[1])))
            contexts.append(weights @ values[shared])
        joined: torch.Tensor = self.out_proj(torch.cat(contexts, dim=-1))
        return joined


@grouped.accepts
class GroupedByIndex(nn.Module):
    """The number of each query head's key/value head, and a mask that is added."""

    mask: torch.Tensor
    shared: torch.Tensor

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
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("not a multiple")
        self.num_heads, self.num_kv_heads, self.p = num_heads, num_kv_heads, dropout
        width = d_out // num_heads * num_kv_heads
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, width, qkv_bias)
        self.W_value = nn.Linear(d_in, width, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("shared", torch.arange(num_heads) * num_kv_heads // num_heads)
        everything = torch.full((context_length, context_length), -torch.inf)
        self.register_buffer("mask", everything.triu(1))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        tokens = inputs.shape[1]
        queries = self.W_query(inputs).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        keys = self.W_key(inputs).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
        values = self.W_value(inputs).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
        scores = queries @ keys[:, self.shared].mT / queries.shape[-1] ** 0.5
        weights = (scores + self.mask[:tokens, :tokens]).softmax(-1)
        weights = nn.functional.dropout(weights, self.p, training=self.training)
        context = weights @ values[:, self.shared]
        joined: torch.Tensor = self.out_proj(context.transpose(1, 2).flatten(2))
        return joined
