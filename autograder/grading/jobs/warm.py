"""A worker that stays for a while, for a server that is asked to grade now and then."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autograder.grading.jobs.sandboxes import SandboxSettings
from autograder.grading.jobs.workers import fork_server, workers

_SECONDS = 15 * 60.0


class WarmWorker:
    """One worker, begun when it is needed or before, and ended when nobody has asked for long.

    It may be asked from any thread, one at a time. It ends with the program.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        """None yet.

        Args:
            seconds: how long it stays when nobody asks.
        """
        self._seconds = seconds
        self._lock = threading.Lock()
        self._open: ExitStack | None = None
        self._end: threading.Timer | None = None

    def begin(self, course: Path, walls: SandboxSettings) -> None:
        """Have it there soon, since it may be asked for."""
        with self._lock:
            if self._open is None:
                fork_server(course, walls)
                self._stay()
                self._leave_later()

    @contextmanager
    def asked(self) -> Iterator[None]:
        """What is graded within is graded by it."""
        with self._lock:
            self._stay()
            try:
                yield
            finally:
                self._leave_later()

    def close(self) -> None:
        """End it."""
        with self._lock:
            if self._open:
                self._open.close()
            self._open = None

    def _stay(self) -> None:
        if self._end:
            self._end.cancel()
        if self._open is None:
            self._open = ExitStack()
            self._open.enter_context(workers(1))

    def _leave_later(self) -> None:
        self._end = threading.Timer(self._seconds, self.close)
        self._end.daemon = True
        self._end.start()
