"""The worksheet of lesson 03: four words with six features each, one word per column."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


class Features(NamedTuple):
    """Inputs and weights of a self-attention to be done by hand.

    Attributes:
        X: `(6, 4)`, one feature vector per column.
        W_query: `(3, 6)`.
        W_key: `(3, 6)`.
        W_value: `(3, 6)`.
    """

    X: Matrix
    W_query: Matrix
    W_key: Matrix
    W_value: Matrix


def _whole(rows: list[list[int]]) -> Matrix:
    return np.array(rows, dtype=np.float64)


FOUR_FEATURES = Features(
    X=_whole(
        [
            [1, 0, 2, 1],
            [0, 1, 0, 0],
            [1, 0, 1, 0],
            [1, 1, 0, 0],
            [1, 0, 0, 2],
            [1, 0, 1, 0],
        ]
    ),
    W_query=_whole([[0, 1, 0, 0, 1, 0], [-1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1]]),
    W_key=_whole([[0, 0, 1, 1, 0, 0], [0, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1]]),
    W_value=_whole([[0, 1, 0, 0, 1, 0], [0, 0, 0, 1, 1, 0], [0, 0, -1, 0, 1, 0]]),
)
