"""Whole values over a stream socket, each within a deadline that the other end can't move.

A message is its length in four bytes, big-endian, and then what `codec.writer` writes. A deadline
is for all of a message: a byte now and then buys no time.

Whatever breaks off in the middle of a message closes the channel: a late reply would otherwise be
taken for the reply to the next question. A message that came whole but can't be understood, or a
value too large to be sent, leaves it open.
"""

import math
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Self, TypeVar

from autograder.errors import ReplyNotUnderstood, ReplyTooLarge, StudentGone, StudentTooSlow
from autograder.student.limits import Limits
from autograder.student.rpc.codec.grammar import Unsupported
from autograder.student.rpc.codec.reader import Resolve, decode
from autograder.student.rpc.codec.writer import Refer, encode
from autograder.student.rpc.deadline import Deadline

_LENGTH = struct.Struct(">I")
# Memory is taken as bytes come, not as they are announced.
_PIECE = 1 << 18

_Part = TypeVar("_Part")
_Got = TypeVar("_Got")


class Channel:
    """One end of a connected stream socket, which belongs to the channel from now on.

    `refer`, `resolve` and `unsupported` are handed to `encode` and `decode`; what may come in all,
    in bytes, is `most`, and `waiting` is entered while it waits for the peer. The peer is called
    the student in what is raised, as the grader is the end that has somebody to tell.
    """

    def __init__(
        self,
        sock: socket.socket,
        limits: Limits,
        *,
        refer: Refer = lambda _: None,
        resolve: Resolve = lambda found: found,
        unsupported: Callable[[str], object] = Unsupported,
        most: float = math.inf,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._socket = sock
        self._limits = limits
        self._refer = refer
        self._resolve = resolve
        self._unsupported = unsupported
        self._most = most
        self._left = most
        self._waiting = waiting

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; closing twice does no harm."""
        self._socket.close()

    def send(self, value: object, deadline: Deadline | None = None) -> None:
        """Send a value. The peer has until then to take it, or else as long as for a call.

        Raises:
            ValueTooLarge: for a value beyond the limits; nothing is sent.
            StudentTooSlow: when the peer does not take it in time.
            StudentGone: when there is no peer any more.
        """
        message = self.packed(value)
        deadline = deadline or Deadline(self._limits.call_seconds)
        with self._unbroken("did not take what it was sent", deadline), self._waiting():
            for part in (_LENGTH.pack(len(message)), message):
                left = memoryview(part)
                while left:
                    sent = self._before(deadline, self._socket.send, left)
                    left = left[sent:]

    def receive(self, deadline: Deadline, most: float = math.inf) -> object:
        """The next value, if all of it comes in time and it has at most so many bytes.

        Raises:
            ReplyNotUnderstood: when what comes is no message, or one beyond the limits.
            StudentTooSlow: when it does not all come in time.
            StudentGone: when the peer hangs up, before a message or within it.
        """
        with self._unbroken("did not send a whole message", deadline), self._waiting():
            (length,) = _LENGTH.unpack(self._read(_LENGTH.size, deadline))
            most = min(most, self._limits.message_bytes)
            if length > most:
                raise ReplyNotUnderstood(
                    f"a message of {length:,} bytes is announced, where {most:,} are the most"
                )
            self._left -= length
            if self._left < 0:
                raise ReplyTooLarge(f"more than {self._most:,} bytes in one test")
            message = self._read(length, deadline)
        return self.unpacked(message)

    def packed(self, value: object) -> bytes:
        """A value as it is sent.

        Raises:
            ValueTooLarge: for one beyond the limits.
        """
        return encode(value, self._limits, refer=self._refer)

    def unpacked(self, message: bytes | bytearray) -> object:
        """A value as it was sent, anew each time.

        Raises:
            ReplyNotUnderstood: when it is none, or one beyond the limits.
        """
        return decode(message, self._limits, resolve=self._resolve, unsupported=self._unsupported)

    def _read(self, size: int, deadline: Deadline) -> bytearray:
        found = bytearray()
        while len(found) < size:
            most = min(size - len(found), _PIECE)
            piece = self._before(deadline, self._socket.recv, most)
            if not piece:
                raise StudentGone("the student's process has ended, or closed the channel")
            found += piece
        return found

    def _before(self, deadline: Deadline, do: Callable[[_Part], _Got], part: _Part) -> _Got:
        """Do this as soon as it can be done, as long as there is time."""
        while True:
            self._socket.settimeout(deadline.left())
            # What could not be done until then may have been given more time.
            with suppress(TimeoutError):
                return do(part)

    @contextmanager
    def _unbroken(self, failure: str, deadline: Deadline) -> Iterator[None]:
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
