"""How a decoder gets at what the encoder has read, and the order of its steps, drawn."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, text_width, widest
from companion.drawing.sheet import sheet
from companion.drawing.theme import ink_on
from companion.numbers import counted, to_array

Place = tuple[float, float]

_SIZE = 11.0
_NARROWEST = 40.0
_BETWEEN_WORDS = 10.0
_BETWEEN_PANELS = 44.0
_BOX = (28.0, 22.0)
# The heights of words, encoder, contexts, decoder and words, from below.
_READ, _ENCODER, _CONTEXT, _DECODER, _WRITTEN = 8.0, 36.0, 112.0, 168.0, 196.0
_TALL = 208.0
# A line this wide, in points, stands for the weight 1.
_FULL_WIDTH = 7.0
_FAINTEST = 0.03

_COLUMN = 88.0
_ABOVE, _LINE, _BELOW, _ROW = 78.0, 34.0, 4.0, 118.0
_STEP = (70.0, 26.0)
_COLOURS = {"attend": "C0", "cell": "C1", "combine": "C2"}


def encoder_decoder(
    read: Sequence[str], written: Sequence[str], weights: Any, *, alt: str = UNTOLD
) -> None:
    """Show a translator without attention and, beside it, one with attention.

    Without, one vector stands between the encoder and every step of the decoder. With, each step
    has a context vector of its own, with a line from each annotation, as wide as its weight.

    Args:
        read: the words of the sentence that is read.
        written: the words of its translation.
        weights: `(written, read)`, the attention weights.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when the weights do not fit the words, or `alt` is empty.
    """
    wanted = f"{counted(len(written), 'row')} of {counted(len(read), 'weight')}"
    shares = to_array(weights, name="weights", shape=(len(written), len(read)), wanted=wanted)
    word = max(_NARROWEST, widest([*read, *written], _SIZE) + _BETWEEN_WORDS)
    across = word * max(len(read), len(written))

    def draw(figure: Figure) -> None:
        for panel, title in enumerate(("without attention", "with attention")):
            left = panel * (across + _BETWEEN_PANELS)
            axes = sheet(figure, across, _TALL, left=left, upwards=True)
            axes.set_title(title)
            encoder = _chain(axes, across, word, read, _ENCODER, _READ, "C0", "h")
            decoder = _chain(axes, across, word, written, _DECODER, _WRITTEN, "C1", "s")
            if not panel:
                middle = (across / 2, _CONTEXT)
                _arrow(axes, _above(encoder[-1]), (middle[0] + 24, middle[1] - 12))
                for state in decoder:
                    _arrow(axes, (middle[0], middle[1] + 12), _under(state))
                _box(axes, middle, "one vector", (text_width("one vector", _SIZE) + 18, 24), "C2")
                continue
            for number, (state, row) in enumerate(zip(decoder, shares, strict=True), start=1):
                context = (state[0], _CONTEXT)
                for annotation, share in zip(encoder, row, strict=True):
                    if share >= _FAINTEST:
                        _line(axes, _above(annotation), _under(context), _FULL_WIDTH * share)
                _arrow(axes, _above(context), _under(state))
                _box(axes, context, f"$c_{{{number}}}$", _BOX, "C2")

    size = (2 * across + _BETWEEN_PANELS, _TALL)
    show(draw, alt=alt, size=(size[0] / POINTS_PER_INCH, size[1] / POINTS_PER_INCH))


def decoder_orders(*, alt: str = UNTOLD) -> None:
    """Show one step of Bahdanau's decoder and one of Luong's, with what is computed from what.

    Args:
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when `alt` is empty.
    """

    def draw(figure: Figure) -> None:
        axes = sheet(figure, 6.6 * _COLUMN, 2 * _ROW, upwards=True)
        before, after, words = "$s_{i-1}$", "$s_i$", "$y_{i-1}$"
        annotations, context, output = r"$h_1 \ldots h_n$", "$c_i$", r"$\tilde{s}_i$"

        top = _ROW
        _title(axes, top, "Bahdanau: attend, then step")
        _passage(axes, top, [before, "1 attend", context, "2 cell", after])
        _from_above(axes, top, 1, annotations)
        _from_above(axes, top, 3, words)
        _from_below(axes, top, 0, 3)

        _title(axes, 0, "Luong: step, then attend")
        _passage(axes, 0, [before, "1 cell", after, "2 attend", context, "3 combine", output])
        _from_above(axes, 0, 1, words)
        _from_above(axes, 0, 3, annotations)
        _from_below(axes, 0, 2, 5)

    size = (6.6 * _COLUMN, 2 * _ROW)
    show(draw, alt=alt, size=(size[0] / POINTS_PER_INCH, size[1] / POINTS_PER_INCH))


def _chain(
    axes: Axes,
    across: float,
    word: float,
    words: Sequence[str],
    height: float,
    label_height: float,
    colour: str,
    letter: str,
) -> list[Place]:
    """A recurrent network: a box for each word, each handing its state to the next."""
    start = (across - word * len(words)) / 2 + word / 2
    places = [(start + word * number, height) for number in range(len(words))]
    for one, other in pairwise(places):
        _arrow(axes, (one[0] + _BOX[0] / 2, height), (other[0] - _BOX[0] / 2, height))
    for number, (place, text) in enumerate(zip(places, words, strict=True), start=1):
        _box(axes, place, f"${letter}_{{{number}}}$", _BOX, colour)
        axes.text(place[0], label_height, text, size=_SIZE, ha="center", va="center")
    return places


def _passage(axes: Axes, bottom: float, names: Sequence[str]) -> None:
    """Vectors and what is done to them by turns, from left to right."""
    places = [(_column(number), bottom + _LINE) for number in range(len(names))]
    for number, (one, other) in enumerate(pairwise(places)):
        half, other_half = _half(number), _half(number + 1)
        _arrow(axes, (one[0] + half, one[1]), (other[0] - other_half, other[1]))
    for number, (place, name) in enumerate(zip(places, names, strict=True)):
        if number % 2:
            _box(axes, place, name, _STEP, _COLOURS[name.split()[1]])
        else:
            _vector(axes, place, name)


def _from_above(axes: Axes, bottom: float, column: int, name: str) -> None:
    """One more input of a step, which stands above it."""
    x = _column(column)
    _arrow(axes, (x, bottom + _ABOVE - 11), (x, bottom + _LINE + _STEP[1] / 2))
    _vector(axes, (x, bottom + _ABOVE), name)


def _from_below(axes: Axes, bottom: float, start: int, end: int) -> None:
    """A vector that is used again later, and passes below what is done in between."""
    (x, y), last = (_column(start), bottom + _LINE), _column(end)
    muted = matplotlib.rcParams["axes.edgecolor"]
    axes.plot([x, x, last], [y - 11, bottom + _BELOW, bottom + _BELOW], color=muted, linewidth=1.3)
    _arrow(axes, (last, bottom + _BELOW), (last, y - _STEP[1] / 2))


def _title(axes: Axes, bottom: float, text: str) -> None:
    axes.text(4, bottom + _ABOVE + 26, text, size=_SIZE + 1, va="center")


def _column(number: int) -> float:
    return _COLUMN * (number + 0.28)


def _half(number: int) -> float:
    """Half of the width of what stands in a column: vectors are in the even ones."""
    return _STEP[0] / 2 if number % 2 else 17.0


def _above(place: Place) -> Place:
    return place[0], place[1] + _BOX[1] / 2


def _under(place: Place) -> Place:
    return place[0], place[1] - _BOX[1] / 2


def _line(axes: Axes, start: Place, end: Place, width: float) -> None:
    x, y = zip(start, end, strict=True)
    axes.plot(x, y, color="C4", linewidth=width, solid_capstyle="butt", zorder=1)


def _arrow(axes: Axes, start: Place, end: Place) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=9,
            linewidth=1.3,
            shrinkA=0,
            shrinkB=0,
            color=matplotlib.rcParams["axes.edgecolor"],
            zorder=1,
        )
    )


def _box(axes: Axes, place: Place, text: str, size: tuple[float, float], colour: str) -> None:
    """What computes something, or what it has computed, in a colour."""
    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    shade = cycle[int(colour[1:])]
    axes.add_patch(_frame(place, size, facecolor=colour, edgecolor="none"))
    axes.text(*place, text, size=_SIZE, ha="center", va="center", color=ink_on(shade), zorder=3)


def _vector(axes: Axes, place: Place, text: str) -> None:
    """A vector, or several, as a framed symbol."""
    wide = 66.0 if "ldots" in text else 34.0
    faint, muted = (matplotlib.rcParams[name] for name in ("grid.color", "axes.edgecolor"))
    axes.add_patch(_frame(place, (wide, 22.0), facecolor=faint, edgecolor=muted))
    axes.text(*place, text, size=_SIZE + 1, ha="center", va="center", zorder=3)


def _frame(place: Place, size: tuple[float, float], **look: Any) -> FancyBboxPatch:
    corner = (place[0] - size[0] / 2, place[1] - size[1] / 2)
    style = "round,pad=0,rounding_size=4"
    return FancyBboxPatch(corner, *size, boxstyle=style, linewidth=0.8, zorder=2, **look)
