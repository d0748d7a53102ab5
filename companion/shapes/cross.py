"""Cross-attention with its two sequences: queries from one, keys and values from the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, widest
from companion.drawing.sheet import sheet
from companion.drawing.theme import ink_on
from companion.numbers import to_array
from companion.shapes.blocks import (
    SIZE,
    SMALL,
    arrow,
    block,
    hidden_grey,
    muted_colour,
    shade,
    words,
)

_CELL, _FEATURE = (46.0, 26.0), 12.0
_FEATURES = 3
_SPACE = 56.0


def two_sequences(
    weights: Any,
    *,
    queries: Sequence[str],
    keys: Sequence[str],
    padding: Sequence[bool] | None = None,
    alt: str = UNTOLD,
) -> None:
    """Show the weights of cross-attention between the sequence that asks and the one that is read.

    The sequence that asks stands on the left, and its tokens become queries, which are rows. The
    one that is read stands above, and its tokens become keys and values, which are columns. On the
    right is the output, with one row for each query.

    Args:
        weights: `(queries, keys)`, none negative.
        queries: the tokens of the sequence that asks.
        keys: the tokens of the sequence that is read.
        padding: for each key, whether it is padding and hidden.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when weights or padding do not fit the words, or `alt` is empty.
    """
    shape = (len(queries), len(keys))
    wanted = f"shape {shape}, one row for each query and one column for each key"
    numbers = to_array(weights, name="weights", shape=shape, wanted=wanted)
    hidden = [False] * len(keys) if padding is None else [bool(one) for one in padding]
    if len(hidden) != len(keys):
        raise ValueError(f"padding has {len(hidden)} entries, but there are {len(keys)} keys.")
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ValueError("A weight is negative or not a number: pass attention weights.")
    across, down = _CELL
    label = widest(queries, SIZE) + 12
    left = label + _FEATURES * _FEATURE + _SPACE
    top = 52 + _FEATURES * _FEATURE + _SPACE
    map_width, map_height = len(keys) * across, len(queries) * down
    output = left + map_width + _SPACE
    width, height = output + _FEATURES * _FEATURE + 8, top + map_height + 34

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, height)
        _asking(axes)
        _read(axes)
        for row, line in enumerate(numbers):
            for column, number in enumerate(line):
                colour = hidden_grey() if hidden[column] else shade("C0", float(number) ** 0.7)
                text = "" if hidden[column] else f"{number:.2f}"
                at = (left + column * across, top + row * down)
                block(axes, *at, [[colour]], cell=_CELL)
                ink = ink_on(colour)
                axes.text(
                    at[0] + across / 2, at[1] + down / 2, text, size=SMALL, color=ink,
                    ha="center", va="center_baseline",
                )  # fmt: skip
        words(axes, left + map_width / 2, height - 10, f"weights {shape}", muted=True)
        middle = top + map_height / 2
        arrow(axes, (left + map_width + 6, middle), (output - 6, middle))
        _features(axes, output, "C0")
        words(axes, output + _FEATURES * _FEATURE / 2, top - 14, "output")

    def _asking(axes: Axes) -> None:
        words(axes, label + _FEATURES * _FEATURE / 2, top - 14, "decoder")
        for row, word in enumerate(queries):
            words(axes, label - 8, top + (row + 0.5) * down, word, size=SIZE, align="right")
        _features(axes, label, "C1")
        middle = top + map_height / 2
        start = label + _FEATURES * _FEATURE + 6
        arrow(axes, (start, middle), (left - 6, middle), "queries")

    def _read(axes: Axes) -> None:
        words(axes, left - 8, 42 + _FEATURES * _FEATURE / 2, "encoder", align="right")
        for column, word in enumerate(keys):
            x = left + (column + 0.5) * across
            words(axes, x, 26, word, size=SIZE, muted=hidden[column])
            colour = hidden_grey() if hidden[column] else shade("C2", 0.8)
            for feature in range(_FEATURES):
                at = (x - _FEATURE, 42 + feature * _FEATURE)
                block(axes, *at, [[colour]], cell=(2 * _FEATURE, _FEATURE))
        bottom = 42 + _FEATURES * _FEATURE + 6
        middle = left + map_width / 2
        arrow(axes, (middle, bottom), (middle, top - 6))
        words(axes, middle + 8, (bottom + top) / 2 - 2, "keys", align="left")
        far = output + _FEATURES * _FEATURE / 2
        edge = left + map_width + 4
        high = 42 + _FEATURES * _FEATURE / 2
        axes.plot([edge, far], [high, high], color=muted_colour(), linewidth=1.2)
        arrow(axes, (far, high), (far, top - 24))
        words(axes, far - 8, (high + top) / 2 - 6, "values", align="right")

    def _features(axes: Axes, at: float, colour: str) -> None:
        tables = [[shade(colour, 0.8)] * _FEATURES] * len(queries)
        block(axes, at, top, tables, cell=(_FEATURE, down))

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))
