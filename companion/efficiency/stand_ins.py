"""What the lesson computes with, so that nothing in it waits for an exercise."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

KINDS = ("window", "global", "random", "strided", "fixed")


def sparse_pattern(kind: str, num_tokens: int, size: int, seed: int = 0) -> Tensor:
    """The mask of a sparse pattern, (num_tokens, num_tokens), True where a key is hidden.

    Args:
        kind: "window", "global" (the first tokens), "random", "strided" or "fixed".
        num_tokens: the length of the text.
        size: the window, the number of global tokens, that of random keys for each query, or the
            stride.
        seed: of the random keys.
    """
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    if kind == "global":
        hidden[:size] = False
        hidden[:, :size] = False
    elif kind == "random":
        generator = torch.Generator().manual_seed(seed)
        chosen = torch.rand(num_tokens, num_tokens, generator=generator).topk(size).indices
        hidden.scatter_(1, chosen, False)
    elif kind == "window":
        hidden = hidden.triu(size) | hidden.tril(-size)
    elif kind in ("strided", "fixed"):
        for query in range(num_tokens):
            block = query // size * size
            near, far = (
                (max(0, query - size + 1), slice(query % size, query, size))
                if kind == "strided"
                else (block, slice(size - 1, block, size))
            )
            hidden[query, near : query + 1] = False
            hidden[query, far] = False
    else:
        raise ValueError(f"There is no pattern {kind!r}: pass one of {', '.join(KINDS)}.")
    return hidden


def nearest_direction(vectors: Tensor, rotation: Tensor) -> Tensor:
    """For each vector, (tokens, d), which of the directions, (d, n), or their opposites is its own.

    That is the one with the largest dot product. Directions 0 to n - 1 are the columns, and n to
    2n - 1 their opposites.
    """
    directions = torch.stack([rotation.T, -rotation.T]).flatten(0, 1)
    products = torch.stack([(direction * vectors).sum(dim=-1) for direction in directions])
    return products.max(dim=0).indices


def blockwise_attention(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int = 128
) -> Tensor:
    """Exact attention, a block of keys at a time, joined by the logarithms of their sums."""
    log_total = queries.new_full((*queries.shape[:-1], 1), -math.inf)
    contexts = queries.new_zeros(*queries.shape[:-1], values.shape[-1])
    blocks = (torch.split(part, block_size, dim=-2) for part in (keys, values))
    for some, mixed in zip(*blocks, strict=True):
        scores = queries @ some.mT / queries.shape[-1] ** 0.5
        own = scores.logsumexp(dim=-1, keepdim=True)
        joined = torch.logaddexp(log_total, own)
        contexts = contexts * (log_total - joined).exp() + (scores - joined).exp() @ mixed
        log_total = joined
    return contexts


def kernel_attention(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: Callable[[Tensor], Tensor]
) -> Tensor:
    """Linear attention, with the keys and values multiplied first."""
    asked, offered = feature_map(queries), feature_map(keys)
    ones = values.new_ones(*values.shape[:-1], 1)
    # The sum of the weights is what attention to values of 1 would give.
    mixed = asked @ (offered.mT @ torch.cat([values, ones], dim=-1))
    return mixed[..., :-1] / mixed[..., -1:]


def random_features(x: Tensor, directions: Tensor, kind: str) -> Tensor:
    """Features whose dot products estimate exp(q · k / √d): "positive" or "trigonometric".

    Performer's, one for each direction (features, d), and Random Feature Attention's, a sine and a
    cosine for each.
    """
    x = x / x.shape[-1] ** 0.25
    angles, half_square = x @ directions.T, (x * x).sum(dim=-1, keepdim=True) / 2
    scale = 1 / math.sqrt(len(directions))
    if kind == "positive":
        return scale * (angles - half_square).exp()
    return scale * half_square.exp() * torch.cat([angles.sin(), angles.cos()], dim=-1)
