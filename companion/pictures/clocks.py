"""Positions as clocks: hands of different speeds, and where they point."""

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at, widest
from companion.numbers import to_array

_DIAL = 46.0
_GAP = 8.0
_WORD_SIZE = 12.0
_TITLE_ROOM = 26.0


def clocks(angles: Any, *, rows: Sequence[str], columns: Sequence[str], alt: str = UNTOLD) -> None:
    """Show a table of clocks, each with one hand.

    An angle of 0 points to the right, and a hand turns against the clock, as in mathematics: its
    tip is the cosine to the right and the sine upwards.

    Args:
        angles: `(rows, columns)`, in radians.
        rows: the name of each row of clocks.
        columns: the name of each column.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when the names do not fit the angles, or `alt` is empty.
    """
    wanted = f"shape ({len(rows)}, {len(columns)}): one angle for each clock"
    turns = to_array(angles, name="angles", shape=(len(rows), len(columns)), wanted=wanted)
    left = widest(rows, _WORD_SIZE) + 12
    width = left + len(columns) * (_DIAL + _GAP)
    height = len(rows) * (_DIAL + _GAP) + _TITLE_ROOM

    def draw(figure: Figure) -> None:
        axes = axes_at(figure, 0, 0, width, height)
        axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
        axes.axis("off")
        for row, name in enumerate(rows):
            axes.text(left - 12, _centre(row) + _TITLE_ROOM, name, size=_WORD_SIZE, ha="right",
                      va="center")  # fmt: skip
        for column, name in enumerate(columns):
            axes.text(left + _centre(column), 10, name, size=_WORD_SIZE, ha="center", va="center")
        for (row, column), angle in np.ndenumerate(turns):
            _dial(axes, left + _centre(column), _TITLE_ROOM + _centre(row), angle)

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def _centre(place: int) -> float:
    return place * (_DIAL + _GAP) + _DIAL / 2


def _dial(axes: Axes, x: float, y: float, angle: float) -> None:
    radius = _DIAL / 2
    face = matplotlib.rcParams["grid.color"]
    axes.add_patch(Circle((x, y), radius, facecolor=face, edgecolor="none"))
    tip = (x + 0.85 * radius * np.cos(angle), y - 0.85 * radius * np.sin(angle))
    axes.plot([x, tip[0]], [y, tip[1]], color="C0", linewidth=2.5, solid_capstyle="round")
    axes.plot([x], [y], marker="o", markersize=4, color="C0")
