"""Answers in a process of their own, without walls: what exams make of them over the wire."""

import inspect
import math
import os
import re
import signal
import socket
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch

from autograder.checks.exam.exam import Exam
from autograder.student.limits import Limits
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.session import Session
from autograder.student.rpc.student_side import StudentSide

LIMITS = Limits(cell_seconds=100, call_seconds=100)

Answer = Callable[..., object]


def attributes_of(exam: Exam) -> frozenset[str]:
    """What the grader takes from the instructor's solution."""
    return frozenset(re.findall(r"\w+", inspect.getsource(exam.reference)))


class Peer:
    """A process at the other end of a socket."""

    process = None

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock


@contextmanager
def over_there(
    answers: Mapping[str, Answer],
    attributes: frozenset[str] = frozenset(),
    kind: type[StudentSide] = StudentSide,
) -> Iterator[Session[Peer]]:
    """A process in which these answers have these names, as if a student had written them.

    Args:
        answers: by name.
        attributes: what may be asked of objects of the answers' classes.
        kind: what answers the examiner there.
    """
    here, there = socket.socketpair()
    process = os.fork()
    if not process:
        try:
            here.close()
            # Its threads are those of the process that it is a fork of.
            torch.set_num_threads(1)
            # In tests, a warning is an error.
            warnings.simplefilter("ignore")
            for answer in answers.values():
                _become_a_students(answer)
            side = kind(there, LIMITS)
            side._shell.user_ns.update(answers)
            side.serve()
        finally:
            os._exit(0)
    there.close()
    try:
        yield Session(Peer(here), LIMITS, Allowance(math.inf, 1), attributes=attributes)
    finally:
        here.close()
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _become_a_students(answer: Answer) -> None:
    """Classes that cells define are of the main module."""
    for one in answer.__mro__ if isinstance(answer, type) else ():
        if one.__module__.startswith("solutions"):
            one.__module__ = "__main__"
