"""The buffer of a KV cache and its pointer, at the moment when new tokens come in."""

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, text_width, widest
from companion.drawing.sheet import arrow, sheet
from companion.drawing.theme import ink_on
from companion.numbers import counted

_SIZE = 12.0
_SLOT, _HIGH = 56.0, 30.0
_GAP = 3.0
# Heights of the lines, from the top: what is new, two rows of slots, the numbers, the pointer, and
# what is read.
_NEW, _KEYS, _VALUES, _NUMBERS, _POINTER, _READ, _HEIGHT = (
    0.0,
    52.0,
    86.0,
    126.0,
    156.0,
    188.0,
    216.0,
)
_ROWS = {"keys": _KEYS, "values": _VALUES}


def cache_buffer(words: Sequence[str], *, new: int, max_tokens: int, alt: str = UNTOLD) -> None:
    """Show where the keys and values of new tokens go, what is read, and how the pointer moves.

    Args:
        words: all tokens up to now, the new ones last.
        new: how many of them are new.
        max_tokens: how many the buffer has slots for.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when no token is new, there are more new tokens than words, the buffer is too
            short for the words, or `alt` is empty.
    """
    if not 0 < new <= len(words) <= max_tokens:
        raise ValueError(
            f"There are {counted(len(words), 'word')}, {new} of them new, and "
            f"{counted(max_tokens, 'slot')}: pass at least one new word, and a slot for each word."
        )
    slot = max(_SLOT, widest(words, _SIZE) + 22)
    left = widest([*_ROWS, "length", "slot"], _SIZE) + 14
    width = left + max_tokens * slot

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, _HEIGHT)
        _draw_slots(axes, words, new, max_tokens, left, slot)
        _draw_arrivals(axes, len(words), new, left, slot)
        _draw_pointer(axes, len(words), new, left, slot)
        _draw_reading(axes, len(words), max_tokens, left, slot)

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, _HEIGHT / POINTS_PER_INCH))


def _draw_slots(
    axes: Axes, words: Sequence[str], new: int, max_tokens: int, left: float, slot: float
) -> None:
    muted, grey = matplotlib.rcParams["axes.edgecolor"], matplotlib.rcParams["grid.color"]
    colours = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    for name, top in {**_ROWS, "slot": _NUMBERS - _HIGH / 2}.items():
        colour = muted if name == "slot" else matplotlib.rcParams["text.color"]
        axes.text(0, top + _HIGH / 2, name, size=_SIZE, color=colour, va="center_baseline")
    for i in range(max_tokens):
        middle = left + (i + 0.5) * slot
        axes.text(
            middle, _NUMBERS, str(i), size=_SIZE, color=muted, ha="center", va="center_baseline"
        )
        for top in _ROWS.values():
            fill = grey if i >= len(words) else colours[int(i >= len(words) - new)]
            corner = (left + i * slot + _GAP / 2, top)
            axes.add_patch(Rectangle(corner, slot - _GAP, _HIGH, facecolor=fill, linewidth=0))
            if i < len(words):
                axes.text(
                    middle,
                    top + _HIGH / 2,
                    words[i],
                    size=_SIZE,
                    color=ink_on(fill),
                    ha="center",
                    va="center_baseline",
                )


def _draw_arrivals(axes: Axes, filled: int, new: int, left: float, slot: float) -> None:
    """What comes in, and an arrow to each slot that it is written to."""
    for i in range(filled - new, filled):
        middle = left + (i + 0.5) * slot
        _arrow(axes, middle, _NEW + 20, _KEYS - 3)
    text = "new key and value" if new == 1 else f"{new} new keys and values"
    centre = left + (filled - new / 2) * slot
    # Not beyond the words on the left.
    centre = max(centre, text_width(text, _SIZE) / 2)
    axes.text(centre, _NEW + 8, text, size=_SIZE, ha="center", va="center_baseline")


def _draw_pointer(axes: Axes, filled: int, new: int, left: float, slot: float) -> None:
    axes.text(0, _POINTER + 8, "length", size=_SIZE, va="center_baseline")
    for place, when in ((filled - new, "before"), (filled, "after")):
        middle = left + (place + 0.5) * slot
        _arrow(axes, middle, _POINTER, _NUMBERS + 9)
        axes.text(
            middle, _POINTER + 8, f"{when}: {place}", size=11, ha="center", va="center_baseline"
        )


def _draw_reading(axes: Axes, filled: int, max_tokens: int, left: float, slot: float) -> None:
    """A bracket below the slots that are read, and a word below the others."""
    muted = matplotlib.rcParams["axes.edgecolor"]
    right = left + filled * slot
    ends = [left + _GAP, left + _GAP, right - _GAP, right - _GAP]
    axes.plot(ends, [_READ - 5, _READ, _READ, _READ - 5], color="C4", linewidth=1.3)
    axes.text((left + right) / 2, _READ + 14, "read by the queries", size=_SIZE, ha="center")
    middle = left + (filled + max_tokens) / 2 * slot
    needed = (text_width("read by the queries", _SIZE) + text_width("unwritten", _SIZE)) / 2 + 8
    if filled < max_tokens and middle - (left + right) / 2 > needed:
        axes.text(middle, _READ + 14, "unwritten", size=_SIZE, color=muted, ha="center")


def _arrow(axes: Axes, x: float, start: float, end: float) -> None:
    arrow(axes, (x, start), (x, end), colour="C4", linewidth=1.3)
