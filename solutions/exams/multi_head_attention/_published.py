"""Right answers as published code has them, lesson 05."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.multi_head_attention.batch_the_heads import batching
from solutions.exams.multi_head_attention.count_parameters import counting
from solutions.exams.multi_head_attention.cross_attention import cross
from solutions.exams.multi_head_attention.head_weights import maps
from solutions.exams.multi_head_attention.is_blind_to_padding import blind
from solutions.exams.multi_head_attention.low_rank_value import thin
from solutions.exams.multi_head_attention.merge_heads import merging
from solutions.exams.multi_head_attention.multi_head_attention import batched
from solutions.exams.multi_head_attention.repaired_heads import repaired
from solutions.exams.multi_head_attention.split_heads import splitting
from solutions.exams.multi_head_attention.sum_over_heads import summing
from solutions.exams.multi_head_attention.to_torch import export

State = dict[str, Tensor]
PROJECTIONS = ("W_query", "W_key", "W_value")


@splitting.accepts
def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """permute and contiguous."""
    *size, d_out = x.size()
    if d_out % num_heads:
        raise ValueError(f"hidden size {d_out} is not a multiple of {num_heads} heads")
    return x.view(*size, num_heads, d_out // num_heads).permute(0, 2, 1, 3).contiguous()


@merging.accepts
def merged_by_view(x: Tensor) -> Tensor:
    """permute, contiguous and view."""
    x = x.permute(0, 2, 1, 3).contiguous()
    return x.view(*x.size()[:-2], -1)


@merging.accepts
def merged_by_unbinding(x: Tensor) -> Tensor:
    """The heads taken apart, and put side by side."""
    return torch.cat(torch.unbind(x, dim=1), dim=-1)


@maps.accepts
def maps_by_letters(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Letters, and a mask that is added."""
    (b, q, d), k = queries.shape, keys.shape[1]
    scores = torch.einsum(
        "bqhd,bkhd->bhqk",
        queries.view(b, q, num_heads, -1),
        keys.view(b, k, num_heads, -1),
    )
    bias = torch.zeros_like(hidden, dtype=queries.dtype).masked_fill(hidden, float("-inf"))
    bias = bias.expand(b, q, k).unsqueeze(1)
    return functional.softmax(scores * (d // num_heads) ** -0.5 + bias, dim=-1)


@maps.accepts
def maps_by_baddbmm(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Heads folded into the batch, mask and scale in one call."""
    b, q, d = queries.shape
    k, head_dim = keys.shape[1], d // num_heads
    folded_q = queries.reshape(b, q, num_heads, head_dim).transpose(1, 2).flatten(0, 1)
    folded_k = keys.reshape(b, k, num_heads, head_dim).permute(0, 2, 3, 1).flatten(0, 1)
    lowest = torch.finfo(queries.dtype).min
    mask = torch.zeros(b, q, k, dtype=queries.dtype).masked_fill(hidden, lowest)
    mask = mask.repeat_interleave(num_heads, dim=0)
    scores = torch.baddbmm(mask, folded_q, folded_k, beta=1.0, alpha=1 / math.sqrt(head_dim))
    return torch.softmax(scores, dim=-1).view(b, num_heads, q, k)


@repaired.accepts
def repaired_by_stacking(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """A chunk for each head."""
    q, k, v = (torch.stack(x.chunk(num_heads, dim=-1), dim=1) for x in (queries, keys, values))
    heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return torch.cat(list(heads.unbind(1)), dim=-1)


class Projected(nn.Module):
    """The three projections and the last one, for the classes below to attend with."""

    mask: Tensor

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
        assert d_out % num_heads == 0, "embed_dim must be divisible by num_heads"
        self.n_head, self.n_embd, self.p = num_heads, d_out, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        future = torch.full((context_length, context_length), float("-inf")).triu(1)
        self.register_buffer("mask", future, persistent=False)


@batched.accepts
class FusedHeads(Projected):
    """Three projections in one product, then PyTorch's function."""

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.size()
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
        qkv = functional.linear(x, weight, bias)
        q, k, v = (
            part.view(B, T, self.n_head, -1).transpose(1, 2)
            for part in torch.split(qkv, self.n_embd, dim=2)
        )
        y = functional.scaled_dot_product_attention(
            q, k, v, dropout_p=self.p if self.training else 0, is_causal=True
        )
        result: Tensor = self.out_proj(y.transpose(1, 2).contiguous().view(B, T, self.n_embd))
        return result


@batched.accepts
class FunctionalHeads(Projected):
    """The function behind nn.MultiheadAttention, given what is projected already."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x).transpose(0, 1) for layer in (self.W_query, self.W_key, self.W_value))
        identity = torch.eye(self.n_embd, dtype=x.dtype)
        out, _ = functional.multi_head_attention_forward(
            q,
            k,
            v,
            self.n_embd,
            self.n_head,
            in_proj_weight=None,
            in_proj_bias=None,
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=self.p,
            out_proj_weight=self.out_proj.weight,
            out_proj_bias=self.out_proj.bias,
            training=self.training,
            need_weights=False,
            attn_mask=self.mask[: len(q), : len(q)].to(x.dtype),
            use_separate_proj_weight=True,
            q_proj_weight=identity,
            k_proj_weight=identity,
            v_proj_weight=identity,
        )
        return out.transpose(0, 1)


@batched.accepts
class FoldedHeads(Projected):
    """Heads folded into the batch, bmm, the softmax in float32."""

    def fold(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        heads = x.reshape(B, T, self.n_head, -1).transpose(1, 2)
        return heads.reshape(B * self.n_head, T, -1)

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        q, k, v = map(self.fold, (self.W_query(x), self.W_key(x), self.W_value(x)))
        attn = torch.bmm(q * q.size(-1) ** -0.5, k.transpose(1, 2)) + self.mask[:T, :T]
        attn = functional.softmax(attn, dim=-1, dtype=torch.float32).to(x.dtype)
        attn = functional.dropout(attn, p=self.p, training=self.training)
        out = torch.bmm(attn, v).view(B, self.n_head, T, -1).permute(0, 2, 1, 3)
        result: Tensor = self.out_proj(out.reshape(B, T, self.n_embd))
        return result


@batching.accepts
def batched_by_vstack(state: State, num_heads: int) -> State:
    """torch.vstack, and an identity at the end."""
    merged = {
        f"{name}.weight": torch.vstack(
            [state[f"heads.{i}.{name}.weight"] for i in range(num_heads)]
        )
        for name in PROJECTIONS
    }
    like = merged["W_query.weight"]
    merged["out_proj.weight"] = torch.diag(like.new_ones(like.shape[0]))
    merged["out_proj.bias"] = like.new_zeros(like.shape[0])
    return merged


@export.accepts
def exported_in_place(state: State) -> State:
    """A tensor that is filled part by part."""
    embed_dim = state["W_query.weight"].size(0)
    in_proj = state["W_query.weight"].new_empty(3 * embed_dim, state["W_query.weight"].size(1))
    for i, name in enumerate(PROJECTIONS):
        in_proj[i * embed_dim : (i + 1) * embed_dim] = state[f"{name}.weight"]
    last = {key: value for key, value in state.items() if key.startswith("out_proj.")}
    return {
        "in_proj_weight": in_proj,
        "in_proj_bias": in_proj.new_zeros(3 * embed_dim),
        "out_proj.weight": last["out_proj.weight"],
        "out_proj.bias": last["out_proj.bias"],
    }


@counting.accepts
def counted_by_layers(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Layers made without memory, and their parameters counted."""
    layers = [nn.Linear(d_in, d_out, bias=qkv_bias, device="meta") for _ in range(3)]
    layers.append(nn.Linear(d_out, d_out, device="meta"))
    return sum(p.numel() for layer in layers for p in layer.parameters() if p.requires_grad)


@thin.accepts
def thin_by_letters(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """Letters, and sizes multiplied."""
    (d_model, rank), (_, d_out) = W_down.shape, W_up.shape
    full, low = d_model * d_out, rank * (d_model + d_out)
    return torch.einsum("dr,rm->dm", W_down, W_up), full - low


@summing.accepts
def summed_by_letters(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """All in one line of letters."""
    return torch.einsum("hqt,td,hde,hem->qm", weights, inputs, W_down, W_up)


@summing.accepts
def summed_by_bmm(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """Values first, then batches of products."""
    v = torch.bmm(inputs.expand(len(weights), -1, -1), W_down)
    return torch.bmm(torch.bmm(weights, v), W_up).sum(0)


@cross.accepts
class CrossInFloat32(nn.Module):
    """The lowest number of the dtype, and zeros where nothing is left to see."""

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
        self.h, self.d_k = num_heads, d_out // num_heads
        self.W_query = nn.LazyLinear(d_out, bias=qkv_bias)
        self.W_key = nn.LazyLinear(d_out, bias=qkv_bias)
        self.W_value = nn.LazyLinear(d_out, bias=qkv_bias)
        self.out_proj = nn.LazyLinear(d_out)
        self.attn_drop = nn.Dropout(dropout)

    def shape(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), -1, self.h, self.d_k).transpose(1, 2)

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        q, k, v = map(
            self.shape, (self.W_query(decoder), self.W_key(encoder), self.W_value(encoder))
        )
        scores = (torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)).float()
        hidden = torch.zeros(scores.size(0), 1, 1, 1, dtype=torch.bool)
        if padding is not None:
            hidden = padding.view(padding.size(0), 1, 1, padding.size(1))
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        p_attn = functional.softmax(scores, dim=-1).type_as(v) * hidden.logical_not()
        x = torch.matmul(self.attn_drop(p_attn), v).transpose(1, 2).contiguous()
        out: Tensor = self.out_proj(x.view(x.size(0), -1, self.h * self.d_k))
        return out


@blind.accepts
def blind_by_filling(
    attention: Callable[[Tensor, Tensor, Tensor], Tensor],
    queries: Tensor,
    context: Tensor,
    padding: Tensor,
) -> bool:
    """A copy with other numbers in the padding, torch.testing's assertion caught."""
    other = context.clone()
    other[padding] = other[padding] * 3 + 1.5
    try:
        torch.testing.assert_close(
            attention(queries, other, padding),
            attention(queries, context, padding),
            rtol=1e-5,
            atol=1e-8,
        )
    except AssertionError:
        return False
    return True
