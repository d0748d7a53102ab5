"""Whole values over a stream socket, each within a deadline that the other end can't move.

A message is its length in four bytes, big-endian, and then what `codec` writes. A deadline is on
the clock, for all of a message: a byte now and then buys no time.

Whatever breaks off in the middle of a message closes the channel: a late reply would otherwise be
taken for the reply to the next question. A message that came whole but can't be understood, or a
value too large to be sent, leaves it open.
"""

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from autograder.codec import Refer, Resolve, decode, encode
from autograder.errors import ReplyNotUnderstood, StudentGone, StudentTooSlow
from autograder.limits import Limits

_LENGTH = struct.Struct(">I")
# Memory is taken as bytes come, not as they are announced.
_PIECE = 1 << 18


class Channel:
    """One end of a connected stream socket, which belongs to the channel from now on.

    `refer` and `resolve` are handed to `encode` and `decode`. The peer is called the student in
    what is raised, as the grader is the end that has somebody to tell.
    """

    def __init__(
        self,
        sock: socket.socket,
        limits: Limits,
        *,
        refer: Refer = lambda _: None,
        resolve: Resolve = lambda found: found,
    ) -> None:
        self._socket = sock
        self._limits = limits
        self._refer = refer
        self._resolve = resolve

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; closing twice does no harm."""
        self._socket.close()

    def send(self, value: object, seconds: float | None = None) -> None:
        """Send a value. The peer has `seconds` to take it, or else as long as for a call.

        Raises:
            ValueTooLarge: for a value beyond the limits; nothing is sent.
            StudentTooSlow: when the peer does not take it in time.
            StudentGone: when there is no peer any more.
        """
        message = encode(value, self._limits, refer=self._refer)
        deadline = _Deadline(self._limits.call_seconds if seconds is None else seconds)
        with self._unbroken("did not take what it was sent", deadline):
            for part in (_LENGTH.pack(len(message)), message):
                self._socket.settimeout(deadline.left())
                self._socket.sendall(part)

    def receive(self, seconds: float | None) -> object:
        """The next value, if all of it comes within `seconds`; with None, whenever it comes.

        Raises:
            ReplyNotUnderstood: when what comes is no message, or one beyond the limits.
            StudentTooSlow: when it does not all come in time.
            StudentGone: when the peer hangs up, before a message or within it.
        """
        deadline = _Deadline(seconds)
        with self._unbroken("did not send a whole message", deadline):
            (length,) = _LENGTH.unpack(self._read(_LENGTH.size, deadline))
            if length > self._limits.message_bytes:
                raise ReplyNotUnderstood(
                    f"a message of {length:,} bytes is announced, where "
                    f"{self._limits.message_bytes:,} are the most"
                )
            message = self._read(length, deadline)
        return decode(message, self._limits, resolve=self._resolve)

    def _read(self, size: int, deadline: "_Deadline") -> bytearray:
        found = bytearray()
        while len(found) < size:
            self._socket.settimeout(deadline.left())
            piece = self._socket.recv(min(size - len(found), _PIECE))
            if not piece:
                raise StudentGone("the student's process has ended, or closed the channel")
            found += piece
        return found

    @contextmanager
    def _unbroken(self, failure: str, deadline: "_Deadline") -> Iterator[None]:
        if self._socket.fileno() < 0:
            raise StudentGone("the channel to the student's process is closed")
        try:
            yield
        except BaseException as error:
            self.close()
            if isinstance(error, TimeoutError):
                text = f"the student's process {failure} within {deadline.seconds:g} s"
                raise StudentTooSlow(text) from None
            if isinstance(error, ConnectionError):
                raise StudentGone("the student's process has ended") from error
            raise


class _Deadline:
    """A moment that does not move, however much or little happens before it."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """The seconds until then, or None for ever.

        Raises:
            TimeoutError: when there are none left.
        """
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left
