"""An exercise that has passed, once more and from memory, in a notebook with nothing but its stub.

The notebook lies in a folder of its own beside the lessons. So what is tried there changes neither
the lesson nor what is remembered of it: the exercise stays done, whatever comes of the second try.
"""

from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.checks import examples
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.checks.source.notebook_file import read_notebook
from autograder.checks.source.scenery import SCENERY
from autograder.course import Course, lesson_number
from autograder.errors import CheckError
from autograder.learner.due import place_again
from autograder.learner.notebooks.keeping import in_bytes, name_of_copy
from autograder.learner.notebooks.work import writing
from autograder.whole_file import write_whole

_OPENING = """\
# Once more: `{exercise}`

You have written this in [lesson {number}]({address}). Can you do it again without looking? The \
check below is that of the lesson. Whatever comes of this, your lesson stays as it is."""


def give_again(
    course: Course, folder: Path, lesson: str, exercise: str, *, now: datetime | None = None
) -> Path:
    """Write the notebook in which an exercise is done once more.

    Args:
        course: where the lesson is.
        folder: the learner's.
        lesson: its full name.
        exercise: its name.
        now: what the copy of an earlier try is dated.

    Returns:
        The notebook. An earlier one is kept beside it under a dated name.

    Raises:
        CheckError: when the lesson has no such exercise with a check, or can't be read.
        WorkFolderError: when it can't be written.
    """
    release = course.release_folder(lesson)
    made = _notebook(read_notebook(release / f"{lesson}.ipynb"), lesson, exercise)
    path = place_again(folder, lesson, exercise)
    with writing(path, "choose another folder"):
        write_whole(path.with_name(examples.FILE), (release / examples.FILE).read_bytes())
        if path.exists():
            path.rename(name_of_copy(path, now or datetime.now()))
        write_whole(path, in_bytes(nbformat.writes(made)))
    return path


def _notebook(lesson: NotebookNode, name: str, exercise: str) -> NotebookNode:
    """What the exercise needs of the lesson: what grading would run, its card, stub and check."""
    cells = lesson.cells
    places = {grade_id_of(cell): place for place, cell in enumerate(cells) if grade_id_of(cell)}
    if not {exercise, f"{exercise}_check"} <= places.keys():
        known = [one for one in places if f"{one}_check" in places]
        raise CheckError(
            f"the lesson has no exercise with a check called {exercise}: there are "
            f"{', '.join(known)}"
        )
    stub = places[exercise]
    given = [cell for cell in cells[:stub] if _is_needed(cell)]
    address = f"../../{quote(name)}/{quote(name)}.ipynb"
    number = lesson_number(name)
    opening = _OPENING.format(exercise=exercise, number=number, address=address)
    made: NotebookNode = new_notebook(
        cells=[
            new_markdown_cell(opening),
            *given,
            *(cell for cell in cells[stub - 1 : stub] if cell.cell_type == "markdown"),
            cells[stub],
            cells[places[f"{exercise}_check"]],
        ],
        metadata=lesson.metadata,
    )
    return made


def _is_needed(cell: NotebookNode) -> bool:
    """Whether it is a given cell without which a right answer might not run."""
    own = has_role(cell, "solution") or has_role(cell, "grade")
    return cell.cell_type == "code" and not own and SCENERY not in cell.metadata.get("tags", ())
