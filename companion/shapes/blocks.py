"""Tensors as blocks of coloured cells, and the arrows and words between them.

Places are in points, counted from the upper left corner of the drawing.
"""

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from companion.drawing import sheet
from companion.drawing.theme import ink_on

SMALL, SIZE = 10.5, 12.0


def hidden_grey() -> str:
    """What nobody may see has this colour, in every figure."""
    return str(matplotlib.rcParams["grid.color"])


def muted_colour() -> str:
    """The colour of what stands back."""
    return str(matplotlib.rcParams["axes.edgecolor"])


def head_colour(head: int) -> str:
    """The colour of a head's features; after five heads colours come again."""
    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    return str(cycle[head % len(cycle)])


def shade(colour: str, strength: float) -> tuple[float, float, float]:
    """A colour between paper (0) and itself (1)."""
    paper, full = to_rgb(matplotlib.rcParams["axes.facecolor"]), to_rgb(colour)
    mixed = [strength * f + (1 - strength) * p for p, f in zip(paper, full, strict=True)]
    return mixed[0], mixed[1], mixed[2]


def block(
    axes: Axes,
    left: float,
    top: float,
    colours: Sequence[Sequence[object]],
    *,
    cell: tuple[float, float],
    texts: Sequence[Sequence[str]] = (),
) -> None:
    """A table of cells, each with its colour and perhaps a text."""
    width, height = cell
    paper = matplotlib.rcParams["axes.facecolor"]
    for row, line in enumerate(colours):
        for column, colour in enumerate(line):
            x, y = left + column * width, top + row * height
            axes.add_patch(
                Rectangle((x, y), width, height, facecolor=colour, edgecolor=paper, linewidth=1.2)
            )
            if texts:
                axes.text(
                    x + width / 2,
                    y + height / 2,
                    texts[row][column],
                    ha="center",
                    va="center_baseline",
                    size=SIZE,
                    color=ink_on(colour),  # type: ignore[arg-type]
                )


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], text: str = "") -> None:
    """A muted arrow, with its text above it."""
    sheet.arrow(axes, start, end, colour=muted_colour(), linewidth=1.2)
    if text:
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        axes.text(x, y - 5, text, ha="center", va="bottom", size=SMALL)


def words(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    muted: bool = False,
    bold: bool = False,
    size: float = SMALL,
    align: str = "center",
) -> None:
    """A line of text around a place."""
    colour = matplotlib.rcParams["axes.edgecolor" if muted else "text.color"]
    weight = "bold" if bold else "normal"
    axes.text(x, y, text, ha=align, va="center", size=size, color=colour, weight=weight)
