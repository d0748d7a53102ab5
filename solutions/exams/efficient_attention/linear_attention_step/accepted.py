"""Right answers to `linear_attention_step` in other styles, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention._long_texts import FeatureMap
from solutions.exams.efficient_attention.linear_attention_step.exam import Result, State, step


@step.accepts
def step_by_outer(
    state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
) -> Result:
    """torch.outer, and dot products.

    `torch.outer` multiplies every feature of the key by every number of the value. The call names
    what the summary is: a sum of outer products.
    """
    summary, total = state
    q, k = feature_map(query), feature_map(key)
    summary = summary + torch.outer(k, value)
    total = total + k
    return torch.matmul(q, summary) / torch.dot(q, total), (summary, total)


@step.accepts
def step_by_einsum(
    state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
) -> Result:
    """Index expressions."""
    q, k = feature_map(query), feature_map(key)
    summary = state[0] + torch.einsum("f,v->fv", k, value)
    total = state[1] + k
    normaliser = torch.einsum("f,f->", q, total)
    return torch.einsum("f,fv->v", q, summary) / normaliser, (summary, total)


@step.accepts
def step_in_place_of_copies(
    state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
) -> Result:
    """Copies of the state, written into feature by feature.

    It copies the state and writes into the copies, feature by feature. Without `clone`, it would
    change the state that it was given, which the caller may still need.
    """
    summary, total = state[0].clone(), state[1].clone()
    for f, number in enumerate(feature_map(key)):
        summary[f] += number * value
        total[f] += number
    weights = feature_map(query)
    mixed = sum((weight * row for weight, row in zip(weights, summary, strict=True)), 0 * value)
    return mixed / (weights * total).sum(), (summary, total)


@step.accepts
def step_in_rows(
    state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
) -> Result:
    """Rows of one token: what a batch of steps would do."""
    q, k = feature_map(query[None]), feature_map(key[None])
    summary, total = state[0] + k.mT @ value[None], state[1] + k[0]
    return (q @ summary / (q @ total[:, None]))[0], (summary, total)
