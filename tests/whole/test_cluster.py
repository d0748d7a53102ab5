"""A class graded by the workers of a Dask scheduler, of which one is killed in the middle."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.jobs.cluster import COURSE
from autograder.nbgrading.grade_class import StudentResult, grade_class, students_of
from tests.support.graded_class import Outcome, class_of_twelve
from tests.support.processes import descendants, eventually, running
from tests.support.tiny_course import LESSON

# Workers of Dask's, with no page of their own, and without a process that starts them again.
WORKER = ["--nthreads=1", "--no-dashboard", "--no-nanny"]


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return class_of_twelve(tmp_path_factory.mktemp("cluster") / "course")


class Dask:
    """A scheduler and its workers, on this machine."""

    def __init__(self, folder: Path) -> None:
        self._file, self._folder, self._stack = folder / "scheduler.json", folder, ExitStack()
        self._meet = ["--scheduler-file", str(self._file)]
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Dask":
        self._start("scheduler", "--port=0", "--no-dashboard", "--host=127.0.0.1")
        assert eventually(self._file.exists)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    def add_worker(self, **environment: str) -> None:
        self.workers.append(self._start("worker", *WORKER, **environment))

    def _start(
        self, program: str, *arguments: str, **environment: str
    ) -> "subprocess.Popen[bytes]":
        log = self._stack.enter_context((self._folder / f"{program}.log").open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments, *self._meet],
            cwd=self._folder,
            env={**os.environ, **environment},
            stdout=log,
            stderr=log,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


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
