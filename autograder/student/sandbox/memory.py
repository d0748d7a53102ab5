"""How much memory all of a student's processes hold, of which no limit of the kernel's counts all.

Two sums are taken from /proc. One is quick and never too low: what each process has, whether it
shares that with others or not. Only where that is more than is allowed is the other one needed, in
which a page that several share counts once. For that all stop for a moment, so that nothing is
counted twice, or missed, because it changed hands meanwhile. Whoever has not touched memory since
the last time is not looked at again.

What the first process found in place when it was forked (Python, NumPy, PyTorch) is the sandbox's.
It is taken off once: copies that forks make of it by writing to it are the student's.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep

from autograder.student.limits import Limits
from autograder.student.sandbox import confine

# What the kernel lets a socket hold that nobody reads; it counts as no process's memory.
_SOCKET_BYTES = 2 * 212_992
# Above what a processor writes to new memory, which decides when it is time to look again.
_BYTES_PER_SECOND = 4 << 30
_MOST_AT_ONCE = 8  # processors, which then wait for the memory itself
_SECONDS_BETWEEN_LOOKS = 0.001, 0.05
_SECONDS_TO_STOP = 0.2
_STOPPED = "TtZX"
# The tables in which the kernel keeps a process's pages, and pages of a size of their own.
_BESIDE = ("VmPTE", "HugetlbPages")


@dataclass(frozen=True)
class _Share:
    """What a process had when it was last looked at closely."""

    faults: int  # how often the kernel had given it a page by then
    own: int
    shared: int  # with others, counted in parts

    @property
    def bytes(self) -> int:
        return self.own + self.shared


class Memory:
    """Counts what the processes hold that pid 1 of a process tree sees beside itself."""

    def __init__(self, limits: Limits) -> None:
        """Begin before any student code runs: what this process has, the student inherits."""
        self._limits = limits
        self._inherited = _had_by("self")
        self._shares: dict[str, _Share] = {}
        # What may have become others' when a process let go of its part.
        self._released = 0
        self._next_close_look = 0.0
        self._pause = _SECONDS_BETWEEN_LOOKS[1]

    @property
    def seconds_to_next_look(self) -> float:
        """When what there is could have become too much."""
        return self._pause

    def is_exceeded(self) -> bool:
        """Whether the processes together hold more than is allowed."""
        most = self._limits.memory_bytes - _files_and_sockets()
        left = most + self._inherited - sum(map(_had_by, processes()))
        if left < 0:
            now = monotonic()
            if now < self._next_close_look:
                left = int((self._next_close_look - now) * _most_per_second())
            else:
                left = most - self._counted_once(most)
                # On a busy machine a look takes long, and whoever is looked at waits for it: they
                # are to run for as long again, or the look would use up their time.
                after = monotonic()
                self._next_close_look = after + max(left / _most_per_second(), after - now)
        least, longest = _SECONDS_BETWEEN_LOOKS
        self._pause = min(longest, max(least, left / _most_per_second()))
        return left < 0

    def _counted_once(self, most: int) -> int:
        """What is held in all, where a page that several processes share counts once."""
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGSTOP)
        stopped = all_stopped()
        try:
            held = self._sum(stopped)
            if held > most:
                # Before this has consequences, nothing is taken from an earlier look.
                self._shares.clear()
                held = self._sum(stopped)
        finally:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGCONT)
        return held

    def _sum(self, processes: Sequence[str]) -> int:
        if not self._shares:
            self._released = 0
        before, self._shares = self._shares, {}
        for name in processes:
            faults, last = _faults_of(name), before.get(name)
            new = last if last and last.faults == faults else _share_of(name, faults)
            self._shares[name] = new
            self._released += max(0, last.shared - new.shared) if last else 0
        self._released += sum(before[name].shared for name in before.keys() - self._shares.keys())
        shares = sum(share.bytes for share in self._shares.values())
        return shares + self._released + sum(map(_beside_of, processes)) - self._inherited


def processes() -> list[str]:
    """All that are there, but for pid 1, which asks."""
    return [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def all_stopped() -> list[str]:
    """The processes, once none of them runs; one that the kernel holds can't change much."""
    end = monotonic() + _SECONDS_TO_STOP
    while True:
        found = processes()
        if all(stat_of(name)[0] in _STOPPED for name in found) or monotonic() > end:
            return found
        sleep(_SECONDS_BETWEEN_LOOKS[0])


def _had_by(process: str) -> int:
    """What a process has, and the kernel for it; what it shares with others counts in full."""
    names = ("RssAnon", "VmSwap", "RssShmem", *_BESIDE)
    return sum(_numbers_in(f"/proc/{process}/status", names).values())


def _beside_of(process: str) -> int:
    """What is none of the pages that the closer look counts."""
    return sum(_numbers_in(f"/proc/{process}/status", _BESIDE).values())


def _share_of(process: str, faults: int) -> _Share:
    own = ("Private_Dirty", "Swap")
    shared = ("Pss_Anon", "Pss_Shmem", "SwapPss")
    table = _numbers_in(f"/proc/{process}/smaps_rollup", (*own, *shared))
    everything = sum(table[name] for name in shared)
    if not everything:
        # A process that hides what it has is not believed to share it.
        return _Share(faults, _had_by(process), 0)
    alone = min(everything, sum(table[name] for name in own))
    return _Share(faults, alone, everything - alone)


def _faults_of(process: str) -> int:
    fields = stat_of(process)
    return int(fields[7]) + int(fields[9]) if len(fields) > 9 else 0


def stat_of(process: str) -> list[str]:
    """What the kernel tells of a process, from its state on; of one that is gone, that it is."""
    with suppress(OSError), open(f"/proc/{process}/stat") as line:
        return line.read().rpartition(")")[2].split()
    return ["X"]


def _numbers_in(path: str, names: Sequence[str]) -> dict[str, int]:
    """Bytes by name, from one of the kernel's tables in kB; 0 for what is not there."""
    sizes = dict.fromkeys(names, 0)
    with suppress(OSError), open(path) as table:
        for line in table:
            name, _, rest = line.partition(":")
            if name in sizes:
                sizes[name] = int(rest.split()[0]) << 10
    return sizes


def _files_and_sockets() -> int:
    space = os.statvfs(confine.HOME)
    files = (space.f_blocks - space.f_bfree) * space.f_frsize
    return files + _sockets() * _SOCKET_BYTES


def _sockets() -> int:
    """How many sockets were made in this network namespace and are open."""
    with suppress(OSError), open("/proc/net/sockstat") as counters:
        return int(counters.readline().removeprefix("sockets: used "))
    return 0


def _most_per_second() -> int:
    """What all processors together can write in a second, at the very most."""
    return _BYTES_PER_SECOND * min(os.cpu_count() or 1, _MOST_AT_ONCE)
