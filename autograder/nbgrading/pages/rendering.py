"""Pages are rendered in a process of their own, under a limit of processor time.

What a student wrote can keep a parser or a colourer busy for minutes. So a worker stands by that
has the libraries loaded, and forks for each page; the page that takes too long ends with its fork,
and is shown as plain text instead.

    to the worker     the kind of page, and the job as JSON, each behind its length; an empty job
                      has the worker load what such pages need
    from the worker   the page behind its length, which is 0 where there is none

Run as a program, this module is the worker.
"""

import atexit
import io
import json
import os
import resource
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from autograder.errors import RenderingFailed
from autograder.nbgrading.pages import given

if TYPE_CHECKING:
    from autograder.nbgrading.pages.page import Kind

_PROCESSOR_SECONDS = 10
_MEMORY = 2 << 30
_LENGTH = struct.Struct(">Q")


class PageWorker:
    """Renders pages, one after the other; it may be asked from any thread."""

    def __init__(self, seconds: int = _PROCESSOR_SECONDS) -> None:
        """A worker that is started when it is needed.

        Args:
            seconds: how much processor time a page may take.
        """
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self, kind: str) -> None:
        """Have the worker load what such pages need now; else it does when it is first asked."""
        # Where somebody is asking, it is there: nobody waits for them here.
        if not self._is_there() and self._lock.acquire(blocking=False):
            try:
                with suppress(OSError):
                    self._tell(kind, b"")
            finally:
                self._lock.release()

    def page(self, kind: str, notebook: str, resources: Mapping[str, Any]) -> str:
        """A page as HTML; plain where it would take too long otherwise.

        Args:
            kind: as for `page.page`.
            notebook: the graded notebook, as its file has it.
            resources: what the template reads besides.

        Raises:
            RenderingFailed: when there is no page at all.
        """
        job: dict[str, Any] = {"notebook": notebook, "resources": resources}
        job["seconds"] = self._seconds
        with self._lock:
            for plain in (False, True):
                rendered = self._ask(kind, json.dumps({**job, "plain": plain}).encode())
                if rendered:
                    return rendered.decode()
        raise RenderingFailed(
            "the page of this submission can't be made; the graded notebook is in autograded/"
        )

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            if self._process is not None:
                self._process.communicate()
                self._process = None

    def _ask(self, kind: str, job: bytes) -> bytes:
        try:
            process = self._tell(kind, job)
            assert process.stdout is not None
            return _receive(process.stdout)
        except (OSError, EOFError):
            self._end()
            return b""
        except BaseException:
            # Its answer would be taken for that to the next question.
            self._end()
            raise

    def _tell(self, kind: str, job: bytes) -> subprocess.Popen[bytes]:
        process = self._living()
        _send(process.stdin, kind.encode())
        _send(process.stdin, job)
        return process

    def _end(self) -> None:
        """End a worker that can't be spoken to."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _is_there(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _living(self) -> subprocess.Popen[bytes]:
        if self._process is None or not self._is_there():
            self._process = subprocess.Popen(
                [sys.executable, "-m", __spec__.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # The package that asks, wherever it was imported from.
                cwd=Path(__file__).parents[3],
                # Ctrl-C is for those who ask.
                start_new_session=True,
            )
        return self._process


WORKER = PageWorker()
atexit.register(WORKER.close)


def _send(to: BinaryIO | Any, content: bytes) -> None:
    to.write(_LENGTH.pack(len(content)) + content)
    to.flush()


def _receive(source: BinaryIO | Any) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(source, _LENGTH.size))
    return _exactly(source, length)


def _exactly(source: BinaryIO | Any, length: int) -> bytes:
    content: bytes = source.read(length)
    if len(content) < length:
        raise EOFError
    return content


def _serve() -> None:
    """Answer each job with a page, or with nothing where its process was ended."""
    from autograder.nbgrading.pages.page import prepare

    while True:
        try:
            kind = cast("Kind", _receive(sys.stdin.buffer).decode())
            job = _receive(sys.stdin.buffer)
        except EOFError:
            return
        prepare(kind)
        if job:
            _send(sys.stdout.buffer, _in_a_fork(kind, job))


def _in_a_fork(kind: "Kind", job: bytes) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            asked = json.loads(job)
            resource.setrlimit(resource.RLIMIT_CPU, (asked["seconds"], asked["seconds"]))
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
            with os.fdopen(writing, "wb") as answer:
                known = given.count()
                _send(answer, _page(kind, asked))
                answer.write(given.since(known))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        written = answer.read()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status):
        return b""
    answered = io.BytesIO(written)
    rendered = _receive(answered)
    given.keep(answered.read())
    return rendered


def _page(kind: "Kind", asked: Mapping[str, Any]) -> bytes:
    import nbformat

    from autograder.nbgrading.pages.page import page

    notebook = nbformat.reads(asked["notebook"], as_version=4)
    return page(kind, notebook, asked["resources"], plain=asked["plain"]).encode()


if __name__ == "__main__":
    _serve()
