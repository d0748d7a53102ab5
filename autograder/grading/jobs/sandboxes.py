"""The sandbox of a process that grades: one for all that it grades with the same settings.

A sandbox belongs to the thread that opened it, so one thread of a process grades, and no other.
"""

import atexit
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from autograder.course import EXCHANGE, Course
from autograder.errors import SandboxFailed
from autograder.preload import load
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox

_OUR_RETRIES = 2
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class SandboxSettings:
    """The settings of a sandbox.

    Attributes:
        isolation: "full" or "none".
        limits: those that are not the usual ones, as JSON.
        preload: the modules that are there, imported, when a student's process begins.
        hidden: the folders that student code must not see, wherever they lie.
    """

    isolation: str
    limits: str
    preload: tuple[str, ...]
    hidden: tuple[str, ...]

    @property
    def limits_given(self) -> Limits:
        """All limits, the usual ones among them.

        Raises:
            LimitError: for one that is none, or a number that can't be one.
        """
        return Limits.from_mapping(json.loads(self.limits))


def in_sandbox(walls: SandboxSettings, do: Callable[[Sandbox], _Made]) -> _Made:
    """Do something with a sandbox, and again with a new one where the sandbox itself failed.

    Raises:
        SandboxFailed: when it fails again and again.
        IsolationUnavailable: when a wall is missing here that is asked for.
    """
    for attempt in range(_OUR_RETRIES + 1):
        try:
            return do(the_sandbox(walls))
        except SandboxFailed:
            close_sandboxes()
            if attempt == _OUR_RETRIES:
                raise
    raise AssertionError("unreachable")


def usual_walls(course: Course, isolation: str) -> SandboxSettings:
    """Those of a course whose nbgrader_config.py sets neither limits nor another exchange."""
    hidden = filter(Path.is_dir, (course.root, course.root / EXCHANGE))
    return SandboxSettings(isolation, "{}", tuple(course.settings.preload), tuple(map(str, hidden)))


def begin(walls: SandboxSettings) -> None:
    """Open a sandbox that will be asked for soon; it gets ready meanwhile."""
    if walls not in _open:
        box = Sandbox(
            walls.limits_given,
            walls.isolation,  # type: ignore[arg-type]
            walls.preload,
            hidden=[Path(folder) for folder in walls.hidden],
        )
        _open[walls] = box.__enter__()


def twins() -> dict[SandboxSettings, Sandbox]:
    """One like each that is open, for a fork of this process; without those that have failed."""
    found = {}
    for walls, box in _open.items():
        with suppress(SandboxFailed):
            found[walls] = box.twin()
    return found


def adopt(theirs: Mapping[SandboxSettings, Sandbox]) -> None:
    """In a fork of the process that made them: use these, and leave its own to it."""
    for box in _open.values():
        box.let_go()
    _open.clear()
    _open.update(theirs)


_open: dict[SandboxSettings, Sandbox] = {}
_loaded: set[str] = set()


def the_sandbox(walls: SandboxSettings) -> Sandbox:
    """The one sandbox of this process with these settings, opened at its first use.

    Raises:
        IsolationUnavailable: when a wall is missing here that is asked for.
    """
    begin(walls)
    # The tests will need them on this side too: imported now, they take no time of their own, since
    # the sandbox is not ready before it has imported them as well.
    for entry in walls.preload:
        if entry not in _loaded:
            load(entry)
            _loaded.add(entry)
    return _open[walls]


@atexit.register
def close_sandboxes() -> None:
    """Close what is open, broken or not; whoever needs a sandbox after that gets a new one."""
    _loaded.clear()
    while _open:
        _, box = _open.popitem()
        with suppress(SandboxFailed):
            box.__exit__(None, None, None)
