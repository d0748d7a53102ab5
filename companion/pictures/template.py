"""A worksheet on paper: matrices as boxes, some filled in, some left blank."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, text_width
from companion.drawing.sheet import sheet
from companion.numbers import Array, number_text

_CELL = 27.0
_SIZE = 11.0
_TITLE = 24.0
_BETWEEN = 30.0
_BELOW = 16.0


def template(lines: Sequence[Mapping[str, Any]], *, alt: str = UNTOLD) -> None:
    """Show matrices as boxes to be filled in with a pencil.

    Args:
        lines: from top to bottom, and in each from left to right, a matrix for each title:
            `(rows, columns)` numbers to be printed, or such a shape, as a tuple of two, for an
            empty one.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when there is nothing to show, a matrix has not two axes, or `alt` is empty.
    """
    matrices = [{title: _read(title, part) for title, part in line.items()} for line in lines]
    if not all(matrices) or not matrices:
        raise ValueError("There is nothing to show: pass at least one matrix for each line.")
    widths = [sum(_wide(*part) + _BETWEEN for part in line.items()) for line in matrices]
    heights = [max(len(m) for m in line.values()) * _CELL + _TITLE for line in matrices]
    width, height = max(widths) - _BETWEEN, sum(heights) + _BELOW * (len(heights) - 1)

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, height)
        top = 0.0
        for line, deep in zip(matrices, heights, strict=True):
            left = 0.0
            for title, matrix in line.items():
                axes.text(left, top + _TITLE / 2, title, size=_SIZE + 1, va="center")
                _boxes(axes, left, top + _TITLE, matrix)
                left += _wide(title, matrix) + _BETWEEN
            top += deep + _BELOW

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def _read(title: str, part: Any) -> Array:
    """The numbers of a matrix; NaN where a box is to stay empty."""
    if isinstance(part, tuple) and all(isinstance(size, int) for size in part):
        matrix = np.full(part, np.nan)
    else:
        matrix = np.array(part, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"{title!r} has {matrix.ndim} axes: a matrix has rows and columns.")
    return matrix


def _wide(title: str, matrix: Array) -> float:
    """How much room a matrix takes, or its title where that is wider."""
    return max(float(matrix.shape[1] * _CELL), text_width(title, _SIZE + 1))


def _boxes(axes: Axes, left: float, top: float, matrix: Array) -> None:
    edge = matplotlib.rcParams["axes.edgecolor"]
    fill = matplotlib.rcParams["grid.color"]
    for (row, column), number in np.ndenumerate(matrix):
        x, y = left + column * _CELL, top + row * _CELL
        given = np.isfinite(number)
        axes.add_patch(
            Rectangle(
                (x, y),
                _CELL,
                _CELL,
                facecolor=fill if given else "none",
                edgecolor=edge,
                linewidth=0.8,
                clip_on=False,
            )
        )
        if given:
            text = number_text(number, 0)
            axes.text(
                x + _CELL / 2, y + _CELL / 2, text, size=_SIZE, ha="center", va="center_baseline"
            )
