"""The one place where a drawing becomes a notebook's output.

A figure is drawn twice, on light and on dark paper, and shown as one `<img>` with alt text. A style
rule swaps the two under JupyterLab's dark theme. Where a sanitizer drops the rule, the light figure
stays, on its own white paper, readable everywhere.
"""

import base64
import hashlib
import html
import io
import sys
from collections.abc import Callable

from matplotlib import style
from matplotlib.figure import Figure

from companion.drawing.theme import DARK, LIGHT, Theme

Draw = Callable[[Figure], object]
# Lessons say what a figure shows through `autograder.checks.described`, and not in its call.
UNTOLD = "A figure that was made in this notebook and that nobody has described."
_PADDING_INCHES = 0.12
# Of what is drawn as pixels: sharp on screens that show two of their dots for one of a page's.
_DOTS_PER_INCH = 200


def show(draw: Draw, *, alt: str = UNTOLD, size: tuple[float, float] = (6.4, 3.6)) -> None:
    """Draw a figure and show it below the cell, in the light or the dark theme of the notebook.

    ```python
    def draw(figure):
        axes = figure.subplots()
        axes.plot([0, 1, 2], [0, 1, 4], color="C1")


    show(draw, alt="A curve that rises faster and faster, from 0 at 0 to 4 at 2.")
    ```

    Args:
        draw: is given an empty matplotlib figure and draws on it. It is called twice, so it must
            draw the same thing each time. Colours that it does not choose fit the theme; "C0" to
            "C4" fit it too.
        alt: what the picture shows, for those who can't see it.
        size: width and height in inches, before the margins are trimmed or made wide enough for
            all the text; a notebook has room for about 9 inches.

    Raises:
        ValueError: when `alt` is empty.
    """
    alt = one_line(alt)
    publish(picture(draw, size, alt), alt)


def one_line(alt: str) -> str:
    """An alt text without line breaks; ValueError when it says nothing."""
    alt = " ".join(alt.split())
    if not alt:
        raise ValueError("The alt text is empty: pass alt=… and say what the figure shows.")
    return alt


def picture(draw: Draw, size: tuple[float, float], alt: str) -> str:
    """The HTML of a drawing in both themes."""
    light, dark = (render(draw, theme, size) for theme in (LIGHT, DARK))
    return page(light, dark, alt)


def render(draw: Draw, theme: Theme, size: tuple[float, float]) -> bytes:
    """The SVG of a drawing in one theme; the same drawing gives the same bytes.

    The user's own matplotlib settings play no part, and stay as they were.
    """
    with style.context(["default", theme.settings()]):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        svg = io.BytesIO()
        figure.savefig(
            svg,
            format="svg",
            bbox_inches="tight",
            pad_inches=_PADDING_INCHES,
            dpi=_DOTS_PER_INCH,
            metadata={"Date": None, "Creator": None},
        )
    return svg.getvalue()


def page(light: bytes, dark: bytes, alt: str) -> str:
    """The HTML that shows one of two SVG images, depending on the theme around it."""
    # Named after its content: two figures never share a rule, and a figure keeps its name.
    name = f"companion-{hashlib.sha256(light + dark).hexdigest()[:16]}"
    return (
        f'<style>[data-jp-theme-light="false"] .{name} {{ content: url("{_uri(dark)}"); }}</style>'
        f'<img class="{name}" alt="{html.escape(alt)}" src="{_uri(light)}"'
        ' style="max-width: 100%; height: auto;">'
    )


def _uri(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"


def publish(page: str, alt: str) -> None:
    """Make HTML the output of the running cell; without a notebook, print the alt text."""
    # Where IPython runs it has been imported: a plain script need not import it to find out.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        print(alt)
    else:
        shell.display_pub.publish({"text/html": page, "text/plain": alt})
