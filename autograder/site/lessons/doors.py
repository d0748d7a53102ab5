"""The ways from a lesson's page into the lesson: buttons that open what students get."""

from collections.abc import Mapping
from html import escape
from pathlib import Path, PurePosixPath

from autograder.authoring.browser.lite import FOLDER, address, lessons_in
from autograder.site.download import NOTE

_ELSEWHERE = (
    '<small>To work on this lesson, <a href="{start}">install the course</a>: its notebook needs '
    "what comes with that.</small>"
)


def runnable(lite: Path) -> Mapping[str, str]:
    """The lessons that run in the browser, with the address of each from the site's start."""
    return {name: f"{FOLDER}/{address(name)}" for name in lessons_in(lite)}


def buttons(
    lesson: str, notebook: PurePosixPath, *, run_at: str, colab: str, repository: str
) -> str:
    """The buttons of a lesson's page, as HTML.

    Args:
        lesson: its full name.
        notebook: the student's, as a path from the course's root and from the site's start.
        run_at: where it runs in the browser, from the site's start; empty where it does not.
        colab: the address at which Colab opens it; empty where it can't.
        repository: where the course lies on GitHub, as owner/name; empty if it does not.
    """
    start = "../" * (len(notebook.parts) - 1)
    found = []
    if run_at:
        found.append(_button(f"{start}{run_at}", "Run it here", "needs-server"))
    found.append(_button(f"{lesson}.zip", "Download", download=True))
    if colab:
        found.append(_button(colab, "Open in Colab"))
    if repository:
        found.append(_button(f"https://codespaces.new/{repository}", "Open in Codespaces"))
    found.append(NOTE if run_at else _ELSEWHERE.format(start=f"{start}index.html"))
    return f'<div class="doors">{" ".join(found)}</div>'


def _button(address: str, text: str, more: str = "", *, download: bool = False) -> str:
    classes = f"door {more}".strip()
    return (
        f'<a class="{classes}" href="{escape(address)}"{" download" * download}>{escape(text)}</a>'
    )
