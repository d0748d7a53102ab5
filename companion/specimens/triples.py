"""Attentions of queries, keys and values to try your own tests on: some are sound, some are not.

They take and return tensors; torch is imported when one is first called.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def scaled_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """PyTorch's own scaled dot-product attention.

    Args:
        queries: `(tokens, d_k)`.
        keys: `(tokens, d_k)`.
        values: `(tokens, d_v)`.

    Returns:
        The contexts, `(tokens, d_v)`.
    """
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(queries, keys, values)


def unscaled_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """The same, with scores that are not divided by anything."""
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(queries, keys, values, scale=1.0)


def attention_over_queries(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """Its softmax runs down the queries, so that each key hands out shares of itself."""
    import torch

    scores = torch.einsum("id,jd->ij", queries, keys) / queries.shape[1] ** 0.5
    return torch.einsum("ij,jd->id", scores.softmax(dim=0), values)


def swapped_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """It takes the keys for queries and the queries for keys."""
    return scaled_attention(keys, queries, values)


def shares_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """It divides the scores by the sum of their sizes, and takes no softmax."""
    import torch

    scores = torch.einsum("id,jd->ij", queries, keys)
    return torch.einsum("ij,jd->id", torch.nn.functional.normalize(scores, p=1, dim=1), values)


def cosine_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """It compares by cosines: queries and keys are first made one unit long."""
    from torch.nn.functional import normalize

    return unscaled_attention(normalize(queries, dim=-1), normalize(keys, dim=-1), values)


def distance_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """It compares by distance: the nearer a key is to the query, the larger its weight."""
    import torch

    return torch.softmax(-torch.cdist(queries, keys), dim=1).matmul(values)


def average_attention(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """It compares nothing: every query gets the plain average of the values."""
    return values.mean(dim=0).expand(len(queries), -1).clone()


def attention_with_a_lapse(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """Sound but for its last row, which is mixed by the sizes of the keys alone."""
    contexts = scaled_attention(queries, keys, values).clone()
    contexts[-1] = keys.square().sum(dim=-1).softmax(dim=-1) @ values
    return contexts


def attention_of_either_sign(queries: "Tensor", keys: "Tensor", values: "Tensor", /) -> "Tensor":
    """Sound but for its sign, which turns where the last numbers of the keys sum to less than 0."""
    contexts = scaled_attention(queries, keys, values)
    return -contexts if keys[:, -1].sum() < 0 else contexts
