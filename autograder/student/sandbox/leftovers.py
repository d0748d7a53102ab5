"""What a student's code has started and left running, which is ended when its cell is over.

Only pid 1 of a process tree can: it sees all processes in it, orphans too, and can stop all of them
at once, so that none starts another while they are ended.
"""

import os
import signal
from collections.abc import Collection, Sequence
from contextlib import suppress
from time import monotonic, sleep

from autograder.student.sandbox.memory import all_stopped, processes, stat_of

# A thread that goes on may start others at once, such as those of a pool: the next cell's end is
# theirs.
_ROUNDS = 3
_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_LOOKS = 0.001
_ENDED = "ZX"


def end_all_but(kept: Collection[int], leaving: Collection[int] = ()) -> list[str]:
    """End all other processes of this tree; the names of their programs.

    Args:
        kept: those that stay.
        leaving: those that were told to end and may not be done with it: they are not named.
    """
    names = list[str]()
    for _ in range(_ROUNDS):
        if not _others(processes(), kept):
            break
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGSTOP)
        try:
            found = _others(all_stopped(), kept)
            names += [_name(number) for number in found if number not in leaving]
            for number in found:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        finally:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGCONT)
        end = monotonic() + _SECONDS_TO_END
        while any(map(_is_there, found)) and monotonic() < end:
            sleep(_SECONDS_BETWEEN_LOOKS)
    return names


def _others(found: Sequence[str], kept: Collection[int]) -> list[int]:
    return [number for number in map(int, found) if number not in kept and _is_there(number)]


def _is_there(number: int) -> bool:
    return stat_of(str(number))[0] not in _ENDED


def _name(number: int) -> str:
    """What it calls itself, of which nothing but plain letters is passed on."""
    with suppress(OSError), open(f"/proc/{number}/comm", errors="replace") as name:
        return "".join(
            one for one in name.read() if one.isascii() and (one.isalnum() or one in "._-")
        )
    return ""
