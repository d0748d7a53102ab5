"""Right answers as published code has them, lesson 08: linear attention, and exact in blocks."""

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from solutions.exams.efficient_attention._long_texts import FeatureMap
from solutions.exams.efficient_attention.causal_linear_attention import causal
from solutions.exams.efficient_attention.is_exact import Attention, exact
from solutions.exams.efficient_attention.linear_attention import linear
from solutions.exams.efficient_attention.linear_attention_step.exam import Result, State, step
from solutions.exams.efficient_attention.online_softmax_attention.exam import online
from solutions.exams.efficient_attention.positive_random_features.exam import features
from solutions.exams.efficient_attention.repaired_blockwise_attention import repaired


@linear.accepts
def linear_as_transformers_are_rnns(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """An inverse normaliser with a millionth added, as in the code of the paper."""
    Q, K = feature_map(queries), feature_map(keys)
    KV = torch.einsum("...sd,...sm->...md", K, values)
    Z = 1 / (torch.einsum("...ld,...d->...l", Q, K.sum(dim=-2)) + 1e-6)
    return torch.einsum("...ld,...md,...l->...lm", Q, KV, Z).contiguous()


@linear.accepts
def linear_as_performers(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """The context of all keys, the queries, and the inverse of their sums in one product."""
    q, k = feature_map(queries), feature_map(keys)
    k_cumsum = k.sum(dim=-2)
    D_inv = 1.0 / torch.einsum("...nd,...d->...n", q, k_cumsum.type_as(q))
    context = torch.einsum("...nd,...ne->...de", k, values)
    return torch.einsum("...de,...nd,...n->...ne", context, q, D_inv)


@causal.accepts
def causal_in_chunks(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Chunk by chunk with running sums, as Performers do it without a kernel of their own."""
    q, k, eps = feature_map(queries), feature_map(keys), 1e-6
    last_k_cumsum: Tensor = torch.zeros_like(k[..., :1, :])
    last_context_cumsum = torch.zeros_like(k[..., :1, :, None] * values[..., :1, None, :])
    outs = []
    for start in range(0, q.shape[-2], 4):
        q_, k_, v = (x[..., start : start + 4, :] for x in (q, k, values))
        k_cumsum = last_k_cumsum + k_.cumsum(dim=-2)
        D_inv = 1.0 / torch.einsum("...nd,...nd->...n", q_, k_cumsum.type_as(q_) + eps)
        context = torch.einsum("...nd,...ne->...nde", k_, v)
        context_cumsum = last_context_cumsum + context.cumsum(dim=-3)
        outs.append(torch.einsum("...nde,...nd,...n->...ne", context_cumsum, q_, D_inv))
        last_k_cumsum, last_context_cumsum = k_cumsum[..., -1:, :], context_cumsum[..., -1:, :, :]
    return torch.cat(outs, dim=-2)


@causal.accepts
def causal_in_small_tables(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """A state for the chunks before, and a masked table inside each chunk."""
    q, k = feature_map(queries), feature_map(keys)
    S = torch.zeros_like(k[..., 0, :, None] * values[..., 0, None, :])
    z = torch.zeros_like(k[..., 0, :])
    o = []
    for q_i, k_i, v_i in zip(*(torch.split(x, 3, dim=-2) for x in (q, k, values)), strict=True):
        intra = (q_i @ k_i.transpose(-1, -2)).tril()
        norm = intra.sum(-1, keepdim=True) + (q_i * z.unsqueeze(-2)).sum(-1, keepdim=True)
        o.append((intra @ v_i + q_i @ S) / norm)
        S, z = S + k_i.transpose(-1, -2) @ v_i, z + k_i.sum(-2)
    return torch.cat(o, dim=-2)


@step.accepts
def step_as_transformers_are_rnns(
    state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
) -> Result:
    """An inverse normaliser with a millionth added, as in the code of the paper."""
    Q, K = feature_map(query), feature_map(key)
    Si, Zi = state
    Zi = Zi + K
    Si = Si + torch.einsum("d,m->dm", K, value)
    Z = 1.0 / (torch.einsum("d,d->", Q, Zi) + 1e-6)
    V = torch.einsum("d,dm->m", Q, Si) * Z
    return V, (Si, Zi)


@features.accepts
def features_as_performers(x: Tensor, directions: Tensor) -> Tensor:
    """A data normaliser, a ratio and a diagonal, as in code for Performers."""
    data_normalizer = x.shape[-1] ** -0.25
    ratio = directions.shape[0] ** -0.5
    data_dash = torch.einsum("...id,jd->...ij", data_normalizer * x, directions)
    diag_data = torch.sum(x**2, dim=-1)
    diag_data = ((diag_data / 2.0) * (data_normalizer**2)).unsqueeze(dim=-1)
    return (ratio * torch.exp(data_dash - diag_data)).type_as(x)


@features.accepts
def features_of_both_parts(x: Tensor, directions: Tensor) -> Tensor:
    """The h(x) of the paper times the exponentials of the projections."""
    x = x / math.sqrt(math.sqrt(x.size(-1)))
    h = torch.exp(-(x.norm(dim=-1, keepdim=True) ** 2) / 2)
    return h / math.sqrt(directions.size(0)) * torch.exp(torch.matmul(x, directions.t()))


@repaired.accepts
def repaired_by_summaries(queries: Tensor, keys: Tensor, values: Tensor, block_size: int) -> Tensor:
    """A summary of each chunk, and their common maximum: memory-efficient attention."""
    q = queries / math.sqrt(queries.shape[-1])
    chunk_values, chunk_weights, chunk_max = [], [], []
    for i in range(0, keys.shape[-2], block_size):
        attn_weights = torch.einsum("...qd,...kd->...qk", q, keys[..., i : i + block_size, :])
        max_score = attn_weights.amax(dim=-1, keepdim=True).detach()
        exp_weights = torch.exp(attn_weights - max_score)
        chunk_values.append(exp_weights @ values[..., i : i + block_size, :])
        chunk_weights.append(exp_weights.sum(dim=-1, keepdim=True))
        chunk_max.append(max_score)
    all_max = torch.stack(chunk_max)
    max_diffs = torch.exp(all_max - all_max.amax(dim=0, keepdim=True))
    all_values = (torch.stack(chunk_values) * max_diffs).sum(dim=0)
    return all_values / (torch.stack(chunk_weights) * max_diffs).sum(dim=0)


@online.accepts
def online_with_powers_of_two(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """exp2 with the scale multiplied by log2(e), as in Triton kernels of FlashAttention."""
    qk_scale = keys.shape[-1] ** -0.5 * 1.4426950408889634
    m_i = torch.full(queries.shape[:-1], float("-inf"), dtype=queries.dtype)
    l_i = torch.zeros_like(m_i)
    acc = torch.zeros((*queries.shape[:-1], values.shape[-1]), dtype=values.dtype)
    offs_m = torch.arange(queries.shape[-2])
    for start_n in range(0, keys.shape[-2], block_size):
        k, v = (x[..., start_n : start_n + block_size, :] for x in (keys, values))
        qk = torch.matmul(queries, k.transpose(-2, -1)) * qk_scale
        if causal:
            offs_n = start_n + torch.arange(k.shape[-2])
            qk = torch.where(offs_m[:, None] >= offs_n[None, :], qk, float("-inf"))
        m_ij = torch.maximum(m_i, qk.max(-1).values)
        p = torch.exp2(qk - m_ij[..., None])
        alpha = torch.exp2(m_i - m_ij)
        l_i = l_i * alpha + p.sum(-1)
        acc = acc * alpha[..., None] + torch.matmul(p, v)
        m_i = m_ij
    return acc / l_i[..., None]


@online.accepts
def online_divided_as_it_goes(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """The output is finished after every block, as in FlashAttention's first version."""
    out = torch.zeros(*queries.shape[:-1], values.shape[-1], dtype=queries.dtype)
    L = torch.zeros(*queries.shape[:-1], 1, dtype=queries.dtype)
    M = torch.full_like(L, -1e30)
    rows = torch.arange(queries.size(-2)).view(-1, 1)
    for j, (Kj, Vj) in enumerate(
        zip(torch.split(keys, block_size, -2), torch.split(values, block_size, -2), strict=True)
    ):
        Sij = torch.einsum("...rd,...cd->...rc", queries, Kj) / math.sqrt(keys.size(-1))
        if causal:
            Sij = Sij.masked_fill(j * block_size + torch.arange(Kj.size(-2)) > rows, -1e30)
        m_block = Sij.max(dim=-1, keepdim=True).values
        m_new = torch.maximum(M, m_block)
        P = torch.exp(Sij - m_new)
        l_new = torch.exp(M - m_new) * L + P.sum(dim=-1, keepdim=True)
        out = (L * torch.exp(M - m_new) * out + P @ Vj) / l_new
        M, L = m_new, l_new
    return out


@exact.accepts
def exact_by_numpy(attention: Attention, queries: Tensor, keys: Tensor, values: Tensor) -> bool:
    """NumPy's assertion for each block size, caught."""
    weights = functional.softmax(queries @ keys.transpose(-2, -1) / math.sqrt(keys.size(-1)), -1)
    reference = torch.matmul(weights, values).numpy()
    for block_size in range(1, keys.size(0) + 1):
        out = attention(queries, keys, values, block_size).numpy()
        try:
            np.testing.assert_allclose(out, reference, rtol=1e-4, atol=1e-5)
        except AssertionError:
            return False
    return True


@causal.accepts
def beginnings(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """For each token, linear attention to the text up to it.

    For each token it applies linear attention to the text so far. There are no running sums, but
    every sum begins anew, so the cost grows with the square of the length.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    contexts = []
    for end in range(1, queries.shape[-2] + 1):
        seen, query = offered[..., :end, :], asked[..., end - 1 : end, :]
        total = query @ seen.sum(dim=-2)[..., None]
        contexts.append(query @ (seen.mT @ values[..., :end, :]) / total)
    return torch.cat(contexts, dim=-2)
