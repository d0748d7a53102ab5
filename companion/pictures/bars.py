"""Bar charts side by side, each number printed at the end of its bar."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at, widest
from companion.numbers import Array, counted, number_text, to_array

_SIZE = 12.0
_BAR_HEIGHT = 26.0
_BETWEEN_CHARTS = 30.0
_FULL_WIDTH = 520.0
_WIDEST_CHART = 250.0
_SHORTEST_LONGEST_BAR = 60.0
_FROM_BAR_TO_NUMBER = 5.0
_FROM_LABEL_TO_BAR = 8.0
# The number of a bar to the left ends beside the labels: closer, they would read as one number.
_FROM_LABEL_TO_NUMBER = 26.0


def bars(
    charts: Mapping[str, Any],
    *,
    labels: Sequence[str],
    alt: str = UNTOLD,
    same_scale: bool = True,
    decimals: int = 2,
) -> None:
    """Show lists of numbers as bars, one chart beside the other.

    Args:
        charts: for each title, one number for each label; a number that is not finite has no bar.
        labels: what the bars stand for, from top to bottom, the same in all charts.
        alt: what the picture shows, for those who can't see it.
        same_scale: whether bars of equal length are equal numbers across all charts. Otherwise each
            chart fills its own width.
        decimals: how many digits after the point.

    Raises:
        ValueError: when a chart has not one number for each label, there is nothing to show, or
            `alt` is empty.
    """
    numbers = _read(charts, labels)
    count = len(numbers)
    texts = [[number_text(number, decimals) for number in row] for row in numbers.values()]
    room = _FROM_BAR_TO_NUMBER + widest([text for row in texts for text in row], _SIZE)
    width = min((_FULL_WIDTH - _BETWEEN_CHARTS * (count - 1)) / count, _WIDEST_CHART)
    width = max(width, 2 * room + _SHORTEST_LONGEST_BAR)
    height = _BAR_HEIGHT * len(labels)
    everything = np.concatenate(list(numbers.values()))

    def draw(figure: Figure) -> None:
        for place, (title, row) in enumerate(numbers.items()):
            axes = axes_at(figure, place * (width + _BETWEEN_CHARTS), 0, width, height)
            axes.set_xlim(*_limits(everything if same_scale else row, room, width))
            _draw_bars(axes, row, texts[place], labels if place == 0 else [""] * len(labels))
            axes.set_title(title, loc="left")

    across = count * width + (count - 1) * _BETWEEN_CHARTS
    show(draw, alt=alt, size=(across / POINTS_PER_INCH, height / POINTS_PER_INCH))


def _read(charts: Mapping[str, Any], labels: Sequence[str]) -> dict[str, Array]:
    if not charts or not labels:
        raise ValueError("There is nothing to show: pass at least one chart and one label.")
    wanted = f"one number for {counted(len(labels), 'label')}"
    return {
        title: to_array(row, name=f"The chart {title!r}", shape=(len(labels),), wanted=wanted)
        for title, row in charts.items()
    }


def _limits(numbers: Array, room: float, width: float) -> tuple[float, float]:
    """The limits of an axis that holds the bars, and beyond their ends so many points for text."""
    finite = numbers[np.isfinite(numbers)]
    low, high = float(finite.min(initial=0)), float(finite.max(initial=0))
    if low == high:
        return 0.0, 1.0
    sides = (low < 0) + (high > 0)
    per_point = (high - low) / (width - sides * room)
    return low - (low < 0) * room * per_point, high + (high > 0) * room * per_point


def _draw_bars(axes: Axes, row: Array, texts: Sequence[str], labels: Sequence[str]) -> None:
    places = np.arange(len(row))
    axes.barh(places, np.where(np.isfinite(row), row, 0), height=0.68, color="C0")
    axes.set_ylim(len(row) - 0.5, -0.5)
    for place, number, text in zip(places, row, texts, strict=True):
        left = -np.inf < number < 0
        axes.annotate(
            text,
            xy=(number if np.isfinite(number) else 0, place),
            xytext=(-_FROM_BAR_TO_NUMBER if left else _FROM_BAR_TO_NUMBER, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center_baseline",
            size=_SIZE,
        )
    axes.axvline(0, color=matplotlib.rcParams["axes.edgecolor"], linewidth=0.8)
    axes.spines[:].set_visible(False)
    axes.set_xticks([])
    axes.set_yticks(places, labels)
    beside_numbers = bool((np.isfinite(row) & (row < 0)).any())
    pad = _FROM_LABEL_TO_NUMBER if beside_numbers else _FROM_LABEL_TO_BAR
    axes.tick_params(length=0, labelsize=_SIZE, pad=pad)
