"""What a command takes, with all that it starts: processor seconds, and memory."""

import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from autograder.student.sandbox.processor_time import tree

_SUBREAPER = 36
_SECONDS_BETWEEN_LOOKS = 0.2


def seconds_of(
    command: Sequence[str], folder: Path, variables: Mapping[str, str]
) -> tuple[float, str]:
    """Run a command to its end, and to that of all that it has started.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        variables: its environment.

    Returns:
        The processor seconds, and what it printed.

    Raises:
        RuntimeError: when it fails, with what it said.
    """
    # What has lost its parent becomes a child of this process, which is told its time in the end:
    # that of earlier commands as well.
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    _bury_all()
    before = _of_children()
    done = subprocess.run(
        command, cwd=folder, env=dict(variables), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed in {folder}:\n{done.stderr[-3000:]}")
    _bury_all()
    return _of_children() - before, done.stdout


def peak_memory(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> float:
    """The most MiB that all processes of a command have had together, looked at now and then.

    A page that several share counts once: each has its share of it, the proportional set size.
    """
    peak = 0
    with subprocess.Popen(
        command, cwd=folder, env=dict(variables), stdout=subprocess.DEVNULL
    ) as running:
        while running.poll() is None:
            peak = max(peak, sum(map(_share, tree(running.pid))))
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    return peak / 1024


def _bury_all() -> None:
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _share(process: int) -> int:
    """In KiB."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
