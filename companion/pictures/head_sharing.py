"""Which query heads share which key/value head, drawn."""

from collections.abc import Mapping

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from companion.drawing.figure import UNTOLD, show
from companion.drawing.labels import POINTS_PER_INCH, axes_at
from companion.drawing.theme import ink_on

_PANEL_WIDTH, _HEIGHT = 168.0, 118.0
_BETWEEN_PANELS = 28.0
_SIZE = 11.0
_BOX = 0.78
_UP = 4.2


def head_sharing(panels: Mapping[str, tuple[int, int]], *, alt: str = UNTOLD) -> None:
    """Show query heads, each joined to the key/value head that it reads.

    Neighbours share, as in grouped-query attention: query head h reads h // (heads per share).

    Args:
        panels: for each title, the number of query heads and of key/value heads.
        alt: what the picture shows, for those who can't see it.

    Raises:
        ValueError: when query heads can't be shared out evenly, there is no panel, or `alt` is
            empty.
    """
    if not panels:
        raise ValueError("There is nothing to show: pass at least one panel.")
    for title, (num_heads, num_kv_heads) in panels.items():
        if num_kv_heads < 1 or num_heads % num_kv_heads:
            raise ValueError(
                f"The panel {title!r} has {num_heads} query heads for {num_kv_heads} key/value "
                "heads: pass a multiple."
            )

    def draw(figure: Figure) -> None:
        for place, (title, heads) in enumerate(panels.items()):
            left = place * (_PANEL_WIDTH + _BETWEEN_PANELS)
            axes = axes_at(figure, left, 0, _PANEL_WIDTH, _HEIGHT)
            _draw_panel(axes, *heads, named=place == 0)
            axes.set_title(title)

    across = len(panels) * (_PANEL_WIDTH + _BETWEEN_PANELS) - _BETWEEN_PANELS
    show(draw, alt=alt, size=(across / POINTS_PER_INCH, _HEIGHT / POINTS_PER_INCH))


def _draw_panel(axes: Axes, num_heads: int, num_kv_heads: int, *, named: bool) -> None:
    n_rep = num_heads // num_kv_heads
    for head in range(num_heads):
        shared = head // n_rep
        middle = (shared + 0.5) * n_rep
        axes.plot([head + 0.5, middle], [1, _UP - 1], color="C4", linewidth=1.3, zorder=1)
        _box(axes, head + 0.5, 0.5, str(head), "C0")
    for shared in range(num_kv_heads):
        middle = (shared + 0.5) * n_rep
        _box(axes, middle, _UP - 0.2, str(shared), "C1")
        _box(axes, middle, _UP - 0.9, str(shared), "C1")
    axes.set_xlim(0, num_heads)
    axes.set_ylim(0, _UP + 0.3)
    axes.axis("off")
    if named:
        for name, height in (("keys", _UP - 0.2), ("values", _UP - 0.9), ("queries", 0.5)):
            axes.text(-0.25, height, name, ha="right", va="center", size=12)


def _box(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    half_width, half_height = _BOX / 2, 0.27
    axes.add_patch(
        FancyBboxPatch(
            (x - half_width, y - half_height),
            2 * half_width,
            2 * half_height,
            boxstyle="round,pad=0,rounding_size=0.12",
            facecolor=colour,
            edgecolor=matplotlib.rcParams["axes.facecolor"],
            zorder=2,
        )
    )
    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    ink = ink_on(cycle[int(colour[1:])])
    axes.text(x, y, text, ha="center", va="center_baseline", size=_SIZE, color=ink, zorder=3)
