"""Lines of JSON over a socket, with descriptors beside them: how the sandbox's own parts talk.

No line of a student's is ever read here: what a student process says goes through `channel`.
"""

import json
import socket
from collections.abc import Mapping, Sequence
from typing import Any

_MOST_FILES = 4
_AT_ONCE = 1 << 16

Message = dict[str, Any]


class Link:
    """One end of the conversation."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._read = b""
        self._files: list[int] = []

    def send(self, message: Mapping[str, object], files: Sequence[int] = ()) -> None:
        """Send a message; `files` are descriptors that the other end gets copies of."""
        line = json.dumps(message).encode() + b"\n"
        # The descriptors go with the first bytes, of which one at least is taken.
        sent = socket.send_fds(self.sock, [line], list(files)) if files else 0
        self.sock.sendall(line[sent:])

    def send_bytes(self, content: bytes) -> None:
        """Send bytes as they are; a message before them says how many."""
        self.sock.sendall(content)

    def receive(self) -> Message:
        """The next message.

        Raises:
            EOFError: when there is none, and never will be.
        """
        while b"\n" not in self._read:
            self._fill()
        line, _, self._read = self._read.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def receive_bytes(self, length: int) -> bytes:
        """The next `length` bytes.

        Raises:
            EOFError: when there are fewer.
        """
        while len(self._read) < length:
            self._fill()
        content, self._read = self._read[:length], self._read[length:]
        return content

    def take_files(self) -> list[int]:
        """The descriptors that came since the last time; who takes them closes them."""
        files, self._files = self._files, []
        return files

    def close(self) -> None:
        """Hang up."""
        for file in self.take_files():
            socket.close(file)
        self.sock.close()

    def _fill(self) -> None:
        content, files, _, _ = socket.recv_fds(self.sock, _AT_ONCE, _MOST_FILES)
        self._files += files
        if not content:
            raise EOFError("the other end has hung up")
        self._read += content
