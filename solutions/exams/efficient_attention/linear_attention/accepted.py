"""Right answers to `linear_attention` in other styles, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention._long_texts import FeatureMap
from solutions.exams.efficient_attention.linear_attention.exam import linear


@linear.accepts
def linear_in_loops(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """A loop over the keys, and a loop over the queries."""
    asked, offered = feature_map(queries), feature_map(keys)
    summary, total = torch.tensor(0), torch.tensor(0)
    for j in range(keys.shape[-2]):
        summary = summary + offered[..., j, :, None] * values[..., j, None, :]
        total = total + offered[..., j, :]
    contexts = []
    for i in range(queries.shape[-2]):
        mixed = (asked[..., i, :, None] * summary).sum(dim=-2)
        contexts.append(mixed / (asked[..., i, :] * total).sum(dim=-1, keepdim=True))
    return torch.stack(contexts, dim=-2)


@linear.accepts
def linear_by_einsum(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Index expressions.

    einsum names the axes: i for queries, j for keys, f for features, v for values. No intermediate
    result has both i and j, which is why the cost grows only linearly.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    summary = torch.einsum("...jf,...jv->...fv", offered, values)
    total = torch.einsum("...if,...jf->...i", asked, offered)
    return torch.einsum("...if,...fv->...iv", asked, summary) / total[..., None]


@linear.accepts
def linear_with_ones(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """A column of ones beside the values: its mixture is the sum of the weights.

    A column of ones stands beside the values. Its mixture is the sum of the weights, so one product
    gives the numerator and the denominator.
    """
    ones = torch.ones(*values.shape[:-1], 1, dtype=values.dtype)
    mixed = feature_map(queries) @ (feature_map(keys).mT @ torch.cat([values, ones], dim=-1))
    return mixed[..., :-1] / mixed[..., -1:]


@linear.accepts
def linear_by_matmul(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Matrix products, the sum of the key features as a product with ones."""
    Q, K = feature_map(queries), feature_map(keys)
    ones = torch.ones_like(values[..., :1])
    normalizer = torch.matmul(Q, torch.matmul(K.transpose(-1, -2), ones))
    return torch.matmul(Q, torch.matmul(K.transpose(-1, -2), values)) / normalizer


@linear.accepts
def linear_divided_first(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """The features of the queries are divided before they ask.

    The features of each query are divided by its total before they are multiplied. The order does
    not matter, because that total is one factor for the whole row.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    asked = asked / (asked * offered.sum(dim=-2, keepdim=True)).sum(dim=-1, keepdim=True)
    return asked @ (offered.mT @ values)
