"""Which pairs of a query and a key are visible, or after how many layers: small maps of cells."""

from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at
from companion.drawing.theme import ink_on
from companion.numbers import Array, to_array

_SIDE, _BETWEEN, _PER_LINE, _HEAD, _LEFT = 140.0, 22.0, 4, 26.0, 16.0
_PALEST = 0.3


def pair_maps(maps: Mapping[str, Any], *, alt: str = UNTOLD, numbers: bool = False) -> None:
    """Show square tables with a cell for each pair: queries on rows, keys on columns.

    Args:
        maps: for each title a matrix (tokens, tokens). A pair with 0 or False is grey, which means
            that it is not visible. True has a colour; of several numbers, 1 has the strongest.
        alt: what the picture shows, for those who can't see it.
        numbers: whether to print the numbers.

    Raises:
        ValueError: when there is no map, one is not square or has a number below 0, or `alt` is
            empty.
    """
    if not maps:
        raise ValueError("There is nothing to show: pass at least one map.")
    tables = {title: _read(title, matrix) for title, matrix in maps.items()}
    lines = -(-len(tables) // _PER_LINE)
    across = min(len(tables), _PER_LINE) * (_SIDE + _BETWEEN) - _BETWEEN + _LEFT
    up = lines * (_SIDE + _HEAD + _BETWEEN) - _BETWEEN

    def draw(figure: Figure) -> None:
        for place, (title, table) in enumerate(tables.items()):
            line, column = divmod(place, _PER_LINE)
            left = _LEFT + column * (_SIDE + _BETWEEN)
            bottom = up - _SIDE - _HEAD - line * (_SIDE + _HEAD + _BETWEEN)
            axes = axes_at(figure, left, bottom, _SIDE, _SIDE)
            _fill(axes, table, numbers=numbers)
            axes.set_title(title, fontsize=11)
            if column == 0:
                axes.set_ylabel("queries", labelpad=4, fontsize=11)
            axes.set_xlabel("keys", labelpad=3, fontsize=11)

    show(draw, alt=alt, size=(across / POINTS_PER_INCH, up / POINTS_PER_INCH))


def _read(title: str, matrix: Any) -> Array:
    table = to_array(matrix, name=f"The map {title!r}", shape=(None, None), wanted="two axes")
    if table.shape[0] != table.shape[1] or not table.size or table.min() < 0:
        raise ValueError(f"The map {title!r} is no square table of numbers from 0 on.")
    return table


def _fill(axes: Axes, table: Array, *, numbers: bool) -> None:
    colours = np.array([_colour(number, table.max()) for number in table.flat])
    axes.pcolormesh(
        colours.reshape(*table.shape, 3),
        edgecolors=matplotlib.rcParams["axes.facecolor"],
        linewidth=0.7,
    )
    axes.invert_yaxis()
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    if numbers:
        size = 0.62 * _SIDE / len(table)
        for (row, column), number in np.ndenumerate(table):
            if number:
                axes.text(
                    column + 0.5,
                    row + 0.5,
                    f"{number:.0f}",
                    ha="center",
                    va="center_baseline",
                    size=size,
                    color=ink_on(_colour(number, table.max())),
                )


def _colour(number: float, largest: float) -> tuple[float, float, float]:
    """Grey for 0, and the theme's first colour for 1, paler for each number after it."""
    if not number:
        return to_rgb(matplotlib.rcParams["grid.color"])  # What is hidden, in every figure.
    full = to_rgb(matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][0])
    paper = to_rgb(matplotlib.rcParams["axes.facecolor"])
    share = 1 - (1 - _PALEST) * (number - 1) / max(1, largest - 1)
    red, green, blue = (share * f + (1 - share) * p for f, p in zip(full, paper, strict=True))
    return red, green, blue
