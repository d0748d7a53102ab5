"""Giving back a lesson, or the cell of one exercise, as it was given out.

What was there is kept beside it under a dated name before anything is changed.
"""

from datetime import datetime
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.checks.source.cells import grade_id_of, has_role
from autograder.checks.source.notebook_file import read_notebook
from autograder.course import Course
from autograder.errors import CheckError, WorkFolderError
from autograder.learner.notebooks.keeping import in_bytes, name_of_copy, replace_and_keep, told
from autograder.learner.notebooks.work import writing

_OTHERWISE = "copy what you need from it by hand"


def reset(
    course: Course, folder: Path, lesson: str, exercise: str = "", *, now: datetime | None = None
) -> Path | None:
    """Give the original of a lesson, or of one of its exercises, back to a learner.

    Args:
        course: where the original is.
        folder: the learner's.
        lesson: its full name.
        exercise: the cell's `grade_id`; without it, the whole notebook.
        now: what the copy is dated.

    Returns:
        The copy of what was there; None where it is the original already.

    Raises:
        CheckError: when there is no such exercise, or the notebook can't be read or written.
        WorkFolderError: when there is no such notebook, it can't be written, or somebody has just
            saved it.
    """
    name = f"{lesson}.ipynb"
    original, mine = course.release_folder(lesson) / name, folder / lesson / name
    if not mine.is_file() or not original.is_file():
        raise WorkFolderError(
            f"{mine} is not there yet: `autograder lab` copies it from the course."
        )
    with writing(mine, _OTHERWISE):
        before = mine.read_bytes()
        if exercise:
            with told(mine):
                after = _with_original_cell(read_notebook(mine), read_notebook(original), exercise)
        else:
            after = original.read_bytes()
        if after is None or after == before:
            return None
        kept = name_of_copy(mine, now)
        replace_and_keep(mine, before, after, kept)
    return kept


def in_words(what: str, kept: Path | None) -> str:
    """What has become of a lesson or an exercise, by the copy of what was there."""
    if kept is None:
        return f"{what} is as it was given out already: nothing was changed."
    return f"{what} is as it was given out. What you had is kept in {kept}."


def _with_original_cell(mine: NotebookNode, original: NotebookNode, exercise: str) -> bytes | None:
    """The learner's notebook with one cell as it was given out; None where it is so already."""
    given = {grade_id_of(cell): cell for cell in original.cells if has_role(cell, "solution")}
    if exercise not in given:
        raise CheckError(
            f"the lesson has no exercise called {exercise}: there are {', '.join(given)}"
        )
    cells = [cell for cell in mine.cells if grade_id_of(cell) == exercise]
    if not cells:
        raise CheckError(
            f"your notebook has lost its cell for {exercise}: reset the whole lesson, and copy "
            "your other answers from the copy that is kept"
        )
    if all(cell.source == given[exercise].source for cell in cells):
        return None
    for cell in cells:
        cell.source = given[exercise].source
    # What its check has shown was said of the answer that is gone.
    cells += [cell for cell in mine.cells if grade_id_of(cell) == f"{exercise}_check"]
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return in_bytes(nbformat.writes(mine))
