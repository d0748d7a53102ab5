"""Right answers to `online_softmax_attention` in other styles, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention.online_softmax_attention.exam import online


@online.accepts
def online_by_logarithms(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """A finished context, and the logarithm of the sum of the weights.

    It keeps a finished context, and the logarithm of the sum so far. FlashAttention-2 stores the
    same logarithm for its backward pass.
    """
    context = torch.zeros(*queries.shape[:-1], values.shape[-1], dtype=values.dtype)
    known = torch.full((*queries.shape[:-1], 1), -torch.inf, dtype=queries.dtype)
    for start in range(0, keys.shape[-2], block_size):
        part = slice(start, start + block_size)
        scores = torch.matmul(queries, keys[..., part, :].transpose(-1, -2))
        scores = scores / queries.shape[-1] ** 0.5
        if causal:
            place = torch.arange(start, start + scores.shape[-1])
            seen = place[None, :] <= torch.arange(queries.shape[-2])[:, None]
            scores = torch.where(seen, scores, -torch.inf)
        both = torch.logaddexp(known, torch.logsumexp(scores, dim=-1, keepdim=True))
        mixed = torch.exp(scores - both) @ values[..., part, :]
        context = context * torch.exp(known - both) + mixed
        known = both
    return context


@online.accepts
def online_in_two_passes(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """One loop for the largest score, a second one for the sums."""
    n = queries.size(-2)

    def scores_from(start: int) -> Tensor:
        chunk = keys[..., start : start + block_size, :]
        scores = torch.einsum("...id,...jd->...ij", queries, chunk) / keys.size(-1) ** 0.5
        if not causal:
            return scores
        later = torch.arange(chunk.size(-2)) + start - torch.arange(n).unsqueeze(1) > 0
        return scores.masked_fill(later, float("-inf"))

    starts = range(0, keys.size(-2), block_size)
    highest = torch.stack([scores_from(s).amax(dim=-1, keepdim=True) for s in starts]).amax(dim=0)
    total, context = torch.zeros_like(highest), torch.zeros_like(highest)
    for start in starts:
        weights = torch.exp(scores_from(start) - highest)
        total = total + weights.sum(dim=-1, keepdim=True)
        context = context + weights @ values[..., start : start + block_size, :]
    return context / total


@online.accepts
def online_query_by_query(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """A loop over the queries, each with the blocks that it sees.

    A loop takes one query at a time through the blocks. A causal query stops at its own position,
    so there is no mask.
    """
    contexts = []
    for i in range(queries.shape[-2]):
        query = queries[..., i : i + 1, :] / queries.shape[-1] ** 0.5
        end = i + 1 if causal else keys.shape[-2]
        m, norm, acc = torch.tensor(-torch.inf), torch.tensor(0.0), 0 * values[..., :1, :]
        for start in range(0, end, block_size):
            stop = min(start + block_size, end)
            s = query @ keys[..., start:stop, :].mT
            m_new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)
            alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
            norm = norm * alpha + p.sum(dim=-1, keepdim=True)
            acc = acc * alpha + p @ values[..., start:stop, :]
            m = m_new
        contexts.append(acc / norm)
    return torch.cat(contexts, dim=-2)


@online.accepts
def online_in_tiles(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Blocks of queries, and of keys; those that are wholly hidden are skipped."""
    scale, tiles = keys.shape[-1] ** -0.5, []
    for top in range(0, queries.shape[-2], block_size):
        q = queries[..., top : top + block_size, :] * scale
        rows = torch.arange(top, top + q.shape[-2])
        m = q.new_full((*q.shape[:-1],), float("-inf"))
        norm, o = torch.zeros_like(m), q.new_zeros(*q.shape[:-1], values.shape[-1])
        for left in range(0, keys.shape[-2], block_size):
            if causal and left > rows[-1]:
                break
            k, v = (x[..., left : left + block_size, :] for x in (keys, values))
            s = q @ k.transpose(-2, -1)
            if causal and left + k.shape[-2] - 1 > top:
                columns = torch.arange(left, left + k.shape[-2])
                s = s.masked_fill(columns[None, :] > rows[:, None], float("-inf"))
            m_new = torch.maximum(m, s.amax(-1))
            p, alpha = torch.exp(s - m_new[..., None]), torch.exp(m - m_new)
            norm = alpha * norm + p.sum(-1)
            o = alpha[..., None] * o + p @ v
            m = m_new
        tiles.append(o / norm[..., None])
    return torch.cat(tiles, dim=-2)
