"""A learner's work, carried over from their notebook into a newer one of the same lesson.

Cells are known by their names: an answer by its `grade_id`, a guess by its question, what was given
out by the id that the build has made of its text. So of every other cell it is known that it is the
learner's own, and of a given one whether it is as it was given. Nothing else is needed of the
lesson as it was.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.authoring.lesson.guesses import LINE, question_of
from autograder.checks.own_judgement import exercise_of, ticks_in, with_ticks_of
from autograder.checks.source.cells import (
    checksum,
    grade_id_of,
    has_role,
    noted_checksum,
    source_of,
)

# The cell that says what an update has done; the next one replaces it.
NOTE = "updated"
_LEFT = "left-over"
_HEADING = "## From your former notebook\n\nThese cells had no place in the newer lesson any more."
_GIVEN = re.compile(r"[0-9a-f]{12}(-\d+)?")
_DIGITS = 12
# Of what a learner has made of a cell, all but its text.
_MADE = ("outputs", "execution_count", "attachments")
# What keeps a cell that was given out from being the learner's own.
_OURS = ("nbgrader", "autograder", "deletable", "editable")
_TOP = ""


@dataclass
class Carried:
    """The newer notebook with what is the learner's in it, and what became of that.

    `answers` are in their cells; where one is in `restarted`, the lesson gives another start now.
    `gone` are answers to exercises that the lesson no longer asks, and `new` are those that it did
    not ask before. `edited` counts given cells that the learner has changed and that are others
    now, `left` the cells at the end because they have no place, and `unticked` the lost ticks.
    """

    notebook: NotebookNode
    answers: list[str] = field(default_factory=list)
    restarted: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    edited: int = 0
    left: int = 0
    unticked: int = 0


@dataclass
class _Run:
    """Cells of the learner's own in a row, and the given ones around them, if these are there."""

    after: str | None
    before: str | None = None
    cells: list[NotebookNode] = field(default_factory=list)


def carry_over(mine: NotebookNode, newer: NotebookNode) -> Carried:
    """Put what is a learner's own into a newer notebook of the lesson.

    Cells of their own come after the given cell that they stood after, or else before the one that
    they stood before, or else to the end, below a heading.

    Args:
        mine: the learner's notebook; it stays as it is.
        newer: as it is given out; it stays as it is as well.
    """
    carried = Carried(deepcopy(newer))
    theirs = {_key(cell): cell for cell in carried.notebook.cells}
    carried.notebook.metadata = {**mine.metadata, **newer.metadata}
    cells = [cell for cell in mine.cells if cell.get("id") != NOTE]
    # Of an answer that stands twice, the last one is what its check has seen.
    places = {_key(cell): place for place, cell in enumerate(cells)}
    runs: list[_Run] = []
    run: _Run | None = None
    after: str | None = _TOP
    for place, cell in enumerate(cells):
        key = _key(cell)
        if key in theirs and places[key] == place:
            _put(cell, theirs[key], carried)
            if run:
                run.before = key
            run, after = None, key
        elif key not in theirs and (_is_as_given(cell) or key == _LEFT):
            run, after = None, None
        else:
            if not run:
                run = _Run(after)
                runs.append(run)
            run.cells.append(_as_own(cell))
            carried.edited += bool(_GIVEN.fullmatch(cell.get("id", "")))
            if key not in theirs and has_role(cell, "solution"):
                carried.gone.append(key)
    answers = [key for key, cell in theirs.items() if has_role(cell, "solution")]
    carried.new = [key for key in answers if key not in places]
    carried.notebook.cells = _in_order(theirs, runs, carried)
    return carried


def _in_order(
    theirs: Mapping[str, NotebookNode], runs: list[_Run], carried: Carried
) -> list[NotebookNode]:
    after: dict[str, list[NotebookNode]] = defaultdict(list)
    before: dict[str, list[NotebookNode]] = defaultdict(list)
    left: list[NotebookNode] = []
    for run in runs:
        if run.after is not None:
            after[run.after] += run.cells
        elif run.before is not None:
            before[run.before] += run.cells
        else:
            left += run.cells
    cells = after[_TOP]
    for key, cell in theirs.items():
        cells += [*before[key], cell, *after[key]]
    if left:
        cells += [new_markdown_cell(_HEADING, id=_LEFT), *left]
    carried.left = len(left)
    _name_apart(cells)
    return cells


def _put(mine: NotebookNode, theirs: NotebookNode, carried: Carried) -> None:
    """Make a cell of the newer notebook what the learner has made of it."""
    key = _key(theirs)
    if exercise_of(theirs):
        theirs.source = with_ticks_of(theirs.source, source_of(mine))
        carried.unticked += ticks_in(mine).ticked - ticks_in(theirs).ticked
    elif not _is_as_given(mine):
        theirs.source = source_of(mine)
        if has_role(theirs, "solution"):
            carried.answers.append(key)
            if noted_checksum(mine) not in (None, noted_checksum(theirs)):
                carried.restarted.append(key)
    if theirs.source == source_of(mine) and theirs.cell_type == mine.cell_type:
        theirs.update({name: deepcopy(mine[name]) for name in _MADE if name in mine})
    theirs.metadata = {**mine.metadata, **theirs.metadata}


def _key(cell: NotebookNode) -> str:
    """By which a cell is known: for what was given out, the id that it has from the build."""
    if answered := exercise_of(cell):
        return f"points of {answered}"
    if asked := question_of(cell):
        return f"guess on {asked}"
    # A notebook that was saved by an old program has no ids.
    return grade_id_of(cell) or cell.get("id") or _digest(source_of(cell))


def _is_as_given(cell: NotebookNode) -> bool:
    """Whether a cell was given out, and holds nothing of the learner's."""
    if exercise_of(cell):
        return not ticks_in(cell).ticked
    if question_of(cell):
        return source_of(cell) == LINE
    if grade_id_of(cell):
        return not has_role(cell, "solution") or checksum(cell) == noted_checksum(cell)
    # Without an id, nobody can tell.
    return str(cell.get("id", "")).partition("-")[0] == _digest(source_of(cell))


def _as_own(cell: NotebookNode) -> NotebookNode:
    """A copy of a cell that is no longer taken for one that was given out."""
    own = deepcopy(cell)
    named = grade_id_of(cell) or exercise_of(cell) or question_of(cell)
    if named or _GIVEN.fullmatch(cell.get("id", "")):
        own.id = f"own-{_digest(source_of(cell))}"
    own.metadata = {name: one for name, one in cell.metadata.items() if name not in _OURS}
    return own


def _name_apart(cells: list[NotebookNode]) -> None:
    """Give each cell an id that no cell before it has."""
    seen = set[str]()
    for cell in cells:
        stem = cell.get("id") or f"own-{_digest(source_of(cell))}"
        more = 2
        cell.id = stem
        while cell.id in seen:
            cell.id = f"{stem}-{more}"
            more += 1
        seen.add(cell.id)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
