"""What a submission may take: so many times what the instructor's own solution takes.

The solution is run in the sandbox as a submission is, on the machine that grades, so that a slow
machine gives everybody more. That is done once for each lesson and machine, and only where somebody
needs it: as long as nothing takes longer than what everybody may take, nobody has to know.
"""

import dataclasses
import functools
import hashlib
import json
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.student.limits import Limits
from autograder.whole_file import write_whole

# What one answer that finds no end may take of what is left; the next one may still be right.
_SHARE = 4
_SHARE_OF_A_TEST = 2
_SECONDS_AT_LEAST = 0.01


@dataclass(frozen=True)
class Taken:
    """The seconds that a submission has taken in all, and its longest cell and call."""

    submission: float = 0.0
    cell: float = 0.0
    call: float = 0.0


@dataclass(frozen=True)
class Allowed:
    """What a submission may take."""

    most: Limits
    solution: Taken | None = None  # what the solution takes, where that is known

    @property
    def seconds(self) -> float:
        """All that it may take."""
        return self._at_most("submission", self.most.least_seconds)

    def limits(self, rest: float | None = None) -> Limits:
        """All limits, where so many seconds are left for a cell, a call or a test."""
        least = self.most.least_cell_seconds
        if rest is not None:
            rest = max(rest, _SECONDS_AT_LEAST)
            least = min(least, rest / _SHARE)
        test = self.most.test_seconds
        return dataclasses.replace(
            self.most,
            submission_seconds=self.seconds,
            cell_seconds=self._at_most("cell", least),
            call_seconds=self._at_most("call", least),
            test_seconds=test if rest is None else min(test, max(rest / _SHARE_OF_A_TEST, least)),
        )

    def _at_most(self, what: str, least: float) -> float:
        most: float = getattr(self.most, f"{what}_seconds")
        known: float = getattr(self.solution, what, 0.0)
        return min(most, max(least, self.most.solution_times * known))


def without_solution(limits: Limits) -> Allowed:
    """What the solution itself may take: all that is configured."""
    return Allowed(limits, Taken(*(limits.submission_seconds,) * 3))


class Kept:
    """What solutions take on this machine, kept by this process and, given a folder, in that."""

    def __init__(self, folder: Path | None = None, code: str = "") -> None:
        """Nothing is read before it is asked for.

        Args:
            folder: where to keep it, a file for each solution.
            code: by which the exams and all else that they are examined with are known.
        """
        self._folder, self._code = folder, code

    def find(self, digest: str) -> Taken | None:
        """What is known of the solution of the notebook with this digest."""
        path = self._path(digest)
        with suppress(OSError, ValueError, TypeError, KeyError):
            if path not in _known and self._folder:
                _known[path] = _read(json.loads(path.read_text("utf-8")))
        return _known.get(path)

    def keep(self, digest: str, taken: Taken) -> None:
        """Keep it, unless it is known already: what is allowed is to stay as it is."""
        if self.find(digest) is None:
            _known[self._path(digest)] = taken
            # Who can't write there measures it again the next time.
            with suppress(OSError):
                if self._folder:
                    text = f"{json.dumps(dataclasses.asdict(taken))}\n"
                    write_whole(self._path(digest), text.encode())

    def _path(self, digest: str) -> Path:
        words = (digest, self._code, platform.node(), platform.machine(), _processor())
        name = hashlib.sha256(repr(words).encode()).hexdigest()[:32]
        return (self._folder or Path()) / f"{name}.json"


_known: dict[Path, Taken] = {}


def forget() -> None:
    """Measure anew, but for what lies in a folder."""
    _known.clear()


def _read(found: Mapping[str, object]) -> Taken:
    numbers = {name: float(found[name]) for name in ("submission", "cell", "call")}  # type: ignore[arg-type]
    return Taken(**numbers)


@functools.cache
def _processor() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(("model name", "CPU part")):
                return line.partition(":")[2].strip()
    return platform.processor()
