"""A sentence whose nouns should find their adjectives, and what matrices make of it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from companion.inputs.sentences import Sentence

FEATURES = ("article", "adjective", "noun", "verb", "first phrase", "second phrase")
ENOUGH = 0.8

FLUFFY_CREATURE = Sentence(
    words=("a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"),
    vectors=np.array(
        [
            [1, 0, 0, 0, 1, 0],
            [0, 1, 0, 0, 1, 0],
            [0, 1, 0, 0, 1, 0],
            [0, 0, 1, 0, 1, 0],
            [0, 0, 0, 1, 0, 0],
            [1, 0, 0, 0, 0, 1],
            [0, 1, 0, 0, 0, 1],
            [0, 0, 1, 0, 0, 1],
        ]
    ),
)
ADJECTIVES = {"creature": ("fluffy", "blue"), "forest": ("verdant",)}


def designed_map(W_query: Any, W_key: Any) -> np.ndarray:
    """The attention weights of the fluffy sentence under two matrices: scaled, softmax per row.

    Args:
        W_query: `(6, d_k)`, a tensor, an array or nested lists.
        W_key: `(6, d_k)`.

    Returns:
        The weights, `(8, 8)`, float64: queries on rows, keys on columns.

    Raises:
        ValueError: when a matrix has not six rows, or the two have not the same shape.
    """
    import torch

    X = torch.tensor(FLUFFY_CREATURE.vectors)
    matrices = {"W_query": _matrix(W_query), "W_key": _matrix(W_key)}
    for name, matrix in matrices.items():
        if matrix.ndim != 2 or len(matrix) != len(FEATURES):
            raise ValueError(
                f"{name} has the shape {tuple(matrix.shape)}: it needs a row for each of the "
                f"{len(FEATURES)} features, (6, d_k)."
            )
    queries, keys = (X @ torch.from_numpy(matrix) for matrix in matrices.values())
    if queries.shape != keys.shape:
        raise ValueError(
            f"The queries have {queries.shape[1]} numbers and the keys {keys.shape[1]}: "
            "W_query and W_key need the same number of columns."
        )
    # Values that mark each word leave nothing but the weights.
    marks = torch.eye(len(X), dtype=X.dtype)
    weights = torch.nn.functional.scaled_dot_product_attention(queries, keys, marks)
    return np.asarray(weights.numpy())


def what_nouns_look_at(design: Callable[[], Any]) -> dict[str, object]:
    """In words, where the nouns look under the matrices that `design` returns.

    Args:
        design: a function that returns W_query and W_key.

    Returns:
        For each noun, the words that get at least half as much of its attention as the word that
        gets most, and whether its own adjectives get 0.8 of it together.

    Raises:
        ValueError: when the function does not return two matrices that fit.
    """
    returned = design()
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise ValueError("Return two matrices, W_query and W_key.")
    weights = designed_map(*returned)
    words = FLUFFY_CREATURE.words
    found: dict[str, object] = {}
    for noun, adjectives in ADJECTIVES.items():
        row = weights[words.index(noun)]
        seen = [word for word, weight in zip(words, row, strict=True) if weight >= row.max() / 2]
        share = sum(row[words.index(adjective)] for adjective in adjectives)
        found[f"{noun} looks at"] = "all words" if len(seen) == len(words) else ", ".join(seen)
        found[f"{noun} gives its own adjectives at least {ENOUGH}"] = bool(share >= ENOUGH)
    return found


def _matrix(values: Any) -> np.ndarray:
    if hasattr(values, "detach"):
        values = values.detach().cpu().double().numpy()
    return np.array(values, dtype=np.float64)
