"""Work on what a student wrote, in a fork of this process that has a clock and bounds.

A text can be made so that whoever reads, parses or draws it is busy for minutes, fills the memory,
or goes deeper than Python goes. Here that costs the fork, and the fork alone.
"""

import json
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, Never

from autograder.checks.drivers.memory import memory_limit
from autograder.errors import SandboxFailed
from autograder.student.sandbox.own_fork import leave_behind

# What the work may take: processor time, memory, and bytes that it tells.
_SECONDS = 10
_MEMORY = 256 << 20
_TOLD = 128 << 20
# On a machine that others keep busy, the clock on the wall runs so many times as fast.
_PATIENCE = 20
_CHUNK = 1 << 20

Tell = Callable[[object], None]


def apart(work: Callable[[Tell], None], *kept: int) -> Iterator[Any]:
    """What work tells, one plain value after the other, until it has ended or met a bound.

    Args:
        work: is called with a function that it tells values to: what JSON can hold.
        kept: the descriptors of this process that it reads from.

    Yields:
        Each value that was told. Whoever needs all of them has the work tell when it is done.

    Raises:
        SandboxFailed: when it neither ends nor takes processor time, which is no text's doing.
    """
    here, there = socket.socketpair()
    process = os.fork()
    if not process:
        _be_the_fork(there, work, kept)
    there.close()
    try:
        yield from (json.loads(line) for line in _lines(here))
    finally:
        here.close()
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _lines(sock: socket.socket) -> Iterator[bytes]:
    end, left, rest = time.monotonic() + _PATIENCE * _SECONDS, _TOLD, b""
    while True:
        if not select.select([sock], [], [], max(0.0, end - time.monotonic()))[0]:
            raise SandboxFailed("a fork that reads a submission does not answer")
        chunk = sock.recv(_CHUNK)
        left -= len(chunk)
        if not chunk or left < 0:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def _be_the_fork(sock: socket.socket, work: Callable[[Tell], None], kept: tuple[int, ...]) -> Never:
    try:
        leave_behind(sock, *kept)
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        with memory_limit(_MEMORY):
            work(lambda value: sock.sendall(json.dumps(value).encode() + b"\n"))
    finally:
        # Whatever went wrong is seen by what was not told.
        os._exit(0)
