"""The two looks of a figure: on white paper, and on the dark grey of JupyterLab's dark theme.

A function that draws finds the colours where matplotlib keeps them: `rcParams["text.color"]` is
the ink, `"axes.facecolor"` the paper, `"axes.edgecolor"` the muted and `"grid.color"` the faint
ink, and "C0" to "C4" are colours that people with any colour vision can tell apart: blue,
vermilion, green, purple and the ink, after Okabe and Ito (2008, https://jfly.uni-koeln.de/color/),
lighter on dark paper. Their yellow, orange and sky blue are too pale for white paper.
"""

from dataclasses import dataclass
from typing import Any

from cycler import cycler
from matplotlib.colors import to_rgb
from matplotlib.typing import ColorType

STYLES = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (1, 2.5)), (0, (9, 3)))


@dataclass(frozen=True)
class Theme:
    """Colours of one look.

    Attributes:
        paper: the background.
        ink: text.
        muted: text and lines that stand back.
        faint: grid lines and areas.
        cycle: "C0", "C1", …; the first one may also colour text.
    """

    paper: str
    ink: str
    muted: str
    faint: str
    cycle: tuple[str, ...]

    def settings(self) -> dict[str, Any]:
        """What matplotlib is told, to be applied on top of its defaults."""
        return {
            "font.family": ["DejaVu Sans"],
            "font.size": 12,
            "text.color": self.ink,
            "figure.facecolor": self.paper,
            "axes.facecolor": self.paper,
            "axes.edgecolor": self.muted,
            "axes.labelcolor": self.muted,
            "axes.linewidth": 0.8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 12.5,
            "axes.titlepad": 8,
            "axes.prop_cycle": cycler(color=self.cycle),
            "axes.axisbelow": True,
            "grid.color": self.faint,
            "grid.linewidth": 0.8,
            "xtick.color": self.muted,
            "ytick.color": self.muted,
            "xtick.labelcolor": self.ink,
            "ytick.labelcolor": self.ink,
            "lines.linewidth": 2,
            "legend.frameon": False,
            # Without a fixed salt the identifiers in the SVG, and so its bytes, change every time.
            "svg.hashsalt": "companion",
        }


LIGHT = Theme(
    paper="#ffffff",
    ink="#1b1b1b",
    muted="#5c6066",
    faint="#e1e3e6",
    cycle=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#1b1b1b"),
)
DARK = Theme(
    paper="#111111",
    ink="#e8e8e8",
    muted="#a8acb3",
    faint="#33363a",
    cycle=("#56b4e9", "#e67a26", "#14b387", "#cc79a7", "#e8e8e8"),
)


def luminance(colour: ColorType) -> float:
    """How light a colour looks, from 0 (black) to 1 (white): WCAG 2's relative luminance."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(colour: ColorType) -> str:
    """Black or white, whichever is easier to read on a colour.

    One of the two always reaches a contrast ratio of 4.5; greys that are softer than black do not.
    """
    on_black = (luminance(colour) + 0.05) / 0.05
    on_white = 1.05 / (luminance(colour) + 0.05)
    return "#000000" if on_black >= on_white else "#ffffff"
