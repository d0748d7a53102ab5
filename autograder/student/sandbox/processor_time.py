"""How long processes have run on a processor, and how long they have waited for one.

On a busy machine a process stands in line, which is no fault of its code. Linux counts both for
each thread, in /proc/<process>/task/<thread>/schedstat. Where that is not to be had nothing counts
as waited, and time is what the clock on the wall says.

Of what has ended, the kernel tells in the numbers of whoever has waited for its end. A process can
have its children end without that. A swarm of them, each too short-lived to be seen, would then
have run for nothing: that is why each that was never seen has its price.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_NANOSECONDS = 1e-9
_PROC = "/proc"
_OWN_THREAD = f"{_PROC}/thread-self/schedstat"
_SECONDS_OF_A_TICK = 1 / os.sysconf("SC_CLK_TCK")
# What starting a process takes, and about as much as one can do before it is seen.
_SECONDS_UNSEEN = 0.01
# Of the words that follow a process's name in its line: what it has run, and those of its children
# for whose end somebody has waited, in the system's part and in its own.
_RAN = slice(11, 15)
_RAN_ITSELF = slice(11, 13)


@dataclass(frozen=True)
class Turns:
    """What was counted so far, in seconds."""

    running: float = 0.0
    waiting: float = 0.0


class Meter:
    """Adds up the turns of a process and of all that it started; what it says never goes down.

    Who reads it often sees more: what runs and ends between two looks may be seen by none.

    A second in which several of them stood in line is one second waited: fifty that wake up at once
    stand in line behind each other, and what sleeps beside them does not.

    The thread that reads the meter is counted too, as far as it waits: while it has work to do,
    such as an answer to a question, the process that is followed can't go on.
    """

    def __init__(self) -> None:
        self._process: int | None = None
        self._helper: int | None = None
        self._seen = set[str]()
        self._last: dict[str, Turns] = {}
        self._in_line: list[tuple[float, float]] = []
        self._total = Turns()
        self._ran = 0.0
        self._numbers = set[int]()
        self._unseen = 0
        self._read_at = 0.0
        self.read()

    def follow(self, process: int | None) -> None:
        """Look at this process from now on; None is one that is not known."""
        self._process = process
        self._seen.clear()
        self._ran, self._unseen = 0.0, 0
        self._numbers.clear()

    def follow_waiting(self, process: int | None) -> None:
        """Count what this process waits, as what the reading thread waits; None ends it."""
        self._helper = process
        self._last |= {path: _turns(path) for path in self._helpers()}

    def read(self, within: float = 0.0) -> Turns:
        """What was counted until now, or until so many seconds before."""
        if time.monotonic() - self._read_at < within:
            return self._total
        processes = tree(self._process) if self._process else []
        ran = self._ran_since(processes)
        # While one of several ends, the kernel may leave others out of its list.
        listed = {path for process in processes for path in _threads_of(process)}
        counted = {path: _turns(path) for path in listed | self._seen}
        theirs = {path: turns for path, turns in counted.items() if turns != Turns()}
        unseen = self._unseen_since(theirs.keys() - self._seen)
        self._seen = set(theirs)
        ours = {path: _turns(path) for path in (_OWN_THREAD, *self._helpers())}
        waited = max((self._since(*one).waiting for one in theirs.items()), default=0.0)
        # Of ours, one goes on where another, or the process that is followed, has stopped.
        waited += sum(self._since(*one).waiting for one in ours.items())
        running = sum(self._since(*one).running for one in theirs.items())
        # The one count is exact and forgets who has ended, the other remembers, in ticks.
        running = max(running, ran) + _SECONDS_UNSEEN * unseen
        self._last = theirs | ours
        self._read_at = time.monotonic()
        waiting = self._in_line_since(waited, self._read_at)
        self._total = Turns(self._total.running + running, self._total.waiting + waiting)
        return self._total

    def _since(self, path: str, turns: Turns) -> Turns:
        before = self._last.get(path, Turns())
        return Turns(
            max(0.0, turns.running - before.running), max(0.0, turns.waiting - before.waiting)
        )

    def _in_line_since(self, waited: float, now: float) -> float:
        """Of the seconds that somebody has waited, until now, those in which nobody else had.

        The kernel counts a wait when it has ended, which may be many looks after it began.
        """
        if not waited:
            return 0.0
        start, new = now - waited, waited
        while self._in_line and self._in_line[-1][1] > start:
            began, ended = self._in_line.pop()
            new -= ended - max(began, start)
            start = min(began, start)
        self._in_line.append((start, now))
        return max(0.0, new)

    def _ran_since(self, processes: Sequence[int]) -> float:
        """What was run since the last look, those included that have ended in the meantime."""
        # Parents come first in the list: a child whose end is waited for meanwhile counts once.
        now = sum(map(_ran, processes))
        since = max(0.0, now - self._ran)
        self._ran = max(self._ran, now)
        return since

    def _unseen_since(self, new: Iterable[str]) -> int:
        """How many were started since the last look and are not to be seen.

        In a process tree of its own, the kernel numbers all processes and threads one by one.
        """
        folders = map(os.path.dirname, new)
        self._numbers |= {number for folder in folders if (number := number_within(folder))}
        before = self._unseen
        self._unseen = max(before, max(self._numbers, default=0) - len(self._numbers))
        return self._unseen - before

    def _helpers(self) -> Iterator[str]:
        return _threads_of(self._helper) if self._helper else iter(())


def _threads_of(process: int) -> Iterator[str]:
    for thread in _entries(f"{_PROC}/{process}/task"):
        yield f"{_PROC}/{process}/task/{thread}/schedstat"


def ran_itself(process: int) -> float:
    """The seconds that a process has run, without those that it has started."""
    return _ran(process, _RAN_ITSELF)


def _ran(process: int, words: slice = _RAN) -> float:
    """The seconds that a process has run, and all those that it has waited for."""
    with suppress(OSError, ValueError), open(f"{_PROC}/{process}/stat", "rb") as stat:
        # The name, in parentheses, is the student's to choose.
        ticks = stat.read().rpartition(b")")[2].split()[words]
        return sum(map(int, ticks)) * _SECONDS_OF_A_TICK
    return 0.0


def number_within(folder: str) -> int:
    """The number that a process or a thread has in the process tree it is in, if that is one of
    its own; 0 where it is this one's.

    Args:
        folder: its folder in /proc.
    """
    with suppress(OSError, ValueError), open(f"{folder}/status", "rb") as status:
        for line in status:
            if line.startswith(b"NSpid:"):
                _, _, *within = line.split()
                return int(within[-1]) if within else 0
    return 0


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
