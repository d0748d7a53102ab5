"""A job to be done, of the tiny course."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from autograder.grading.jobs.job import Job
from autograder.nbgrading.inbox.take import Beside
from autograder.nbgrading.inbox.which_notebook import HandedIn
from autograder.nbgrading.preprocessor import GradeSafely
from tests.support.tiny_course import ANSWERS, LESSON, grade_id_of, tiny_course

JobOf = Callable[..., Job]


@pytest.fixture(scope="session")
def job_of(tmp_path_factory: pytest.TempPathFactory) -> JobOf:
    """The job of a submission with right answers, but for those that are given."""
    root = tmp_path_factory.mktemp("jobs")
    grading = GradeSafely(config=tiny_course(root))
    path = root / "notebooks" / LESSON / f"{LESSON}.ipynb"
    released: NotebookNode = nbformat.read(path, as_version=4)

    def make(**answers: str) -> Job:
        for cell in released.cells:
            name = grade_id_of(cell)
            cell.source = {**ANSWERS, **answers}.get(name, cell.source)
        submission = HandedIn(nbformat.writes(released).encode())
        return grading.job(LESSON, LESSON, submission, Beside(course={"data.txt": _data(root)}))

    return make


def _data(root: Path) -> Path:
    return root / "source" / LESSON / "data.txt"
