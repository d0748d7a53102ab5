"""Vectors in the plane: arrows and their angles, weighted sums of points, and maps of words."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at, place_labels
from companion.numbers import Array, counted, number_text, to_array

_LONGER_SIDE = 330.0
_FULL_WIDTH = 10.0
# How wide the area around a group of words is, in points.
_AREA = 46.0


def arrows(vectors: Mapping[str, Any], *, alt: str = UNTOLD, angles: bool = False) -> None:
    """Show vectors as arrows from the origin, both axes on one scale.

    Args:
        vectors: two numbers for each name.
        alt: what the picture shows, for those who can't see it.
        angles: whether to mark the angle between the first vector and each other one, in degrees.

    Raises:
        ValueError: when a vector has not two finite numbers, a vector of length zero has no angle,
            there is no vector, or `alt` is empty.
    """
    tips = _read(vectors)
    if angles and not tips.any(axis=1).all():
        raise ValueError("A vector of length zero has no direction: leave it out, or the angles.")
    limits = _limits(np.concatenate([tips, np.zeros((1, 2))]))

    def draw(figure: Figure) -> None:
        axes = _plane(figure, limits)
        # Short arrows last, or a longer one in the same direction would hide them.
        for i in sorted(range(len(tips)), key=lambda i: -float(np.linalg.norm(tips[i]))):
            _arrow(axes, tips[i], f"C{i}")
        shafts = np.concatenate([np.linspace(0.05, 1, 60)[:, np.newaxis] * tip for tip in tips])
        marks = _mark_angles(axes, tips) if angles else []
        texts = [*vectors, *(text for text, _ in marks)]
        places = np.array([*tips, *(arc[len(arc) // 2] for _, arc in marks)])
        obstacles = np.concatenate([shafts, *(arc for _, arc in marks), _zero_lines(limits)])
        place_labels(axes, places, texts, directions=places, obstacles=obstacles)

    show(draw, alt=alt, size=_size(limits))


def mixture(
    values: Any,
    weights: Any,
    *,
    names: Sequence[str],
    alt: str = UNTOLD,
    result: str = "weighted sum",
) -> None:
    """Show a weighted sum of points, and how much each of them has a part in it.

    Each point is tied to the sum by a line as wide as its weight is large. The faint area is all
    that weights which are not negative and sum to 1 can reach: the convex hull of the points.

    Args:
        values: `(tokens, 2)`, the points.
        weights: `(tokens,)`, not negative, with sum 1.
        names: one for each point.
        alt: what the picture shows, for those who can't see it.
        result: the name of the sum.

    Raises:
        ValueError: when values, weights and names do not fit together, the weights are no mixture,
            or `alt` is empty.
    """
    points = to_array(
        values,
        name="values",
        shape=(len(names), 2),
        wanted=f"shape ({len(names)}, 2): one point in the plane for {counted(len(names), 'name')}",
    )
    if not np.isfinite(points).all():
        raise ValueError("A point holds a number that is not finite, so it can't be drawn.")
    parts = to_array(
        weights,
        name="weights",
        shape=(len(names),),
        wanted=f"shape ({len(names)},): one number for {counted(len(names), 'name')}",
    )
    if (parts < 0).any() or not np.isclose(parts.sum(), 1):
        raise ValueError(
            f"The weights sum to {number_text(parts.sum())} or one is negative: "
            "pass weights that are not negative and sum to 1."
        )
    centre = np.average(points, axis=0, weights=parts)
    limits = _limits(points)

    def draw(figure: Figure) -> None:
        axes = _plane(figure, limits)
        axes.fill(*_hull(points).T, color=matplotlib.rcParams["grid.color"], alpha=0.5)
        for point, part in zip(points, parts, strict=True):
            axes.plot(*np.transpose([point, centre]), color="C0", lw=_FULL_WIDTH * part, zorder=1)
        axes.plot(*points.T, "o", color="C0", markersize=8)
        axes.plot(*centre, "D", color="C1", markersize=11)
        rays = np.concatenate([np.linspace(centre, point, 40) for point in points])
        texts = [f"{name} {number_text(part)}" for name, part in zip(names, parts, strict=True)]
        outward = np.concatenate([points - centre, [[0, -1]]])
        place_labels(
            axes,
            np.array([*points, centre]),
            [*texts, result],
            directions=outward,
            obstacles=np.concatenate([rays, _zero_lines(limits)]),
            gap=9,
        )

    show(draw, alt=alt, size=_size(limits))


def word_map(
    words: Mapping[str, Any], *, groups: Mapping[str, Sequence[str]], alt: str = UNTOLD
) -> None:
    """Show words as points in the plane; those that belong together lie on one area with a name.

    Args:
        words: two numbers for each word.
        groups: for the name of each group, its words; a word may be in none.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when a word has not two finite numbers, a group names a word that is not there,
            there is no word, or `alt` is empty.
    """
    points = _read(words)
    places = dict(zip(words, points, strict=True))
    for group, members in groups.items():
        if not members or not set(members) <= set(places):
            raise ValueError(f"The group {group!r} is empty or names a word that is not there.")
    limits = _limits(points)
    areas = {
        group: np.array([places[word] for word in members]) for group, members in groups.items()
    }

    def draw(figure: Figure) -> None:
        axes = _plane(figure, limits)
        colours = dict.fromkeys(words, "C4")
        for i, (group, area) in enumerate(areas.items()):
            axes.plot(
                *np.concatenate([area, area[:1]]).T,
                color=f"C{i}",
                alpha=0.16,
                linewidth=_AREA,
                solid_capstyle="round",
                solid_joinstyle="round",
                zorder=1,
            )
            colours |= dict.fromkeys(groups[group], f"C{i}")
        for word, place in places.items():
            axes.plot(*place, "o", color=colours[word], markersize=8)
        outward = points - points.mean(axis=0)
        place_labels(axes, points, list(words), directions=outward, obstacles=_zero_lines(limits))
        for group, area in areas.items():
            axes.annotate(
                group,
                xy=(float(area[:, 0].mean()), float(area[:, 1].max())),
                xytext=(0, _AREA / 2 + 9),
                textcoords="offset points",
                ha="center",
                va="center",
                size=11,
                color=matplotlib.rcParams["axes.edgecolor"],
                bbox={"facecolor": matplotlib.rcParams["axes.facecolor"], "lw": 0, "pad": 1},
                annotation_clip=False,
            )

    show(draw, alt=alt, size=_size(limits))


def _read(vectors: Mapping[str, Any]) -> Array:
    if not vectors:
        raise ValueError("There is no vector to show: pass at least one.")
    tips = [
        to_array(vector, name=f"The vector {name!r}", shape=(2,), wanted="two numbers")
        for name, vector in vectors.items()
    ]
    if not np.isfinite(tips).all():
        raise ValueError("A vector holds a number that is not finite, so it can't be drawn.")
    return np.array(tips)


def _limits(points: Array) -> Array:
    """Lower left and upper right corner of the plane that is shown, never a mere strip of it."""
    low, high = points.min(axis=0), points.max(axis=0)
    longest = float((high - low).max()) or 1.0
    margin = np.maximum(0.45 * longest - (high - low), 0) / 2 + 0.14 * longest
    return np.array([low - margin, high + margin])


def _size(limits: Array) -> tuple[float, float]:
    across, up = (limits[1] - limits[0]) * _LONGER_SIDE / (limits[1] - limits[0]).max()
    return across / POINTS_PER_INCH, up / POINTS_PER_INCH


def _plane(figure: Figure, limits: Array) -> Axes:
    axes = axes_at(figure, 0, 0, *(figure.get_size_inches() * POINTS_PER_INCH))
    axes.set(xlim=limits[:, 0], ylim=limits[:, 1])
    axes.spines[:].set_visible(False)
    ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(limits.min(), limits.max())
    for axis, (low, high) in zip((axes.xaxis, axes.yaxis), limits.T, strict=True):
        axis.set_ticks(ticks[(low < ticks) & (ticks < high)])
    axes.tick_params(length=0, labelsize=11)
    axes.grid()
    for line, (low, high) in zip((axes.axvline, axes.axhline), limits.T, strict=True):
        if low < 0 < high:
            line(0, color=matplotlib.rcParams["axes.edgecolor"], linewidth=0.8)
    return axes


def _zero_lines(limits: Array) -> Array:
    """Points on the lines where a coordinate is zero."""
    x, y = np.linspace(limits[0], limits[1], 60).T
    zeros = np.zeros(60)
    return np.concatenate([np.stack([x, zeros], axis=1), np.stack([zeros, y], axis=1)])


def _arrow(axes: Axes, tip: Array, colour: str) -> None:
    axes.annotate(
        "",
        xy=tuple(tip),
        xytext=(0, 0),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.35,head_length=0.7",
            "color": colour,
            "linewidth": 2.5,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )


def _mark_angles(axes: Axes, tips: Array) -> list[tuple[str, Array]]:
    """Draw an arc from the first vector to each other one; the texts and the arcs, `(n, 2)`."""
    directions = np.arctan2(tips[:, 1], tips[:, 0])
    radius = 0.3 * np.linalg.norm(tips, axis=1).min()
    marks = []
    for i, direction in enumerate(directions[1:], start=1):
        # The way round that is shorter.
        turn = (direction - directions[0] + np.pi) % (2 * np.pi) - np.pi
        along = directions[0] + np.linspace(0, turn, 40)
        arc = radius * (1 + 0.35 * (i - 1)) * np.stack([np.cos(along), np.sin(along)], axis=1)
        axes.plot(*arc.T, color=matplotlib.rcParams["axes.edgecolor"], linewidth=1.2)
        degrees = abs(np.degrees(turn))
        marks.append((f"{degrees:.{0 if degrees >= 10 else 1}f}°", arc))
    return marks


def _hull(points: Array) -> Array:
    """The corners of the convex hull, in order (Andrew's monotone chain, 1979)."""
    ordered = sorted(map(tuple, points))
    halves = []
    for way in (ordered, ordered[::-1]):
        half: list[tuple[float, ...]] = []
        for point in way:
            while len(half) > 1 and not _turns_left(half[-2], half[-1], point):
                half.pop()
            half.append(point)
        halves += half[:-1] or half
    return np.array(halves)


def _turns_left(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
