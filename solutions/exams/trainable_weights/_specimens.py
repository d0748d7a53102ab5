"""What the exams of lesson 03 share."""

import math

import torch
from torch import Tensor

from autograder import Draw
from companion import FOUR_FEATURES, YOUR_JOURNEY
from solutions.exams.library_products import WHOLE_ATTENTIONS

Triple = tuple[Tensor, Tensor, Tensor]
Pair = tuple[Tensor, Tensor]
Four = tuple[Tensor, Tensor, Tensor, Tensor]

# The matrices of the lesson's text.
W_QUERY = torch.tensor([[4, 0], [0, -2], [-2, 4]], dtype=torch.float64)
W_KEY = torch.tensor([[1, -1], [-2, 0], [0, 2]], dtype=torch.float64)
W_VALUE = torch.tensor([[1, 0], [0, 1], [0.5, -0.5]], dtype=torch.float64)
INPUTS = torch.tensor(YOUR_JOURNEY.vectors)
OWN_WORK = (*WHOLE_ATTENTIONS, "companion")
X, W_Q, W_K, W_V = (torch.tensor(matrix) for matrix in FOUR_FEATURES)


def wave(*shape: int, shift: float = 0.0) -> Tensor:
    """Numbers between -1 and 1 without any pattern that an axis could hide in."""
    numbers = torch.arange(math.prod(shape), dtype=torch.float64)
    waves = torch.cos(1.7 * numbers + shift + 0.01 * numbers**2)
    return waves.round(decimals=4).reshape(shape)


def the_sentence() -> Triple:
    """Queries, keys and values of the six words."""
    return INPUTS @ W_QUERY, INPUTS @ W_KEY, INPUTS @ W_VALUE


def scaled_weights(queries: Tensor, keys: Tensor) -> Tensor:
    """The attention weights, queries on rows."""
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)


def far_apart(queries: Tensor, keys: Tensor) -> Pair:
    """Scores in the thousands, of one query above zero and of the next below."""
    queries, keys = queries.clone(), keys.clone()
    # Alike within a row, so that the weights are those of ordinary scores.
    queries[::2, 0], queries[1::2, 0], keys[:, 0] = 2500, -2500, 1
    return queries, keys


def words_far_apart(x: Tensor, W_query: Tensor, W_key: Tensor) -> Triple:
    """Words and matrices of which such queries and keys are made."""
    x, W_query, W_key = x.clone(), W_query.clone(), W_key.clone()
    x[:, 0], x[::2, 1], x[1::2, 1] = 1, 1, -1
    W_query[:, 0], W_query[1, 0] = 0, 2500
    W_key[:, 0], W_key[0, 0] = 0, 1
    return x, W_query, W_key


def triple_drawn(draw: Draw) -> Triple:
    """Queries, keys and values."""
    queries, keys = draw.tensor("queries d_k"), draw.tensor("keys d_k")
    return queries, keys, draw.tensor("keys d_v")
