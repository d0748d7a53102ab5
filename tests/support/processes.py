"""Processes as seen from outside, and waiting for what happens to them."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

from autograder.student.sandbox.processor_time import Meter, tree

# For what happens at once or never: late enough for a machine that has much else to do.
BACKSTOP = 120.0

Found = TypeVar("Found")


def descendants(process: int) -> list[int]:
    """All processes that this one started, then those that they did, as far as they run."""
    return [one for one in tree(process)[1:] if running(one)]


def running(process: int) -> bool:
    """Whether it is there, and has not ended."""
    with suppress(OSError):
        return _stat(process)[0] not in "ZX"
    return False


def parent_of(process: int) -> int:
    """The process that this one is a child of."""
    return int(_stat(process)[1])


def workers_here() -> list[int]:
    """The workers that were forked for this process: each leads a session of its own."""
    found = []
    for process in descendants(os.getpid()):
        with suppress(OSError):
            command = Path(f"/proc/{process}/cmdline").read_bytes()
            leads = os.getsid(process) == process and parent_of(process) != os.getpid()
            if leads and b"autograder.grading.jobs.fork_server" in command:
                found.append(process)
    return found


def _stat(process: int) -> list[str]:
    """What the kernel says of it, from its state on."""
    return Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()


class Stopwatch:
    """How long something takes, without what this process and all below it waited in line.

    It looks at the meter often: of a process that has ended, nothing more is to be read.
    """

    def __enter__(self) -> Self:
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        self._ready.wait()
        self._started = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        elapsed = time.monotonic() - self._started
        self._over.set()
        self._thread.join()
        self.seconds = elapsed - self._waited

    def _look(self) -> None:
        meter = Meter()
        meter.follow(os.getpid())
        before = meter.read().waiting
        self._ready.set()
        while not self._over.wait(0.2):
            meter.read()
        self._waited = meter.read().waiting - before


def eventually(
    holds: Callable[[], Found], *, wait: Callable[[], object] = lambda: time.sleep(0.02)
) -> Found:
    """What it finds as soon as that is something, now or after a few waits.

    Whoever looks a second time may find something else.
    """
    end = time.monotonic() + BACKSTOP
    while not (found := holds()) and time.monotonic() < end:
        wait()
    return found
