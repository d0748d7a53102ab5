"""Where labels go: how wide text is, and how labels keep out of each other's way.

Everything is measured in points, 72 to the inch.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

POINTS_PER_INCH = 72
Points = npt.NDArray[np.float64]


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text is, in points, in the font of all figures."""
    if not text.strip():
        return 0.0
    font = FontProperties(family=["DejaVu Sans"], weight="bold" if bold else "normal")
    return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width)


def widest(texts: Sequence[str], size: float, *, bold: bool = False) -> float:
    """The width of the widest of several texts."""
    return max((text_width(text, size, bold=bold) for text in texts), default=0.0)


def axes_at(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes whose inner area stands exactly here, in points from the figure's lower left corner.

    Labels may stand outside of the figure: what is shown grows to hold them.
    """
    # The layout engine has nothing to do for axes that know their place, and warns about that.
    figure.set_layout_engine("none")
    across, up = figure.get_size_inches() * POINTS_PER_INCH
    return figure.add_axes((left / across, bottom / up, width / across, height / up))


def place_labels(
    axes: Axes,
    anchors: Points,
    texts: Sequence[str],
    *,
    directions: Points,
    obstacles: Points,
    gap: float = 7,
    size: float = 12,
) -> None:
    """Write each text beside its anchor, where it covers neither other labels nor obstacles.

    A label stands on the side of its anchor that its direction points to, or else, of eight sides,
    on the nearest one where it covers least. It leaves the axes only where all else is worse.

    Args:
        axes: axes whose place and limits are final.
        anchors: `(labels, 2)`, in data coordinates.
        texts: one for each anchor.
        directions: `(labels, 2)`, of any length.
        obstacles: `(n, 2)`, points that should stay visible, in data coordinates.
        gap: points between anchor and text.
        size: font size.
    """
    scale = POINTS_PER_INCH / axes.figure.dpi
    centres = axes.transData.transform(anchors) * scale
    kept_clear = axes.transData.transform(np.concatenate([obstacles, anchors])) * scale
    frame = axes.get_window_extent().get_points() * scale
    taken: list[Points] = []
    for centre, text, direction, anchor in zip(centres, texts, directions, anchors, strict=True):
        half = np.array([text_width(text, size) / 2, size * 0.6])
        offset = min(
            _sides(half, direction, gap),
            key=lambda side: _cost(_box(centre + side, half + 2), kept_clear, taken, frame),
        )
        taken.append(_box(centre + offset, half))
        axes.annotate(
            text,
            xy=anchor,
            xytext=(offset[0], offset[1]),
            textcoords="offset points",
            ha="center",
            va="center",
            size=size,
            annotation_clip=False,
        )


def _sides(half: Points, direction: Points, gap: float) -> list[Points]:
    """Eight places around an anchor for a box's centre, the wanted one first."""
    wanted = math.atan2(direction[1], direction[0])
    turns = np.radians([0, 45, -45, 90, -90, 135, -135, 180]) + wanted
    rays = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    # The nearest point of the box stays `gap` away: its side in the middle, its corner at 45°.
    return list(half * np.clip(rays * math.sqrt(2), -1, 1) + gap * rays)


def _cost(box: Points, kept_clear: Points, taken: Sequence[Points], frame: Points) -> int:
    covered = int(np.all((box[0] < kept_clear) & (kept_clear < box[1]), axis=1).sum())
    overlaps = sum(bool(np.all((box[0] < other[1]) & (other[0] < box[1]))) for other in taken)
    outside = bool((box[0] < frame[0]).any() or (box[1] > frame[1]).any())
    # Text on text can't be read; text on a line can, just about.
    return covered + 10 * outside + 100 * overlaps


def _box(centre: Points, half: Points) -> Points:
    return np.array([centre - half, centre + half])


def spread(positions: Sequence[float], gap: float) -> list[float]:
    """Positions moved apart, as little as needed, until neighbours are `gap` apart.

    Their order is kept.
    """
    order = np.argsort(positions, kind="stable")
    groups: list[list[float]] = []
    for position in np.asarray(positions, dtype=float)[order]:
        groups.append([position])
        while len(groups) > 1 and _top(groups[-2], gap) + gap > _bottom(groups[-1], gap):
            last = groups.pop()
            groups[-1] += last
    spaced = [_bottom(group, gap) + gap * i for group in groups for i in range(len(group))]
    result = np.empty(len(spaced))
    result[order] = spaced
    return [float(position) for position in result]


def _bottom(group: Sequence[float], gap: float) -> float:
    return float(np.mean(group)) - gap * (len(group) - 1) / 2


def _top(group: Sequence[float], gap: float) -> float:
    return float(np.mean(group)) + gap * (len(group) - 1) / 2
