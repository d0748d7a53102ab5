"""`CausalAttention` in steps, of which each misconception gets one wrong; lesson 04."""

import torch
from torch import nn

from solutions.exams.families import Dropping, Keeping, Projecting


class Variant(Dropping, Projecting, Keeping):
    """Causal attention in steps, for misconceptions to get one of them wrong."""

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.d_in = d_in
        query_bias, key_bias, value_bias = self.biased(qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=query_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=key_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=value_bias)
        self.dropout = nn.Dropout(self.rate(dropout))
        self.keep(self.future(context_length, context_length))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries, keys, values = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        return self.attend(queries, keys, values, self.cut(inputs.shape[1]))
