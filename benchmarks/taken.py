"""What a command takes, with all that it starts: processor seconds, and memory."""

import ctypes
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from autograder.environment import THREADS
from autograder.student.sandbox.processor_time import tree

_ROOT = Path(__file__).resolve().parents[1]
_SUBREAPER = 36
_SECONDS_BETWEEN_LOOKS = 0.2


def run(command: Sequence[str], root: Path) -> str:
    """What a command prints that runs in a course, with this program's packages.

    Raises:
        RuntimeError: when it fails, with what it said.
    """
    done = subprocess.run(
        command, cwd=root, env=_variables(root), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)} failed in {root}:\n{done.stderr[-3000:]}")
    return done.stdout


def processor_seconds(command: Sequence[str], root: Path) -> float:
    """Of a command that runs in a course, and of all that it has started, to the last's end."""
    # What has lost its parent becomes a child of this process, which is told its time in the end:
    # that of earlier commands as well.
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    _bury_all()
    before = _of_children()
    run(command, root)
    _bury_all()
    return _of_children() - before


def peak_memory(command: Sequence[str], root: Path) -> float:
    """The most MiB that all processes of a command have had together, looked at now and then.

    A page that several share counts once: each has its share of it, the proportional set size.
    """
    peak = 0
    with subprocess.Popen(
        command, cwd=root, env=_variables(root), stdout=subprocess.DEVNULL
    ) as running:
        while running.poll() is None:
            peak = max(peak, sum(map(_share, tree(running.pid))))
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    return peak / 1024


def _variables(root: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    python = os.pathsep.join([str(root), str(_ROOT)])
    return {**os.environ, "PATH": path, "PYTHONPATH": python, THREADS: "1"}


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
