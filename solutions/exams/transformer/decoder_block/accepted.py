"""Right answers to `DecoderBlock` in other styles, lesson 09."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention

from solutions.exams.transformer.decoder_block.exam import decoder


class Parts(nn.Module):
    """The parts of the block, for the classes below to put together."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)


@decoder.accepts
class LikeTheLibrary(Parts):
    """The library's mask of −∞, the hint is_causal, and a dropout for each part."""

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(inputs.size(1), dtype=inputs.dtype)
        attended = self.self_attn(inputs, inputs, inputs, attn_mask=mask, is_causal=True)[0]
        x = self.norm1(inputs + self.dropout1(attended))
        read = self.multihead_attn(x, memory, memory, key_padding_mask=padding)[0]
        x = self.norm2(x + self.dropout2(read))
        fed = self.linear2(functional.relu(self.linear1(x)))
        result: Tensor = self.norm3(x + self.dropout3(fed))
        return result


@decoder.accepts
class InHeads(Parts):
    """The heads written out, with PyTorch's function."""

    def heads(
        self, attn: nn.MultiheadAttention, x: Tensor, context: Tensor, visible: Tensor | None
    ) -> Tensor:
        w_q, w_k, w_v = attn.in_proj_weight.chunk(3)
        b_q, b_k, b_v = attn.in_proj_bias.chunk(3)
        q, k, v = (
            functional.linear(given, w, b).view(len(x), given.shape[1], self.num_heads, -1)
            for given, w, b in ((x, w_q, b_q), (context, w_k, b_k), (context, w_v, b_v))
        )
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        found = scaled_dot_product_attention(q, k, v, attn_mask=visible, is_causal=x is context)
        result: Tensor = attn.out_proj(found.transpose(1, 2).flatten(2))
        return result

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        attended = self.heads(self.self_attn, inputs, inputs, None)
        x = self.norm1(self.dropout1(attended) + inputs)
        visible = None if padding is None else ~padding[:, None, None]
        x = self.norm2(self.dropout2(self.heads(self.multihead_attn, x, memory, visible)) + x)
        result: Tensor = self.norm3(self.dropout3(self.linear2(self.linear1(x).relu())) + x)
        return result


@decoder.accepts
class HeadByHead(Parts):
    """A loop over the heads, with a softmax of its own, and functional.dropout."""

    def mix(
        self, attn: nn.MultiheadAttention, x: Tensor, context: Tensor, hidden: Tensor
    ) -> Tensor:
        size, heads = x.shape[-1] // self.num_heads, []
        w_q, w_k, w_v = attn.in_proj_weight.split(x.shape[-1])  # type: ignore[no-untyped-call]
        b_q, b_k, b_v = attn.in_proj_bias.split(x.shape[-1])  # type: ignore[no-untyped-call]
        for first in range(0, x.shape[-1], size):
            part = slice(first, first + size)
            q = x @ w_q[part].T + b_q[part]
            k, v = context @ w_k[part].T + b_k[part], context @ w_v[part].T + b_v[part]
            scores = (q @ k.mT / size**0.5).masked_fill(hidden, -torch.inf)
            heads.append(scores.softmax(dim=-1) @ v)
        projected = attn.out_proj(torch.cat(heads, dim=-1))
        return functional.dropout(projected, self.p, self.training)

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        tokens = torch.arange(inputs.shape[1])
        x = self.norm1(inputs + self.mix(self.self_attn, inputs, inputs, tokens > tokens[:, None]))
        if padding is None:
            padding = torch.zeros(memory.shape[:2], dtype=torch.bool)
        x = self.norm2(x + self.mix(self.multihead_attn, x, memory, padding.unsqueeze(1)))
        fed = self.linear2(torch.relu(self.linear1(x)))
        result: Tensor = self.norm3(x + functional.dropout(fed, self.p, self.training))
        return result


@decoder.accepts
class TokenByToken(Parts):
    """Each token attends to the tokens up to itself, so there is no mask."""

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        rows = []
        for i in range(inputs.shape[1]):
            past = inputs[:, : i + 1]
            rows.append(self.self_attn(past[:, -1:], past, past, need_weights=False)[0])
        x = self.norm1(inputs + self.dropout1(torch.cat(rows, dim=1)))
        x = self.norm2(x + self.dropout2(self.multihead_attn(x, memory, memory, padding)[0]))
        result: Tensor = self.norm3(x + self.dropout3(self.linear2(self.linear1(x).clamp(0))))
        return result


@decoder.accepts
class InTurn(Parts):
    """A function for what stands around each part."""

    def forward(self, inputs: Tensor, memory: Tensor, padding: Tensor | None = None) -> Tensor:
        hidden = torch.full((inputs.shape[1],) * 2, -torch.inf, dtype=inputs.dtype).triu(1)

        def around(number: int, x: Tensor, made: Tensor) -> Tensor:
            dropped = getattr(self, f"dropout{number}")(made)
            summed: Tensor = getattr(self, f"norm{number}")(x + dropped)
            return summed

        x = around(1, inputs, self.self_attn(inputs, inputs, inputs, attn_mask=hidden)[0])
        x = around(2, x, self.multihead_attn(x, memory, memory, key_padding_mask=padding)[0])
        return around(3, x, self.linear2(functional.relu(self.linear1(x))))
