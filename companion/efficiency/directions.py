"""Vectors in the plane, coloured by the bucket that they fall into."""

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at
from companion.drawing.theme import ink_on
from companion.numbers import to_array

_SIDE = 280.0


def bucket_circle(vectors: Any, rotation: Any, buckets: Any, *, alt: str = UNTOLD) -> None:
    """Show the directions of vectors on a circle, and the directions that name the buckets.

    Args:
        vectors: (tokens, 2).
        rotation: (2, directions), the directions of the first buckets; their opposites are those of
            the others.
        buckets: (tokens,), the bucket of each vector, counted from 0.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when shapes do not fit, or `alt` is empty.
    """
    points = to_array(vectors, name="vectors", shape=(None, 2), wanted="two columns")
    columns = to_array(rotation, name="rotation", shape=(2, None), wanted="two rows").T
    names = to_array(buckets, name="buckets", shape=(len(points),), wanted="a bucket per vector")
    directions = np.concatenate([columns, -columns])
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (points, directions)]

    def draw(figure: Figure) -> None:
        axes = axes_at(figure, 0, 0, _SIDE, _SIDE)
        axes.set(xlim=(-1.8, 1.8), ylim=(-1.8, 1.8))
        axes.set_axis_off()
        cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
        turn = np.linspace(0, 2 * np.pi, 200)
        axes.plot(np.cos(turn), np.sin(turn), color=matplotlib.rcParams["grid.color"], linewidth=1)
        for bucket, (x, y) in enumerate(units[1]):
            colour = cycle[bucket % len(cycle)]
            axes.plot([0, 0.78 * x], [0, 0.78 * y], color=colour, linewidth=5, alpha=0.45)
            axes.text(1.6 * x, 1.4 * y, f"bucket {bucket}", ha="center", va="center", size=10)
        for token, ((x, y), bucket) in enumerate(zip(units[0], names, strict=True)):
            face = cycle[int(bucket) % len(cycle)]
            axes.plot(x, y, "o", color=face, markersize=14)
            axes.text(
                x, y, str(token), ha="center", va="center_baseline", size=9, color=ink_on(face)
            )

    show(draw, alt=alt, size=(_SIDE / POINTS_PER_INCH, _SIDE / POINTS_PER_INCH))
