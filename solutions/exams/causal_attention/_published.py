"""Right answers as published code has them, lesson 04."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.causal_attention.causal_and_padding_mask import padding
from solutions.exams.causal_attention.causal_attention import module
from solutions.exams.causal_attention.causal_attention_weights import weights
from solutions.exams.causal_attention.causal_column_weights import columns
from solutions.exams.causal_attention.causal_mask import mask
from solutions.exams.causal_attention.dropout import dropping
from solutions.exams.causal_attention.is_causal import causal
from solutions.exams.causal_attention.mask_then_renormalise import renormalised
from solutions.exams.causal_attention.masked_attention_weights import masked
from solutions.exams.causal_attention.next_token_examples import prefixes
from solutions.exams.causal_attention.repaired_causal_attention import repaired


@mask.accepts
def mask_of_infinities(num_tokens: int) -> Tensor:
    """The mask that is added, asked where it is infinite."""
    return torch.isinf(torch.full((num_tokens, num_tokens), float("-inf")).triu(1))


@mask.accepts
def mask_of_the_past(num_tokens: int) -> Tensor:
    """What is seen, turned round."""
    seen = torch.tril(torch.ones(num_tokens, num_tokens))
    return torch.eq(seen, 0)


@weights.accepts
def weights_with_added_mask(scores: Tensor) -> Tensor:
    """A mask of floats that is added."""
    future = torch.full_like(scores, -math.inf).triu(1)
    return functional.softmax(scores + future, dim=-1)


@weights.accepts
def weights_with_lowest_number(scores: Tensor) -> Tensor:
    """The lowest number of the dtype in place of minus infinity."""
    seq_len = scores.size(-1)
    causal = torch.ones(seq_len, seq_len).tril()
    filled = scores.masked_fill(causal == 0, torch.finfo(scores.dtype).min)
    return torch.softmax(filled.float(), dim=-1).type_as(scores)


@repaired.accepts
def repaired_by_torch(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """PyTorch's function, told to be causal."""
    return functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)


@repaired.accepts
def repaired_by_generated_mask(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The mask of nn.Transformer."""
    future = nn.Transformer.generate_square_subsequent_mask(keys.size(-2)).to(queries.dtype)
    scores = torch.einsum("...qd,...kd->...qk", queries, keys) / math.sqrt(queries.size(-1))
    return torch.einsum("...qk,...kd->...qd", torch.softmax(scores + future, dim=-1), values)


@renormalised.accepts
def renormalised_by_normalize(weights: Tensor) -> Tensor:
    """The 1-norm of each row."""
    return functional.normalize(weights.tril(), p=1.0, dim=-1)


@columns.accepts
def columns_as_rows(scores: Tensor) -> Tensor:
    """Turned, done by rows, turned back."""
    rows = scores.t() + torch.full_like(scores, -torch.inf).triu(1)
    return torch.log_softmax(rows, dim=-1).exp().t()


@padding.accepts
def padding_sentence_by_sentence(lengths: Tensor) -> Tensor:
    """A loop over the sentences."""
    max_len = int(lengths.max().item())
    masks = []
    for length in lengths.tolist():
        hidden = torch.ones(max_len, max_len).triu(1).bool()
        hidden[:, : max_len - length] = True
        masks.append(hidden)
    return torch.stack(masks)


@masked.accepts
def masked_without_nan(scores: Tensor, hidden: Tensor) -> Tensor:
    """NaN made 0 where a whole row is hidden."""
    attn = torch.where(hidden, float("-inf"), scores)
    return torch.nan_to_num(functional.softmax(attn, dim=-1), nan=0.0)


@masked.accepts
def masked_by_lowest_number(scores: Tensor, hidden: Tensor) -> Tensor:
    """The lowest number of the dtype, and zeros afterwards."""
    attn = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return attn * (~hidden).to(attn.dtype)


@dropping.accepts
def dropout_by_keeping(
    weights: Tensor, p: float, generator: torch.Generator, training: bool = True
) -> Tensor:
    """Zeros and ones drawn at once."""
    if not training or p == 0:
        return weights
    keep_mask = torch.empty_like(weights).bernoulli_(1 - p, generator=generator)
    return keep_mask * weights / (1.0 - p)


@module.accepts
class CausalByTorch(nn.Module):
    """PyTorch's function with the mask that is kept."""

    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout
        seen = torch.tril(torch.ones(context_length, context_length, dtype=torch.bool))
        self.register_buffer("mask", seen, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        _, T, _ = x.shape
        return functional.scaled_dot_product_attention(
            self.W_query(x),
            self.W_key(x),
            self.W_value(x),
            attn_mask=self.mask[:T, :T],
            dropout_p=self.p if self.training else 0.0,
        )


@module.accepts
class CausalByBaddbmm(nn.Module):
    """Lazy layers, and mask, product and scale in one call."""

    bias: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.LazyLinear(d_out, bias=qkv_bias)
        self.W_key = nn.LazyLinear(d_out, bias=qkv_bias)
        self.W_value = nn.LazyLinear(d_out, bias=qkv_bias)
        self.attn_dropout = nn.Dropout(p=dropout)
        future = torch.full((context_length, context_length), float("-inf")).triu(diagonal=1)
        self.register_buffer("bias", future)

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.size()
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        att = torch.baddbmm(
            self.bias[:T, :T].expand(B, T, T), q, k.transpose(1, 2), alpha=k.size(-1) ** -0.5
        )
        y: Tensor = torch.bmm(self.attn_dropout(functional.softmax(att, dim=-1)), v)
        return y


@causal.accepts
def causal_by_noise(attention: Callable[[Tensor], Tensor], inputs: Tensor) -> bool:
    """Another future behind each word, compared by torch.isclose."""
    before = attention(inputs)
    for t in range(inputs.size(1) - 1):
        future = 3 - 2 * inputs[:, t + 1 :]
        after = attention(torch.cat([inputs[:, : t + 1], future], dim=1))
        if not torch.isclose(after[:, : t + 1], before[:, : t + 1]).all():
            return False
    return True


@prefixes.accepts
def examples_by_narrow(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """torch.narrow, twice."""
    length = tokens.size(-1) - 1
    return tokens.narrow(-1, 0, length), tokens.narrow(-1, 1, length)
