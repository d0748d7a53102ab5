"""How an answer that does not end is stopped: when its time is up, or by whoever presses Stop.

Either is a signal, which raises an exception where the answer is: never in our own code, which
might be left halfway. An answer that catches every exception is stopped as well, because it is
raised again, at other moments, until it is out.

Signals are for the main thread of Linux and macOS. On Windows, in a browser and in a thread,
nothing has a limit, and Stop does what Python does. Compiled code, such as one huge product of
matrices, can't be interrupted anywhere: it is stopped when it returns.
"""

import os
import signal
import sys
import threading
from random import random
from time import monotonic
from types import FrameType, TracebackType
from typing import Self

from autograder.checks.source.own_files import is_own
from autograder.errors import CheckError

VARIABLE = "AUTOGRADER_SECONDS"
# How long until it is looked again whether the answer is running, or has caught what was raised.
_LATER = 0.05
# What catches everything in a loop is between two catches at some of these moments.
_SOON = 3e-5


class TimeIsUp(BaseException):
    """An answer has run for as long as it may; no `Exception`, so that fewer answers catch it."""


class Interrupted(KeyboardInterrupt):
    """Somebody has pressed Stop, and has been shown what was found until then."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback through our own code."""
        return [f"KeyboardInterrupt: {self}"]


def allowed(seconds: float) -> float | None:
    """How long an answer may run: what the environment says, or else so many seconds.

    Returns:
        None where there is no limit.

    Raises:
        CheckError: when the environment says what is no number of seconds.
    """
    text = os.environ.get(VARIABLE, str(seconds))
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise CheckError(
            f"{VARIABLE} is {text[:40]!r}: it has to be a number of seconds, or 0 for no limit"
        )
    return number or None


class Stopping:
    """Stops what runs within: raises TimeIsUp after a while, and KeyboardInterrupt at Stop."""

    def __init__(self, seconds: float | None) -> None:
        """With None, there is no limit."""
        self._seconds = seconds
        self._reason: type[BaseException] | None = None
        self._raised = 0
        self._home: FrameType | None = None

    def __enter__(self) -> Self:
        self._home = sys._getframe(1)
        self._started = monotonic()
        self._handlers = {}
        if not _has_signals():
            return self
        self._handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._stop)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._handlers[signal.SIGINT] = signal.signal(signal.SIGINT, self._stop)
        self._timer = _ring_after(self._seconds or 0.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._home = None  # A signal that comes from now on does nothing.
        if self._handlers:
            _ring_after(0.0)
            for number, handler in self._handlers.items():
                signal.signal(number, handler or signal.SIG_DFL)
            self._go_on_with_others_timer()
        # It was raised and caught, or Stop was pressed when it could not be raised.
        caught = self._raised or self._reason is KeyboardInterrupt
        if self._reason and caught and (kind is None or issubclass(kind, Exception)):
            raise self._reason from None

    def _go_on_with_others_timer(self) -> None:
        left, interval = self._timer
        if left:
            _ring_after(max(left - (monotonic() - self._started), 0.001), interval)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._home is None:
            return
        if number == signal.SIGINT:
            self._reason = KeyboardInterrupt
        reason = self._reason = self._reason or TimeIsUp
        # Whoever looks at an answer in a debugger takes the time that it takes.
        waits = reason is TimeIsUp and sys.gettrace() is not None
        if waits or not self._is_in_answer(frame):
            _ring_after(_LATER)
            return
        self._raised += 1
        # Never after no time at all, which would silence it.
        _ring_after(_LATER if self._raised == 1 else _SOON * (1 - random()) + 1e-6)
        raise reason

    def _is_in_answer(self, frame: FrameType | None) -> bool:
        while frame and frame is not self._home:
            if is_own(frame.f_code.co_filename):
                return True
            frame = frame.f_back
        return False


def _has_signals() -> bool:
    in_main_thread = threading.current_thread() is threading.main_thread()
    return in_main_thread and sys.platform not in ("win32", "emscripten")


def _ring_after(seconds: float, then_each: float = _LATER) -> tuple[float, float]:
    """Set the alarm, or silence it after no seconds; returns what it was set to before.

    It rings again and again: where a recursion is at its deepest, the handler itself has no room.
    """
    return signal.setitimer(signal.ITIMER_REAL, seconds, then_each)
