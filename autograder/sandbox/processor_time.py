"""How long processes have run on a processor, and how long they have waited for one.

On a busy machine a process stands in line, which is no fault of its code. Linux counts both for
each thread, in /proc/<process>/task/<thread>/schedstat. Where that is not to be had nothing counts
as waited, and time is what the clock on the wall says.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_NANOSECONDS = 1e-9
_PROC = "/proc"
_OWN_THREAD = f"{_PROC}/thread-self/schedstat"


@dataclass(frozen=True)
class Turns:
    """What was counted so far, in seconds."""

    running: float = 0.0
    waiting: float = 0.0


class Meter:
    """Adds up the turns of a process and of all that it started; what it says never goes down.

    The thread that reads the meter is counted too, as far as it waits: while it has work to do,
    such as an answer to a question, the process that is followed can't go on.
    """

    def __init__(self) -> None:
        self._process: int | None = None
        self._helper: int | None = None
        self._seen = set[str]()
        self._last: dict[str, Turns] = {}
        self._total = Turns()
        self.read()

    def follow(self, process: int | None) -> None:
        """Look at this process from now on; None is one that is not known."""
        self._process = process
        self._seen.clear()

    def follow_waiting(self, process: int | None) -> None:
        """Count what this process waits, as what the reading thread waits; None ends it."""
        self._helper = process
        self._last |= {path: Turns(0.0, _turns(path).waiting) for path in self._helpers()}

    def read(self) -> Turns:
        """What was counted until now. Of a thread that has ended, the last of it is missing."""
        # While one of several ends, the kernel may leave others out of its list.
        counted = {path: _turns(path) for path in {*self._threads(), *self._seen}}
        now = {path: turns for path, turns in counted.items() if turns != Turns()}
        self._seen = set(now)
        own = _turns(_OWN_THREAD)
        now[_OWN_THREAD] = Turns(0.0, own.waiting)
        now |= {path: Turns(0.0, _turns(path).waiting) for path in self._helpers()}
        running, waiting = self._total.running, self._total.waiting
        for path, turns in now.items():
            before = self._last.get(path, Turns())
            running += max(0.0, turns.running - before.running)
            waiting += max(0.0, turns.waiting - before.waiting)
        self._last, self._total = now, Turns(running, waiting)
        return self._total

    def _threads(self) -> Iterator[str]:
        for process in tree(self._process) if self._process else ():
            yield from _threads_of(process)

    def _helpers(self) -> Iterator[str]:
        return _threads_of(self._helper) if self._helper else iter(())


def _threads_of(process: int) -> Iterator[str]:
    for thread in _entries(f"{_PROC}/{process}/task"):
        yield f"{_PROC}/{process}/task/{thread}/schedstat"


def tree(process: int) -> list[int]:
    """A process with all that it started, and all that they did, as far as they are still there."""
    found = [process]
    try:
        for one in found:
            found += _children(one)
    except FileNotFoundError:
        return _searched(process)
    return found


def _children(process: int) -> list[int]:
    """What a process has started.

    Raises:
        FileNotFoundError: when this kernel does not list them.
    """
    listed = list[int]()
    for thread in _entries(f"{_PROC}/{process}/task"):
        try:
            with open(f"{_PROC}/{process}/task/{thread}/children", "rb") as children:
                listed += map(int, children.read().split())
        except ProcessLookupError:
            continue
        except FileNotFoundError:
            # They come and go while they are looked at.
            if os.path.exists(f"{_PROC}/{process}/task/{thread}/stat"):
                raise
    return listed


def _searched(process: int) -> list[int]:
    """The same where each process has to be asked who has started it."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, _entries(_PROC)):
        with suppress(OSError), open(f"{_PROC}/{name}/stat", "rb") as stat:
            # The name, in parentheses, is the student's to choose.
            _, parent, *_ = stat.read().rpartition(b")")[2].split()
            children.setdefault(int(parent), []).append(int(name))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found


def _entries(folder: str) -> list[str]:
    with suppress(OSError):
        return os.listdir(folder)
    return []


def process_of(pidfd: int) -> int | None:
    """The process that a descriptor stands for, by its number here; None if it can't be known."""
    with suppress(OSError):
        for line in Path(f"{_PROC}/self/fdinfo/{pidfd}").read_text().splitlines():
            name, _, number = line.partition(":")
            if name == "Pid" and int(number) > 0:
                return int(number)
    return None


def _turns(path: str) -> Turns:
    with suppress(OSError, ValueError), open(path, "rb") as counts:
        running, waiting, _ = counts.read().split()
        return Turns(int(running) * _NANOSECONDS, int(waiting) * _NANOSECONDS)
    return Turns()
