"""The whole way of multi-head attention, from the inputs to `out_proj`, in blocks with shapes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH
from companion.drawing.sheet import sheet
from companion.shapes.blocks import (
    arrow,
    block,
    head_colour,
    hidden_grey,
    shade,
    words,
)

_CELL = 13.0
_STEP, _BETWEEN_ROWS, _BETWEEN_HEADS = 58.0, 34.0, 9.0
_TOP, _BOTTOM, _LEFT = 46.0, 40.0, 0.0
_NAMES = ("queries", "keys", "values")


def heads_line(num_tokens: int, num_heads: int, head_dim: int, *, alt: str = UNTOLD) -> None:
    """Show the steps of causal attention with several heads, and the shape after each.

    A colour belongs to a head: the projections make the features of all heads side by side, the
    split gives each head a block of its own, the merge puts the blocks side by side again, and
    `out_proj` mixes them. What the mask hides is grey.

    Args:
        num_tokens: the rows of each block.
        num_heads: how many heads there are.
        head_dim: the features of one head.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when a size is less than 1, or `alt` is empty.
    """
    if min(num_tokens, num_heads, head_dim) < 1:
        raise ValueError("A block has no cell: pass sizes of at least 1.")
    line = _Line(num_tokens, num_heads, head_dim)
    size = (line.width / POINTS_PER_INCH, line.height / POINTS_PER_INCH)
    show(line.draw, alt=alt, size=size)


class _Line:
    """Sizes and places of the columns, and what stands in them."""

    def __init__(self, tokens: int, heads: int, head_dim: int) -> None:
        self.tokens, self.heads, self.head_dim = tokens, heads, head_dim
        self.tall, self.wide = tokens * _CELL, heads * head_dim * _CELL
        self.split_wide = self.wide + (heads - 1) * _BETWEEN_HEADS
        self.maps_wide = heads * tokens * _CELL + (heads - 1) * _BETWEEN_HEADS
        widths = [self.wide, self.wide, self.split_wide, self.maps_wide]
        widths += [self.split_wide, self.wide, self.wide]
        self.lefts = [_LEFT]
        for width in widths:
            self.lefts.append(self.lefts[-1] + width + _STEP)
        self.widths = widths
        self.rows = [_TOP + place * (self.tall + _BETWEEN_ROWS) for place in range(3)]
        self.width = self.lefts[-1] - _STEP
        self.height = self.rows[2] + self.tall + _BOTTOM

    def draw(self, figure: Figure) -> None:
        axes = sheet(figure, self.width, self.height)
        middle, between = self.rows[1], (self.rows[0] + self.rows[1]) / 2
        low = (middle + self.rows[2]) / 2
        self._plain(axes, 0, middle, "X")
        self._projections(axes)
        self._maps(axes, between)
        self._separate(axes, 4, low, "contexts")
        self._joined(axes, 5, low, "merged")
        self._plain(axes, 6, low, "output")
        self._arrows(axes, middle, between, low)
        self._shapes(axes)

    def _projections(self, axes: Axes) -> None:
        for name, top in zip(_NAMES, self.rows, strict=True):
            self._joined(axes, 1, top, name)
            self._separate(axes, 2, top, name)

    def _joined(self, axes: Axes, column: int, top: float, name: str) -> None:
        """Features of all heads side by side."""
        line = [head_colour(n // self.head_dim) for n in range(self.heads * self.head_dim)]
        self._title(axes, column, top, name)
        block(axes, self.lefts[column], top, [line] * self.tokens, cell=(_CELL, _CELL))

    def _separate(self, axes: Axes, column: int, top: float, name: str) -> None:
        """A block for each head."""
        self._title(axes, column, top, name)
        for head in range(self.heads):
            left = self.lefts[column] + head * (self.head_dim * _CELL + _BETWEEN_HEADS)
            line = [head_colour(head)] * self.head_dim
            block(axes, left, top, [line] * self.tokens, cell=(_CELL, _CELL))

    def _maps(self, axes: Axes, top: float) -> None:
        self._title(axes, 3, top, "weights")
        for head in range(self.heads):
            left = self.lefts[3] + head * (self.tokens * _CELL + _BETWEEN_HEADS)
            strong = shade(head_colour(head), 0.65)
            table = [
                [strong if key <= query else hidden_grey() for key in range(self.tokens)]
                for query in range(self.tokens)
            ]
            block(axes, left, top, table, cell=(_CELL, _CELL))

    def _plain(self, axes: Axes, column: int, top: float, name: str) -> None:
        """Features that belong to no head: those of the inputs, and those that out_proj mixes."""
        self._title(axes, column, top, name)
        plain = shade(head_colour(2), 0.6)
        table = [[plain] * (self.heads * self.head_dim)] * self.tokens
        block(axes, self.lefts[column], top, table, cell=(_CELL, _CELL))

    def _title(self, axes: Axes, column: int, top: float, name: str) -> None:
        words(axes, self.lefts[column] + self.widths[column] / 2, top - 9, name)

    def _arrows(self, axes: Axes, middle: float, between: float, low: float) -> None:
        half = self.tall / 2
        for top in self.rows:
            self._arrow(axes, 0, middle + half, top + half)
            self._arrow(axes, 1, top + half, top + half)
        self._arrow(axes, 2, self.rows[0] + half, between + half - 6)
        self._arrow(axes, 2, self.rows[1] + half, between + half + 6)
        self._arrow(axes, 3, between + half, low + half - 6)
        # The values pass below the weights.
        y = self.rows[2] + half
        start = (self.lefts[2] + self.split_wide + 5, y)
        arrow(axes, start, (self.lefts[4] - 5, low + half + 6))
        self._arrow(axes, 4, low + half, low + half)
        self._arrow(axes, 5, low + half, low + half)

    def _arrow(self, axes: Axes, column: int, start: float, end: float) -> None:
        right = self.lefts[column] + self.widths[column]
        arrow(axes, (right + 5, start), (self.lefts[column + 1] - 5, end))

    def _shapes(self, axes: Axes) -> None:
        """Above, what is done between two columns; below, the shape of each."""
        steps = ("project", "split", "scores,\nsoftmax", "mix the\nvalues", "merge", "out_proj")
        for column, step in enumerate(steps):
            x = self.lefts[column] + self.widths[column] + _STEP / 2
            words(axes, x, 12, step, bold=True)
        t, h, d = self.tokens, self.heads, self.head_dim
        flat, split = (t, h * d), (h, t, d)
        shapes = (flat, flat, split, (h, t, t), split, flat, flat)
        for column, shape in enumerate(shapes):
            x = self.lefts[column] + self.widths[column] / 2
            words(axes, x, self.height - 12, f"({', '.join(map(str, shape))})", muted=True)
