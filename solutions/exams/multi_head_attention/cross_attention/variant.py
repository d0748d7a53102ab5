"""`CrossAttention` in steps, for its misconceptions, lesson 05."""

from torch import Tensor, nn

from solutions.exams.families import Dropping, Heads, Projecting


class Variant(Heads, Dropping, Projecting, nn.Module):
    """Cross-attention in steps, for misconceptions to get one of them wrong."""

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
        self.head_dim, self.d_in = d_out // num_heads, d_encoder
        query_bias, key_bias, value_bias = self.biased(qkv_bias)
        self.W_query = nn.Linear(d_decoder, d_out, bias=query_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=key_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=value_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(self.rate(dropout))

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        hidden = None if padding is None else self.hidden(padding)
        return self.attend_in_heads(*self.projected(decoder, encoder), hidden)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(encoder), self.W_value(encoder)

    def hidden(self, padding: Tensor) -> Tensor:
        return padding[:, None, None, :]

    def clean(self, weights: Tensor, hidden: Tensor) -> Tensor:
        return weights.masked_fill(hidden, 0)

    def project(self, contexts: Tensor) -> Tensor:
        projected: Tensor = self.out_proj(contexts)
        return projected
