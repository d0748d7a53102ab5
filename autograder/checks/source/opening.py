"""What a lesson says of itself above its first code: its title, how long it takes, its needs."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from autograder.checks.source.cells import source_of

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
# How a lesson says what it takes.
TIME = re.compile(
    r"(?P<before>\*\*It takes\*\* about )(?P<all>\d{1,4}) minutes"
    r"(?:, (?P<core>\d{1,4}) of them for the core)?"
)
NEEDS = re.compile(r"\*\*You need\*\* (.+?)\s*\*\*It takes\*\*", re.DOTALL)
# No lesson needs as much to say so; whatever is longer is looked through once for each word.
_LONGEST = 5000
_LESSONS = re.compile(r"\b\d\d[a-z]?(?: to \d\d[a-z]?)?\b")


@dataclass(frozen=True)
class Opening:
    """The beginning of a lesson; what it does not say is empty, or None.

    `core` are the minutes of its core, where it has further parts. `needs` are the lessons that it
    names, or else what it needs in its own words.
    """

    title: str
    minutes: int | None
    needs: str
    core: int | None = None

    @property
    def time(self) -> str:
        """Its minutes: of the core and of what is further, where it has both."""
        if self.core is None or self.minutes is None:
            return str(self.minutes or "")
        return f"{self.core} + {self.minutes - self.core}"


def cells_in(notebook: Path) -> list[dict[str, Any]]:
    """The cells of a notebook's file, and none where it can't be read."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        # Nobody waits for a pipe, or reads a device to its end.
        if not notebook.is_file():
            return []
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return [cell for cell in cells if isinstance(cell, dict)]
    return []


def opening_of(notebook: Path) -> Opening:
    """What a notebook says of itself; nothing where it can't be read."""
    return opening_in(cells_in(notebook))


def opening_in(cells: Sequence[Mapping[str, Any]]) -> Opening:
    """What a notebook of these cells says of itself."""
    texts = takewhile(lambda cell: cell.get("cell_type") == "markdown", cells)
    return opening_of_text("\n".join(map(source_of, texts)))


def opening_of_text(text: str) -> Opening:
    """What a lesson says of itself in the text above its first code."""
    text = text[:_LONGEST]
    title, minutes = _TITLE.search(text), TIME.search(text)
    return Opening(
        title[1].strip() if title else "",
        int(minutes["all"]) if minutes else None,
        _needs(text),
        int(minutes["core"]) if minutes and minutes["core"] else None,
    )


def _needs(opening: str) -> str:
    found = NEEDS.search(opening)
    if not found:
        return ""
    text = " ".join(found[1].split())
    return ", ".join(sorted({*_LESSONS.findall(text)})) or text.rstrip(".")
