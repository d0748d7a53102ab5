"""A student's process, seen from the grader: its socket, its death, and what is known of that."""

import os
import select
import signal
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from autograder.errors import SandboxFailed
from autograder.student.limits import Limits
from autograder.student.sandbox.confine import memory_kills
from autograder.student.sandbox.control import Link, Message

_SECONDS_TO_DIE = 30.0


@dataclass(frozen=True)
class Ending:
    """How a student's process ended, as far as can be known."""

    code: int | None = None  # what it exited with
    signal: int | None = None  # what ended it instead
    killed: bool = False  # by us
    out_of_memory: bool = False  # it took too much, together with all that it started
    out_of_time: bool = False  # it took too much processor time
    lost: bool = False  # the sandbox itself broke: our own failure, never the student's
    cpu_seconds: float = 0.0

    @property
    def reason(self) -> str:
        """A few words that complete "the process …"."""
        if self.lost:
            return "was lost with its sandbox"
        if self.out_of_memory:
            return "took more memory than is allowed"
        if self.out_of_time:
            return "took more processor time than is allowed"
        if self.killed:
            return "was killed"
        if self.signal is not None:
            return f"was ended by {_name(self.signal)}"
        return f"ended with exit code {self.code}"


@dataclass(frozen=True)
class Leftovers:
    """What was ended because it still ran: how many processes, and what some call themselves."""

    count: int = 0
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        """A few words that complete "… was ended"."""
        what = "1 process" if self.count == 1 else f"{self.count} processes"
        names = ", ".join(filter(None, self.names))
        return f"{what} ({names})" if names else what


class StudentProcess:
    """A student's process. `sock` is the other end of its only socket."""

    def __init__(
        self,
        sock: socket.socket,
        report: Link,
        pidfd: int | None,
        limits: Limits,
        sandbox_is_gone: Callable[[], bool],
        process: int | None,
        told: Message,
    ) -> None:
        """Take over a process that is ready.

        Args:
            sock: the grader's end of the channel.
            report: what its watcher tells.
            pidfd: the watcher, with which the kernel ends all; None without walls, where the
                watcher ends what it can when `report` hangs up.
            limits: what the process is held to.
            sandbox_is_gone: whether what it was forked from has died, and it with that.
            process: the id of the first of its processes, as seen from here, if that is known.
            told: what its watcher has told so far.
        """
        self.sock = sock
        self.process = process
        self._report = report
        self._pidfd = pidfd
        self._limits = limits
        self._sandbox_is_gone = sandbox_is_gone
        self._memory_kills = memory_kills()
        self.dismissed = False
        self.closed = False
        # The number that it has for itself.
        self.number = int(told["ready"])
        self._told = told
        self._killed = False
        self._ending: Ending | None = None

    def end_others(self, kept: Collection[int], leaving: Collection[int] = ()) -> Leftovers:
        """End what it has started, but for some that are kept.

        Without walls, nobody sees all of it: then it goes on.

        Args:
            kept: by the numbers that they have for themselves.
            leaving: in the same way, those that were told to end, which are not counted.

        Raises:
            SandboxFailed: when its watcher does not answer.
        """
        if self._pidfd is None or self._ending is not None:
            return Leftovers()
        self._report.sock.settimeout(_SECONDS_TO_DIE)
        try:
            self._report.send({"keep": list(kept), "leaving": list(leaving)})
            while True:
                message = self._report.receive()
                if "ended" in message:
                    return Leftovers(message["ended"], tuple(message["names"]))
                self._told |= message
        except TimeoutError:
            raise SandboxFailed(
                f"What a student's code had left running did not end within {_SECONDS_TO_DIE:.0f} "
                "s: the machine is overloaded, or its kernel holds a process."
            ) from None
        except (EOFError, OSError):
            # It has ended meanwhile, and all else with it.
            return Leftovers()

    def dismiss(self) -> None:
        """Have it and all that it started end; `close`, later, makes sure that they did."""
        self.dismissed = True
        if self._ending is None and not self._see_the_end(0):
            self._killed = True
            self._send_the_end()

    def kill(self) -> None:
        """End it and all that it started; return when nothing of that is left.

        Raises:
            SandboxFailed: when something is left all the same.
        """
        self.dismiss()
        if self._ending is None and not self._see_the_end(_SECONDS_TO_DIE):
            raise SandboxFailed(
                f"A student's process did not end within {_SECONDS_TO_DIE:.0f} s of being "
                "killed: the machine is overloaded, or its kernel holds the process."
            )

    def ended(self, seconds: float = 1.0) -> Ending:
        """How it ended. One that has not ended after `seconds` is killed.

        Raises:
            SandboxFailed: when it can't be killed.
        """
        if self._ending is None and not self._see_the_end(seconds):
            self.kill()
        assert self._ending is not None
        return self._ending

    def close(self) -> None:
        """Kill it if it runs, and let go of all that is held for it."""
        try:
            self.kill()
        finally:
            self.closed = True
            self.sock.close()
            self._report.close()
            if self._pidfd is not None:
                os.close(self._pidfd)
                self._pidfd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _send_the_end(self) -> None:
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        else:
            with suppress(OSError):
                self._report.sock.shutdown(socket.SHUT_WR)

    def _see_the_end(self, seconds: float) -> bool:
        """Wait until all of it is gone, and take note of what was told; False if it is not."""
        if self._pidfd is not None:
            # The kernel tells of pid 1's end when it has ended all others of its namespace.
            waiting = select.poll()
            waiting.register(self._pidfd, select.POLLIN)
            if not waiting.poll(seconds * 1000):
                return False
            seconds = _SECONDS_TO_DIE
        self._report.sock.settimeout(max(seconds, 0.001))
        try:
            while True:
                self._told |= self._report.receive()
        except TimeoutError:
            return False
        except (EOFError, OSError):
            self._ending = self._explain()
        return True

    def _explain(self) -> Ending:
        told = self._told
        code, cpu = told.get("code"), told.get("cpu_seconds")
        if not isinstance(code, int) or not isinstance(cpu, float):
            return self._guess()
        ended_by = -code if code < 0 else None
        # The kernel warns by the first at the limit, and ends by the second a second later.
        out_of_time = ended_by == signal.SIGXCPU or (
            ended_by == signal.SIGKILL and cpu >= self._limits.cpu_seconds
        )
        return Ending(
            code=code if code >= 0 else None,
            signal=ended_by,
            killed=self._killed,
            out_of_memory=told.get("out_of_memory") is True,
            out_of_time=out_of_time,
            cpu_seconds=cpu,
        )

    def _guess(self) -> Ending:
        """The watcher was ended too: by us, with the sandbox, or by the kernel to get memory."""
        if not self._killed and self._sandbox_is_gone():
            return Ending(lost=True)
        return Ending(
            signal=signal.SIGKILL,
            killed=self._killed,
            out_of_memory=not self._killed and memory_kills() > self._memory_kills,
        )


def ending_of(code: int) -> Ending:
    """How a process ended of which nothing is known but its exit code, negative for a signal."""
    if code < 0:
        return Ending(signal=-code, out_of_time=-code == signal.SIGXCPU)
    return Ending(code=code)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
