"""The process over a student's: it waits until the student has ended or must, and tells how.

Within walls it is pid 1 of the student's process tree. No signal from inside reaches it, the kernel
gives it all orphans, and when it ends, the kernel ends the tree.
"""

import os
import select
import signal
import sys
from contextlib import suppress

from autograder.student.limits import Limits
from autograder.student.sandbox import confine, leftovers
from autograder.student.sandbox.control import Link, Message
from autograder.student.sandbox.memory import Memory
from autograder.student.sandbox.priority import share_as_few

_MOST_NAMES = 5


class Watcher:
    """Watches one student."""

    def __init__(self, limits: Limits, student: int, report: Link, *, walled: bool) -> None:
        """Begin right after the fork.

        Args:
            limits: what the student, together with all that it starts, is held to.
            student: its process id, which without walls is its process group too.
            report: the grader, which hangs up when the student is to end, and says before when
                what the student has started is to.
            walled: whether all other processes in sight are the student's.
        """
        self._student = student
        self._report = report
        self._walled = walled
        self._memory = Memory(limits)
        self._kills_before = confine.memory_kills()
        self._too_much = False

    def watch(self) -> Message:
        """Wait; return what is known of the end."""
        waiting = select.poll()
        waiting.register(self._report.sock, select.POLLIN)
        if sys.platform == "linux":
            waiting.register(os.pidfd_open(self._student), select.POLLIN)
        while True:
            for descriptor, _ in waiting.poll(1000 * self._memory.seconds_to_next_look):
                if descriptor == self._report.sock.fileno():
                    try:
                        self._tidy_up(self._report.receive())
                    except (EOFError, OSError):
                        waiting.unregister(descriptor)
                        self._kill()
            if ending := self._bury():
                return ending
            if self._walled:
                share_as_few()
                if self._memory.is_exceeded():
                    self._too_much = True
                    self._kill()

    def _tidy_up(self, order: Message) -> None:
        """End all that runs, but for the student's own process and those of its forks that wait."""
        names = list[str]()
        if self._walled:
            names = leftovers.end_all_but({self._student, *order["keep"]}, order["leaving"])
        self._report.send({"ended": len(names), "names": sorted(set(names))[:_MOST_NAMES]})

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            if self._walled:
                os.kill(-1, signal.SIGKILL)
            else:
                os.killpg(self._student, signal.SIGKILL)

    def _bury(self) -> Message | None:
        """Take note of all who have ended, orphans too; tell if the student is among them."""
        while True:
            child, status, usage = os.wait4(-1, os.WNOHANG)
            if child == 0:
                return None
            if child == self._student:
                self._kill()
                code = os.waitstatus_to_exitcode(status)
                by_kernel = confine.memory_kills() > self._kills_before
                return {
                    "code": code,
                    "cpu_seconds": usage.ru_utime + usage.ru_stime,
                    "out_of_memory": self._too_much or (code == -signal.SIGKILL and by_kernel),
                }
