"""Workers on other machines, by Dask: the same job is sent to where a scheduler has room.

A Dask worker's process has several threads, and is nobody's child for long; so a job is done by a
process of its own there, one for each thread, as on this machine. Where that machine has the course
in another folder, the variable AUTOGRADER_COURSE names it.

https://distributed.dask.org/en/stable/client.html
"""

import dataclasses
import os
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from ssl import SSLError
from time import monotonic
from typing import Any

from autograder.errors import GradingFailed
from autograder.grading.grade import Graded
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.processes import Processes

COURSE = "AUTOGRADER_COURSE"
_SECONDS_TO_CONNECT = 10
# A scheduler that hangs keeps its connection, and Dask waits for its answer without end.
_SECONDS_TO_ANSWER = 30
_RETRIES = 2
_SECONDS_BETWEEN_LOOKS = 30.0
# Workers that a queue starts, or a machine once more, take a while.
_MINUTES_WITHOUT_WORKERS = 5.0
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
_NOT_USABLE = (
    "Dask's settings for TLS can't be used ({}): distributed.comm.tls.ca-file, client.cert and "
    "client.key have to name files that can be read here, and a key without a pass phrase"
)
_NOT_UNDERSTOOD = (
    "{} can't be talked to ({}): name the protocol with which its scheduler was started, tcp:// or "
    "tls://, and for TLS give both sides certificates of the same authority"
)
_NO_ANSWER = (
    "no Dask scheduler answers at {} ({}): start one with `dask scheduler`, and workers with `dask "
    "worker ADDRESS`"
)
_LOST = (
    "the Dask scheduler at {} no longer answers: start it and its workers again, and grade again"
)
_NO_WORKERS = (
    "the Dask scheduler at {} has had no worker for {:g} minutes: start some with `dask worker`, "
    "and grade again"
)
_WORKERS_LOST = (
    "each worker that has begun it was lost: look at their memory and their logs, and grade again"
)
_mine = Processes()


class Cluster:
    """The workers that a Dask scheduler knows."""

    def __init__(self, address: str) -> None:
        """Connect.

        Raises:
            GradingFailed: when there is no Dask here, or nobody at the address who understands it.
        """
        try:
            from distributed import Client, Security
            from distributed.comm.core import CommClosedError
        except ModuleNotFoundError:
            raise GradingFailed(_MISSING) from None
        security: Any = Security
        try:
            # Without one, Dask ends in a traceback, and that only after half a minute.
            how = security().get_connection_args("client")
        except (OSError, ValueError) as error:
            raise GradingFailed(_NOT_USABLE.format(_why_not_usable(error))) from None
        if address.startswith("tls:") and how["ssl_context"] is None:
            raise GradingFailed(_NO_CERTIFICATE.format(address))
        if how["require_encryption"] and not address.startswith("tls:"):
            raise GradingFailed(_NOT_ENCRYPTED.format(address))
        client: Any = Client
        try:
            self._client = client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            # Where nobody listens, Dask tries again, and gives up with an OSError of no kind.
            is_talk = isinstance(error, CommClosedError | ValueError)
            is_talk |= isinstance(error.__cause__, SSLError)
            why = _NOT_UNDERSTOOD if is_talk else _NO_ANSWER
            raise GradingFailed(why.format(address, error)) from None
        self._address = address
        self._alone_since: float | None = None
        self._hangs = False

    @property
    def count(self) -> int:
        """The threads of all workers; there may be more or fewer a moment later.

        0 where nobody answers any more, which is told of each job that is asked for.
        """
        with suppress(GradingFailed):
            return max(1, self._threads())
        return 0

    def submit(self, job: Job) -> "Sent":
        """Have a job done; when its worker is lost, by another one.

        Raises:
            GradingFailed: when the scheduler is lost.
        """
        try:
            # Dask's own name for it: the same job is done once, however often it is asked for.
            future = self._client.submit(
                grade_at_worker, job, key=f"grade-{job.key}", retries=_RETRIES
            )
        except Exception as error:
            raise self.lost from error
        return Sent(self, future)

    def look(self) -> None:
        """See that a job which was sent can still be done.

        Raises:
            GradingFailed: when the scheduler is lost, or has had no worker for some minutes.
        """
        if self._threads():
            self._alone_since = None
            return
        self._alone_since = self._alone_since or monotonic()
        if monotonic() - self._alone_since >= 60 * _MINUTES_WITHOUT_WORKERS:
            raise GradingFailed(_NO_WORKERS.format(self._address, _MINUTES_WITHOUT_WORKERS))

    @property
    def lost(self) -> GradingFailed:
        """Said where the scheduler does not answer."""
        return GradingFailed(_LOST.format(self._address))

    def _threads(self) -> int:
        if self._hangs:
            raise self.lost
        try:
            threads: dict[str, int] = self._client.sync(
                self._client.scheduler.ncores, workers=None, callback_timeout=_SECONDS_TO_ANSWER
            )
        except Exception as error:
            # What Dask raises of a connection that is lost, or closed since, is of many kinds. Only
            # who hangs is not asked again: each job of a class would wait for as long.
            self._hangs = isinstance(error, TimeoutError)
            raise self.lost from error
        return sum(threads.values())

    def close(self) -> None:
        """Forget what is under way; a scheduler that hangs is not waited for."""
        with suppress(TimeoutError):
            self._client.close(timeout=_SECONDS_TO_ANSWER)


class Sent:
    """A job that was sent to a cluster. To wait for it has an end, whatever becomes of that."""

    def __init__(self, cluster: Cluster, future: Any) -> None:
        """Stand for what Dask calls a future."""
        self._cluster, self._future = cluster, future

    def result(self) -> Graded:
        """What came of it.

        Raises:
            GradingFailed: when nobody is left to do it.
        """
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        while True:
            # Before the first wait as well: after one that was in vain, no other job waits so long.
            self._cluster.look()
            try:
                graded: Graded = self._future.result(timeout=_SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                if self._future.status == "error":
                    raise
                continue
            except KilledWorker as error:
                raise GradingFailed(_WORKERS_LOST) from error
            except (CancelledError, CommClosedError) as error:
                raise self._cluster.lost from error
            return graded

    def cancel(self) -> None:
        """Forget it; a scheduler that is lost has done so."""
        with suppress(Exception):
            self._future.cancel()


def _why_not_usable(error: Exception) -> str:
    """Why Dask's settings for TLS can't be used: of a file that is missing, Python names none."""
    import dask

    names = ("ca-file", "client.cert", "client.key")
    named = [dask.config.get(f"distributed.comm.tls.{one}", None) or "" for one in names]
    # What goes over several lines is no path, but a certificate itself.
    missing = [one for one in named if one and "\n" not in one and not os.path.isfile(one)]
    return f"there is no file {missing[0]}" if missing else str(error)


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
