"""Workers' processes on this machine: one for each thread that asks for work."""

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from autograder.errors import CourseError, SandboxFailed
from autograder.grading.grade import Graded
from autograder.grading.jobs.job import Job

_PROGRAM = "autograder.grading.jobs.worker"
_ENGINE = str(Path(__file__).parents[3])
_RETRIES = 2


class _Gone(Exception):
    """A worker has ended where it should have answered."""


class _Worker:
    """A worker's process, seen from who asks it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        before = os.environ.get("PYTHONPATH")
        with theirs:
            descriptor = theirs.fileno()
            # In a session of its own: an interrupt from the keyboard is for who asks. Of the folder
            # that it is asked from, which may be a student's, it imports nothing.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", _PROGRAM, str(descriptor)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [before, _ENGINE]))},
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._connection = Connection(ours.detach())

    def ask(self, what: str, job: Job) -> Any:
        try:
            self._connection.send((what, job))
            answer = self._connection.recv()
        except (OSError, EOFError) as error:
            raise _Gone from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def end(self) -> None:
        """End it, with the student's code that it runs."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self._connection.close()


class Processes:
    """A worker's process for each thread that asks; where one is lost, a new one does its job.

    `close` ends them all, whatever they are doing: who still waits for one is told so.
    """

    def __init__(self) -> None:
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._all: set[_Worker] = set()
        self._closed = False

    def get_ready(self, job: Job) -> None:
        """Start this thread's worker, and wait until it could do such a job at once.

        What fails here fails again, and is told, when there is a job to do.
        """
        with suppress(CourseError, RuntimeError):
            worker = self._worker()
            try:
                worker.ask("get ready", job)
            except _Gone:
                self._forget(worker)

    def grade(self, job: Job) -> Graded:
        """Have this thread's worker do a job.

        Raises:
            SandboxFailed: when worker after worker is lost over it.
            GradingFailed, IsolationUnavailable: as the worker says.
        """
        for _ in range(_RETRIES + 1):
            worker = self._worker()
            try:
                graded: Graded = worker.ask("grade", job)
                return graded
            except _Gone:
                self._forget(worker)
        raise SandboxFailed(f"{_RETRIES + 1} workers were lost, one after the other")

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.end()

    def _worker(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise SandboxFailed("this worker was ended before its job was done")
            if getattr(self._mine, "worker", None) is None:
                self._mine.worker = _Worker()
                self._all.add(self._mine.worker)
            worker: _Worker = self._mine.worker
            return worker

    def _forget(self, worker: _Worker) -> None:
        with self._lock:
            worker.end()
            worker.close()
            self._all.discard(worker)
            self._mine.worker = None
