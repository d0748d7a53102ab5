"""Outlines in the plane: where a map has taken a shape, beside where it should be."""

from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at, widest
from companion.numbers import Array, to_array

# An F, corner by corner: no turn and no mirror image of it looks like it.
LETTER: Array = np.array(
    [
        *[(-0.6, -1.0), (-0.2, -1.0), (-0.2, -0.1), (0.4, -0.1), (0.4, 0.3), (-0.2, 0.3)],
        *[(-0.2, 0.6), (0.6, 0.6), (0.6, 1.0), (-0.6, 1.0)],
    ]
)

_SIDE, _GAP, _TITLE_ROOM, _TITLE_SIZE = 150.0, 14.0, 24.0, 12.5
_MARGIN = 0.08


def outlines(shapes: Mapping[str, Any], *, target: Any, alt: str = UNTOLD) -> None:
    """Show closed outlines side by side on one scale, each over the outline that it should become.

    Args:
        shapes: by their titles, `(corners, 2)` each.
        target: `(corners, 2)`, drawn grey in all panels.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when a shape has not two finite numbers per corner, there is no shape, or `alt`
            is empty.
    """
    if not shapes:
        raise ValueError("There is no shape to show: pass at least one.")
    drawn = {title: _corners(shape, f"The shape {title!r}") for title, shape in shapes.items()}
    wanted = _corners(target, "The target")
    everything = np.concatenate([wanted, *drawn.values()])
    low, high = everything.min(axis=0), everything.max(axis=0)
    centre, half = (low + high) / 2, (high - low).max() * (0.5 + _MARGIN) or 1.0
    side = max(_SIDE, widest([*drawn], _TITLE_SIZE))
    width = len(drawn) * side + (len(drawn) - 1) * _GAP

    def draw(figure: Figure) -> None:
        faint, muted = matplotlib.rcParams["grid.color"], matplotlib.rcParams["axes.edgecolor"]
        for place, (title, shape) in enumerate(drawn.items()):
            axes = axes_at(figure, place * (side + _GAP), 0, side, side)
            axes.set(xlim=centre[0] + half * np.array([-1, 1]),
                     ylim=centre[1] + half * np.array([-1, 1]), xticks=[], yticks=[])  # fmt: skip
            axes.spines[:].set(visible=True, color=faint)
            axes.set_title(title, size=_TITLE_SIZE)
            axes.fill(*wanted.T, facecolor=faint, edgecolor=muted, linewidth=1)
            axes.fill(*shape.T, facecolor="none", edgecolor="C0", linewidth=2.5)

    size = (width / POINTS_PER_INCH, (side + _TITLE_ROOM) / POINTS_PER_INCH)
    show(draw, alt=alt, size=size)


def _corners(shape: Any, name: str) -> Array:
    wanted = "shape (corners, 2): two numbers for each corner"
    found = to_array(shape, name=name, shape=(None, 2), wanted=wanted)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds a number that is not finite, so it can't be drawn.")
    return found
