"""`MultiHeadAttention` in steps, for its misconceptions, lesson 05."""

from torch import Tensor, nn

from solutions.exams.families import Dropping, Heads, Keeping, Projecting


class Variant(Heads, Dropping, Projecting, Keeping):
    """All heads at once in steps, for misconceptions to get one of them wrong."""

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
        self.check(d_out, num_heads)
        self.d_in, self.head_dim = d_in, d_out // num_heads
        query_bias, key_bias, value_bias = self.biased(qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=query_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=key_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=value_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(self.rate(dropout))
        self.keep(self.future(context_length, context_length))

    def check(self, d_out: int, num_heads: int) -> None:
        if d_out % num_heads:
            raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")

    def forward(self, inputs: Tensor) -> Tensor:
        queries, keys, values = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        return self.attend_in_heads(queries, keys, values, self.cut(inputs.shape[1]))

    def project(self, contexts: Tensor) -> Tensor:
        projected: Tensor = self.out_proj(contexts)
        return projected
