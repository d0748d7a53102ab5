"""A zygote, seen from the grader: starting it, asking it for students, ending it."""

import dataclasses
import os
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from autograder.errors import SandboxFailed
from autograder.student.limits import Limits
from autograder.student.sandbox import bubblewrap, seccomp
from autograder.student.sandbox.control import Link, Message
from autograder.student.sandbox.processor_time import process_of
from autograder.student.sandbox.student_process import StudentProcess
from autograder.student.sandbox.zygote import EXTRAS, TWIN, Plan

_SECONDS_TO_START = 300.0  # torch from a cold disk
_SECONDS_TO_SPAWN = 60.0
_SECONDS_TO_END = 10.0
_SECONDS_TO_NOTICE = 3.0


class ZygoteGone(SandboxFailed):
    """The zygote has ended, or does not answer."""


class StepFailed(SandboxFailed):
    """A process that was to become a student's could not take one of the steps to it."""

    def __init__(self, step: str, error: str) -> None:
        super().__init__(f"a process could not be made ready for a student ({step}: {error})")
        self.step = step


class Launcher:
    """A running zygote."""

    def __init__(
        self,
        limits: Limits,
        preload: Sequence[str],
        entry: str,
        hidden: Sequence[Path] = (),
        *,
        walled: bool,
    ) -> None:
        """Start it; it goes on to get ready by itself.

        Args:
            limits: what each student may take.
            preload: modules to import in it.
            entry: what a student process calls, as "module:function".
            hidden: folders that must not be seen inside.
            walled: whether bubblewrap stands around it, and namespaces and the filter around each
                student.

        Raises:
            SettingError: when a module that is to be imported does not exist.
        """
        self._limits = limits
        packages = bubblewrap.own_packages(["autograder", entry.partition(":")[0], *preload])
        self._folder = Path(tempfile.mkdtemp(prefix="students-"))
        self._walled = walled
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is ready, or stopped
        self._ready = self.has_extras = False
        mine, theirs = socket.socketpair()
        self._control = Link(mine)
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with theirs:
                plan = self._start(theirs, packages, hidden, entry, preload)
        except BaseException:
            self.stop()
            raise
        # One that has ended already tells why when it is waited for.
        with suppress(OSError):
            self._control.send(dataclasses.asdict(plan))

    def _start(
        self,
        control: socket.socket,
        packages: Mapping[str, Path],
        hidden: Sequence[Path],
        entry: str,
        preload: Sequence[str],
    ) -> Plan:
        walled = self._walled
        around = None
        if walled:
            around = bubblewrap.Walls(packages, hidden, _copied(packages, self._folder))
        plan = Plan(
            entry=entry,
            preload=preload,
            limits=dataclasses.asdict(self._limits),
            walled=walled,
            filter_program=seccomp.filter_program().hex() if walled else "",
            kept=around.kept if around else (),
            folder="" if walled else str(self._folder),
        )
        if around:
            self._process = _start_walled(around, control, self._errors)
        else:
            self._process = _start_bare(packages, self._folder, control, self._errors)
        return plan

    def wait_until_ready(self) -> None:
        """Wait for it to have imported all that it is to import.

        Raises:
            SandboxFailed: when it does not get ready; it is ended then.
        """
        if not self._ready:
            try:
                self._get_ready()
            except BaseException:
                self.stop()
                raise
            self._ready = True
            self._errors.close()

    def load_extras(self) -> None:
        """Have it import what only some lessons need, before it forks another student."""
        if not self.has_extras:
            self.has_extras = True
            # One that is gone is replaced when somebody asks it for a student.
            with suppress(OSError):
                self._control.send({EXTRAS: True})

    def spawn(self, files: Mapping[str, bytes], seed: int, waiting: int = 0) -> StudentProcess:
        """Have it fork a student, of which so many forks may wait beside what it starts itself.

        Raises:
            SandboxFailed: when it does not get ready.
            ZygoteGone: when it has ended, or does not answer.
            StepFailed: when the new process could not be made ready.
        """
        self.wait_until_ready()
        sock, theirs = socket.socketpair()
        mine, watchers = socket.socketpair()
        report = Link(mine)
        mine.settimeout(_SECONDS_TO_SPAWN)
        try:
            try:
                with theirs, watchers:
                    self._control.send({"spawn": True}, [theirs.fileno(), watchers.fileno()])
                _send_order(report, files, {"seed": seed, "waiting": waiting})
                told = self._await_student(report)
            except (EOFError, OSError) as error:
                raise ZygoteGone(f"the zygote did not answer ({error})") from error
        except BaseException:
            sock.close()
            report.close()
            raise
        pidfd = next(iter(report.take_files()), None)
        # Within walls, the number that a process has for itself says nothing here.
        process = told["ready"] if pidfd is None else process_of(pidfd)
        return StudentProcess(sock, report, pidfd, self._limits, self.is_gone, process, told)

    def twin(self) -> "Twin":
        """A fork of the zygote, for a fork of this process.

        Raises:
            SandboxFailed: when it does not get ready.
            ZygoteGone: when it has ended.
        """
        self.wait_until_ready()
        mine, theirs = socket.socketpair()
        try:
            with theirs:
                self._control.send({TWIN: True}, [theirs.fileno()])
        except OSError as error:
            mine.close()
            raise ZygoteGone(f"the zygote did not answer ({error})") from error
        return Twin(self, Link(mine))

    def let_go(self) -> None:
        """In a fork of this process: leave the zygote to the one that has started it."""
        self._control.close()

    def is_gone(self) -> bool:
        """Whether it has ended; right after an end that took a student with it, too."""
        if self._process is None:
            return True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_NOTICE)
        return self._process.returncode is not None

    def stop(self) -> None:
        """End it and, if it is walled, all that was forked from it."""
        self._control.close()
        if self._process:
            try:
                self._process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._errors.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _get_ready(self) -> None:
        self._control.sock.settimeout(_SECONDS_TO_START)
        try:
            answer = self._control.receive()
        except (EOFError, OSError) as error:
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            said = lines[-1] if lines else str(error)
            raise SandboxFailed(f"the zygote did not start: {said}") from error
        if "failed" in answer:
            raise SandboxFailed(f"the zygote could not get ready: {answer['failed']}")

    def _await_student(self, report: Link) -> Message:
        """Wait for all that a process tells before it is ready; one that is quick tells its end."""
        told: Message = {}
        wanted = {"ready", "started"} if self._walled else {"ready"}
        while not wanted <= told.keys():
            told |= report.receive()
            if "failed" in told:
                raise StepFailed(str(told["failed"]), str(told.get("error")))
        return told


class Twin(Launcher):
    """A fork of another's zygote, which ends when its grader hangs up, and its students with it."""

    def __init__(self, other: Launcher, control: Link) -> None:
        """Take it over.

        Args:
            other: the launcher of the zygote that it was forked from.
            control: the conversation with it.
        """
        self._limits, self._walled = other._limits, other._walled
        self._control = control
        self._ready, self.has_extras = True, other.has_extras

    def is_gone(self) -> bool:
        """Whether it has ended; right after an end that took a student with it, too."""
        if self._control.sock.fileno() < 0:
            return True
        hung_up = select.poll()
        hung_up.register(self._control.sock, 0)
        return bool(hung_up.poll(1000 * _SECONDS_TO_NOTICE))

    def stop(self) -> None:
        """End it."""
        self._control.close()


def _send_order(report: Link, files: Mapping[str, bytes], order: Mapping[str, int]) -> None:
    # A process that failed before it read this tells why.
    with suppress(BrokenPipeError, ConnectionResetError):
        lengths = [(name, len(content)) for name, content in files.items()]
        report.send({"files": lengths, **order})
        for content in files.values():
            report.send_bytes(content)


def _copied(packages: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """The packages at a place of their own.

    A student's process reads in /proc/self/mountinfo where what it sees comes from: that would be
    the course.
    """
    copies = {}
    for name, place in packages.items():
        copies[name] = folder / place.name
        if place.is_dir():
            shutil.copytree(place, copies[name], symlinks=True)
        else:
            shutil.copy2(place, copies[name])
    return copies


def _start_walled(
    around: bubblewrap.Walls, control: socket.socket, errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    program = bubblewrap.program() or "bwrap"
    inner = bubblewrap.python_command(control.fileno())
    command, read = around.command(program, inner)
    try:
        return _popen(command, {}, [control.fileno(), *read], errors)
    finally:
        for descriptor in read:
            os.close(descriptor)


def _start_bare(
    packages: Mapping[str, Path], folder: Path, control: socket.socket, errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    shown = folder / "packages"
    shown.mkdir()
    for place in packages.values():
        (shown / place.name).symlink_to(place)
    command = bubblewrap.python_command(control.fileno())
    variables = bubblewrap.environment(shown, str(folder), str(folder))
    return _popen(command, variables, [control.fileno()], errors)


def _popen(
    command: Sequence[str],
    variables: Mapping[str, str],
    descriptors: Sequence[int],
    errors: IO[bytes],
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=errors,
        stderr=errors,
        env=dict(variables),
        cwd="/",
        pass_fds=descriptors,
        # An interrupt from the keyboard is for the grader to handle.
        start_new_session=True,
    )
