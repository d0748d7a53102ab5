"""One notebook being run: its cells in a student's process, then its tests, the last one first."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.checks.exam.report import Verdict
from autograder.checks.exam.rules import Written
from autograder.checks.source.cells import grade_id_of, is_exam, is_test, points_of
from autograder.checks.source.scenery import NOT_RUN
from autograder.errors import (
    ExchangeError,
    ReplyTooLarge,
    SandboxFailed,
    StudentGone,
    StudentTooSlow,
)
from autograder.grading.allowed import Allowed, Taken
from autograder.grading.cell_verdict import CellVerdict, Examined, error_output
from autograder.grading.examiner_process import ExaminerProcess, TestLost, examiner_for
from autograder.grading.inert import broken_syntax, inert_outputs
from autograder.grading.ordinary.tests_beside import examine_beside
from autograder.grading.pictures import Room
from autograder.grading.rebuild import Rebuilt
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.questions import ForkEnded
from autograder.student.rpc.session import Session
from autograder.student.sandbox.sandbox import Sandbox
from autograder.student.sandbox.student_process import Leftovers, StudentProcess, ending_of

# Who has hung up is about to end, and may have to wait for a processor to do so.
_SECONDS_TO_END = 2.0
# What a submission may display in all, in cells that each display as much as one may.
_CELLS_OF_OUTPUT = 10
# How much of a file a rule about how an answer is written reads.
_MOST_READ = 200_000

# What is said where a test finds no such name at the student's.
_NOT_DEFINED = re.compile(r"name '(\w+)' is not defined")
_TOO_LONG = "{} is longer than what is read of a cell, so nothing of it was run"
_LEFTOVERS = (
    "processes that a cell or a test had left running were ended with it: the next cell does not "
    "find them"
)


@dataclass(frozen=True)
class _Step:
    """Something the student's process has done: a cell it ran, or a place that it remembers."""

    source: str | None = None


@dataclass
class _Test:
    """A test cell that waits to be examined, and what had been done before it."""

    cell: NotebookNode
    steps: int
    # What became of the answer that it is about, where that could not be run.
    lost: Examined | None
    # Why a cell above it was not run, so that nobody knows what it would have found there.
    not_read: str


class Run:
    """One notebook being run: its student process, and a new one where that was lost."""

    def __init__(
        self,
        rebuilt: Rebuilt,
        sandbox: Sandbox,
        files: Mapping[str, bytes],
        seed: int,
        beside: frozenset[str],
        allowed: Allowed,
        *,
        halves: bool = True,
    ) -> None:
        self._beside, self._halves = beside, halves
        self.allowed = allowed
        self._rebuilt, self._sandbox, self._files, self._seed = rebuilt, sandbox, files, seed
        self._session: Session[StudentProcess] | None = None
        self._numbers: list[int] = []
        self._steps: list[_Step] = []
        self._tests: list[_Test] = []
        # What it has taken in all, once it is over, and its longest cell and call.
        self.taken = Taken()
        # Whether anything was stopped, or not run, because it took too long.
        self.stopped = False
        self._lost: Examined | None = None
        # Where a cell belongs that is not the notebook's own, nobody knows once it is left out.
        self._not_read = _TOO_LONG.format("a cell") if "" in rebuilt.too_long else ""
        self._examining = False
        self._written = Written(())
        self._room = _CELLS_OF_OUTPUT * sandbox.limits.output_bytes
        self._pictures = Room()
        self.remarks: list[str] = []

    def __enter__(self) -> Self:
        # Only now: the sandbox may still have been getting ready.
        self._student: StudentProcess | None = self._spawn()
        self._time = Allowance(self.allowed.seconds, self._sandbox.limits.patience)
        return self

    def __exit__(self, *_: object) -> None:
        self.taken = replace(self.taken, submission=self._time.taken)
        self._end()

    def all_cells(self) -> None:
        """Run all of the student's cells; at each test, have the process remember where it is."""
        cells = [cell for cell in self._rebuilt.notebook.cells if cell.cell_type == "code"]
        for cell in cells:
            if is_test(cell):
                self._remember(cell, is_last=cell is cells[-1])
            elif cell.id in self._rebuilt.scenery:
                cell.outputs = [new_output("stream", name="stdout", text=NOT_RUN)]
            else:
                cell.outputs = _as_outputs(self._run(cell))

    def all_tests(self, source: NotebookNode, folder: Path | None) -> list[CellVerdict]:
        """Examine the tests, the last one first: that is the order in which one goes back."""
        self._examining = True
        rebuilt = self._rebuilt
        self._written = Written(rebuilt.written, _own_texts(self._files, folder), rebuilt.given)

        def examiner() -> ExaminerProcess:
            # What the instructor's modules import takes none of the student's time.
            with self._time.standing_still():
                return examiner_for(self._sandbox, source, folder, self._written)

        return self._each_test(examiner)[::-1]

    def _each_test(self, new: Callable[[], ExaminerProcess]) -> list[CellVerdict]:
        found, examiner = [], new()
        for test in reversed(self._tests):
            examiner = new() if examiner.ended else examiner
            self._time.follow_waiting(examiner.process)
            found.append(self._test(test, examiner))
            # No test is to pay for what another has started.
            self._end_leftovers()
        return found

    def _remember(self, cell: NotebookNode, *, is_last: bool) -> None:
        self._tests.append(_Test(cell, len(self._steps), self._lost, self._not_read))
        self._lost = None
        if is_last:
            # It is examined right where the process is.
            return
        if not self._used_up():
            try:
                self._wait_here(self._living())
            except ExchangeError as error:
                self.remarks.append(self._post_mortem(error)[1])
        self._steps.append(_Step())

    def _run(self, cell: NotebookNode) -> list[dict[str, Any]]:
        grade_id = grade_id_of(cell)
        if grade_id in self._rebuilt.missing:
            text = f"the cell of {grade_id} is missing in the notebook"
            self._lost = Examined(Verdict.MISSING, text)
            return []
        if grade_id in self._rebuilt.too_long:
            self._not_read = _TOO_LONG.format(f"the cell of {grade_id}")
            self._lost = Examined(Verdict.MISSING, self._not_read)
        if self._used_up():
            return [error_output(Verdict.NOT_RUN, "not run")]
        try:
            session = self._living()
            before = self._time.taken
            outputs = session.run(cell.source)
            self._note(cell=self._time.taken - before)
        except ExchangeError as error:
            verdict, message = self._post_mortem(error)
            self.remarks.append(message)
            if grade_id:
                self._lost = Examined(verdict, message)
            return [error_output(verdict, message)]
        self._steps.append(_Step(cell.source))
        if left := self._end_leftovers():
            sentence = f"what this cell had left running was ended with it: {left}"
            outputs.append({"output_type": "stream", "name": "stderr", "text": f"{sentence}\n"})
        if grade_id and (sentence := broken_syntax(outputs, grade_id)):
            self._lost = Examined(Verdict.EXCEPTION, sentence)
        most = self._sandbox.limits.output_bytes
        safe = inert_outputs(outputs, min(2 * most, self._room), self._pictures)
        self._room -= sum(len(str(output)) for output in safe)
        return safe

    def _test(self, test: _Test, examiner: ExaminerProcess) -> CellVerdict:
        points, started = points_of(test.cell), time.monotonic()
        examined = self._examine(test, examiner).graded_for(points, halves=self._halves)
        if test.not_read and examined.verdict is not Verdict.PASSED:
            examined = replace(examined, doubts={"not read": test.not_read})
        test.cell.outputs = _as_outputs(examined.outputs())
        return CellVerdict(
            **vars(examined),
            grade_id=grade_id_of(test.cell),
            max_points=points,
            seconds=time.monotonic() - started,
            beside=grade_id_of(test.cell) in self._beside,
        )

    def _examine(self, test: _Test, examiner: ExaminerProcess) -> Examined:
        if self._used_up():
            return Examined(Verdict.NOT_RUN, "not run: the submission had used up its time")
        try:
            session = self._go_to(test)
            if grade_id_of(test.cell) in self._beside:
                return examine_beside(session, test.cell)
            rest = self._time.rest
            limits = self.allowed.limits(rest)
            examined = examiner.examine(test.cell, session, rest, limits)
            self._note(call=session.longest)
            if examiner.needs_extras:
                # So does the student's process, or one that comes after it: each would import it.
                self._sandbox.load_extras()
        except ExchangeError as error:
            return Examined(*self._post_mortem(error))
        except TestLost as lost:
            self.stopped |= lost.verdict is Verdict.TIMEOUT
            # Nobody knows what the student's process was asked last.
            self._end()
            return Examined(lost.verdict, str(lost))
        if examined.verdict is Verdict.MISSING:
            return test.lost or self._with_other_name(examined)
        return examined

    def _with_other_name(self, examined: Examined) -> Examined:
        """A test that misses a name says what the cell that should have made it does make."""
        found = _NOT_DEFINED.fullmatch(examined.message)
        said = self._rebuilt.misnamed.get(found[1]) if found else None
        return replace(examined, message=f"{examined.message}: {said}") if said else examined

    def _go_to(self, test: _Test) -> Session[StudentProcess]:
        """Have the process that speaks be the one that waited at this test.

        The answers of a function that a test lent could be kept in a file or by a process. They may
        not be there for a test whose inputs can be guessed: a new process runs the cells again.
        """
        del self._steps[test.steps :]
        depth = self._tests.index(test)
        guessable = not all(is_exam(one.cell) for one in self._tests[: depth + 1])
        if self._session and self._session.has_answered and guessable:
            self._end()
        session = self._living()
        while session.depth > depth:
            session.go_back()
        return session

    def _post_mortem(self, error: ExchangeError) -> tuple[Verdict, str]:
        """How a student's process came to an end; what runs next gets a new one."""
        if self._session is None:
            raise SandboxFailed("a student's process was lost while it was being made") from error
        too_slow = isinstance(error, StudentTooSlow)
        if isinstance(error, ForkEnded):
            ending = ending_of(error.code)
            # What waited below is where the test before this one is examined.
            if not self._examining:
                self._end()
        else:
            gone = isinstance(error, StudentGone)
            ending = self._session.student.ended(_SECONDS_TO_END if gone else 0)
            self._end()
        if ending.lost:
            raise SandboxFailed("the sandbox ended while a student's code ran in it") from error
        if ending.out_of_memory:
            return Verdict.MEMORY, f"your code {ending.reason}"
        if too_slow or ending.out_of_time:
            self.stopped = True
            return Verdict.TIMEOUT, "your code ran for too long and was stopped"
        if isinstance(error, ReplyTooLarge):
            return Verdict.MEMORY, f"your code gave back too much for one test: {error}"
        if isinstance(error, StudentGone):
            return Verdict.KILLED, f"your code ended its own process: it {ending.reason}"
        return Verdict.WRONG, f"what your code gave back could not be understood: {error}"

    def _wait_here(self, session: Session[StudentProcess]) -> None:
        number = session.remember()
        self._numbers = [*self._numbers[: session.depth], number]

    def _end_leftovers(self) -> Leftovers | None:
        """End what the student's code has left running, but for the processes that wait for tests.

        These tell their numbers themselves. Whoever lies keeps another process of the submission's
        own until that ends.
        """
        if self._session is None:
            return None
        waiting = self._session.depth + 1
        # To take down the memory of one that has gone back takes the kernel a while.
        left = self._session.student.end_others(self._numbers[:waiting], self._numbers[waiting:])
        if not left.count:
            return None
        if _LEFTOVERS not in self.remarks:
            self.remarks.append(_LEFTOVERS)
        return left

    def _used_up(self) -> bool:
        self.stopped |= self._time.is_over
        return self._time.is_over

    def _note(self, *, cell: float = 0.0, call: float = 0.0) -> None:
        taken = self.taken
        self.taken = replace(taken, cell=max(taken.cell, cell), call=max(taken.call, call))

    def _living(self) -> Session[StudentProcess]:
        """The session with a student process in which all has been done that was done so far."""
        if self._session is None:
            student = self._student or self._spawn()
            self._student = None
            self._session = Session(student, self.allowed.limits(), self._time)
            self._numbers = [student.number]
            for step in self._steps:
                if step.source is None:
                    self._wait_here(self._session)
                else:
                    self._session.run(step.source)
                    self._end_leftovers()
            # What has run once may run as long again, but nothing new may use up what is left.
            self._session.hold_to(self.allowed.limits(self._time.rest))
        return self._session

    def _spawn(self) -> StudentProcess:
        waiting = sum(map(is_test, self._rebuilt.notebook.cells))
        return self._sandbox.spawn(self._files, self._seed, waiting)

    def _end(self) -> None:
        if self._student is not None:
            self._student.dismiss()
            self._student = None
        if self._session is not None:
            # The sandbox sees to it that it is gone before the next one begins.
            self._session.student.dismiss()
            self._session = None


def _own_texts(files: Mapping[str, bytes], folder: Path | None) -> dict[str, str]:
    """The files beside a student's notebook that are not the course's, as far as rules read."""
    return {
        name: content[:_MOST_READ].decode(errors="backslashreplace")
        for name, content in files.items()
        if folder is None or not _is_given(folder / name, content)
    }


def _is_given(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _as_outputs(outputs: list[dict[str, Any]]) -> list[NotebookNode]:
    return [new_output(**output) for output in outputs]
