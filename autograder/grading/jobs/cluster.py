"""Workers on other machines, by Dask: the same job is sent to where a scheduler has room.

A Dask worker's process has several threads, and is nobody's child for long; so a job is done by a
process of its own there, one for each thread, as on this machine. Where that machine has the course
in another folder, the variable AUTOGRADER_COURSE names it.

https://distributed.dask.org/en/stable/client.html
"""

import dataclasses
import os
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from autograder.errors import GradingFailed
from autograder.grading.grade import Graded
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.processes import Processes

COURSE = "AUTOGRADER_COURSE"
_SECONDS_TO_CONNECT = 10
_RETRIES = 2
_MISSING = (
    "Dask is not installed, which --scheduler needs: `pip install distributed` here and where the "
    "workers are"
)
_NO_CERTIFICATE = (
    "{} is reached by TLS, and Dask's settings name no certificate for it: set "
    "distributed.comm.tls.ca-file, client.cert and client.key, as for scheduler and workers"
)
_NOT_ENCRYPTED = (
    "Dask's settings require encryption (distributed.comm.require-encryption), and {} has none: "
    "start the scheduler with `--protocol tls`, and name its address with tls://"
)
_mine = Processes()


class Cluster:
    """The workers that a Dask scheduler knows."""

    def __init__(self, address: str) -> None:
        """Connect.

        Raises:
            GradingFailed: when there is no Dask here, or nobody at the address.
        """
        try:
            from distributed import Client, Security
        except ModuleNotFoundError:
            raise GradingFailed(_MISSING) from None
        try:
            # Without one, Dask ends in a traceback, and that only after half a minute.
            security: Any = Security
            how = security().get_connection_args("client")
            if address.startswith("tls:") and how["ssl_context"] is None:
                raise GradingFailed(_NO_CERTIFICATE.format(address))
            if how["require_encryption"] and not address.startswith("tls:"):
                raise GradingFailed(_NOT_ENCRYPTED.format(address))
            client: Any = Client
            self._client = client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise GradingFailed(
                f"no Dask scheduler answers at {address} ({error}): start one with `dask "
                "scheduler`, and workers with `dask worker ADDRESS`"
            ) from None

    @property
    def count(self) -> int:
        """The threads of all workers; there may be more or fewer a moment later."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, job: Job) -> "Future[Graded]":
        """Have a job done; when its worker is lost, by another one."""
        # Dask's own name for it: the same job is done once, however often it is asked for.
        future: Future[Graded] = self._client.submit(
            grade_at_worker, job, key=f"grade-{job.key}", retries=_RETRIES
        )
        return future

    def close(self) -> None:
        """Forget what is under way."""
        self._client.close()


def grade_at_worker(job: Job) -> Graded:
    """Do a job where this is called: within a Dask worker.

    Raises:
        GradingFailed: when the course is not there, or is another one.
    """
    return _mine.grade(_at_home(job))


def _at_home(job: Job) -> Job:
    """The same job, with this machine's folders."""
    root = Path(os.environ.get(COURSE, job.course))
    lesson = root / job.lesson.relative_to(job.course)
    if not lesson.is_dir():
        raise GradingFailed(
            f"a worker has no {lesson}: it needs the course's folder with source/ and solutions/, "
            f"at the same place or where {COURSE} says"
        )
    hidden = tuple(sorted({str(root), *filter(os.path.isdir, job.walls.hidden)}))
    walls = dataclasses.replace(job.walls, hidden=hidden)
    return dataclasses.replace(job, course=root, lesson=lesson, walls=walls)
