"""A fork of the grader, for work that may have to be ended: its clock, memory and inheritance."""

import contextlib
import gc
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from autograder.environment import THREADS


class Clock:
    """How long the fork has waited for students' processes: it writes, the grader reads."""

    _NUMBERS = struct.Struct("dd")

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, self._NUMBERS.size)

    @property
    def waited(self) -> float:
        """The seconds that it has waited so far."""
        total, since = self._NUMBERS.unpack_from(self._shared)
        return float(total + (time.monotonic() - since if since else 0.0))

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Count what passes within."""
        total, _ = self._NUMBERS.unpack_from(self._shared)
        begun = time.monotonic()
        self._NUMBERS.pack_into(self._shared, 0, total, begun)
        try:
            yield
        finally:
            self._NUMBERS.pack_into(self._shared, 0, total + time.monotonic() - begun, 0.0)


def leave_behind(sock: socket.socket, *kept: int) -> None:
    """Let go of what was the grader's: its signals, its threads, its files but for those kept."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    # An interrupt from the keyboard is for the grader to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    nothing = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        # Not closed: who believes to own the number would close what has it by then.
        if int(name) not in (sock.fileno(), 1, 2, *kept):
            with suppress(OSError):
                os.dup2(nothing, int(name), inheritable=False)
    os.environ.setdefault(THREADS, "1")
    if torch := sys.modules.get("torch"):
        # Those that it had are not there any more.
        torch.set_num_threads(1)


def begin_peak() -> int:
    """Count the peak of this process anew, where the kernel can; what it has now, in bytes."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
