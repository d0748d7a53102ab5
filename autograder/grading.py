"""From an instructor's notebook and a submission to a graded notebook and verdicts.

A pure function, but for the sandbox it runs in: it touches neither the gradebook nor the files of
the course. The same seed and the same submission give the same verdicts.
"""

import ast
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.card import REPORT_MIME
from autograder.errors import ExchangeError, SandboxFailed, StudentGone, StudentTooSlow
from autograder.examiner import Examined, Examiner, error_output
from autograder.inert import inert_outputs
from autograder.rebuild import Rebuilt, rebuild
from autograder.record import CellVerdict, make_record
from autograder.remote import Session
from autograder.sandbox import Sandbox
from autograder.verdict import Verdict

_LIVES = 5
_SECONDS_TO_END = 0.5


@dataclass(frozen=True)
class Graded:
    """A submission, graded: the notebook to show, the verdicts, and the record to keep."""

    notebook: NotebookNode
    verdicts: tuple[CellVerdict, ...]
    record: dict[str, Any]


def grade(
    source: NotebookNode,
    submission: bytes,
    sandbox: Sandbox,
    *,
    files: Mapping[str, bytes] | None = None,
    seed: int = 0,
) -> Graded:
    """Grade one submission.

    Args:
        source: the instructor's notebook, with solutions and hidden tests.
        submission: the student's file, whatever is in it.
        sandbox: where the student's cells run.
        files: what lies beside the notebook when they run, by name.
        seed: where the random numbers of the student's process begin.

    Raises:
        SandboxFailed: when the sandbox itself fails, which is never scored.
    """
    started = time.monotonic()
    rebuilt = rebuild(source, submission)
    with _Run(rebuilt, sandbox, files or {}, seed) as run:
        verdicts = run.all_cells(imports_of(source))
        remarks = [*rebuilt.remarks, *run.remarks]
    record = make_record(
        source,
        submission,
        verdicts,
        remarks,
        seed=seed,
        isolation=sandbox.layers.record,
        seconds=time.monotonic() - started,
    )
    return Graded(rebuilt.notebook, tuple(verdicts), record)


class _Run:
    """One notebook being run: its student process, and a new one where that was lost."""

    def __init__(
        self, rebuilt: Rebuilt, sandbox: Sandbox, files: Mapping[str, bytes], seed: int
    ) -> None:
        self._rebuilt, self._sandbox, self._files, self._seed = rebuilt, sandbox, files, seed
        self._session: Session | None = None
        self._done: list[str] = []
        self._lives = _LIVES
        self._deadline = time.monotonic() + sandbox.limits.submission_seconds
        # What became of the answer that the next test is about, where it could not be run.
        self._lost: tuple[Verdict, str] | None = None
        self.remarks: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def all_cells(self, imports: str) -> list[CellVerdict]:
        """Run every cell in its order, tests here and all others at the student's."""
        examiner = Examiner(lambda name: self._living().find(name))
        examiner.prepare(imports)
        verdicts = []
        for cell in self._rebuilt.notebook.cells:
            marks = cell.metadata.get("nbgrader", {})
            if cell.cell_type != "code":
                continue
            if marks.get("grade") and not marks.get("solution"):
                verdicts.append(self._test(cell, examiner))
            else:
                cell.outputs = _as_outputs(self._run(cell))
        return verdicts

    def _test(self, cell: NotebookNode, examiner: Examiner) -> CellVerdict:
        marks, started = cell.metadata.nbgrader, time.monotonic()
        examined = self._examine(cell.source, examiner)
        self._lost = None
        cell.outputs = _as_outputs(examined.outputs)
        return CellVerdict(
            marks.grade_id,
            examined.verdict,
            float(marks.points) if examined.verdict is Verdict.PASSED else 0.0,
            float(marks.points),
            examined.message,
            _report(examined.outputs),
            time.monotonic() - started,
        )

    def _examine(self, source: str, examiner: Examiner) -> Examined:
        if self._used_up():
            return _failed(Verdict.NOT_RUN, "not run: the submission had used up its time")
        try:
            examined = examiner.examine(source)
        except (StudentGone, StudentTooSlow, ExchangeError) as error:
            return _failed(*self._post_mortem(error))
        if examined.verdict in (Verdict.TIMEOUT, Verdict.KILLED):
            slow = examined.verdict is Verdict.TIMEOUT
            return _failed(*self._post_mortem(StudentTooSlow() if slow else StudentGone()))
        if examined.verdict is Verdict.MISSING and self._lost:
            return _failed(*self._lost)
        return examined

    def _run(self, cell: NotebookNode) -> list[dict[str, Any]]:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if grade_id in self._rebuilt.missing:
            self._lost = Verdict.MISSING, f"the cell of {grade_id} is missing in the notebook"
            return []
        if self._used_up():
            return [error_output(Verdict.NOT_RUN, "not run")]
        try:
            outputs = self._living().run(cell.source)
        except (StudentGone, StudentTooSlow, ExchangeError) as error:
            verdict, message = self._post_mortem(error)
            self.remarks.append(message)
            if grade_id:
                self._lost = verdict, message
            return [error_output(verdict, message)]
        self._done.append(cell.source)
        return inert_outputs(outputs)

    def _post_mortem(self, error: ExchangeError) -> tuple[Verdict, str]:
        """How a student's process came to an end; what runs next gets a new one."""
        if self._session is None:
            raise SandboxFailed("a student's process was lost while it was being made") from error
        ending = self._session.student.ended(_SECONDS_TO_END)
        self._end()
        self._lives -= 1
        if ending.lost:
            raise SandboxFailed("the sandbox ended while a student's code ran in it") from error
        if ending.out_of_memory:
            return Verdict.MEMORY, f"your code {ending.reason}"
        if isinstance(error, StudentTooSlow) or ending.out_of_time:
            return Verdict.TIMEOUT, "your code ran for too long and was stopped"
        if isinstance(error, StudentGone):
            return Verdict.KILLED, f"your code ended its own process: it {ending.reason}"
        return Verdict.WRONG, f"what your code gave back could not be understood: {error}"

    def _used_up(self) -> bool:
        return self._lives <= 0 or time.monotonic() > self._deadline

    def _living(self) -> Session:
        """The session with a student process in which all cells so far have been run."""
        if self._session is None:
            student = self._sandbox.spawn(self._files, self._seed)
            self._session = Session(student, self._sandbox.limits)
            for source in self._done:
                self._session.run(source)
        return self._session

    def _end(self) -> None:
        if self._session is not None:
            self._session.student.close()
            self._session = None


def imports_of(source: NotebookNode) -> str:
    """The instructor's import statements; names that an exercise defines are the student's."""
    cells = [cell for cell in source.cells if cell.cell_type == "code"]
    answers = {
        node.name
        for cell in cells
        if _is_solution(cell)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    lines = []
    for cell in cells:
        if not _is_solution(cell):
            for node in ast.parse(cell.source).body:
                if isinstance(node, ast.Import | ast.ImportFrom):
                    node.names = [a for a in node.names if (a.asname or a.name) not in answers]
                    lines += [ast.unparse(node)] if node.names else []
    return "\n".join(lines)


def _is_solution(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _failed(verdict: Verdict, message: str) -> Examined:
    return Examined(verdict, message, [error_output(verdict, message)])


def _as_outputs(outputs: list[dict[str, Any]]) -> list[NotebookNode]:
    return [new_output(**output) for output in outputs]


def _report(outputs: list[dict[str, Any]]) -> dict[str, Any]:
    for output in outputs:
        report = output.get("data", {}).get(REPORT_MIME)
        if report:
            return dict(report)
    return {}
