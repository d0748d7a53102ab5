"""Right answers to `EncoderBlock` in other styles, lesson 09."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention

from solutions.exams.transformer.encoder_block.exam import encoder


class Parts(nn.Module):
    """The parts of the block, for the classes below to put together."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)


@encoder.accepts
class LikeTheLibrary(Parts):
    """A method for each part, and a dropout for each."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        x = self.norm1(inputs + self._attend(inputs, padding))
        result: Tensor = self.norm2(x + self._feed(x))
        return result

    def _attend(self, x: Tensor, padding: Tensor | None) -> Tensor:
        found: Tensor = self.dropout1(self.self_attn(x, x, x, key_padding_mask=padding)[0])
        return found

    def _feed(self, x: Tensor) -> Tensor:
        found: Tensor = self.dropout2(self.linear2(functional.relu(self.linear1(x))))
        return found


@encoder.accepts
class InHeads(Parts):
    """The heads written out, with PyTorch's function and a mask in which True means visible."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        batch, tokens, d_model = inputs.shape
        attn = self.self_attn
        qkv = functional.linear(inputs, attn.in_proj_weight, attn.in_proj_bias)
        q, k, v = qkv.view(batch, tokens, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        visible = None if padding is None else ~padding[:, None, None, :]
        heads = scaled_dot_product_attention(q, k, v, attn_mask=visible)
        attended = attn.out_proj(heads.transpose(1, 2).reshape(batch, tokens, d_model))
        x = self.norm1(inputs + self.dropout1(attended))
        fed = self.linear2(self.linear1(x).clamp(min=0))
        result: Tensor = self.norm2(x + self.dropout2(fed))
        return result


@encoder.accepts
class HeadByHead(Parts):
    """A loop over the heads, with a softmax of its own."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        weights = self.self_attn.in_proj_weight.chunk(3)
        biases = self.self_attn.in_proj_bias.chunk(3)
        q, k, v = (inputs @ w.T + b for w, b in zip(weights, biases, strict=True))
        size, heads = inputs.shape[-1] // self.num_heads, []
        for head in range(self.num_heads):
            part = slice(head * size, (head + 1) * size)
            scores = q[..., part] @ k[..., part].transpose(1, 2) / size**0.5
            if padding is not None:
                scores = scores.masked_fill(padding.unsqueeze(1), -torch.inf)
            heads.append(scores.softmax(dim=-1) @ v[..., part])
        x = inputs + self.dropout1(self.self_attn.out_proj(torch.cat(heads, dim=-1)))
        x = self.norm1(x)
        x = x + self.dropout2(self.linear2(torch.relu(self.linear1(x))))
        result: Tensor = self.norm2(x)
        return result


@encoder.accepts
class ByEinsum(Parts):
    """einsum throughout, and functional.dropout."""

    def drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.p, training=self.training)

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        attn, d_model = self.self_attn, inputs.shape[-1]
        qkv = torch.einsum("btd,ed->bte", inputs, attn.in_proj_weight) + attn.in_proj_bias
        q, k, v = (
            torch.unflatten(x, -1, (self.num_heads, -1)) for x in torch.split(qkv, d_model, dim=-1)
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
        if padding is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = scores + padding[:, None, None].to(scores.dtype) * lowest
        heads = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).flatten(2)
        x = self.norm1(inputs + self.drop(attn.out_proj(heads)))
        hidden = torch.relu(torch.einsum("btd,hd->bth", x, self.linear1.weight) + self.linear1.bias)
        fed = torch.einsum("bth,dh->btd", hidden, self.linear2.weight) + self.linear2.bias
        result: Tensor = self.norm2(x + self.drop(fed))
        return result


@encoder.accepts
class SentenceBySentence(Parts):
    """A loop over the sentences, whose padding is cut away before they are read."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        attended = torch.zeros_like(inputs)
        for number, sentence in enumerate(inputs):
            words = sentence if padding is None else sentence[~padding[number]]
            attended[number] = self.self_attn(sentence, words, words)[0]
        x = self.norm1(inputs + self.dropout1(attended))
        result: Tensor = self.norm2(x + self.dropout2(self.linear2(self.linear1(x).relu())))
        return result
