"""The known wrong answers to `linear_attention`, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention._long_texts import FeatureMap, Linear
from solutions.exams.efficient_attention._other_linears import LINEAR
from solutions.exams.efficient_attention.linear_attention.exam import linear
from solutions.exams.families import TENSOR_DTYPE


@linear.misconception
def whole_table(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """The contexts are right, but you computed the weight of every pair first, φ(Q)φ(K)ᵀ, which
    costs as much as the softmax did. Multiply φ(K)ᵀ by V first.
    """
    weights = feature_map(queries) @ feature_map(keys).mT
    return weights @ values / weights.sum(dim=-1, keepdim=True)


LINEAR.apply(linear, Linear)


@linear.misconception
def softmax_attention(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """This is attention with a softmax. In linear attention, the weight of a key is the dot product
    of its features and the query's, divided by the sum of these products.
    """
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


@linear.misconception
def queries_by_softmax(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Your query features are a softmax of the queries. Use `feature_map`, of queries and keys."""
    query_features, key_features = torch.softmax(queries, dim=-1), feature_map(keys)
    total = query_features @ key_features.sum(dim=-2, keepdim=True).mT
    return query_features @ (key_features.mT @ values) / total


@linear.misconception
def both_by_softmax(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Your features are a softmax of the queries and of the keys. Use `feature_map`, of both."""
    asked, offered = torch.softmax(queries, dim=-1), torch.softmax(keys, dim=-1)
    return asked @ (offered.mT @ values) / (asked @ offered.sum(dim=-2)[..., None])


@linear.misconception
def both_by_softmax_undivided(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Your features are a softmax of the queries and of the keys, and your weights do not sum to 1.
    Use `feature_map`, of both, and divide by the query's features times the sum of the key
    features.
    """
    return torch.softmax(queries, dim=-1) @ (torch.softmax(keys, dim=-1).mT @ values)


@linear.misconception
def softmax_of_the_products(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You took the softmax of the products of features. Divided by their sum, these products
    already are the weights.
    """
    return torch.softmax(feature_map(queries) @ feature_map(keys).mT, dim=-1) @ values


@linear.misconception
def table_undivided(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You computed the weight of every pair, and these weights do not sum to 1. Multiply φ(K)ᵀ by V
    first, so that there is no table, and divide by the query's features times the sum of the key
    features.
    """
    return feature_map(queries) @ feature_map(keys).mT @ values


@linear.misconception
def weights_alone(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """These are the weights of all pairs. To avoid this table, multiply the key features by the
    values first, φ(K)ᵀV, and then each query's features by the result.
    """
    weights = feature_map(queries) @ feature_map(keys).mT
    return weights / weights.sum(dim=-1, keepdim=True)


@linear.misconception
def divided_before_the_queries(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You divided each feature by its sum over the keys before you multiplied by the queries. The
    sum of the weights depends on the query, so divide at the end.
    """
    offered = feature_map(keys)
    return feature_map(queries) @ ((offered / offered.sum(dim=-2, keepdim=True)).mT @ values)


@linear.misconception
def divided_before_the_table(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You divided each feature by its sum over the keys before you multiplied by the queries, and
    computed the weight of every pair. The sum of the weights depends on the query, so divide at the
    end; and multiply φ(K)ᵀ by V first, so that there is no table.
    """
    offered = feature_map(keys)
    return feature_map(queries) @ (offered / offered.sum(dim=-2, keepdim=True)).mT @ values


@linear.misconception
def summed_over_the_queries(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You divided what each key gives by the sum of the weights that all queries give to this key.
    It is the weights of one query, for all keys, that have to sum to 1.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    totals = (offered * asked.sum(dim=-2, keepdim=True)).sum(dim=-1, keepdim=True)
    return asked @ (offered.mT @ (values / totals))


@linear.misconception
def only_the_keys_divided(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You divided each key's features by their sum. The weights that a query gives to all keys have
    to sum to 1: at the end, divide by the query's features times the sum of the key features.
    """
    offered = feature_map(keys)
    offered = offered / offered.sum(dim=-1, keepdim=True)
    return feature_map(queries) @ (offered.mT @ values)


@linear.misconception
def first_axis_summed(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """Without further axes in front your answer is right. With them, the sum of the key features
    runs over the first axis: sum over the keys, the last axis but one.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    return asked @ (offered.mT @ values) / (asked * offered.sum(0)).sum(-1, keepdim=True)


@linear.misconception
def axis_one_summed(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """With a single axis in front of the keys your answer is right. With none, or with more, the
    sum of the key features runs over something else, because axis 1 is not always that of the keys:
    sum over the last axis but one.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    total = (asked * offered.sum(dim=1, keepdim=True)).sum(dim=-1, keepdim=True)
    return asked @ (offered.mT @ values) / total


@linear.misconception
def summed_over_features(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You summed the key features over the features, which leaves one number for each key. Sum over
    the keys, dim=-2: that leaves one number for each feature.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    return asked @ (offered.mT @ values) / (asked @ offered.sum(-1)[..., None])


@linear.misconception
def summed_over_features_in_place(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You summed the key features over the features, which leaves one number for each key. Sum over
    the keys, dim=-2: that leaves one number for each feature.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    total = (asked * offered.sum(dim=-1, keepdim=True)).sum(dim=-1, keepdim=True)
    return asked @ (offered.mT @ values) / total


@linear.misconception
def keys_and_values_exchanged(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You took the features of the values, and mixed the keys. Take those of the keys, and mix the
    values.
    """
    asked, offered = feature_map(queries), feature_map(values)
    return asked @ (offered.mT @ keys) / (asked @ offered.sum(dim=-2)[..., None])


@linear.misconception
def query_features_summed(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You divided by the sum of the query's features. Divide by the sum of its weights: its
    features times the sum of the key features.
    """
    asked = feature_map(queries)
    return asked @ (feature_map(keys).mT @ values) / asked.sum(dim=-1, keepdim=True)


@linear.misconception
def keys_not_transposed(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You multiplied the key features by the values without a transpose. The sum has to run over
    the keys: φ(K)ᵀV has a row for each feature, and a column for each number of a value.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    total = asked @ offered.sum(dim=-2)[..., None]
    return asked @ (offered @ values) / total


@linear.misconception
def keys_reshaped(queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap) -> Tensor:
    """You reshaped the key features where they have to be transposed. `reshape` and `view` leave
    the numbers in their order, so those of different keys end up in one row: use `.mT`.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    total = asked @ offered.sum(dim=-2)[..., None]
    return asked @ (offered.reshape(offered.mT.shape) @ values) / total


@linear.misconception
def features_of_the_product(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You took the features of KᵀV. Take those of the keys before you multiply: φ(K)ᵀV."""
    asked, offered = feature_map(queries), feature_map(keys)
    total = asked @ offered.sum(dim=-2)[..., None]
    return asked @ feature_map(keys.mT @ values) / total


@linear.misconception
def product_turned(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You have Vᵀφ(K), with a row for each number of a value. A query's features are multiplied by
    those of the keys: take φ(K)ᵀV.
    """
    asked, offered = feature_map(queries), feature_map(keys)
    total = asked @ offered.sum(dim=-2)[..., None]
    return asked @ (values.mT @ offered) / total


@linear.misconception
def each_row_alike(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
) -> Tensor:
    """You divided all rows of a text by the same number. Each query has its own sum."""
    asked, offered = feature_map(queries), feature_map(keys)
    total = (asked @ offered.sum(dim=-2)[..., None]).sum(dim=-2, keepdim=True)
    return asked @ (offered.mT @ values) / total


TENSOR_DTYPE.apply(linear)
