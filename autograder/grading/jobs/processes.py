"""Workers' processes on this machine: one for each thread that asks for work."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any

from autograder.errors import CourseError, SandboxFailed
from autograder.grading.grade import Graded, ungraded
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.sandboxes import SandboxSettings
from autograder.grading.jobs.work import read_source
from autograder.student.sandbox.processor_time import ran_itself

_PROGRAM = "autograder.grading.jobs.fork_server"
_ENGINE = str(Path(__file__).parents[3])
_RETRIES = 2
_SECONDS_TO_END = 1.0
# What a worker itself may run for one submission; honest ones take a second of it. The student's
# code and the tests have limits of their own.
_MOST_SECONDS = 60.0
_SECONDS_BETWEEN_LOOKS = 5.0
_STILL_READING = (
    "the grader was still reading this submission after {:.0f} s of processor time and stopped: "
    "look at the file, and give its points by hand"
)


class _Gone(Exception):
    """A process has ended where it should have answered."""


class _StillReading(Exception):
    """A worker has run for longer than any submission takes."""


def _answer(connection: Connection) -> Any:
    try:
        answer = connection.recv()
    except (OSError, EOFError) as error:
        raise _Gone from error
    if isinstance(answer, Exception):
        raise answer
    return answer


def _ask(connection: Connection, what: str, given: object = None) -> Any:
    try:
        connection.send((what, given))
    except OSError as error:
        raise _Gone from error
    return _answer(connection)


class ForkServer:
    """The process from which workers are forked, seen from who asks it: one thread at a time.

    It ends with the thread that has started it. What it and its workers lay out on the disk lies in
    one folder, which goes with this object, or with the program: a process that is killed puts
    nothing away.
    """

    def __init__(self) -> None:
        """Start it."""
        folder = tempfile.mkdtemp(prefix="grading-")
        self._put_away = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        ours, theirs = socket.socketpair()
        before = os.environ.get("PYTHONPATH")
        with theirs:
            descriptor = theirs.fileno()
            # In a session of its own: an interrupt from the keyboard is for who asks. Of the folder
            # that it is asked from, which may be a student's, it imports nothing.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", _PROGRAM, str(descriptor)],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, [before, _ENGINE])),
                    "TMPDIR": folder,
                },
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._line, self._connection = ours, Connection(os.dup(ours.fileno()))
        self._is_ready = False

    def begin(self, course: Path, walls: SandboxSettings) -> None:
        """Have it import what jobs of a course will take, before there is a job."""
        with suppress(OSError):
            self._connection.send(("begin", (course, walls)))

    def get_ready(self, job: Job) -> None:
        """Wait until it could fork a worker that does such a job at once.

        What fails here fails again, and is told, when there is a job to do.
        """
        if not self._is_ready:
            with suppress(CourseError, RuntimeError):
                _ask(self._connection, "get ready", job)
            self._is_ready = True

    def worker(self) -> "_Worker":
        """A new worker."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._connection.send(("fork", None))
                send_handle(self._connection, theirs.fileno(), None)
            return _Worker(Connection(ours.detach()), _answer(self._connection))
        except OSError as error:
            raise _Gone from error
        finally:
            ours.close()

    def end(self, worker: "_Worker") -> None:
        """End a worker, with the student's code that it runs."""
        worker.connection.close()
        with suppress(_Gone):
            _ask(self._connection, "end", worker.process)

    def close(self) -> None:
        """End it, and all workers that were forked from it, whatever they are doing."""
        # Whoever waits for an answer is told. Where no kernel does it, it ends its workers itself.
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._line.close()
        self._put_away()

    @property
    def is_gone(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None


class _Worker:
    """A worker's process, seen from who asks it."""

    def __init__(self, connection: Connection, process: int) -> None:
        self.connection = connection
        self.process = process

    def grade(self, job: Job) -> Graded:
        before = ran_itself(self.process)
        try:
            self.connection.send(("grade", job))
            while not self.connection.poll(_SECONDS_BETWEEN_LOOKS):
                if ran_itself(self.process) - before > _MOST_SECONDS:
                    raise _StillReading
        except OSError as error:
            raise _Gone from error
        graded: Graded = _answer(self.connection)
        return graded


class Processes:
    """A worker's process for each thread that asks; where one is lost, a new one does its job.

    `close` ends them all, whatever they are doing: who still waits for one is told so.
    """

    def __init__(self, server: ForkServer | None = None) -> None:
        """Begin with none.

        Args:
            server: what they are to be forked from, where that was started before.
        """
        self._mine = threading.local()
        self._server = server
        # Held by the thread that talks to the server, and by who starts or ends it.
        self._talking, self._changing = threading.Lock(), threading.Lock()
        self._closed = False

    def get_ready(self, job: Job) -> None:
        """Start this thread's worker, and wait until it could do such a job at once.

        What fails here fails again, and is told, when there is a job to do.
        """
        with suppress(Exception):
            self._worker(job)

    def grade(self, job: Job) -> Graded:
        """Have this thread's worker do a job; what keeps it busy for too long is left to a human.

        Raises:
            SandboxFailed: when worker after worker is lost over it.
            GradingFailed, IsolationUnavailable: as the worker says.
        """
        for _ in range(_RETRIES + 1):
            try:
                return self._worker(job).grade(job)
            except _Gone:
                self._forget()
            except _StillReading:
                self._forget()
                return ungraded(read_source(job.notebook), _STILL_READING.format(_MOST_SECONDS))
        raise SandboxFailed(f"{_RETRIES + 1} workers were lost, one after the other")

    def close(self) -> None:
        """End all of them."""
        with self._changing:
            self._closed = True
            if self._server:
                self._server.close()

    def _worker(self, job: Job) -> _Worker:
        if getattr(self._mine, "worker", None) is None:
            with self._talking:
                server = self._running()
                try:
                    server.get_ready(job)
                    self._mine.worker = server.worker()
                except _Gone:
                    self._drop(server)
                    raise
        worker: _Worker = self._mine.worker
        return worker

    def _running(self) -> ForkServer:
        with self._changing:
            if self._closed:
                raise SandboxFailed("this worker was ended before its job was done")
            if self._server and self._server.is_gone:
                self._server.close()
                self._server = None
            self._server = self._server or ForkServer()
            return self._server

    def _drop(self, server: ForkServer) -> None:
        """Have the next worker come from another; one that is ending is not gone at once."""
        with self._changing:
            server.close()
            self._server = None

    def _forget(self) -> None:
        worker: _Worker | None = getattr(self._mine, "worker", None)
        self._mine.worker = None
        if worker:
            with self._talking:
                if server := self._server:
                    server.end(worker)
