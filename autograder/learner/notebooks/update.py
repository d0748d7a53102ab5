"""A learner's notebook brought to the newer lesson, with all that is theirs in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.checks.source.notebook_file import read_notebook
from autograder.counted import counted
from autograder.course import lesson_number
from autograder.errors import CheckError
from autograder.learner.notebooks.carrying import NOTE, Carried, carry_over
from autograder.learner.notebooks.keeping import in_bytes, name_of_copy, replace_and_keep, told

_NO_NAME = re.compile(r"[^\w.-]")


@dataclass(frozen=True)
class Updated:
    """Where the former notebook is kept, and what was done, in sentences."""

    kept: Path
    said: tuple[str, ...]


def update_notebook(mine: Path, release: Path, *, now: datetime | None = None) -> Updated | None:
    """Carry a learner's work over into the newer lesson, and keep their notebook as it was.

    Args:
        mine: their notebook.
        release: as it is given out.
        now: what the copy is dated.

    Returns:
        What was done; None where their notebook has all of the newer lesson already.

    Raises:
        CheckError: when one of them is not a notebook, or holds what can't be read or written.
        OSError: when it can't be written.
        WorkFolderError: when somebody has just saved it.
    """
    before = mine.read_bytes()
    kept, now = name_of_copy(mine, now), now or datetime.now()
    with told(mine):
        written = read_notebook(mine)
        carried = _carried(mine, written, release)
        if carried.notebook.cells == [cell for cell in written.cells if cell.get("id") != NOTE]:
            return None
        said = tuple(_in_words(carried, lesson_number(mine.stem)))
        carried.notebook.cells.insert(0, new_markdown_cell(_note(said, kept, now), id=NOTE))
        after = in_bytes(nbformat.writes(carried.notebook))
    replace_and_keep(mine, before, after, kept)
    return Updated(kept, said)


def _carried(mine: Path, written: NotebookNode, release: Path) -> Carried:
    try:
        nbformat.validate(written)
        carried = carry_over(written, read_notebook(release))
        nbformat.validate(carried.notebook)
    except nbformat.ValidationError as error:
        raise CheckError(f"{mine} is not a notebook: {error.message[:100]}") from error
    return carried


def _note(said: tuple[str, ...], kept: Path, now: datetime) -> str:
    items = "".join(f"\n- {one}" for one in said)
    return (
        f"**This lesson was updated on {now.day} {now:%B %Y}.** Your former notebook is kept as "
        f"[{kept.stem}]({quote(kept.name)}). You can delete this cell.\n{items}"
    )


def _in_words(carried: Carried, lesson: str) -> Iterator[str]:
    if carried.answers:
        yield f"Your answers are in their cells: {_listed(carried.answers)}."
    if carried.restarted:
        yield (
            f"Asked in another way now: {_listed(carried.restarted)}. The check says whether your "
            f"answer still fits; `autograder reset {lesson} {carried.restarted[0]}` gives the new "
            "start."
        )
    if carried.new:
        yield f"New: {_listed(carried.new)}."
    if carried.gone:
        yield f"No longer asked: {_listed(carried.gone)}. Your answers are now cells of your own."
    if carried.edited:
        yield (
            f"{counted(carried.edited, 'text or cell', 'texts and cells')} that you had changed "
            + (
                "has changed in the lesson too: yours stands beside it."
                if carried.edited == 1
                else "have changed in the lesson too: yours stand beside them."
            )
        )
    if carried.left:
        yield (
            f"{counted(carried.left, 'cell')} of yours had no place any more: see the end "
            "of the notebook."
        )
    if carried.unticked:
        yield (
            f"{counted(carried.unticked, 'tick')} could not be placed, because what a good answer "
            "says is put in another way now."
        )


def _listed(names: list[str]) -> str:
    """Names as code; a file may have anything in their place, such as the end of that."""
    return ", ".join(f"`{_NO_NAME.sub('?', name)}`" for name in names)
