"""Right answers to `GPTBlock` in other styles, lesson 09."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention

from solutions.exams.transformer.gpt_block.exam import gpt


class Parts(nn.Module):
    """The parts of the block, for the classes below to put together."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)


@gpt.accepts
class InTwoLines(Parts):
    """A method for each part, and an activation that is a module."""

    def forward(self, inputs: Tensor) -> Tensor:
        x = inputs + self.attended(self.norm1(inputs))
        return x + self.fed(self.norm2(x))

    def attended(self, x: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.size(1), dtype=x.dtype)
        found: Tensor = self.dropout1(self.self_attn(x, x, x, attn_mask=mask, is_causal=True)[0])
        return found

    def fed(self, x: Tensor) -> Tensor:
        layers = nn.Sequential(self.linear1, nn.GELU(), self.linear2, self.dropout2)
        found: Tensor = layers(x)
        return found


@gpt.accepts
class InHeads(Parts):
    """The heads written out, with PyTorch's function."""

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.size()
        qkv = functional.linear(
            self.norm1(x), self.self_attn.in_proj_weight, self.self_attn.in_proj_bias
        )
        q, k, v = (
            part.view(batch, tokens, self.num_heads, width // self.num_heads).transpose(1, 2)
            for part in torch.chunk(qkv, 3, dim=-1)
        )
        y = scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).contiguous().view(batch, tokens, width)
        x = x + self.dropout1(self.self_attn.out_proj(y))
        return x + self.dropout2(self.linear2(functional.gelu(self.linear1(self.norm2(x)))))


@gpt.accepts
class HeadByHead(Parts):
    """A loop over the heads, GELU by the error function, and functional.dropout."""

    def forward(self, inputs: Tensor) -> Tensor:
        normed, width = self.norm1(inputs), inputs.shape[-1]
        weight, bias = self.self_attn.in_proj_weight, self.self_attn.in_proj_bias
        q, k, v = (
            normed @ weight[n * width : (n + 1) * width].T + bias[n * width : (n + 1) * width]
            for n in range(3)
        )
        size, tokens, heads = width // self.num_heads, torch.arange(inputs.shape[1]), []
        for first in range(0, width, size):
            part = slice(first, first + size)
            scores = q[..., part] @ k[..., part].mT / math.sqrt(size)
            scores = scores.masked_fill(tokens > tokens.unsqueeze(1), -torch.inf)
            heads.append(torch.softmax(scores, dim=-1) @ v[..., part])
        attended = self.self_attn.out_proj(torch.cat(heads, dim=-1))
        x = inputs + functional.dropout(attended, self.p, self.training)
        hidden = self.linear1(self.norm2(x))
        hidden = hidden * 0.5 * (1 + torch.erf(hidden / math.sqrt(2)))
        return x + functional.dropout(self.linear2(hidden), self.p, self.training)


@gpt.accepts
class TokenByToken(Parts):
    """Each token attends to the tokens up to itself, so there is no mask."""

    def forward(self, inputs: Tensor) -> Tensor:
        normed, rows = self.norm1(inputs), []
        for i in range(inputs.shape[1]):
            past = normed[:, : i + 1]
            rows.append(self.self_attn(normed[:, i : i + 1], past, past)[0])
        x = inputs + self.dropout1(torch.cat(rows, dim=1))
        x = x + self.dropout2(self.linear2(nn.GELU()(self.linear1(self.norm2(x)))))
        return x


@gpt.accepts
class ByEinsum(Parts):
    """einsum throughout, and a mask that is added."""

    def forward(self, inputs: Tensor) -> Tensor:
        weights = torch.unflatten(self.self_attn.in_proj_weight, 0, (3, self.num_heads, -1))
        biases = torch.unflatten(self.self_attn.in_proj_bias, 0, (3, self.num_heads, 1, -1))
        q, k, v = torch.einsum("btd,phed->pbhte", self.norm1(inputs), weights) + biases[:, None]
        scores = torch.einsum("bhqe,bhke->bhqk", q, k) * q.shape[-1] ** -0.5
        scores = scores + torch.full_like(scores[0, 0], -torch.inf).triu(1)
        heads = torch.einsum("bhqk,bhke->bqhe", scores.softmax(-1), v).flatten(2)
        x = inputs + self.dropout1(self.self_attn.out_proj(heads))
        hidden = torch.einsum("btd,hd->bth", self.norm2(x), self.linear1.weight)
        hidden = functional.gelu(hidden + self.linear1.bias)
        fed = torch.einsum("bth,dh->btd", hidden, self.linear2.weight) + self.linear2.bias
        return x + self.dropout2(fed)
