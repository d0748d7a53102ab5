"""How the layers of a block are wired, and a text on its way to the next word, drawn."""

from collections.abc import Mapping, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at, text_width
from companion.drawing.sheet import box

_SIZE = 11.0
_PANEL, _BETWEEN = 190.0, 46.0
_MIDDLE, _ASIDE = 76.0, 152.0
_STEP, _FORK = 44.0, 20.0
_BOX = (116.0, 26.0)
_PLUS = 9.0
_END = 32.0
_COLOURS = {"norm": "C2", "attention": "C0", "feed": "C1"}

_NAME, _ROW, _GAP = 200.0, 58.0, 10.0
_CHIP = 24.0


def block_wiring(
    panels: Mapping[str, Sequence[str]],
    *,
    alt: str = UNTOLD,
    inputs: Sequence[str] = (),
    memory: str | None = None,
) -> None:
    """Show how the layers of blocks are wired, from bottom to top.

    Args:
        panels: for each title the layers in their order. "fork" is where a residual connection
            branches off the line, and "+" where it comes back.
        alt: what the picture shows, for those who can't see it.
        inputs: the name of what goes into each panel; by default "x".
        memory: a layer of the second panel that also reads the output of the first.

    Raises:
        ValueError: when there is no panel, a fork without its "+", or `alt` is empty.
    """
    if not panels:
        raise ValueError("There is nothing to show: pass at least one panel.")
    for title, layers in panels.items():
        if list(layers).count("fork") != list(layers).count("+"):
            raise ValueError(f'The panel {title!r} needs a "+" for each "fork".')
    tall = max(_heights(layers)[-1] for layers in panels.values()) + 20
    names = list(inputs) or ["x"] * len(panels)

    def draw(figure: Figure) -> None:
        across = len(panels) * (_PANEL + _BETWEEN) - _BETWEEN
        axes = axes_at(figure, 0, 0, across, tall)
        axes.set(xlim=(0, across), ylim=(0, tall))
        axes.set_axis_off()
        ends: list[dict[str, float]] = []
        for place, ((title, layers), name) in enumerate(zip(panels.items(), names, strict=True)):
            left = place * (_PANEL + _BETWEEN)
            ends.append(_column(axes, left, layers, name))
            axes.text(left + _MIDDLE, tall + 2, title, ha="center", va="bottom", size=12.5)
        if memory is not None:
            _memory(axes, ends[0]["out"], ends[1][memory])

    across = len(panels) * (_PANEL + _BETWEEN) - _BETWEEN
    show(draw, alt=alt, size=(across / POINTS_PER_INCH, tall / POINTS_PER_INCH))


def next_word_line(stations: Mapping[str, Sequence[tuple[str, str]]], *, alt: str = UNTOLD) -> None:
    """Show what a model has at each step on the way from a text to the next word.

    Args:
        stations: for the name of each step, from first to last, what is there: pairs of a text
            and the label below it, which may be empty.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when there is no step, or `alt` is empty.
    """
    if not stations:
        raise ValueError("There is nothing to show: pass at least one step.")
    rows = [[max(text_width(part, _SIZE) for part in pair) + 14 for pair in pairs]
            for pairs in stations.values()]  # fmt: skip
    across = _NAME + max(sum(row) + _GAP * len(row) for row in rows)
    tall = _ROW * len(stations)

    def draw(figure: Figure) -> None:
        axes = axes_at(figure, 0, 0, across, tall)
        axes.set(xlim=(0, across), ylim=(0, tall))
        axes.set_axis_off()
        for number, ((name, pairs), widths) in enumerate(zip(stations.items(), rows, strict=True)):
            height = tall - _ROW * (number + 0.5) + 8
            axes.text(_NAME - 34, height, name, ha="right", va="center", size=_SIZE)
            axes.plot(_NAME - 18, height, "o", color="C0", markersize=7)
            if number:
                _arrow(axes, (_NAME - 18, height + _ROW - 7), (_NAME - 18, height + 7))
            left = _NAME
            for (text, below), width in zip(pairs, widths, strict=True):
                _box(axes, (left + width / 2, height), text, (width, _CHIP), "")
                axes.text(left + width / 2, height - 23, below, ha="center", va="center", size=10)
                left += width + _GAP

    show(draw, alt=alt, size=(across / POINTS_PER_INCH, tall / POINTS_PER_INCH))


def _heights(layers: Sequence[str]) -> list[float]:
    """Where each layer stands, and at last where the line ends."""
    height, heights = 14.0, []
    for layer in layers:
        height += _FORK if layer == "fork" else _STEP
        heights.append(height)
    return [*heights, height + _END]


def _column(axes: Axes, left: float, layers: Sequence[str], name: str) -> dict[str, float]:
    middle, heights = left + _MIDDLE, _heights(layers)
    axes.text(middle, 6, name, ha="center", va="center", size=_SIZE)
    below, fork, places = 16.0, 0.0, {}
    for layer, height in zip(layers, heights[:-1], strict=True):
        places[layer] = height
        if layer == "fork":
            fork = height
            continue
        half = _PLUS if layer == "+" else _BOX[1] / 2
        _arrow(axes, (middle, below), (middle, height - half))
        if layer == "+":
            _bypass(axes, left, fork, height)
            axes.plot(middle, height, "o", markersize=2 * _PLUS, markerfacecolor="none",
                      markeredgecolor=matplotlib.rcParams["text.color"])  # fmt: skip
            axes.text(middle, height, "+", ha="center", va="center_baseline", size=14)
        else:
            colour = next(c for part, c in _COLOURS.items() if part in layer)
            _box(axes, (middle, height), layer, _BOX, colour)
        below = height + half
    _arrow(axes, (middle, below), (middle, heights[-1]))
    places["out"] = heights[-1]
    return places


def _bypass(axes: Axes, left: float, fork: float, plus: float) -> None:
    middle, aside = left + _MIDDLE, left + _ASIDE
    axes.plot([middle, aside, aside], [fork, fork, plus], color="C4", linewidth=1.8)
    _arrow(axes, (aside, plus), (middle + _PLUS, plus), width=1.8)


def _memory(axes: Axes, out: float, layer: float) -> None:
    """From the end of the first panel to a layer of the second."""
    between = _PANEL + _BETWEEN / 2 - 8
    axes.plot([_MIDDLE, between, between], [out, out, layer], color="C3", linewidth=1.8)
    start = _PANEL + _BETWEEN + _MIDDLE - _BOX[0] / 2
    _arrow(axes, (between, layer), (start, layer), width=1.8, colour="C3")
    axes.text(_MIDDLE + 8, out + 4, "memory", ha="left", va="bottom", size=_SIZE)


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    width: float = 1.2,
    colour: str = "",
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=9,
            shrinkA=0,
            shrinkB=0,
            linewidth=width,
            color=colour or matplotlib.rcParams["text.color"],
        )
    )


def _box(
    axes: Axes, place: tuple[float, float], text: str, size: tuple[float, float], colour: str
) -> None:
    """A box with a text; without a colour it is paper with an edge."""
    ink = box(axes, place, size, colour)
    axes.text(*place, text, ha="center", va="center_baseline", size=_SIZE, color=ink, zorder=3)
