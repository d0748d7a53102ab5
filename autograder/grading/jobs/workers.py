"""Several processors for the gradings of one program, which alone writes what comes out.

    with workers(4):
        ahead(next_job)          # a worker begins
        graded = result_of(job)  # waits for this one

Where none were asked for, `result_of` does the job here, and `ahead` nothing.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from autograder.environment import processors
from autograder.grading.grade import Graded
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.processes import ForkServer, Processes
from autograder.grading.jobs.sandboxes import SandboxSettings, begin
from autograder.grading.jobs.work import work

# A worker takes as long to start as it does to grade a few submissions.
_WORTH_A_WORKER = 3
# So many jobs wait for each worker, so that none has nothing to do while results are saved.
_WAITING = 2


class Begun(Protocol):
    """A job that somebody does."""

    def result(self) -> Graded:
        """What comes of it, as soon as it is done."""

    def cancel(self) -> object:
        """Do it no longer, where it is not begun."""


class Workers(Protocol):
    """Where jobs are sent."""

    @property
    def count(self) -> int:
        """How many jobs are done at the same time."""

    def submit(self, job: Job) -> Begun:
        """Have a job done."""

    def close(self) -> None:
        """End what is under way, and begin nothing any more."""


class _Here:
    """Workers on this machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._processes = Processes(_early.pop() if _early else None)
        self._threads: ThreadPoolExecutor | None = None

    def submit(self, job: Job) -> "Future[Graded]":
        if self._threads is None:
            self._threads = ThreadPoolExecutor(
                # Until it is ready, a thread is given no job: the others would wait for it.
                self.count,
                "worker",
                initializer=self._processes.get_ready,
                initargs=(job,),
            )
        return self._threads.submit(self._processes.grade, job)

    def close(self) -> None:
        self._processes.close()
        if self._threads:
            self._threads.shutdown(cancel_futures=True)


class _Asked:
    """The workers of this program, and the jobs that they have begun."""

    def __init__(self, crew: Workers) -> None:
        self.crew = crew
        self.begun: dict[str, Begun] = {}

    def begin(self, job: Job) -> None:
        if job.key not in self.begun:
            while len(self.begun) > 2 * self.room:
                # Nobody has asked for the oldest, whose submission may have changed meanwhile.
                self.begun.pop(next(iter(self.begun))).cancel()
            self.begun[job.key] = self.crew.submit(job)

    def result_of(self, job: Job) -> Graded:
        self.begin(job)
        return self.begun.pop(job.key).result()

    @property
    def room(self) -> int:
        return _WAITING * self.crew.count


_asked: list[_Asked] = []
_early: list[ForkServer] = []


def begin_early(
    submitted: Iterable[str | Path],
    graded: Iterable[str | Path],
    course: Path,
    walls: SandboxSettings,
) -> None:
    """Start what will grade submissions on this machine, before any is read.

    Args:
        submitted: the folders of all, each in its student's.
        graded: those of the graded ones, which need not be graded again as far as it can be seen.
        course: the course's folder.
        walls: the settings of the sandbox; those of a job may still be others.

    Raises:
        IsolationUnavailable: when a wall is missing here that is asked for.
    """
    students = [{Path(one).parent.name for one in folders} for folders in (submitted, graded)]
    waiting = len(students[0] - students[1])
    if waiting >= _WORTH_A_WORKER:
        fork_server(course, walls)
    elif waiting:
        begin(walls)


def fork_server(course: Path, walls: SandboxSettings) -> None:
    """Start what the workers of the next `workers` will be forked from."""
    _early.append(ForkServer())
    _early[-1].begin(course, walls)


@contextmanager
def workers(count: int, scheduler: str = "") -> Iterator[None]:
    """Have several processes grade, here or where a Dask scheduler says; within another, its own.

    Args:
        count: how many here; with none, this process grades.
        scheduler: a Dask scheduler's address, such as `tcp://10.0.0.1:8786`.

    Raises:
        GradingFailed: when the scheduler can't be reached.
    """
    if _asked or not (count or scheduler):
        yield
        return
    crew = _elsewhere(scheduler) if scheduler else _Here(count)
    _asked.append(_Asked(crew))
    try:
        yield
    finally:
        _asked.clear()
        crew.close()


@contextmanager
def for_a_class(submissions: int, count: int = 0, scheduler: str = "") -> Iterator[None]:
    """As many workers as so many submissions are worth.

    One is worth it as well: it grades while this process saves what came of the last submission.

    Args:
        submissions: how many there are.
        count: the most workers; with 0 one for each processor.
        scheduler: a Dask scheduler's address, whose workers grade instead.
    """
    with workers(min(submissions // _WORTH_A_WORKER, count or processors()), scheduler):
        yield


def _elsewhere(scheduler: str) -> Workers:
    from autograder.grading.jobs.cluster import Cluster

    return Cluster(scheduler)


def room_ahead() -> int:
    """How many jobs it is worth to begin before their results are asked for."""
    return _asked[0].room if _asked else 0


def ahead(job: Job) -> None:
    """Have a job begun whose result will be asked for soon, where there are workers."""
    if _asked:
        _asked[0].begin(job)


def result_of(job: Job) -> Graded:
    """What comes of a job, whoever does it.

    Raises:
        GradingFailed: when the course's code is not that with which it is to be done, or nobody is
            left to do it.
        SandboxFailed: when the sandbox itself fails, which is never scored.
    """
    return _asked[0].result_of(job) if _asked else work(job)
