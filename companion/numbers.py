"""What the drawings have in common: reading numbers in, checking them, and writing them out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def to_array(values: Any, *, name: str, shape: tuple[int | None, ...], wanted: str) -> Array:
    """A float64 array of a given shape, from anything that holds numbers, PyTorch tensors included.

    Args:
        values: an array, a tensor or nested lists.
        name: what to call them in an error.
        shape: the length of each axis; None allows any.
        wanted: the same in words, for the error.

    Raises:
        ValueError: for another shape.
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu().double()
    array = np.asarray(values, dtype=np.float64)
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} has shape {array.shape}, but should have {wanted}.")
    return array


def to_mask(hidden: Any, rows: int, columns: int) -> npt.NDArray[np.bool_]:
    """A mask of `(rows, columns)`, True where an entry is hidden; None hides nothing.

    Raises:
        ValueError: when the mask does not consist of True and False, or has another shape.
    """
    if hidden is None:
        return np.zeros((rows, columns), dtype=bool)
    mask = np.asarray(hidden.detach().cpu() if hasattr(hidden, "detach") else hidden)
    if mask.dtype != bool:
        raise ValueError("The mask of hidden entries has to consist of True and False.")
    if mask.shape != (rows, columns):
        raise ValueError(f"The mask has shape {mask.shape}, but should have ({rows}, {columns}).")
    return mask


def number_text(value: float, decimals: int = 2) -> str:
    """A number as it stands in a figure: never "-0.00", and short even when it is huge.

    Infinity and "not a number" are written as Python writes them.
    """
    if np.isfinite(value) and abs(value) >= 1e6:
        digits, exponent = f"{value:.1e}".split("e")
        text = f"{digits}e{int(exponent)}"
    else:
        text = f"{value:z.{decimals}f}"
    return text.replace("-", "−")


def counted(number: int, noun: str) -> str:
    """ "1 word", "2 words"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check_index(index: int, words: Sequence[str], *, name: str) -> None:
    """Raises IndexError for an index that stands for none of the words."""
    if not 0 <= index < len(words):
        raise IndexError(f"{name}={index} is not a word: pass a number from 0 to {len(words) - 1}.")
