"""A sheet whose places are given in points, 72 to the inch, and arrows and boxes on it."""

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from companion.drawing.labels import axes_at
from companion.drawing.theme import ink_on


def sheet(
    figure: Figure,
    width: float,
    height: float,
    *,
    left: float = 0,
    bottom: float = 0,
    upwards: bool = False,
) -> Axes:
    """Axes without a frame, whose data coordinates are points from their upper left corner.

    Args:
        figure: where they stand.
        width: in points.
        height: in points.
        left: the points between the figure's left side and theirs.
        bottom: the points between the figure's lower side and theirs.
        upwards: whether y counts from the lower left corner instead.
    """
    axes = axes_at(figure, left, bottom, width, height)
    axes.set(xlim=(0, width), ylim=(0, height) if upwards else (height, 0))
    axes.set_axis_off()
    return axes


def arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    colour: str,
    linewidth: float,
) -> None:
    """An arrow from one place to another."""
    look = {"arrowstyle": "-|>", "color": colour, "linewidth": linewidth}
    axes.annotate("", xy=end, xytext=start, arrowprops={**look, "shrinkA": 0, "shrinkB": 0})


def box(
    axes: Axes,
    place: tuple[float, float],
    size: tuple[float, float],
    colour: str = "",
    *,
    dashed: bool = False,
) -> str:
    """A box with round corners around a place, and the colour for what is written on it.

    Without a colour of its own, such as "C0", it is paper with an edge.
    """
    axes.add_patch(
        FancyBboxPatch(
            (place[0] - size[0] / 2, place[1] - size[1] / 2),
            *size,
            boxstyle="round,pad=0,rounding_size=4",
            facecolor=colour or matplotlib.rcParams["axes.facecolor"],
            edgecolor=matplotlib.rcParams["axes.facecolor" if colour else "axes.edgecolor"],
            linestyle="--" if dashed else "-",
            zorder=2,
        )
    )
    if not colour:
        return str(matplotlib.rcParams["text.color"])
    return ink_on(matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][int(colour[1:])])
