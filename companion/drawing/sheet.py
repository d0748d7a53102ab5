"""A sheet whose places are given in points, 72 to the inch, and an arrow on it."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.labels import axes_at


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
