"""Norms and blocks as published code has them, lesson 09."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.transformer.decoder_block import decoder
from solutions.exams.transformer.encoder_block import encoder
from solutions.exams.transformer.feed_forward import fed
from solutions.exams.transformer.gpt_block import gpt
from solutions.exams.transformer.layer_norm import norm
from solutions.exams.transformer.repaired_residual_stream import repaired
from solutions.exams.transformer.rms_norm import rms


@norm.accepts
class InFloat32(nn.Module):
    """The deviations squared by pow, in float32, then put back into the dtype of the inputs."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.variance_epsilon = eps

    def forward(self, x: Tensor) -> Tensor:
        given, x = x.dtype, x.float()
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.variance_epsilon)
        return self.weight * x.to(given) + self.bias


@norm.accepts
class ByShape(nn.Module):
    """A shape of features, and addcmul."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.normalized_shape, self.eps = (d_model,), eps
        self.weight = nn.Parameter(torch.empty(self.normalized_shape))
        self.bias = nn.Parameter(torch.empty(self.normalized_shape))
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        dims = tuple(range(-len(self.normalized_shape), 0))
        mean = x.mean(dims, keepdim=True)
        var = torch.var(x, dims, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean).div(var.add(self.eps).sqrt()), self.weight)


@rms.accepts
class LikeLlama(nn.Module):
    """A method that normalises, in float32, and type_as."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def _norm(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x: Tensor) -> Tensor:
        output = self._norm(x.float()).type_as(x)
        return output * self.weight


@rms.accepts
class LikeT5(LikeLlama):
    """The mean of the squares in float32, and the weight at the end."""

    def forward(self, hidden_states: Tensor) -> Tensor:
        variance = hidden_states.to(torch.float32).pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.eps)
        return self.weight * hidden_states.to(self.weight.dtype)


@fed.accepts
class ByAddmm(nn.Module):
    """All tokens in one matrix, and addmm."""

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.act: Callable[[Tensor], Tensor] = functional.relu

    def forward(self, x: Tensor) -> Tensor:
        flat = x.view(-1, x.size(-1))
        h = self.act(torch.addmm(self.linear1.bias, flat, self.linear1.weight.t()))
        h = torch.addmm(self.linear2.bias, h, self.linear2.weight.t())
        return h.view(*x.size()[:-1], -1)


@fed.accepts
class ByConvolution(ByAddmm):
    """Two convolutions with kernel size 1."""

    def forward(self, x: Tensor) -> Tensor:
        y = functional.conv1d(x.transpose(1, 2), self.linear1.weight[..., None], self.linear1.bias)
        y = functional.relu(y, inplace=True)
        y = functional.conv1d(y, self.linear2.weight[..., None], self.linear2.bias)
        return y.transpose(1, 2)


class Parts(nn.Module):
    """The parts of a block of two, for the classes below to put together."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.n_head = num_heads
        self.self_attn = nn.MultiheadAttention(d_model, num_heads, dropout=0.0, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)
        self.resid_drop = nn.Dropout(dropout)


@encoder.accepts
class LikeTheAnnotated(Parts):
    """What stands around a part as a function of the part, which is given as a lambda."""

    def sublayer(self, x: Tensor, part: Callable[[Tensor], Tensor], norm: nn.LayerNorm) -> Tensor:
        normed: Tensor = norm(x + self.resid_drop(part(x)))
        return normed

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        x = self.sublayer(
            inputs, lambda x: self.self_attn(x, x, x, key_padding_mask=padding)[0], self.norm1
        )
        return self.sublayer(x, lambda x: self.linear2(self.linear1(x).relu()), self.norm2)


@encoder.accepts
class LikeBert(Parts):
    """An extended mask of large negative numbers, transpose_for_scores, and hidden_states."""

    def transpose_for_scores(self, x: Tensor) -> Tensor:
        new_shape = (*x.size()[:-1], self.n_head, x.size(-1) // self.n_head)
        return x.view(new_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states: Tensor, padding: Tensor | None = None) -> Tensor:
        mixed = functional.linear(
            hidden_states, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias
        )
        query, key, value = map(self.transpose_for_scores, mixed.chunk(3, dim=-1))
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
        if padding is not None:
            attention_mask = (~padding)[:, None, None, :].to(dtype=scores.dtype)
            scores = scores + (1.0 - attention_mask) * torch.finfo(scores.dtype).min
        context = torch.matmul(nn.Softmax(dim=-1)(scores), value)
        context = context.permute(0, 2, 1, 3).contiguous()
        context = context.view(*context.size()[:-2], -1)
        output = self.resid_drop(self.self_attn.out_proj(context))
        attention_output = self.norm1(output + hidden_states)
        intermediate = functional.relu(self.linear1(attention_output))
        layer_output = self.resid_drop(self.linear2(intermediate))
        result: Tensor = self.norm2(layer_output + attention_output)
        return result


@encoder.accepts
class FunctionalHeads(Parts):
    """The function behind nn.MultiheadAttention, tokens first."""

    def forward(self, inputs: Tensor, padding: Tensor | None = None) -> Tensor:
        x, attn = inputs.transpose(0, 1), self.self_attn
        residual = x
        x, _ = functional.multi_head_attention_forward(
            x,
            x,
            x,
            attn.embed_dim,
            attn.num_heads,
            attn.in_proj_weight,
            attn.in_proj_bias,
            None,
            None,
            False,
            0.0,
            attn.out_proj.weight,
            attn.out_proj.bias,
            training=self.training,
            key_padding_mask=padding,
            need_weights=False,
        )
        x = self.norm1(residual + functional.dropout(x, self.resid_drop.p, self.training))
        residual = x
        x = functional.relu(self.linear1(x))
        x = functional.dropout(self.linear2(x), p=self.resid_drop.p, training=self.training)
        result: Tensor = self.norm2(residual + x)
        return result.transpose(0, 1)


@decoder.accepts
class LikeBart(Parts):
    """The residual under a name, and masks that are added."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__(d_model, num_heads, d_hidden, dropout)
        self.multihead_attn = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.norm3 = nn.LayerNorm(d_model)
        self.p = dropout

    def attend(
        self, attn: nn.MultiheadAttention, x: Tensor, states: Tensor, mask: Tensor
    ) -> Tensor:
        bsz, tgt_len, width = x.size()
        weight_q, weight_kv = torch.tensor_split(attn.in_proj_weight, [width])
        bias_q, bias_kv = torch.tensor_split(attn.in_proj_bias, [width])
        q = functional.linear(x, weight_q, bias_q) * (width // self.n_head) ** -0.5
        k, v = functional.linear(states, weight_kv, bias_kv).chunk(2, dim=-1)
        q, k, v = (
            part.reshape(bsz, -1, self.n_head, width // self.n_head).transpose(1, 2)
            for part in (q, k, v)
        )
        weights = functional.softmax(torch.matmul(q, k.transpose(2, 3)) + mask, dim=-1)
        out = torch.matmul(weights, v).transpose(1, 2).reshape(bsz, tgt_len, width)
        projected: Tensor = attn.out_proj(out)
        return projected

    def forward(
        self, hidden_states: Tensor, memory: Tensor, padding: Tensor | None = None
    ) -> Tensor:
        lowest, tgt_len = torch.finfo(hidden_states.dtype).min, hidden_states.size(1)
        mask_cond = torch.arange(tgt_len)
        causal = torch.full((tgt_len, tgt_len), lowest, dtype=hidden_states.dtype)
        causal.masked_fill_(mask_cond < (mask_cond + 1).view(tgt_len, 1), 0)
        expanded = torch.zeros(1, 1, 1, 1, dtype=hidden_states.dtype)
        if padding is not None:
            expanded = padding[:, None, None, :].to(hidden_states.dtype) * lowest

        residual = hidden_states
        hidden_states = self.attend(self.self_attn, hidden_states, hidden_states, causal)
        hidden_states = functional.dropout(hidden_states, p=self.p, training=self.training)
        hidden_states = self.norm1(residual + hidden_states)

        residual = hidden_states
        hidden_states = self.attend(self.multihead_attn, hidden_states, memory, expanded)
        hidden_states = functional.dropout(hidden_states, p=self.p, training=self.training)
        hidden_states = self.norm2(residual + hidden_states)

        residual = hidden_states
        hidden_states = self.linear2(functional.relu(self.linear1(hidden_states)))
        hidden_states = functional.dropout(hidden_states, p=self.p, training=self.training)
        result: Tensor = self.norm3(residual + hidden_states)
        return result


@gpt.accepts
class LikeMinGPT(Parts):
    """A lower triangle of ones, of which the zeros are filled with −∞."""

    def attn(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        c_attn = functional.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        q, k, v = torch.split(c_attn, C, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        bias = torch.tril(torch.ones(T, T)).view(1, 1, T, T)
        att = functional.softmax(att.masked_fill(bias == 0, float("-inf")), dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        dropped: Tensor = self.resid_drop(self.self_attn.out_proj(y))
        return dropped

    def mlp(self, x: Tensor) -> Tensor:
        dropped: Tensor = self.resid_drop(self.linear2(functional.gelu(self.linear1(x))))
        return dropped

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


@gpt.accepts
class LikeNanoGPT(LikeMinGPT):
    """PyTorch's function, told is_causal."""

    def attn(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        qkv = functional.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        q, k, v = (part.view(B, T, self.n_head, -1).transpose(1, 2) for part in qkv.chunk(3, -1))
        y = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=None, dropout_p=0, is_causal=True
        )
        dropped: Tensor = self.resid_drop(
            self.self_attn.out_proj(y.transpose(1, 2).contiguous().view(B, T, C))
        )
        return dropped


@gpt.accepts
class LikeGPT2(Parts):
    """The residual under a name, and a boolean mask."""

    def forward(self, hidden_states: Tensor) -> Tensor:
        residual = hidden_states
        hidden_states = self.norm1(hidden_states)
        mask = torch.triu(torch.ones(hidden_states.size(1), hidden_states.size(1)), 1).bool()
        attn_outputs = self.self_attn(
            hidden_states, hidden_states, hidden_states, attn_mask=mask, need_weights=False
        )
        hidden_states = self.resid_drop(attn_outputs[0]) + residual

        residual = hidden_states
        hidden_states = self.linear1(self.norm2(hidden_states))
        feed_forward = self.resid_drop(self.linear2(functional.gelu(hidden_states)))
        result: Tensor = residual + feed_forward
        return result


@repaired.accepts
def residual_under_a_name(
    x: Tensor,
    layers: Sequence[Callable[[Tensor], Tensor]],
    norms: Sequence[Callable[[Tensor], Tensor]],
) -> Tensor:
    """The residual under a name, added at the end of each turn."""
    hidden_states = x
    for norm_before, layer in zip(norms, layers, strict=True):
        residual, hidden_states = hidden_states, norm_before(hidden_states)
        hidden_states = layer(hidden_states)
        hidden_states = residual + hidden_states
    return hidden_states
