"""Right answers as published code has them, lesson 08: sparse patterns and mixtures."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from solutions.exams.efficient_attention.fixed_mask import fixed
from solutions.exams.efficient_attention.global_mask import everywhere
from solutions.exams.efficient_attention.layers_until_all_meet import meeting
from solutions.exams.efficient_attention.linformer_attention import mixtures
from solutions.exams.efficient_attention.see_either import union
from solutions.exams.efficient_attention.sliding_window_mask import window
from solutions.exams.efficient_attention.strided_mask import strided
from solutions.exams.efficient_attention.visible_blocks import blocks


@window.accepts
def window_by_mask_mod(num_tokens: int, window: int) -> Tensor:
    """A condition on indices, as flex attention takes it."""

    def sliding_window(q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        return (q_idx - kv_idx < window) & (kv_idx - q_idx < window)

    q_idx, kv_idx = torch.meshgrid(
        torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij"
    )
    return ~sliding_window(q_idx, kv_idx)


@window.accepts
def window_of_infinities(num_tokens: int, window: int) -> Tensor:
    """The band of a mask that is added, asked where it is infinite."""
    band = torch.ones(num_tokens, num_tokens).triu(diagonal=1 - window).tril(diagonal=window - 1)
    return torch.isinf(torch.log(band))


@everywhere.accepts
def global_by_attention_mask(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Which tokens are global, as a vector of zeros and ones."""
    global_attention_mask = torch.zeros(num_tokens, dtype=torch.long)
    global_attention_mask[global_positions] = 1
    is_index_global_attn = global_attention_mask > 0
    visible = torch.logical_or(
        is_index_global_attn.unsqueeze(-1), is_index_global_attn.unsqueeze(-2)
    )
    return torch.logical_not(visible)


@everywhere.accepts
def global_by_index_fill(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Zeros of which rows and columns are filled."""
    index = torch.LongTensor(global_positions)
    layout = torch.zeros((num_tokens, num_tokens), dtype=torch.int64)
    layout.index_fill_(0, index, 1)
    layout.index_fill_(1, index, 1)
    return layout == 0


@union.accepts
def joined_by_product(masks: list[Tensor]) -> Tensor:
    """A product of zeros and ones."""
    return torch.stack(masks).int().prod(dim=0).bool()


@union.accepts
def joined_by_layout(masks: list[Tensor]) -> Tensor:
    """A layout of ones to which each pattern adds its own."""
    layout = torch.zeros_like(masks[0], dtype=torch.int64)
    for mask in masks:
        layout[~mask] = 1
    return layout != 1


@union.accepts
def joined_by_smallest(masks: list[Tensor]) -> Tensor:
    """The smallest entry over all masks."""
    return torch.stack(masks, dim=-1).amin(dim=-1)


@strided.accepts
def strided_as_published(num_tokens: int, stride: int) -> Tensor:
    """Positions as matrices, and conditions joined."""
    x = torch.arange(num_tokens, dtype=torch.int32).view(num_tokens, 1)
    y = x.transpose(0, 1)
    z = torch.zeros([num_tokens, num_tokens], dtype=torch.int32)
    q, k = z + x, z + y
    c1 = q >= k
    c2 = torch.eq(torch.fmod(q - k, stride), 0)
    c3 = torch.lt(q - k, stride)
    return torch.logical_not(torch.logical_and(c1, torch.logical_or(c2, c3)))


@strided.accepts
def strided_by_heads(num_tokens: int, stride: int) -> Tensor:
    """The patterns of two heads, joined."""
    pos = torch.arange(num_tokens)
    rel = pos.unsqueeze(1) - pos.unsqueeze(0)
    local_head = (rel >= 0) & (rel <= stride)
    strided_head = (rel >= 0) & (rel.remainder(stride) == 0)
    return ~torch.stack([local_head, strided_head]).any(0)


@fixed.accepts
def fixed_by_layout(num_tokens: int, stride: int) -> Tensor:
    """A layout that is filled block by block."""
    layout = torch.zeros((num_tokens, num_tokens), dtype=torch.int64)
    for i in range(0, num_tokens, stride):
        end = min(i + stride, num_tokens)
        for row in range(i, end):
            layout[row, i : row + 1] = 1
    for col in range(stride - 1, num_tokens, stride):
        layout[col:, col] = 1
    return layout == 0


@fixed.accepts
def fixed_by_floor(num_tokens: int, stride: int) -> Tensor:
    """Floors of quotients, and an attended column."""
    q = torch.arange(num_tokens).reshape(-1, 1)
    k = torch.arange(num_tokens).reshape(1, -1)
    same = torch.div(q, stride, rounding_mode="floor").eq(
        torch.div(k, stride, rounding_mode="floor")
    )
    summary = torch.fmod(k + 1, stride) == 0
    return ~((same | summary) & (k <= q))


@meeting.accepts
def layers_by_closure(hidden: Tensor, causal: bool = False) -> int | None:
    """Integers, clamped to 1, until nothing changes."""
    adjacency = (~hidden).long()
    reach = torch.eye(hidden.size(0), dtype=torch.long)
    target = torch.ones_like(reach)
    if causal:
        target = torch.tril(target)
    for hops in range(hidden.size(0)):
        if torch.all(reach[target == 1] == 1):
            return hops
        following = torch.clamp(adjacency @ reach, max=1)
        if torch.equal(following, reach):
            break
        reach = following
    return None


@blocks.accepts
def blocks_as_published(hidden: Tensor, block_size: int) -> Tensor:
    """Filled up to whole blocks, permuted, and counted."""
    mask = ~hidden
    q_len, kv_len = mask.shape
    q_pad, kv_pad = -q_len % block_size, -kv_len % block_size
    mask = functional.pad(mask, (0, kv_pad, 0, q_pad), value=False)
    q_blocks, kv_blocks = mask.shape[0] // block_size, mask.shape[1] // block_size
    mask = mask.view(q_blocks, block_size, kv_blocks, block_size).permute(0, 2, 1, 3)
    return mask.sum(dim=[-2, -1]) > 0


@blocks.accepts
def blocks_by_scatter(hidden: Tensor, block_size: int) -> Tensor:
    """The blocks of all visible pairs."""
    rows, cols = torch.where(~hidden)
    shape = [math.ceil(length / block_size) for length in hidden.shape]
    layout = torch.zeros(shape, dtype=torch.bool)
    layout[rows // block_size, cols // block_size] = True
    return layout


@mixtures.accepts
def mixtures_as_published(
    queries: Tensor, keys: Tensor, values: Tensor, project_keys: Tensor, project_values: Tensor
) -> Tensor:
    """Projections as matrices (keys, rank), the heads as an axis of their own."""

    def proj_seq_len(sequence: Tensor, matrix: Tensor) -> Tensor:
        return torch.einsum("...nd,nk->...kd", sequence, matrix)

    d_h = queries.shape[-1]
    keys = proj_seq_len(keys, project_keys.t())
    values = proj_seq_len(values, project_values.t())
    dots = torch.einsum("...nd,...kd->...nk", queries, keys) * (d_h**-0.5)
    attn = dots.softmax(dim=-1)
    return torch.einsum("...nk,...kd->...nd", attn, values)


@mixtures.accepts
def mixtures_by_linear(
    queries: Tensor, keys: Tensor, values: Tensor, project_keys: Tensor, project_values: Tensor
) -> Tensor:
    """Linear layers over the axis of the tokens."""
    K = functional.linear(keys.transpose(-1, -2), project_keys)
    V = functional.linear(values.transpose(-1, -2), project_values).transpose(-1, -2)
    scores = torch.matmul(queries / math.sqrt(queries.size(-1)), K)
    return torch.matmul(functional.softmax(scores, dim=-1), V)
