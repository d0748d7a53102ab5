"""The points that a good answer in words makes, for those who learn alone: a list to tick.

It stands in a cell of its own below the answer. Learners put an x into the brackets of each point
that theirs makes, by a click in the JupyterLab that `autograder lab` opens (`learner/ticks.js`).
That is their own judgement of it and is counted as such where they mark their own work. Who is
graded earns nothing by it: what an instructor grades is the instructor's notebook with the
student's answers in it, and this cell is none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.checks.source.cells import own_mark, own_mark_of

_OF = "points_of"
_POINT = re.compile(r"\n*- (?P<worth>\d{1,3}) points?: (?P<text>\S.*(?:\n {2,}\S.*)*)(?:\n|$)")
_ITEM = re.compile(
    r"^\s*[-*+]\s+\[(?P<tick>[^\]\n]*)\]\s+\**(?P<worth>\d{1,3}) point", re.MULTILINE
)
_LINE = re.compile(r"^(?P<begin>\s*[-*+]\s+\[)(?P<tick>[^\]\n]*)(?P<rest>\].*)$", re.MULTILINE)
_CELL = """\
<details><summary><b>Look through your answer</b>, once you have written it</summary>

These are the points that a good answer makes, in whatever words. Tick each one that yours makes, and save the notebook. (Where a box takes no click, click beside it and press Enter, write `[x]` in place of `[ ]`, and run the cell to close it.) `autograder mark` counts your ticks as your own judgement. An instructor who grades the notebook reads your answer and not the ticks.

{items}

</details>"""  # noqa: E501


@dataclass(frozen=True)
class Point:
    """What a good answer says, and what that is worth."""

    worth: int
    text: str


@dataclass(frozen=True)
class Ticks:
    """What a learner has ticked: how many of how many points, and what these are worth."""

    ticked: int
    listed: int
    worth: int


def read_points(text: str) -> tuple[Point, ...]:
    """The points in a list of lines such as `- 1 point: …`.

    Raises:
        ValueError: when there is anything else in it.
    """
    points, at = [], 0
    while at < len(text):
        found = _POINT.match(text, at)
        if not found:
            line = text[at:].strip().partition("\n")[0]
            raise ValueError(f"has a line that is no point, `- 1 point: …`, but {line[:60]!r}")
        points.append(Point(int(found["worth"]), " ".join(found["text"].split())))
        at = found.end()
    return tuple(points)


def list_of(points: Sequence[Point]) -> str:
    """The points as an instructor reads them."""
    return "\n".join(f"- {_worth(one)}: {one.text}" for one in points)


def cell_to_tick(name: str, points: Sequence[Point]) -> NotebookNode:
    """The cell below the answer to a written exercise."""
    items = "\n".join(f"- [ ] **{_worth(one)}:** {one.text}" for one in points)
    cell: NotebookNode = new_markdown_cell(_CELL.format(items=items), metadata=own_mark(_OF, name))
    return cell


def exercise_of(cell: Mapping[str, Any]) -> str:
    """The written exercise whose points stand in a cell, or "" if it is another cell."""
    return own_mark_of(cell, _OF)


def ticks_in(cell: Mapping[str, Any]) -> Ticks:
    """What is ticked in such a cell; anything that is written between the brackets is a tick."""
    items = list(_ITEM.finditer(str(cell.get("source", ""))))
    ticked = [one for one in items if one["tick"].strip()]
    return Ticks(len(ticked), len(items), sum(int(one["worth"]) for one in ticked))


def with_ticks_of(text: str, other: str) -> str:
    """The text of such a cell with the ticks of another one, on the points that both list."""
    ticks = {one["rest"].rstrip(): one["tick"] for one in _LINE.finditer(other)}

    def ticked(line: re.Match[str]) -> str:
        return f"{line['begin']}{ticks.get(line['rest'].rstrip(), line['tick'])}{line['rest']}"

    return _LINE.sub(ticked, text)


def _worth(point: Point) -> str:
    return f"{point.worth} point{'s' if point.worth > 1 else ''}"
