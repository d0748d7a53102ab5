"""Right answers as published code has them, lesson 01."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.additive_attention.additive_attention import attention
from solutions.exams.additive_attention.additive_score import additive
from solutions.exams.additive_attention.bahdanau_step import bahdanau
from solutions.exams.additive_attention.concat_annotations import annotations
from solutions.exams.additive_attention.concat_score import concat
from solutions.exams.additive_attention.context_vector import context
from solutions.exams.additive_attention.local_weights import local
from solutions.exams.additive_attention.local_window import window
from solutions.exams.additive_attention.luong_score import scores
from solutions.exams.additive_attention.luong_step import luong
from solutions.exams.additive_attention.masked_softmax import masked
from solutions.exams.additive_attention.repaired_alignment import repaired

Network = Callable[[Tensor, Tensor], Tensor]


@annotations.accepts
def annotations_by_hstack(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """torch.hstack and flipud."""
    return torch.hstack((forward_states, torch.flipud(backward_states)))


@concat.accepts
def concat_by_repeat_and_linear(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """The state repeated for each word, as in many tutorials."""
    src_len = annotations.shape[0]
    repeated = state.unsqueeze(0).repeat(src_len, 1)
    energy = torch.tanh(functional.linear(torch.cat((repeated, annotations), dim=1), W.t()))
    return torch.mv(energy, v)


@additive.accepts
def additive_by_linear(
    query: Tensor, keys: Tensor, W_query: Tensor, W_key: Tensor, v: Tensor
) -> Tensor:
    """functional.linear, and features weighted and added."""
    features = functional.linear(query, W_query.T)[None, :] + functional.linear(keys, W_key.T)
    return (torch.tanh(features) * v).sum(-1)


@repaired.accepts
def repaired_by_letters(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """Letters for the last product."""
    hidden = torch.tanh(projected_query[:, None, :] + projected_keys)
    return functional.softmax(torch.einsum("bsh,h->bs", hidden, v), dim=1)


@masked.accepts
def masked_by_large_number(scores: Tensor, lengths: Tensor) -> Tensor:
    """The lowest number of the dtype, as sequence masks have it."""
    maxlen = scores.size(1)
    mask = torch.arange(maxlen, dtype=torch.float32)[None, :] < lengths[:, None]
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return functional.softmax(filled, dim=-1)


@context.accepts
def context_by_one_row(weights: Tensor, annotations: Tensor) -> Tensor:
    """A batch of products with one row."""
    return torch.bmm(weights[:, None, :], annotations)[:, 0]


@context.accepts
def context_by_baddbmm(weights: Tensor, annotations: Tensor) -> Tensor:
    """torch.baddbmm on top of zeros."""
    zeros = annotations.new_zeros(len(annotations), annotations.size(-1), 1)
    return torch.baddbmm(zeros, annotations.transpose(1, 2), weights.unsqueeze(2)).squeeze(2)


@attention.accepts
class LazyAdditive(nn.Module):
    """Lazy layers and a mask of lengths."""

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_key = nn.LazyLinear(hidden_dim, bias=False)
        self.W_query = nn.LazyLinear(hidden_dim, bias=False)
        self.v = nn.LazyLinear(1, bias=False)

    def forward(self, query: Tensor, annotations: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        features = torch.tanh(self.W_query(query)[:, None] + self.W_key(annotations))
        energy = self.v(features).squeeze(-1)
        valid = torch.arange(energy.shape[1])[None, :] < lengths[:, None]
        energy = energy.masked_fill(valid.logical_not(), torch.finfo(energy.dtype).min)
        attention_weights = functional.softmax(energy, dim=-1)
        return torch.einsum("bs,bsd->bd", attention_weights, annotations), attention_weights


@bahdanau.accepts
def bahdanau_with_an_axis(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Network, cell: Network
) -> tuple[Tensor, Tensor, Tensor]:
    """Attention with an axis for its one query."""
    attn_weights = functional.softmax(score(previous_state, annotations), dim=1).unsqueeze(1)
    context = torch.bmm(attn_weights, annotations)
    rnn_input = torch.cat((word.unsqueeze(1), context), dim=2)
    return cell(rnn_input.squeeze(1), previous_state), context.squeeze(1), attn_weights.squeeze(1)


@luong.accepts
def luong_by_letters(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Network,
    cell: Network,
    W_context: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """The matrix cut in two: one part for the context, one for the state."""
    rnn_output = cell(word, previous_state)
    weights = torch.exp(torch.log_softmax(score(rnn_output, annotations), dim=-1))
    context = torch.einsum("bs,bsd->bd", weights, annotations)
    W_c, W_h = torch.split(W_context, [context.size(1), rnn_output.size(1)])
    return rnn_output, torch.tanh(context @ W_c + rnn_output @ W_h), weights


@scores.accepts
def scores_by_assert(
    query: Tensor, keys: Tensor, kind: str, W: Tensor | None = None, v: Tensor | None = None
) -> Tensor:
    """An assert for the kind."""
    assert kind in ("dot", "general", "concat"), f"{kind} is not an attention method"
    if kind == "concat" and W is not None and v is not None:
        energy = torch.cat((query[None].expand(keys.size(0), -1), keys), 1).mm(W).tanh()
        return energy.mv(v)
    energy = query if W is None else torch.matmul(query, W)
    return torch.sum(energy * keys, dim=-1)


@window.accepts
def window_by_ends(p_t: float, length: int, D: int) -> Tensor:
    """From the first position to the last."""
    first, last = max(0, math.ceil(p_t - D)), min(length - 1, math.floor(p_t + D))
    return torch.arange(first, max(first, last + 1))


@local.accepts
def local_in_steps(scores: Tensor, p_t: float, D: int) -> Tensor:
    """An additive mask, and a Gaussian with sigma."""
    s = torch.arange(scores.size(0)).to(scores)
    outside = torch.zeros_like(scores).masked_fill_((s - p_t).abs() > D, float("-inf"))
    sigma = D / 2
    gaussian = torch.exp(-0.5 * ((s - p_t) / sigma) ** 2)
    return functional.softmax(scores + outside, dim=0).mul(gaussian)
