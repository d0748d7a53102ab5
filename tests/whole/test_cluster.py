"""A class graded by the workers of a Dask scheduler, of which one is killed in the middle."""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.grading.class_table import StudentResult
from autograder.grading.jobs.cluster import COURSE
from autograder.nbgrading.grade_class import grade_class, students_of
from tests.support.dask import Dask
from tests.support.graded_class import Outcome, class_of_twelve
from tests.support.processes import descendants, eventually, running
from tests.support.tiny_course import LESSON

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return class_of_twelve(tmp_path_factory.mktemp("cluster") / "course")


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    with Dask(tmp_path) as dask:
        yield dask


def graded(root: Path, scheduler: str = "") -> Iterator[StudentResult]:
    course = Course(root)
    settings: dict[str, str | int] = {"scheduler": scheduler, "workers": 1}
    students = students_of(course, LESSON)
    return grade_class(course, LESSON, students, force=False, settings=settings)


def test_worker_is_killed_in_the_middle(handed_in: Path, dask: Dask) -> None:
    alone = shutil.copytree(handed_in, handed_in.with_name("alone"))
    assert not [one.failure for one in graded(alone) if one.failure]
    root = shutil.copytree(handed_in, handed_in.with_name("killed"))
    dask.add_worker(OMP_NUM_THREADS="1")
    dask.add_worker(OMP_NUM_THREADS="1")
    results = graded(root, dask.address)
    done = [next(results) for _ in range(3)]
    lost = next(one for one in dask.workers if descendants(one.pid))
    family = descendants(lost.pid)
    lost.send_signal(signal.SIGKILL)
    done += results
    assert [one.failure for one in done] == [""] * 12
    assert len({one.student for one in done}) == 12
    assert Outcome.of(root) == Outcome.of(alone)
    assert eventually(lambda: not any(running(one) for one in family))


def test_worker_has_the_course_elsewhere(handed_in: Path, dask: Dask) -> None:
    """It grades in its own folder: in ours there is nothing that it could grade with."""
    root = shutil.copytree(handed_in, handed_in.with_name("here"))
    there = shutil.copytree(handed_in, handed_in.with_name("there"))
    dask.add_worker(OMP_NUM_THREADS="1", **{COURSE: str(there)})
    results = graded(root, dask.address)
    assert [next(results).failure, next(results).failure] == ["", ""]
    (there / "nbgrader_config.py").write_text("")
    shutil.rmtree(there / "source")
    assert "a worker has no" in [one.failure for one in results][-1]


def test_nobody_at_the_address(handed_in: Path) -> None:
    with pytest.raises(GradingFailed, match="no Dask scheduler answers at tcp:"):
        list(graded(handed_in, "tcp://127.0.0.1:9"))
