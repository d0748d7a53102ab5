"""Where the tests run: a process of the grader's own, which can be ended.

What a student's code returns can be made so that a test computes for ever (`range(result)`), or
fills the memory (`2**result`). C code that does so hears no signal of Python's. So the tests of a
notebook run in a fork of the grader. The grader gives it a test and the socket of the student's
process, looks on, and kills it when its time is up; the kernel refuses it more memory than it may
have. Either costs that test. What it found comes back as plain words and numbers.

One such process serves a class: exams and what they have computed stay warm in it. Another takes
its place when it was killed, has had much in its memory, or has imported a file that has changed
since.
"""

import os
import signal
import socket
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Never

from nbformat.notebooknode import NotebookNode

from autograder.checks.drivers.memory import memory_limit
from autograder.checks.exam.draw import drawing_from, seed_in_use
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.exam.rules import Written, looking_at
from autograder.checks.locate.where import searching_in
from autograder.checks.source.cells import is_exam
from autograder.errors import (
    ExchangeError,
    GradingFailed,
    ReplyNotUnderstood,
    ReplyTooLarge,
    SandboxFailed,
    StudentGone,
    StudentTooSlow,
)
from autograder.grading.cell_verdict import Examined
from autograder.grading.examiner import TOO_MUCH, Examiner, said
from autograder.grading.ordinary.instructor_names import Definitions
from autograder.preload import load_extras, needs_extras
from autograder.student.limits import Limits
from autograder.student.rpc.changes import Changes
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.questions import ForkEnded
from autograder.student.rpc.session import Session
from autograder.student.sandbox.confine import die_with_parent
from autograder.student.sandbox.control import Link, Message
from autograder.student.sandbox.own_fork import Clock, begin_peak, leave_behind, peak
from autograder.student.sandbox.sandbox import Sandbox
from autograder.student.sandbox.student_process import StudentProcess

TOO_LONG = "the test took too long with what your code returned"
_BROKE_DOWN = "the test broke down with what your code returned"

# Of what kind a failure is when it is told, the most special first.
_FAILURES = (
    *(ForkEnded, StudentGone, StudentTooSlow, ReplyTooLarge, ReplyNotUnderstood, ExchangeError),
)


class TestLost(Exception):
    """A test came to no end of its own: what it is to be called, and how it is to be told."""

    __test__ = False  # for pytest, which takes the name for one of its own

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


class ExaminerProcess:
    """A fork of this process that examines the tests of one notebook."""

    def __init__(self, source: NotebookNode, folder: Path | None, limits: Limits) -> None:
        """Fork it.

        Args:
            source: the instructor's notebook.
            folder: where that lies.
            limits: what one test may take, among others.
        """
        self.source, self.folder, self._limits = source, folder, limits
        self._clock = Clock()
        definitions = Definitions(source, folder)
        mine, theirs = socket.socketpair()
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        self._grader = os.getpid()
        self.process = os.fork()
        if not self.process:
            _live(theirs, self._grader, source, definitions, folder, limits, self._clock)
        theirs.close()
        self._link = Link(mine)
        self.ended = self.needs_extras = False
        self._code: int | None = None

    def begin(self, written: Written) -> bool:
        """Tell it of a submission: what rules look at. False if it is of no more use."""
        try:
            self._link.sock.settimeout(self._limits.test_seconds * self._limits.patience)
            self._link.send({**asdict(written), "exam_seed": seed_in_use()})
            return self._link.receive() == {"fresh": True}
        except (OSError, EOFError):
            return False

    def examine(
        self, cell: NotebookNode, session: Session[StudentProcess], rest: float, limits: Limits
    ) -> Examined:
        """Examine a test cell.

        Args:
            cell: the cell; the process takes its own copy of it.
            session: the student's process, at the place where this test is to find it.
            rest: the seconds that the submission has left.
            limits: how long a call and this test may take.

        Raises:
            ExchangeError: when the student's process has broken off.
            TestLost: when the test had to be ended, or ended its process.
            GradingFailed: when what the instructor imports can't be imported here.
            SandboxFailed: when somebody else has ended the process.
        """
        student = session.student
        request = {"test": cell.id, "process": student.process, "rest": rest}
        request |= {"call_seconds": limits.call_seconds, "cell_seconds": limits.cell_seconds}
        try:
            self._link.send({**request, "depth": session.depth}, [student.sock.fileno()])
            reply = self._reply(min(rest, limits.test_seconds))
        except BaseException as error:
            # Whatever it would say later is no answer to the next request.
            self.close()
            if isinstance(error, TimeoutError):
                raise TestLost(Verdict.TIMEOUT, TOO_LONG) from None
            if isinstance(error, EOFError | OSError):
                raise self._broken_down() from None
            raise
        self.needs_extras = reply.pop("needs_extras")
        session.depth = reply.pop("depth")
        session.has_answered |= reply.pop("has_answered")
        session.longest = max(session.longest, reply.pop("longest"))
        return _examined(reply)

    def close(self) -> None:
        """End it."""
        if not self.ended and os.getpid() == self._grader:
            self.ended = True
            self._link.close()
            with suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
            with suppress(ChildProcessError):  # somebody else in this program has waited for it
                self._code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def _reply(self, seconds: float) -> Message:
        """What it answers; what it waits for the student's code is timed on its own.

        Raises:
            TimeoutError: when it works on a test for longer than so many seconds.
        """
        waited = self._clock.waited
        while True:
            time_left = Allowance(seconds, self._limits.patience)
            time_left.follow(self.process)
            try:
                return self._within(time_left)
            except TimeoutError:
                seconds = self._clock.waited - waited
                if seconds <= 0:
                    raise
                waited += seconds

    def _within(self, time_left: Allowance) -> Message:
        while True:
            self._link.sock.settimeout(time_left.left())
            # What is not there yet may have been given more time.
            with suppress(TimeoutError):
                return self._link.receive()

    def _broken_down(self) -> Exception:
        """What to say of one that has ended by itself."""
        if self._code == -signal.SIGKILL:
            return SandboxFailed("the process that examines the tests was killed")
        if self._code == -signal.SIGABRT:
            # That is how C++ says that there is no more memory.
            return TestLost(Verdict.MEMORY, TOO_MUCH)
        return TestLost(Verdict.EXCEPTION, f"{_BROKE_DOWN}: it ended its own process")


_serving: "weakref.WeakKeyDictionary[Sandbox, ExaminerProcess]" = weakref.WeakKeyDictionary()


def examiner_for(
    sandbox: Sandbox,
    source: NotebookNode,
    folder: Path | None,
    written: Written,
) -> ExaminerProcess:
    """The process that examines a submission: the one before it was examined by, if that will do.

    It ends with the sandbox, and with this program.

    Raises:
        SandboxFailed: when none can be had.
    """
    serving = _serving.get(sandbox)
    if serving:
        if (serving.source, serving.folder) == (source, folder) and serving.begin(written):
            return serving
        serving.close()
        if serving.needs_extras:
            # Imported here, they take no time of the next one's, and none of its memory.
            load_extras(sandbox.preload)
    serving = _serving[sandbox] = ExaminerProcess(source, folder, sandbox.limits)
    weakref.finalize(sandbox, _close, weakref.ref(serving))
    if not serving.begin(written):
        raise SandboxFailed("the process that examines the tests did not start")
    return serving


def _close(serving: "weakref.ref[ExaminerProcess]") -> None:
    if found := serving():
        found.close()


def _examined(reply: Message) -> Examined:
    if "failed" in reply:
        raise GradingFailed(reply["failed"])
    if "broken" in reply:
        kind = next(one for one in _FAILURES if one.__name__ == reply["broken"])
        raise ForkEnded(reply["code"]) if kind is ForkEnded else kind(reply["message"])
    lists = {name: tuple(value) for name, value in reply.items() if isinstance(value, list)}
    reports = tuple(map(Report.from_json, reply["reports"]))
    return Examined(**{**reply, **lists, "verdict": Verdict[reply["verdict"]], "reports": reports})


# The other side of the fork


@dataclass(frozen=True)
class _Student:
    """A student's process, as far as a test has to do with it."""

    sock: socket.socket
    process: int | None


class _Serving:
    """What the fork knows and does."""

    def __init__(
        self,
        source: NotebookNode,
        definitions: Definitions,
        folder: Path | None,
        limits: Limits,
        clock: Clock,
    ) -> None:
        self._cells = {cell.id: cell for cell in source.cells}
        self._limits, self._clock = limits, clock
        self._written, self._exam_seed = Written(()), seed_in_use()
        self._session: Session[_Student] | None = None
        self._inherited = set(sys.modules)
        self._files: dict[str, tuple[int, int, int]] = {}
        self._attributes = definitions.attributes
        self._examiner = Examiner(self._find, definitions, folder, self._seed)
        with suppress(GradingFailed):  # each test says so again
            self._examiner.prepare()
        self._at_first, self._was_short = begin_peak(), False

    def answer(self, request: Message, files: Sequence[int]) -> Message:
        """Do what the grader asks for."""
        if "cells" in request:
            cells = [(grade_id, source) for grade_id, source in request["cells"]]
            self._written = Written(cells, request["files"], request["given"])
            self._exam_seed = request["exam_seed"]
            return {"fresh": self._is_fresh()}
        with socket.socket(fileno=files[0]) as sock:
            seconds = {name: request[name] for name in ("cell_seconds", "call_seconds")}
            session = self._session = Session(
                _Student(sock, request["process"]),
                replace(self._limits, **seconds),
                Allowance(request["rest"], self._limits.patience),
                changes := Changes(),
                self._attributes,
                most=self._limits.test_message_bytes,
                waiting=self._clock.waiting,
            )
            session.depth = request["depth"]
            before = begin_peak()
            reply = self._examine(session, request["test"])
            self._was_short |= peak() - before > self._limits.test_memory_bytes // 2
            changes.take_back()
        self._note_files()
        known = ("depth", "has_answered", "longest")
        about = {name: getattr(session, name) for name in known}
        return {**reply, **about, "needs_extras": needs_extras()}

    def _find(self, name: str) -> object:
        assert self._session is not None
        return self._session.find(name)

    def _seed(self, kind: str, number: int) -> None:
        assert self._session is not None
        self._session.seed(kind, number)

    def _examine(self, session: Session[_Student], test: str) -> Message:
        failure: BaseException | None = None
        try:
            looking = looking_at(self._written, session.watching)
            with (
                memory_limit(self._limits.test_memory_bytes),
                looking,
                searching_in(session.run, [text for _, text in self._written.cells]),
                drawing_from(self._exam_seed),
            ):
                session.begin_test(by_exam=is_exam(self._cells[test]))
                examined = self._examiner.examine(self._cells[test])
        except GradingFailed as error:
            return {"failed": str(error)}
        except BaseException as error:
            failure = error
        # Whatever the test has made of it: with a session that broke, it is not passed.
        failure = session.failure or failure
        if isinstance(failure, ExchangeError):
            kind = next(one for one in _FAILURES if isinstance(failure, one))
            code = failure.code if isinstance(failure, ForkEnded) else 0
            return {"broken": kind.__name__, "message": _plain(said(failure)), "code": code}
        if failure:
            name = type(failure).__name__
            examined = Examined(Verdict.EXCEPTION, f"{_BROKE_DOWN}: {name}: {said(failure)}")
        elif session.refused and (examined.credit or examined.verdict is Verdict.NOT_GRADABLE):
            # The test has caught what would have ended it.
            said_no = str(session.refused)
            examined = replace(examined, verdict=Verdict.WRONG, message=said_no, credit=0.0)
        # A check of an exam looks at shapes, and at what was written to, by itself.
        open_to_doubt = not examined.reports and examined.credit > 0
        return {
            **vars(examined),
            "verdict": examined.verdict.name,
            "doubts": {**examined.doubts, **session.all_doubts()} if open_to_doubt else {},
            "sizes": session.doubts.sizes if open_to_doubt else {},
            "message": _plain(examined.message),
            "reports": [report.as_json() for report in examined.reports],
        }

    def _is_fresh(self) -> bool:
        # What was computed when there was hardly any memory left may be wrong, and is remembered.
        more = begin_peak() - self._at_first
        too_much = self._was_short or more > self._limits.test_memory_bytes
        return not too_much and all(_stamp(name) == stamp for name, stamp in self._files.items())

    def _note_files(self) -> None:
        for name in sys.modules.keys() - self._inherited:
            file = getattr(sys.modules[name], "__file__", None)
            if isinstance(file, str) and file not in self._files:
                self._files[file] = _stamp(file)


def _live(
    sock: socket.socket,
    grader: int,
    source: NotebookNode,
    definitions: Definitions,
    folder: Path | None,
    limits: Limits,
    clock: Clock,
) -> Never:
    """All that the fork does: it never goes on with what the grader was doing."""
    code = 1
    try:
        leave_behind(sock)
        die_with_parent()
        if os.getppid() == grader:
            link, serving = Link(sock), _Serving(source, definitions, folder, limits, clock)
            while True:
                request = link.receive()
                link.send(serving.answer(request, link.take_files()))
    except EOFError:
        code = 0
    finally:
        os._exit(code)


def _stamp(file: str) -> tuple[int, int, int]:
    """What changes when a file does; nothing is known of one that is not there."""
    with suppress(OSError):
        found = os.stat(file)
        return found.st_ino, found.st_ctime_ns, found.st_size
    return 0, 0, 0


def _plain(text: str) -> str:
    """Text that can be written to a file."""
    return text.encode("utf-8", "replace").decode()
