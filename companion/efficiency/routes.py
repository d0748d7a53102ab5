"""What is multiplied with what, and how large the results in between are, drawn as rectangles."""

from collections.abc import Mapping, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, text_width, widest
from companion.drawing.sheet import sheet
from companion.drawing.theme import ink_on

# In points: how long each named size is drawn. Texts are long, features few.
_LENGTHS = {"n": 84.0, "d": 26.0, "m": 36.0, "r": 30.0, "b": 24.0}
_GAP, _LINE, _SIZE = 9.0, 124.0, 11.0
# Between a name and the edge of its matrix, inside or below.
_MARGIN = 5.0
_COLOURS = {"Q": 0, "K": 1, "E": 1, "V": 2, "F": 2}

Factor = tuple[str, str, str]


def routes(ways: Mapping[str, Sequence[Factor | str]], *, alt: str = UNTOLD) -> None:
    """Show products of matrices, one way below the other, with each matrix in its own shape.

    Args:
        ways: for each title what stands on its line, from left to right: a matrix as (name, rows,
            columns), where rows and columns are "n", "d", "m", "r" or "b", or a sign such as "(".
            A matrix whose name begins with "*" is a result in between, and is drawn in purple.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when there is no way, a size is unknown, or `alt` is empty.
    """
    if not ways:
        raise ValueError("There is nothing to show: pass at least one way.")
    unknown = {
        size for line in ways.values() for one in line if isinstance(one, tuple) for size in one[1:]
    } - _LENGTHS.keys()
    if unknown:
        raise ValueError(f"Unknown sizes: {', '.join(sorted(unknown))}.")
    left = widest(list(ways), 12, bold=True) + 24
    across = left + max(sum(_width(one) + _GAP for one in line) for line in ways.values())
    up = _LINE * len(ways)

    def draw(figure: Figure) -> None:
        axes = sheet(figure, across, up)
        for place, (title, line) in enumerate(ways.items()):
            middle = (place + 0.5) * _LINE
            axes.text(0, middle, title, va="center", weight="bold", size=12)
            x = left
            for one in line:
                _draw(axes, x, middle, one)
                x += _width(one) + _GAP

    show(draw, alt=alt, size=(across / POINTS_PER_INCH, up / POINTS_PER_INCH))


def _width(one: Factor | str) -> float:
    return text_width(one, 15) if isinstance(one, str) else _LENGTHS[one[2]]


def _draw(axes: Axes, x: float, middle: float, one: Factor | str) -> None:
    if isinstance(one, str):
        axes.text(x, middle, one, va="center", size=15)
        return
    name, rows, columns = one
    width, height = _LENGTHS[columns], _LENGTHS[rows]
    between = name.startswith("*")
    colour = 3 if between else _COLOURS.get(name.lstrip("φ(")[:1], 4)
    face = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][colour]
    axes.add_patch(
        Rectangle((x, middle - height / 2), width, height, facecolor=face, edgecolor="none")
    )
    label = name.removeprefix("*")
    fits = text_width(label, _SIZE) < width - 2 * _MARGIN
    axes.text(
        x + width / 2,
        middle if fits else middle + height / 2 + _SIZE / 2 + _MARGIN,
        label,
        ha="center",
        va="center",
        size=_SIZE,
        color=ink_on(face) if fits else matplotlib.rcParams["text.color"],
    )
    muted = matplotlib.rcParams["axes.edgecolor"]
    axes.text(
        x + width / 2,
        middle - height / 2 - 7,
        f"{rows} × {columns}",
        ha="center",
        va="center",
        size=9,
        color=muted,
    )
