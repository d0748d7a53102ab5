"""A matrix product with one entry picked out: a row of the first matrix, a column of the second."""

from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH
from companion.drawing.sheet import sheet
from companion.numbers import Array, check_index, counted, number_text
from companion.shapes.blocks import SIZE, arrow, block, hidden_grey, shade, words

_CELL = (38.0, 30.0)
_GAP, _LABEL, _TITLE, _SUM = 34.0, 62.0, 26.0, 34.0


def row_times_column(A: Any, B: Any, *, row: int, column: int, alt: str = UNTOLD) -> None:
    """Show A on the left, B above, and their product where the rows of A meet the columns of B.

    One row, one column and the entry where they meet are in colour; below stands its sum.

    Args:
        A: `(m, k)`, numbers.
        B: `(k, n)`, numbers.
        row: of A, counted from 0.
        column: of B, counted from 0.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when A and B are no matrices that can be multiplied, or `alt` is empty.
        IndexError: when there is no such row or column.
    """
    left, right = _matrix(A, "A"), _matrix(B, "B")
    if left.shape[1] != len(right):
        raise ValueError(
            f"A has {counted(left.shape[1], 'column')} and B has {counted(len(right), 'row')}: "
            "pass matrices that can be multiplied."
        )
    check_index(row, list(left), name="row")
    check_index(column, list(right.T), name="column")
    (m, k), n = left.shape, right.shape[1]
    across, down = _CELL
    x = _LABEL + k * across + _GAP
    y = _TITLE + k * down + _GAP
    width, height = x + n * across + 8, y + m * down + _TITLE + _SUM

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, height)
        picked = _ink("C0"), _ink("C1"), _ink("C2")
        rows = [[picked[0] if i == row else None] * k for i in range(m)]
        columns = [[picked[1] if j == column else None for j in range(n)]] * k
        entry = [
            [picked[2] if (i, j) == (row, column) else None for j in range(n)] for i in range(m)
        ]
        _table(axes, _LABEL, y, left, rows)
        _table(axes, x, _TITLE, right, columns)
        _table(axes, x, y, left @ right, entry)
        words(axes, _LABEL + k * across / 2, y + m * down + 14, f"A ({m}, {k})", bold=True)
        words(axes, x + n * across / 2, _TITLE - 14, f"B ({k}, {n})", bold=True)
        words(axes, x + n * across / 2, y + m * down + 14, f"AB ({m}, {n})", bold=True)
        at = x + (column + 0.5) * across, y + (row + 0.5) * down
        words(axes, _LABEL - 8, at[1], f"row {row}", align="right", size=SIZE)
        arrow(axes, (_LABEL + k * across + 4, at[1]), (x - 4, at[1]))
        words(axes, at[0], y - _GAP + 10, f"column {column}", size=SIZE)
        arrow(axes, (at[0], y - _GAP + 18), (at[0], y - 3))
        terms = " + ".join(
            f"{_factor(one)} · {_factor(other)}"
            for one, other in zip(left[row], right[:, column], strict=True)
        )
        total = _text(float(left[row] @ right[:, column]))
        entry_name = f"entry ({row}, {column}) = {terms} = {total}"
        words(axes, width / 2, height - 10, entry_name, size=SIZE)

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def _matrix(values: Any, name: str) -> Array:
    matrix = np.array(values, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise ValueError(f"{name} is no matrix of finite numbers: pass rows and columns.")
    return matrix


def _table(
    axes: Axes, left: float, top: float, numbers: Array, picked: list[list[str | None]]
) -> None:
    faint = hidden_grey()
    colours = [[shade(faint, 0.6) if one is None else one for one in line] for line in picked]
    texts = [[_text(number) for number in line] for line in numbers]
    block(axes, left, top, colours, cell=_CELL, texts=texts)


def _text(number: float) -> str:
    return number_text(number, 0 if float(number).is_integer() else 2)


def _factor(number: float) -> str:
    return f"({_text(number)})" if number < 0 else _text(number)


def _ink(colour: str) -> str:
    """A colour of the theme by its name."""
    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    return str(cycle[int(colour[1:])])
