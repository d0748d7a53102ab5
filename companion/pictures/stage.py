"""A query that meets keys and takes home a mixture of values: attention told as a scene."""

from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, widest
from companion.drawing.sheet import sheet
from companion.numbers import counted, number_text, to_array

_SIZE = 12.0
_ROW = 44.0
_HEADING = 30.0
_REACH = 110.0
_GAP = 26.0
# A line this wide, in points, stands for the weight 1.
_FULL_WIDTH = 14.0
_HEADINGS = ("query", "keys", "weights", "values")


def stage(
    asks: str,
    query: str,
    cast: Mapping[str, tuple[str, str]],
    weights: Any,
    *,
    alt: str = UNTOLD,
) -> None:
    """Show one who asks on the left and those who may answer on the right.

    A line goes from the query to each key, as wide as the weight is large. The weight and the value
    stand behind the key.

    Args:
        asks: the name of the one who asks.
        query: the question.
        cast: for the name of each who may answer, the key and the value, in words.
        weights: one number for each of them, not negative.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when there is not one weight for each, a weight is negative or not a number, or
            `alt` is empty.
    """
    count = len(cast)
    wanted = f"one number for {counted(count, 'member')} of the cast"
    numbers = to_array(weights, name="weights", shape=(count,), wanted=wanted)
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ValueError("A weight is negative or not a number: pass attention weights.")
    texts = [number_text(number) for number in numbers]
    columns = [
        max(widest([asks], _SIZE, bold=True), widest([query], _SIZE)),
        max(widest([*cast], _SIZE, bold=True), widest([key for key, _ in cast.values()], _SIZE)),
        widest([*texts, _HEADINGS[2]], _SIZE),
        widest([value for _, value in cast.values()], _SIZE),
    ]
    lefts = [0.0, columns[0] + _REACH]
    lefts.append(lefts[1] + columns[1] + _GAP)
    lefts.append(lefts[2] + columns[2] + _GAP)
    width, height = lefts[3] + columns[3], count * _ROW + _HEADING

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, height)
        muted = matplotlib.rcParams["axes.edgecolor"]
        for left, heading in zip(lefts, _HEADINGS, strict=True):
            axes.text(left, _HEADING / 2, heading, size=_SIZE, color=muted, va="center")
        middle = _HEADING + count * _ROW / 2
        _write(axes, 0, middle, asks, query)
        for row, ((name, (key, value)), number) in enumerate(
            zip(cast.items(), numbers, strict=True)
        ):
            y = _HEADING + (row + 0.5) * _ROW
            axes.plot(
                [columns[0] + 14, lefts[1] - 8],
                [middle, y],
                color="C0",
                linewidth=_FULL_WIDTH * number,
                solid_capstyle="butt",
            )
            _write(axes, lefts[1], y, name, key)
            axes.text(lefts[2], y, texts[row], size=_SIZE, va="center")
            axes.text(lefts[3], y, value, size=_SIZE, va="center")

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def _write(axes: Axes, x: float, y: float, name: str, words: str) -> None:
    """A name, and below it what it says."""
    axes.text(x, y - 9, name, size=_SIZE, weight="bold", va="center")
    axes.text(x, y + 9, words, size=_SIZE, va="center")
