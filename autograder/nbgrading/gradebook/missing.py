"""What waits for a human goes on waiting where a notebook's file is missing.

nbgrader gives such a notebook 0 points, and has it that nothing in it waits. Here another file may
be graded in its place, or nothing, until a human has looked.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nbgrader.api import Grade, MissingEntry
from nbgrader.coursedir import CourseDirectory

from autograder.nbgrading.gradebook.transaction import gradebook_of


@contextmanager
def still_waiting(
    directory: CourseDirectory, lesson: str, student: str, paths: Sequence[str]
) -> Iterator[None]:
    """Have what waits in the notebooks of these that are missing wait afterwards, too."""
    missing = [Path(path).stem for path in paths if not Path(path).exists()]
    before = {
        (one.notebook.name, one.name): one.needs_manual_grade
        for one in _grades(directory, lesson, student, missing)
    }
    yield
    for grade in _grades(directory, lesson, student, missing):
        grade.needs_manual_grade |= before.get((grade.notebook.name, grade.name), False)


def _grades(
    directory: CourseDirectory, lesson: str, student: str, notebooks: Sequence[str]
) -> Iterator[Grade]:
    for name in notebooks:
        with gradebook_of(directory) as gradebook:
            try:
                yield from list(gradebook.find_submission_notebook(name, lesson, student).grades)
            except MissingEntry:
                return
