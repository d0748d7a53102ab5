"""Whether the gradebook knows a lesson as the instructor's notebooks have it.

nbgrader writes down the exercises and points of a lesson when its notebook for students is
generated. Where the notebook in source/ has changed since, a grading has scores for exercises that
the gradebook does not know, or none for those that it does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import BaseCell, Gradebook, MissingEntry, Notebook
from nbgrader.utils import is_grade, is_solution, is_task
from sqlalchemy.orm import object_session, with_polymorphic

from autograder.errors import GradingFailed
from autograder.grading.jobs.work import source_at

Cells = dict[tuple[str, str], float]
"""What nbgrader keeps scores and comments for: the name of a cell, its part, and its points."""

_PARTS = {"GradeCell": "grade", "SolutionCell": "solution", "TaskCell": "task"}


def cells_of(notebook: NotebookNode) -> Cells:
    """What the instructor's notebook has."""
    found: Cells = {}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        for part, has_part in (("grade", is_grade), ("solution", is_solution), ("task", is_task)):
            if has_part(cell):
                points = 0.0 if part == "solution" else float(marks["points"])
                found[marks["grade_id"], part] = points
    return found


def cells_known(notebook: Notebook) -> Cells:
    """What the gradebook has."""
    # nbgrader's own lists would ask it for the points of each cell.
    every = with_polymorphic(BaseCell, "*")
    session: Any = object_session(notebook)
    cells = session.query(every).filter_by(notebook_id=notebook.id)
    return {(cell.name, _PARTS[cell.type]): float(getattr(cell, "max_score", 0)) for cell in cells}


@dataclass(frozen=True)
class Disagreement:
    """What one notebook of a lesson has that the gradebook does not, and the other way round."""

    added: Cells
    dropped: Cells
    changed: dict[tuple[str, str], tuple[float, float]]
    """The points in the gradebook, and those in the notebook."""

    @classmethod
    def between(cls, there: Cells, here: Cells) -> "Disagreement":
        """From what the gradebook has to what the notebook has."""
        return cls(
            {cell: here[cell] for cell in here.keys() - there.keys()},
            {cell: there[cell] for cell in there.keys() - here.keys()},
            {
                cell: (there[cell], here[cell])
                for cell in here.keys() & there.keys()
                if here[cell] != there[cell]
            },
        )

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.added or self.dropped or self.changed)

    def __str__(self) -> str:
        """Said of the notebook in source/."""
        return ", ".join(
            [
                *(f"{name} is new" for name in _names(self.added)),
                *(f"{name} is gone" for name in _names(self.dropped)),
                *(
                    f"{name} counts {now:g} and no longer {before:g}"
                    for (name, _), (before, now) in sorted(self.changed.items())
                ),
            ]
        )


def must_agree(folder: Path, lesson: str, gradebook: Gradebook) -> None:
    """Compare a lesson's notebooks in source/ with what the gradebook knows of it.

    Raises:
        GradingFailed: when they differ, or when the gradebook does not know the lesson yet.
    """
    again = f"choose Generate in formgrader, or run `nbgrader generate_assignment --force {lesson}`"
    try:
        assignment = gradebook.find_assignment(lesson)
    except MissingEntry:
        raise GradingFailed(f"nbgrader does not know {lesson} yet: {again}") from None
    known = {notebook.name: notebook for notebook in assignment.notebooks}
    if not known:
        raise GradingFailed(f"nbgrader knows no notebook of {lesson} yet: {again}")
    here = {path.stem: cells_of(source_at(path)) for path in sorted(folder.glob("*.ipynb"))}
    if missing := sorted(known.keys() - here.keys()):
        raise GradingFailed(
            f"{folder / missing[0]}.ipynb is missing, which {lesson} was generated from: build the "
            "lesson, or give the notebook its old name again; nothing was run, and every score "
            "stands"
        )
    differences = [
        difference
        for name in sorted(known)
        if (difference := Disagreement.between(cells_known(known[name]), here[name]))
    ]
    if differences:
        raise GradingFailed(
            f"{lesson} has changed in source/ since it was generated "
            f"({'; '.join(map(str, differences))}): nothing was run, and every score stands; "
            f"{again}, then grade again, with --force what is graded already"
            f"{_for_whom(len(assignment.submissions), known, here)}"
        )


def _for_whom(submissions: int, known: dict[str, Notebook], here: dict[str, Cells]) -> str:
    if not submissions:
        return ""
    before = sum(sum(cells_known(notebook).values()) for notebook in known.values())
    now = sum(sum(here[name].values()) for name in known)
    points = f"{now:g} points" if now == before else f"{now:g} points instead of {before:g}"
    whom = "who has" if submissions == 1 else "who have"
    return f": for the {submissions} {whom} a score, the lesson then counts {points}"


def _names(cells: Cells) -> Iterator[str]:
    """Each name once, with its points if it has any."""
    for name in sorted({name for name, _ in cells}):
        points = sum(number for (one, _), number in cells.items() if one == name)
        yield f"{name} ({points:g} points)" if points else name
