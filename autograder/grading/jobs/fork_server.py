"""The process that workers are forked from: it imports once what each of them needs.

    python -m autograder.grading.jobs.fork_server DESCRIPTOR

It has a sandbox for each of them as well, a twin of its own, so a second worker costs a moment and
little memory. It runs no exam and no student's code, and what it is asked comes from one thread.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path

from autograder.grading.jobs import worker
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.sandboxes import (
    SandboxSettings,
    adopt,
    close_sandboxes,
    the_sandbox,
    twins,
)
from autograder.grading.jobs.worker import answer, be_in
from autograder.student.sandbox.confine import die_with_parent

# Those that were forked and not buried: until then the kernel gives their numbers to nobody else.
_workers: set[int] = set()


def serve(connection: Connection) -> None:
    """Do what is asked, and answer, until whoever asks is gone; then end the workers."""
    with suppress(EOFError, OSError):
        while True:
            asked, given = connection.recv()
            answered = answer(_ASKED[asked], connection if asked == "fork" else given)
            # Nobody waits for it to begin.
            if asked != "begin":
                connection.send(answered)
    for child in [*_workers]:
        _end(child)


def _fork(connection: Connection) -> int:
    """Have a fork of this process work for who is at the other end of the socket that comes."""
    socket = recv_handle(connection)
    boxes = twins()
    if child := os.fork():
        os.close(socket)
        for box in boxes.values():
            box.let_go()
        _workers.add(child)
        return child
    code = 1
    try:
        die_with_parent()
        os.setsid()
        connection.close()
        adopt(boxes)
        worker.serve(Connection(socket))
        close_sandboxes()
        code = 0
    finally:
        # Nothing of the parent's may be run or written once more.
        os._exit(code)


def _end(child: int) -> None:
    """End a worker, with the student's code that it runs, and bury it."""
    # One of an earlier fork server's has ended with that, and its number may be somebody else's.
    if child in _workers:
        _workers.remove(child)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _begin(given: tuple[Path, SandboxSettings]) -> None:
    """Have all in place that most jobs take, before there is one."""
    course, walls = given
    be_in(course, walls)
    import autograder.grading.jobs.work  # noqa: F401  a process that grades imports much

    the_sandbox(walls)


def _get_ready(job: Job) -> None:
    """Have all in place that grading this job takes, and grade nothing."""
    be_in(job.course, job.walls)
    from autograder.grading.jobs.work import get_ready

    get_ready(job)


_ASKED: Mapping[str, Callable[..., object]] = {
    "begin": _begin,
    "get ready": _get_ready,
    "fork": _fork,
    "end": _end,
}


if __name__ == "__main__":
    # Nobody would ask any more, and nobody end a student's process.
    die_with_parent()
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    serve(Connection(descriptor))
