"""The running inputs: two short sentences, one small vector for each word."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Sentence:
    """Words and their vectors, in the same order.

    The vectors can't be written to, so that a cell run twice gives the same answer twice:
    `sentence.vectors.copy()` gives an array that is yours to change.

    Attributes:
        words: one string for each token.
        vectors: `(tokens, d_in)`, float64, read-only.

    Raises:
        ValueError: when there is not exactly one vector for each word.
    """

    words: tuple[str, ...]
    vectors: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        vectors = np.array(self.vectors, dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(self.words):
            raise ValueError(
                f"There are {len(self.words)} words, but the vectors have shape {vectors.shape}: "
                "give one row for each word."
            )
        vectors.flags.writeable = False
        object.__setattr__(self, "vectors", vectors)


HELLO_SHINY_SUN = Sentence(
    words=("Hello", "shiny", "sun"),
    vectors=np.array(
        [
            [0.34, 0.22, 0.54],
            [0.53, 0.34, 0.98],
            [0.29, 0.54, 0.93],
        ]
    ),
)

YOUR_JOURNEY = Sentence(
    words=("Your", "journey", "starts", "with", "one", "step"),
    vectors=np.array(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    ),
)
