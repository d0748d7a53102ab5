"""Where student code runs: a process that can see, change and reach nothing but its own.

    with Sandbox(Limits(), preload=("numpy",)) as sandbox:
        with sandbox.spawn({"data.csv": b"1,2"}, seed=7) as student:
            ...  # talk over student.sock
            student.ended().reason

Three walls stand around it, from the outside in: bubblewrap around a zygote (`bubblewrap`,
`zygote`), new namespaces and limits around each student (`confine`), a filter of system calls
(`seccomp`).
With isolation "full" all of them stand, or nothing is run. With "none" there are only the limits.

A sandbox belongs to the thread that opened it: the kernel ends it when that thread ends.
"""

import copy
import dataclasses
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Literal, Self

from autograder.errors import IsolationUnavailable, SandboxFailed
from autograder.student.limits import Limits
from autograder.student.sandbox import bubblewrap, seccomp
from autograder.student.sandbox.launcher import Launcher, StepFailed, ZygoteGone
from autograder.student.sandbox.student_process import Ending, StudentProcess

__all__ = ["Ending", "Isolation", "Layers", "Sandbox", "StudentProcess", "available"]

Isolation = Literal["full", "none"]

_NOTHING = "autograder.student.sandbox.zygote:nothing"
_NO_WALLS = (
    "isolation is 'none': student code runs as you, and can read, change and send away all that "
    "you can; grade like this only where there is nothing to lose"
)
_OR_ELSE = "or choose isolation 'none' on a machine without secrets"
# Where systems forbid namespaces to ordinary users: the setting, the value that forbids, the one
# that allows.
_SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("user.max_user_namespaces", "0", "10000"),
)


@dataclass(frozen=True)
class Layers:
    """Which walls stand, each known by trying, and what is missing where one does not."""

    bubblewrap: bool = False
    user_namespaces: bool = False
    nested_namespaces: bool = False
    seccomp: bool = False
    missing: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those that stand."""
        return tuple(name for name, stands in dataclasses.asdict(self).items() if stands is True)

    @property
    def complete(self) -> bool:
        """Whether all of them do."""
        return self == _ALL

    @property
    def record(self) -> str:
        """One line that goes with each grade."""
        names = ", ".join(name.replace("_", " ") for name in self.names)
        return f"isolation {'full' if self.complete else 'none'}: {names or 'limits only'}"


class Sandbox:
    """A zygote and the students that are forked from it."""

    def __init__(
        self,
        limits: Limits,
        isolation: Isolation = "full",
        preload: Sequence[str] = ("numpy",),
        entry: str = "autograder.student.rpc.student_side:serve",
        hidden: Sequence[Path] = (),
    ) -> None:
        """Plan a sandbox, which `with` opens.

        Args:
            limits: what each student may take.
            isolation: "full" or, for a machine without secrets, "none".
            preload: modules that are there, imported, when a student starts: see
                `autograder.preload`.
            entry: what a student process calls with its socket and the limits, as
                "module:function".
            hidden: folders that must not be seen even where a folder that Python needs holds them.
                The user's home, and folders that the packages named here lie in, always are hidden.

        Raises:
            IsolationUnavailable: for another isolation.
        """
        if isolation not in ("full", "none"):
            raise IsolationUnavailable(
                f"There is no isolation {isolation!r}: choose 'full' or 'none'."
            )
        self.limits = limits
        self.isolation = isolation
        self._layers = Layers() if isolation == "none" else None
        self.preload = preload
        self._entry = entry
        self._hidden = hidden
        self._launcher: Launcher | None = None
        self._students: list[StudentProcess] = []

    def __enter__(self) -> Self:
        """Start it. It gets ready while the caller goes on; the first student waits for that.

        Raises:
            IsolationUnavailable: when isolation is "full" and what that needs is not installed.
        """
        if self.isolation == "none":
            warnings.warn(_NO_WALLS, stacklevel=2)
        elif missing := _what_is_not_installed():
            raise IsolationUnavailable(missing)
        self._opened()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all students and the zygote, whatever of it fails."""
        with ExitStack() as closing:
            if self._launcher:
                closing.callback(self._launcher.stop)
            for student in self._students:
                closing.callback(student.close)

    @property
    def layers(self) -> Layers:
        """Which walls stand: with isolation "full", each that there is, or nothing is run.

        Raises:
            IsolationUnavailable, SandboxFailed: as `spawn` does.
        """
        if self._layers is None:
            self.spawn({}, 0).close()
        return self._layers or _ALL

    def wait_until_ready(self) -> None:
        """Wait for it to be able to start a student's process at once.

        Raises:
            SandboxFailed: when it does not get ready.
        """
        self._opened().wait_until_ready()

    def twin(self) -> Self:
        """Another one like this, open, for a fork of this process: with a zygote forked from ours.

        Raises:
            SandboxFailed: when this one does not get ready.
        """
        twin = copy.copy(self)
        twin._launcher, twin._students = self._opened().twin(), []
        return twin

    def let_go(self) -> None:
        """In a fork of this process: leave it to the process that has opened it."""
        if self._launcher:
            self._launcher.let_go()

    @property
    def has_extras(self) -> bool:
        """Whether what only some lessons need is there, imported, or about to be."""
        return self._launcher is not None and self._launcher.has_extras

    def load_extras(self) -> None:
        """Have what only some lessons need be there, imported, in the next student's process."""
        if self._launcher:
            self._launcher.load_extras()

    def spawn(self, files: Mapping[str, bytes], seed: int, waiting: int = 0) -> StudentProcess:
        """Start a student's process, which is there only once all walls stand around it.

        Args:
            files: what lies in its folder, by names relative to that.
            seed: where the random numbers of Python, NumPy and torch begin in it; not negative.
            waiting: how many forks of it are to wait, beside the processes that it may have.

        Raises:
            ValueError: for files that can't be laid out there.
            IsolationUnavailable: when isolation is "full" and a wall can't be built here.
            SandboxFailed: when the zygote is gone, and a new one does no better.
        """
        _must_stay_inside(files)
        for student in self._students:
            if student.dismissed and not student.closed:
                student.close()
        self._students = [student for student in self._students if not student.closed]
        try:
            student = self._spawn(files, seed, waiting)
        except SandboxFailed as error:
            # It never did, so it may be that it can't: a smaller trial tells at which wall.
            if self._layers is None and not (layers := available()).complete:
                raise IsolationUnavailable(layers.missing) from error
            raise
        self._layers = self._layers or _ALL
        self._students.append(student)
        return student

    def _spawn(self, files: Mapping[str, bytes], seed: int, waiting: int) -> StudentProcess:
        for last in (False, True):
            launcher = self._opened()
            try:
                return launcher.spawn(files, seed, waiting)
            except ZygoteGone as error:
                launcher.stop()
                self._launcher = None
                if last:
                    raise SandboxFailed(f"The sandbox broke twice in a row: {error}.") from error
            except StepFailed as error:
                if error.step == "files":
                    raise ValueError(f"these files can't be laid out: {error}") from error
                launcher.stop()
                self._launcher = None
                raise
            except SandboxFailed:
                # It never got ready.
                self._launcher = None
                raise
        raise AssertionError("unreachable")

    def _opened(self) -> Launcher:
        """The zygote's launcher: a new one where there is none, or none any more."""
        if self._launcher is None:
            walled = self.isolation == "full"
            self._launcher = Launcher(
                self.limits, self.preload, self._entry, self._hidden, walled=walled
            )
        return self._launcher


_ALL = Layers(*(True,) * 4)


def available() -> Layers:
    """Find out, by trying, which walls can be had here. It takes about a second."""
    missing = _what_is_not_installed()
    return Layers(missing=missing) if missing else _try()


def _what_is_not_installed() -> str:
    if sys.platform != "linux":
        return f"Only Linux can wall student code in: grade there, {_OR_ELSE}."
    try:
        seccomp.filter_program()
    except IsolationUnavailable as error:
        return str(error)
    if not bubblewrap.program():
        return (
            "Bubblewrap, which keeps student code away from solutions and grades, is not "
            "installed: install it (on Debian or Ubuntu: sudo apt-get install bubblewrap), "
            f"{_OR_ELSE}."
        )
    return ""


def _try() -> Layers:
    try:
        launcher = Launcher(Limits(), (), _NOTHING, walled=True)
        launcher.wait_until_ready()
    except SandboxFailed as failure:
        return Layers(bubblewrap=True, missing=_how_to_allow(failure))
    layers = Layers(bubblewrap=True, user_namespaces=True)
    try:
        launcher.spawn({}, 0).close()
    except SandboxFailed as failure:
        nested = isinstance(failure, StepFailed) and failure.step == "seccomp"
        return dataclasses.replace(layers, nested_namespaces=nested, missing=_how_to_allow(failure))
    finally:
        launcher.stop()
    return dataclasses.replace(layers, nested_namespaces=True, seccomp=True)


def _how_to_allow(failure: SandboxFailed) -> str:
    remedy = "grade where user namespaces are allowed within user namespaces"
    for setting, forbids, allows in _SETTINGS:
        path = Path("/proc/sys", *setting.split("."))
        if path.exists() and path.read_text().strip() == forbids:
            remedy = f"allow user namespaces (sudo sysctl -w {setting}={allows})"
    # The first are bubblewrap's words, the others `confine`'s.
    if any(words in str(failure) for words in ("mount proc on", "mount /proc")):
        remedy = "in Docker, run the container with --security-opt systempaths=unconfined"
    return f"Student code can't be walled in here, since {failure}: {remedy}, {_OR_ELSE}."


def _must_stay_inside(files: Mapping[str, bytes]) -> None:
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.name or "\0" in name:
            raise ValueError(f"the file name {name!r} does not stay in the student's folder")
