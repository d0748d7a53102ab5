"""One word's attention as arcs over the sentence."""

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, text_width
from companion.drawing.sheet import sheet
from companion.numbers import Array, check_index, counted, number_text, to_array, to_mask

_WORD_SIZE = 14.0
_NUMBER_SIZE = 12.0
_BETWEEN_WORDS = 26.0
_NUMBER_HEIGHT = 8.0
_WORD_HEIGHT = 30.0
_ARC_FOOT = 46.0
# An arc this wide, in points, stands for the weight 1.
_FULL_WIDTH = 14.0
_PALEST = 0.4
# The loop stands in the middle of the word, the other arcs beside it.
_FROM_LOOP = 14.0


def arcs(
    words: Sequence[str], weights: Any, *, focus: int, alt: str = UNTOLD, hidden: Any = None
) -> None:
    """Show how much one word attends to every word of its sentence, itself included.

    An arc goes from the word in focus to each word, as a loop to the word itself. It is as wide as
    the weight is large, on one scale for all figures, and small weights are paler. The weight
    stands below the word, and a weight of 0 has no arc.

    Args:
        words: the sentence.
        weights: `(tokens,)`, not negative: one row of the attention weights.
        focus: the word that attends, counted from 0.
        alt: what the picture shows, for those who can't see it.
        hidden: a mask of `(tokens,)`, True for each word that is hidden; such words are grey.

    Raises:
        ValueError: when there is not one weight for each word, a weight is negative or not a
            number, or `alt` is empty.
        IndexError: when no word is in focus.
    """
    count = len(words)
    numbers = to_array(
        weights, name="weights", shape=(count,), wanted=f"one number for {counted(count, 'word')}"
    )
    check_index(focus, words, name="focus")
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ValueError("A weight is negative or not a number: pass attention weights.")
    (unseen,) = to_mask(None if hidden is None else [[bool(h) for h in hidden]], 1, count)
    centres, width = _set(words, numbers)
    rises = [_rise(centre - centres[focus]) for centre in centres[numbers > 0]]
    height = _ARC_FOOT + max(rises, default=0.0) + _FULL_WIDTH / 2

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, height, upwards=True)
        for centre, weight in zip(centres, numbers, strict=True):
            if weight > 0:
                _draw_arc(axes, centres[focus], centre, weight, numbers.max())
        for i, word in enumerate(words):
            _write(axes, centres[i], word, numbers[i], in_focus=i == focus, grey=bool(unseen[i]))

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def _set(words: Sequence[str], weights: Array) -> tuple[Array, float]:
    """The centres of the words, set in a row, and the length of the row, in points."""
    widths = np.array(
        [
            max(
                text_width(word, _WORD_SIZE, bold=True),
                text_width(number_text(weight), _NUMBER_SIZE),
            )
            for word, weight in zip(words, weights, strict=True)
        ]
    )
    ends = np.cumsum(widths + _BETWEEN_WORDS)
    return ends - (widths + _BETWEEN_WORDS) / 2, float(ends[-1])


def _rise(distance: float) -> float:
    return 36.0 + 0.24 * abs(distance)


def _draw_arc(axes: Axes, start: float, end: float, weight: float, largest: float) -> None:
    line_width = _FULL_WIDTH * weight
    if start == end:
        feet = (start - 3 - line_width / 2, start + 3 + line_width / 2)
        bends = (start - 20 - line_width, start + 20 + line_width)
    else:
        feet = (start + np.copysign(_FROM_LOOP, end - start), end)
        bends = (start + 0.3 * (end - start), end - 0.2 * (end - start))
    # A Bézier curve rises to three quarters of the height of its two inner points.
    top = _ARC_FOOT + _rise(end - start) * 4 / 3
    points = [(feet[0], _ARC_FOOT), (bends[0], top), (bends[1], top), (feet[1], _ARC_FOOT)]
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    alpha = _PALEST + (1 - _PALEST) * weight / largest
    axes.add_patch(PathPatch(path, fill=False, edgecolor="C0", linewidth=line_width, alpha=alpha))


def _write(axes: Axes, x: float, word: str, weight: float, *, in_focus: bool, grey: bool) -> None:
    weight_of_font = "bold" if in_focus else "normal"
    colour = matplotlib.rcParams["axes.edgecolor" if grey else "text.color"]
    accent = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][0]
    axes.text(
        x,
        _WORD_HEIGHT,
        word,
        size=_WORD_SIZE,
        weight=weight_of_font,
        color=accent if in_focus else colour,
        ha="center",
    )
    axes.text(x, _NUMBER_HEIGHT, number_text(weight), size=_NUMBER_SIZE, ha="center", color=colour)
