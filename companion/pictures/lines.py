"""Curves, each with its name at its end."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at, spread
from companion.drawing.theme import STYLES
from companion.numbers import Array, counted, to_array

_SIZE = 12.0
_WIDTH, _HEIGHT = 400.0, 240.0
_LABEL_GAP = 22.0
_LINE_HEIGHT = 16.0


def lines(
    curves: Mapping[str, Any],
    *,
    x: Any,
    x_label: str,
    y_label: str,
    alt: str = UNTOLD,
    logarithmic: bool | Literal["x"] = False,
    from_zero: bool = False,
) -> None:
    """Show curves over one x axis.

    Colours can be told apart with any colour vision, and every curve has its own pattern of dashes.

    Args:
        curves: `(n,)` numbers for each name.
        x: `(n,)`, where they were taken.
        x_label: what x is.
        y_label: what the curves measure.
        alt: what the picture shows, for those who can't see it.
        logarithmic: whether both axes are, so that a power of x is a straight line; "x" if that
            axis alone is, for places that double.
        from_zero: whether the y axis begins at 0, as it should for shares of a whole.

    Raises:
        ValueError: when a curve has not one number for each x, or no finite number at all, when
            there is no curve, or `alt` is empty.
    """
    places = to_array(x, name="x", shape=(None,), wanted="one axis")
    numbers = _read(curves, len(places))

    def draw(figure: Figure) -> None:
        axes = axes_at(figure, 0, 0, _WIDTH, _HEIGHT)
        for i, y in enumerate(numbers.values()):
            axes.plot(places, y, color=f"C{i}", linestyle=STYLES[i % len(STYLES)])
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.tick_params(labelsize=11)
        if logarithmic:
            axes.set_xscale("log")
            axes.set_xticks(places, [f"{place:,g}" for place in places])
            axes.minorticks_off()
        if logarithmic is True:
            _name_powers(axes)
        elif not logarithmic:
            axes.locator_params(nbins=6)
        axes.grid(axis="y")
        axes.margins(x=0.02)
        if from_zero:
            axes.set_ylim(bottom=0)
        # Until then the axes do not know their limits, on which the places of the names depend.
        axes.autoscale_view()
        _name_ends(axes, places, numbers)

    show(draw, alt=alt, size=(_WIDTH / POINTS_PER_INCH, _HEIGHT / POINTS_PER_INCH))


def _name_powers(axes: Axes) -> None:
    """A logarithmic y axis with ticks at powers of ten, or closer where it spans few of them."""
    axes.set_yscale("log")
    axes.minorticks_off()
    low, high = axes.get_ylim()
    if high / low < 100:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda height, _: f"{height:g}")


def _read(curves: Mapping[str, Any], count: int) -> dict[str, Array]:
    if not curves:
        raise ValueError("There is no curve to show: pass at least one.")
    wanted = f"shape ({count},): one number for {counted(count, 'place')} on the x axis"
    numbers = {
        name: to_array(y, name=f"The curve {name!r}", shape=(count,), wanted=wanted)
        for name, y in curves.items()
    }
    for name, y in numbers.items():
        if not np.isfinite(y).any():
            raise ValueError(f"The curve {name!r} has no finite number, so it can't be drawn.")
    return numbers


def _name_ends(axes: Axes, x: Array, curves: Mapping[str, Array]) -> None:
    lasts = [np.flatnonzero(np.isfinite(y))[-1] for y in curves.values()]
    ends = np.array([(x[last], y[last]) for last, y in zip(lasts, curves.values(), strict=True)])
    heights = axes.transData.transform(ends)[:, 1] * POINTS_PER_INCH / axes.figure.dpi
    for i, (name, height) in enumerate(
        zip(curves, spread(list(heights), _LINE_HEIGHT), strict=True)
    ):
        axes.annotate(
            name,
            xy=ends[i],
            xytext=(_WIDTH + _LABEL_GAP, height),
            textcoords="axes points",
            va="center",
            size=_SIZE,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": f"C{i}",
                "linewidth": 1,
                "shrinkA": 2,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
        )
