"""Right answers to `decode_step` in other styles, lesson 07."""

import math

import torch

from solutions.exams.grouped_query_attention._specimens import Weights, hide
from solutions.exams.grouped_query_attention.decode_step.exam import Tensors, step


@step.accepts
def step_by_index(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The number of each query head's key/value head, and a mask that is added.

    An index tells each query head which key/value head it reads, and the mask is a table of floats,
    which is added to the scores as in many published models.
    """
    num_kv_heads, cached, head_dim = past_keys.shape[1:]
    rows = (*inputs.shape[:2], -1, head_dim)
    queries = (inputs @ weights["W_query"]).view(rows).transpose(1, 2)
    new_keys = (inputs @ weights["W_key"]).view(rows).transpose(1, 2)
    new_values = (inputs @ weights["W_value"]).view(rows).transpose(1, 2)
    keys = torch.cat([past_keys, new_keys], dim=2)
    values = torch.cat([past_values, new_values], dim=2)
    shared = torch.arange(queries.shape[1]) * num_kv_heads // queries.shape[1]
    added = torch.full((queries.shape[2], keys.shape[2]), -torch.inf, dtype=inputs.dtype)
    scores = queries @ keys[:, shared].mT / math.sqrt(head_dim) + added.triu(cached + 1)
    context = scores.softmax(dim=-1) @ values[:, shared]
    return context.transpose(1, 2).flatten(2) @ weights["out_proj"], keys, values


@step.accepts
def step_by_einsum(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Index expressions; nothing is repeated."""
    batch, new, _ = inputs.shape
    num_kv_heads, cached, head_dim = past_keys.shape[1:]
    queries = (inputs @ weights["W_query"]).view(batch, new, num_kv_heads, -1, head_dim)
    new_keys = (inputs @ weights["W_key"]).view(batch, new, num_kv_heads, head_dim)
    new_values = (inputs @ weights["W_value"]).view(batch, new, num_kv_heads, head_dim)
    keys = torch.cat([past_keys, new_keys.transpose(1, 2)], dim=2)
    values = torch.cat([past_values, new_values.transpose(1, 2)], dim=2)
    scores = torch.einsum("bqgrd,bgkd->bgrqk", queries, keys) / math.sqrt(head_dim)
    places = torch.arange(cached + new)
    shares = hide(scores, places > places[cached:, None])
    context = torch.einsum("bgrqk,bgkd->bqgrd", shares, values).reshape(batch, new, -1)
    return context @ weights["out_proj"], keys, values


@step.accepts
def step_in_loops(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """One token and one query head at a time.

    One token and one query head at a time: each token sees what is cached by then, so there is no
    mask. It is slow, and a good test of the fast version.
    """
    head_dim, num_kv_heads = past_keys.shape[-1], past_keys.shape[1]
    keys, values, contexts = past_keys, past_values, []
    for token in inputs.unbind(dim=1):
        new_key = (token @ weights["W_key"]).view(len(token), num_kv_heads, 1, head_dim)
        new_value = (token @ weights["W_value"]).view(len(token), num_kv_heads, 1, head_dim)
        keys, values = torch.cat([keys, new_key], dim=2), torch.cat([values, new_value], dim=2)
        heads = torch.split(token @ weights["W_query"], head_dim, dim=-1)
        parts = []
        for number, query in enumerate(heads):
            shared = number * num_kv_heads // len(heads)
            scores = (keys[:, shared] @ query[:, :, None])[..., 0] / head_dim**0.5
            parts.append((scores.softmax(dim=-1)[:, None] @ values[:, shared])[:, 0])
        contexts.append(torch.cat(parts, dim=-1))
    return torch.stack(contexts, dim=1) @ weights["out_proj"], keys, values
