"""Where the numbers of a block go when its features are divided among heads: wrong, and right."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH
from companion.drawing.sheet import sheet
from companion.shapes.blocks import arrow, block, head_colour, words

_CELL = (32.0, 24.0)
_LABEL, _GAP, _ARROW, _HEADING = 58.0, 26.0, 150.0, 50.0


def two_splits(num_tokens: int, num_heads: int, head_dim: int, *, alt: str = UNTOLD) -> None:
    """Show a block of features, coloured by the head that each belongs to, split in two ways.

    One `view` into (heads, tokens, head_dim) fills the heads with whatever comes next in memory,
    and mixes the colours. A `view` of the last axis and a `transpose` keep them apart.

    Args:
        num_tokens: the rows of the block.
        num_heads: the heads that its features are divided among.
        head_dim: the features of one head.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when a size is less than 1, or `alt` is empty.
    """
    if min(num_tokens, num_heads, head_dim) < 1:
        raise ValueError("A block has no cell: pass sizes of at least 1.")
    features = num_heads * head_dim
    order = np.arange(num_tokens * features).reshape(num_tokens, features)
    wrong = order.reshape(num_heads, num_tokens, head_dim)
    right = order.reshape(num_tokens, num_heads, head_dim).swapaxes(0, 1)
    shape = f"{num_heads}, {num_tokens}, {head_dim}"
    ways = (
        (wrong, "A, wrong", f"view(1, {shape})"),
        (right, "B, right", f"view(1, {num_tokens}, {num_heads}, {head_dim})\n.transpose(1, 2)"),
    )
    across, down = _CELL
    block_width, block_height = features * across, num_tokens * down
    heads_width = num_heads * (head_dim * across + _GAP) - _GAP
    line = block_height + _HEADING
    width = _LABEL + block_width + _ARROW + heads_width
    height = 2 * line + 8
    middle = (height - block_height + 30) / 2

    def paint(axes: Axes, left: float, top: float, table: np.ndarray) -> None:
        colours = [[head_colour(n % features // head_dim) for n in row] for row in table]
        texts = [[str(n + 1) for n in row] for row in table]
        block(axes, left, top, colours, cell=_CELL, texts=texts)

    def draw(figure: Figure) -> None:
        axes = sheet(figure, width, height)
        words(axes, _LABEL + block_width / 2, middle - 30, "after the projection", bold=True)
        for head in range(num_heads):
            x = _LABEL + (head + 0.5) * head_dim * across
            words(axes, x, middle - 12, f"head {head}", muted=True)
        for token in range(num_tokens):
            y = middle + (token + 0.5) * down
            words(axes, _LABEL - 8, y, f"token {token + 1}", muted=True, align="right")
        paint(axes, _LABEL, middle, order)
        for place, (heads, title, code) in enumerate(ways):
            top = place * line + _HEADING
            _way(axes, place, top, title, code)
            for head, table in enumerate(heads):
                left = _LABEL + block_width + _ARROW + head * (head_dim * across + _GAP)
                words(axes, left + head_dim * across / 2, top - 12, f"head {head}", muted=True)
                paint(axes, left, top, table)

    def _way(axes: Axes, place: int, top: float, title: str, code: str) -> None:
        right_edge = _LABEL + block_width
        end = (right_edge + _ARROW - 10, top + block_height / 2)
        arrow(axes, (right_edge + 8, middle + block_height * (0.25 + 0.5 * place)), end)
        words(axes, right_edge + _ARROW + heads_width / 2, top - 30, title, bold=True)
        at = top + block_height / 2 + (-34 if place == 0 else 34)
        x = right_edge + _ARROW / 2 - 8
        axes.text(x, at, code, family="monospace", size=9.5, ha="center", va="center")

    show(draw, alt=alt, size=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))
