"""The way from the words of a sentence to their context vectors, in blocks with shapes."""

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, widest
from companion.drawing.sheet import sheet
from companion.numbers import check_index
from companion.shapes.blocks import SIZE, arrow, block, shade, words

_CELL = 13.0
_STEP = 78.0
_TOP, _BELOW, _BETWEEN = 20.0, 36.0, 20.0
_FAINT, _ALL, _STRONG = 0.22, 0.6, 1.0


def attention_flow(
    sentence: Sequence[str], d_in: int, d_k: int, d_v: int, *, row: int, alt: str = UNTOLD
) -> None:
    """Show the stations of self-attention, the shape at each, and the way of one word through them.

    What belongs to the word that asks is dark: its row of the inputs, of the queries, of the
    scores, of the weights and of the contexts. Of keys and values, all rows count.

    Args:
        sentence: the words, one for each row of the inputs.
        d_in: the features of a word.
        d_k: the entries of a query and of a key.
        d_v: the entries of a value.
        row: the word that asks, counted from 0.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when a size is less than 1, or `alt` is empty.
        IndexError: when no word has the number `row`.
    """
    if min(len(sentence), d_in, d_k, d_v) < 1:
        raise ValueError("A block has no cell: pass at least one word, and sizes of at least 1.")
    check_index(row, sentence, name="row")
    flow = _Flow(sentence, d_in, d_k, d_v, row)
    show(flow.draw, alt=alt, size=(flow.width / POINTS_PER_INCH, flow.height / POINTS_PER_INCH))


class _Flow:
    """Sizes and places of the stations."""

    def __init__(self, sentence: Sequence[str], d_in: int, d_k: int, d_v: int, row: int) -> None:
        self.sentence, self.row, self.tokens = sentence, row, len(sentence)
        self.sizes = (d_in, d_k, d_v)
        self.tall = self.tokens * _CELL
        line = self.tall + _TOP + _BELOW + _BETWEEN
        self.tops = [_TOP + 2 + place * line for place in range(3)]
        self.upper = (self.tops[0] + self.tops[1]) / 2
        self.lower = (self.tops[1] + self.tops[2]) / 2
        widths = [d_in, max(d_k, d_v), self.tokens, self.tokens, d_v]
        self.lefts = [widest(sentence, SIZE, bold=True) + 12]
        for columns in widths:
            self.lefts.append(self.lefts[-1] + max(columns * _CELL, 44.0) + _STEP)
        self.width = self.lefts[-1] - _STEP + 16
        self.height = self.tops[2] + self.tall + _BELOW

    def draw(self, figure: Figure) -> None:
        axes = sheet(figure, self.width, self.height)
        d_in, d_k, d_v = self.sizes
        n = self.tokens
        x, projected, scores, weights, context = self.lefts[:5]
        top, middle, bottom = self.tops
        for place, word in enumerate(self.sentence):
            y = middle + (place + 0.5) * _CELL
            asks = place == self.row
            words(axes, x - 8, y, word, size=SIZE - 1, bold=asks, muted=not asks, align="right")
        self._station(axes, x, middle, d_in, "X", "d_in", "C4")
        self._station(axes, projected, top, d_k, "Q", "d_k", "C0")
        self._station(axes, projected, middle, d_k, "K", "d_k", "C1", every_row=True)
        self._station(axes, projected, bottom, d_v, "V", "d_v", "C2", every_row=True)
        self._station(axes, scores, self.upper, n, "scores", "tokens", "C3")
        self._station(axes, weights, self.upper, n, "weights", "tokens", "C3")
        self._station(axes, context, self.lower, d_v, "context", "d_v", "C2")
        self._arrows(axes)

    def _arrows(self, axes: Axes) -> None:
        d_in, d_k, d_v = self.sizes
        x, projected, scores, weights, context = self.lefts[:5]
        half = self.tall / 2
        centres = [top + half for top in self.tops]
        upper, lower = self.upper + half, self.lower + half
        start = (x + d_in * _CELL + 8, centres[1])
        between = (start[0] + projected - 8) / 2
        # Each name beside its arrow, where there is room.
        beside = {"q": (-9.0, 0.0, "right"), "k": (-4.0, -10.0, "center"), "v": (9.0, 0.0, "left")}
        for (name, (right, down, align)), centre in zip(beside.items(), centres, strict=True):
            arrow(axes, start, (projected - 8, centre))
            at = between + right, (start[1] + centre) / 2 + down
            words(axes, *at, f"· $W_{name}$", size=SIZE, align=align)
        asked = (projected + d_k * _CELL + 8, centres[0])
        arrow(axes, asked, (scores - 8, upper - 10))
        arrow(axes, (asked[0], centres[1]), (scores - 8, upper + 10))
        words(axes, scores - 16, upper, r"$QK^\top$", size=SIZE, align="right")
        left, right = scores + self.tall + 8, weights - 8
        arrow(axes, (left, upper), (right, upper))
        words(axes, (left + right) / 2, upper - 11, r"÷ $\sqrt{d_k}$", size=SIZE)
        words(axes, (left + right) / 2, upper + 11, "softmax", size=SIZE)
        arrow(axes, (weights + self.tall + 8, upper), (context - 8, lower - 10))
        arrow(axes, (projected + d_v * _CELL + 8, centres[2]), (context - 8, lower + 10))
        words(axes, context - 16, lower, r"weights · $V$", size=SIZE, align="right")

    def _station(
        self,
        axes: Axes,
        left: float,
        top: float,
        columns: int,
        name: str,
        size: str,
        colour: str,
        *,
        every_row: bool = False,
    ) -> None:
        """A block with its name above and its shape below."""
        ink = _ink(colour)
        strengths = [
            _ALL if every_row else _STRONG if place == self.row else _FAINT
            for place in range(self.tokens)
        ]
        colours = [[shade(ink, strength)] * columns for strength in strengths]
        block(axes, left, top, colours, cell=(_CELL, _CELL))
        middle = left + columns * _CELL / 2
        words(axes, middle, top - 11, name, bold=True, size=SIZE)
        bottom = top + self.tall
        words(axes, middle, bottom + 10, f"({self.tokens}, {columns})")
        words(axes, middle, bottom + 24, f"(tokens, {size})", muted=True)


def _ink(colour: str) -> str:
    """A colour of the theme by its name."""
    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    return str(cycle[int(colour[1:])])
