"""The pictures of a report, as SVG that takes the colours of the page it stands in."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from autograder.course import lesson_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# No ink but this stands in a picture: it becomes that of the text around it.
_INK = "#010203"
_BAR = "#3b7dd8"
_SOFT = "#8a94a0"
_BINS = 10


def distribution(points: Sequence[float], out_of: float) -> Markup:
    """How many students have earned how many points."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = _empty(height=2.4)
    # A lesson may have nothing but questions that a human reads.
    out_of = out_of or 1
    edges = [out_of * n / _BINS for n in range(_BINS + 1)]
    counts, _, _ = axes.hist(points, bins=edges, color=_BAR, rwidth=0.92)
    axes.set_xlim(0, out_of)
    axes.set_xlabel("points")
    axes.set_ylabel("students")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    parts = [
        f"{int(count)} with {low:g} to {high:g}"
        for count, low, high in zip(counts, edges, edges[1:], strict=False)
        if count
    ]
    return _as_svg(figure, f"How many students earned how many points: {', '.join(parts)}.")


def over_time(shares: Mapping[str, Sequence[float | None]], lessons: Sequence[str]) -> Markup:
    """Each student's share of the points from lesson to lesson, and the middle of the class."""
    import numpy as np

    figure, axes = _empty(height=2.8)
    table = np.array([[np.nan if s is None else 100 * s for s in row] for row in shares.values()])
    for row in table:
        axes.plot(range(len(lessons)), row, color=_SOFT, linewidth=0.8, alpha=0.5)
    middle = np.nanmedian(table, axis=0)
    axes.plot(range(len(lessons)), middle, color=_BAR, linewidth=2.5, marker="o")
    axes.set_xticks(range(len(lessons)), [*map(lesson_number, lessons)])
    axes.set_ylim(-3, 103)
    axes.set_xlabel("lesson")
    axes.set_ylabel("points in per cent")
    text = ", ".join(f"{m:.0f} % in {name}" for m, name in zip(middle, lessons, strict=True))
    return _as_svg(figure, f"The middle of the class: {text}. Thin lines are single students.")


def _empty(height: float) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(_INK)
    axes.tick_params(colors=_INK)
    axes.xaxis.label.set_color(_INK)
    axes.yaxis.label.set_color(_INK)
    return figure, axes


def _as_svg(figure: "Figure", alt: str) -> Markup:
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "report"}):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue().replace(_INK, "currentColor")
    # What stands before the picture is for a file of its own.
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    opening = Markup('<svg role="img" aria-label="{}" ').format(alt)
    return opening + Markup(svg.removeprefix("<svg "))
