"""An entry for a sandbox in which who is forked has ended before the one that forked it looks."""

import os
import socket

from autograder.student.limits import Limits

_open = os.pidfd_open


def _open_when_ended(process: int) -> int:
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    return _open(process)


os.pidfd_open = _open_when_ended  # type: ignore[assignment]


def nothing(sock: socket.socket, limits: Limits) -> None:
    """End at once."""
