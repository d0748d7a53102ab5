"""The process over a student's: it waits until the student has ended or must, and tells how.

Within walls it is pid 1 of the student's process tree. No signal from inside reaches it, the kernel
gives it all orphans, and when it ends, the kernel ends the tree.
"""

import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from autograder.limits import Limits
from autograder.sandbox import confine
from autograder.sandbox.control import Link, Message

_MILLISECONDS_BETWEEN_LOOKS = 50
# What the kernel lets a socket hold that nobody reads; it counts as no process's memory.
_SOCKET_BYTES = 2 * 212_992


class Watcher:
    """Watches one student."""

    def __init__(self, limits: Limits, student: int, report: Link, *, walled: bool) -> None:
        """Begin right after the fork.

        Args:
            limits: what the student, together with all that it starts, is held to.
            student: its process id, which without walls is its process group too.
            report: the grader, which hangs up or sends anything when the student is to end.
            walled: whether all other processes in sight are the student's.
        """
        self._limits = limits
        self._student = student
        self._report = report
        self._walled = walled
        self._inherited = _memory_of("self")
        self._kills_before = confine.memory_kills()
        self._too_much = False

    def watch(self) -> Message:
        """Wait; return what is known of the end."""
        waiting = select.poll()
        waiting.register(self._report.sock, select.POLLIN)
        if sys.platform == "linux":
            waiting.register(os.pidfd_open(self._student), select.POLLIN)
        while True:
            for descriptor, _ in waiting.poll(_MILLISECONDS_BETWEEN_LOOKS):
                if descriptor == self._report.sock.fileno():
                    waiting.unregister(descriptor)
                    self._kill()
            if ending := self._bury():
                return ending
            if self._walled and self._takes_too_much():
                self._too_much = True
                self._kill()

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

    def _takes_too_much(self) -> bool:
        """Whether the tree has too much memory; the exact answer is for when it matters."""
        most = self._limits.memory_bytes - self._files_and_sockets()
        processes = [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]
        own = sum(max(0, _memory_of(name) - self._inherited) for name in processes)
        return own > most and sum(map(_share_of, processes)) - self._inherited > most

    def _files_and_sockets(self) -> int:
        space = os.statvfs(confine.HOME)
        files = (space.f_blocks - space.f_bfree) * space.f_frsize
        return files + _sockets() * _SOCKET_BYTES


def _memory_of(process: str) -> int:
    """The bytes that a process has; none if it is gone. Those it shares with a fork count too."""
    return sum(_numbers_in(f"/proc/{process}/status", ("RssAnon", "VmSwap", "RssShmem")))


def _share_of(process: str) -> int:
    """The same, but what several processes share counts in parts, one for each."""
    names = ("Pss_Anon", "SwapPss", "Pss_Shmem")
    # A process that hides what it has is not believed to share it.
    return sum(_numbers_in(f"/proc/{process}/smaps_rollup", names)) or _memory_of(process)


def _numbers_in(path: str, names: Sequence[str]) -> list[int]:
    """Bytes by name, from one of the kernel's tables in kB; 0 for what is not there."""
    sizes = dict.fromkeys(names, 0)
    with suppress(OSError), open(path) as table:
        for line in table:
            name, _, rest = line.partition(":")
            if name in sizes:
                sizes[name] = int(rest.split()[0]) << 10
    return list(sizes.values())


def _sockets() -> int:
    """How many sockets were made in this network namespace and are open."""
    with suppress(OSError), open("/proc/net/sockstat") as counters:
        return int(counters.readline().removeprefix("sockets: used "))
    return 0
