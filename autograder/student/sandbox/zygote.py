"""The warm process from which student processes are forked, inside the walls.

It imports once what takes seconds to import, and then waits for requests. Each brings two sockets
and leads to three forks (without walls, to two):

    zygote ▸ gateway ▸ watcher ▸ student
              │         │         └ limits itself, filters its system calls, calls the entry
              │         └ pid 1 of a process tree of its own: mounts the student's folders, gives
              │           up all privileges, and stays (see `watcher`)
              └ leaves for new namespaces, tells the grader how to kill the watcher, ends

The student keeps one of the sockets, the channel to the grader. The other, the report, is closed
before any student code runs. Nothing that the student has helps it to the watcher's: there is no
privilege left to borrow, and the watcher can't be traced.

Several graders of one class need not each import all that again: a zygote forks a twin for each,
which serves that grader alone and ends when it hangs up.
"""

import functools
import gc
import importlib
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.preload import load, load_extras
from autograder.student.limits import Limits
from autograder.student.sandbox import bubblewrap, confine, seccomp
from autograder.student.sandbox.control import Link, Message
from autograder.student.sandbox.watcher import Watcher

Entry = Callable[[socket.socket, Limits], object]

EXTRAS = "extras"
"""A request that asks for no student, but for the imports that only some lessons need."""

TWIN = "twin"
"""A request for another zygote like this one, which serves the socket that comes with it."""

_HIGHEST_DESCRIPTOR = 1 << 16


@dataclass(frozen=True)
class Plan:
    """What the grader wants of a zygote: the first message to it."""

    entry: str  # a module's name, a colon, the name of a function in it
    preload: Sequence[str] = ()
    limits: dict[str, Any] = field(default_factory=dict)
    walled: bool = True
    filter_program: str = ""  # in hexadecimal
    kept: Sequence[str] = ()  # folders beneath /tmp that stay in sight
    folder: str = ""  # without walls: where students' folders are made


def nothing(sock: socket.socket, limits: Limits) -> None:
    """An entry that ends at once, to try the way to it."""


def main() -> None:
    """Serve the grader, at the other end of the socket whose number is the only argument."""
    control = Link(socket.socket(fileno=int(sys.argv[1])))
    confine.die_with_parent()
    confine.set_dumpable(False)
    os.umask(0o022)
    # It was read when this process began, and is not for what students start.
    os.environ.pop(bubblewrap.LARGE_PAGES, None)
    # Nobody waits for gateways and watchers: the kernel buries them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with suppress(EOFError):
        plan = Plan(**control.receive())
        try:
            zygote = Zygote(plan)
        except Exception as error:
            control.send({"failed": f"{type(error).__name__}: {error}"})
            return
        _keep_only(control.sock.fileno())
        control.send({"ready": True})
        zygote.serve(control)


class Zygote:
    """All that a student process finds in place."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._limits = Limits.from_mapping(plan.limits)
        self._entry = _find(plan.entry)
        for entry in plan.preload:
            load(entry)
        self._settle()

    def _settle(self) -> None:
        """Have what is here now stay: no collection need look at it, which would copy its pages.

        Nor is any made before: it would leave holes, and what a student's process puts into them
        would copy the pages around them.
        """
        self._mapped_bytes = confine.mapped_bytes()
        gc.freeze()
        confine.use_large_pages()
        _must_be_single_threaded()

    def serve(self, control: Link) -> None:
        """Fork a student for each request, until the grader hangs up."""
        first = self._open_gate if self._plan.walled else self._watch
        while True:
            asked = control.receive()
            if EXTRAS in asked:
                load_extras(self._plan.preload)
                self._settle()
                continue
            if TWIN in asked:
                (descriptor,) = control.take_files()
                twin = Link(socket.socket(fileno=descriptor))
                # Who asked for one that can't be had finds that nobody is there.
                with suppress(OSError):
                    _fork(functools.partial(self._be_twin, twin), leaving=control.sock)
                twin.close()
                continue
            channel, report = (socket.socket(fileno=file) for file in control.take_files())
            _must_be_single_threaded()
            try:
                _fork(functools.partial(first, channel, Link(report)), leaving=control.sock)
            except OSError as error:
                Link(report).send({"failed": "fork", "error": str(error)})
            channel.close()
            report.close()

    def _be_twin(self, control: Link) -> None:
        confine.die_with_parent()
        with suppress(EOFError):
            self.serve(control)

    def _open_gate(self, channel: socket.socket, report: Link) -> None:
        with _reporting(report, "namespaces"):
            confine.enter_namespaces()
            # A watcher that ends at once must not be buried before its descriptor is opened.
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            watcher = _fork(functools.partial(self._watch, channel, report))
            report.send({"started": True}, [os.pidfd_open(watcher)])

    def _watch(self, channel: socket.socket, report: Link) -> None:
        _reset_signals()
        _keep_only(channel.fileno(), report.sock.fileno())
        with self._private_folder(report):
            with _reporting(report, "files"):
                order = report.receive()
                _write_files(order["files"], report)
            with _reporting(report, "fork"):
                student = functools.partial(self._be_student, channel, report, order)
                child = _fork(student)
            channel.close()
            ending = Watcher(self._limits, child, report, walled=self._plan.walled).watch()
        report.send(ending)

    @contextmanager
    def _private_folder(self, report: Link) -> Iterator[None]:
        """Be in an empty folder of the student's own."""
        if self._plan.walled:
            with _reporting(report, "mounts"):
                confine.mount_private_folders(self._limits.disk_bytes, self._plan.kept)
                confine.mount_own_proc()
            with _reporting(report, "privileges"):
                confine.drop_privileges()
            yield
        else:
            folder = tempfile.mkdtemp(dir=self._plan.folder)
            os.chdir(folder)
            os.environ.update(HOME=folder, TMPDIR=folder)
            try:
                yield
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _be_student(self, channel: socket.socket, report: Link, order: Message) -> None:
        os.setsid()
        # So that the watcher may ask the kernel how much memory it shares with its forks.
        confine.set_dumpable(True)
        _seed(order["seed"])
        # Forks that wait are not the student's to have more processes, nor to have fewer.
        limits = replace(self._limits, processes=self._limits.processes + order["waiting"])
        with _reporting(report, "limits"):
            confine.limit_resources(limits, self._mapped_bytes, walled=self._plan.walled)
        with _reporting(report, "seccomp"):
            if self._plan.filter_program:
                seccomp.install(bytes.fromhex(self._plan.filter_program))
        report.send({"ready": os.getpid()})
        report.close()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._entry(channel, self._limits)


def _fork(run: Callable[[], None], *, leaving: socket.socket | None = None) -> int:
    """Have a child do this and nothing else; `leaving` is closed in it."""
    if child := os.fork():
        return child
    code = 1
    try:
        if leaving:
            leaving.close()
        run()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        # Not sys.exit: nothing of the parent's may be run or written once more.
        os._exit(code & 0xFF)


@contextmanager
def _reporting(report: Link, step: str) -> Iterator[None]:
    """Tell the grader when a step fails, and end there."""
    try:
        yield
    except Exception as error:
        with suppress(OSError):
            report.send({"failed": step, "error": f"{type(error).__name__}: {error}"})
        os._exit(1)


def _find(entry: str) -> Entry:
    module, _, name = entry.partition(":")
    found: Entry = getattr(importlib.import_module(module), name)
    return found


def _must_be_single_threaded() -> None:
    """Raise RuntimeError where a fork would copy locks that another thread holds."""
    tasks = Path("/proc/self/task")
    count = len(list(tasks.iterdir())) if tasks.exists() else threading.active_count()
    if count != 1:
        raise RuntimeError(f"what was imported started {count - 1} threads, so it can't be forked")


def _keep_only(*descriptors: int) -> None:
    """Close all descriptors but these; standard input and output lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    first = 3
    for kept in sorted(descriptors):
        os.set_inheritable(kept, False)
        os.closerange(first, kept)
        first = kept + 1
    os.closerange(first, _HIGHEST_DESCRIPTOR)


def _reset_signals() -> None:
    """A signal without a handler does not reach pid 1 from inside its tree."""
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _write_files(files: Any, report: Link) -> None:
    for name, length in files:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(report.receive_bytes(length))


def _seed(seed: int) -> None:
    """What is forked from one process would draw the same numbers each time, or none twice."""
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % 2**32)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


if __name__ == "__main__":
    main()
