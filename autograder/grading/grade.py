"""From an instructor's notebook and a submission to a graded notebook and verdicts.

A pure function, but for the sandbox it runs in: it touches neither the gradebook nor the files of
the course. The same seed and the same submission give the same verdicts.
"""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.exam.report import Verdict
from autograder.grading.fairness import fair, why_not_passed
from autograder.grading.inert import cut_long_sources
from autograder.grading.rebuild import ADDED_ID, rebuild
from autograder.grading.record import CellVerdict, make_record
from autograder.grading.run import Run
from autograder.grading.submitted_files import files_beside
from autograder.grading.tests_beside import marked_beside
from autograder.limits import Limits
from autograder.sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class Graded:
    """A submission, graded: what to show and to keep; `whole` holds what is cut, by file names."""

    notebook: NotebookNode
    verdicts: tuple[CellVerdict, ...]
    record: dict[str, Any]
    whole: Mapping[str, str]


def grade(
    source: NotebookNode,
    submission: bytes,
    sandbox: Sandbox,
    *,
    files: Mapping[str, bytes] | None = None,
    seed: int = 0,
    remarks: Sequence[str] = (),
    folder: Path | None = None,
    beside: bool = False,
) -> Graded:
    """Grade one submission.

    Args:
        source: the instructor's notebook, with solutions and hidden tests.
        submission: the student's file, whatever is in it.
        sandbox: where the student's cells run.
        files: what lies beside the notebook when they run, by name.
        seed: where the random numbers of the student's process begin.
        remarks: what was seen of the submission before, for the record.
        folder: where the instructor's notebook lies, with the files and modules that tests use.
        beside: whether a test that can't be judged here runs beside the student's code.

    Raises:
        SandboxFailed: when the sandbox itself fails, which is never scored.
    """
    started = time.monotonic()
    marked = marked_beside(source)
    place: dict[str, Any] = {"files": files, "seed": seed, "folder": folder}
    if beside:
        marked |= frozenset(failing_with_solution(source, sandbox, marked, **place))
    rebuilt = rebuild(source, submission)
    with Run(rebuilt, sandbox, files or {}, seed, marked) as run:
        run.all_cells()
        verdicts = run.all_tests(source, folder)
    if any(one.verdict is not Verdict.PASSED or one.hollow for one in verdicts):
        solved = _with_solution(source, sandbox, marked, **place)
        pairs = zip(verdicts, solved, strict=True)
        verdicts = [fair(one, solution, rebuilt.notebook) for one, solution in pairs]
    record = make_record(
        source,
        submission,
        verdicts,
        [*remarks, *rebuilt.remarks, *run.remarks],
        seed=seed,
        isolation=sandbox.layers.record,
        seconds=time.monotonic() - started,
    )
    cut = cut_long_sources(rebuilt.notebook, ADDED_ID)
    return Graded(rebuilt.notebook, tuple(verdicts), record, cut)


def failing_with_solution(
    source: NotebookNode,
    sandbox: Sandbox,
    beside: frozenset[str] = frozenset(),
    *,
    files: Mapping[str, bytes] | None = None,
    seed: int = 0,
    folder: Path | None = None,
) -> Mapping[str, str]:
    """The tests that the instructor's own solution does not pass here, and why not.

    Args:
        source: the instructor's notebook.
        sandbox: where it runs.
        beside: the tests that run beside it, by their names.
        files: what lies beside it, where `folder` does not say so.
        seed: where the random numbers of its process begin.
        folder: where the notebook lies.

    Raises:
        SandboxFailed: when the sandbox itself fails.
    """
    solved = _with_solution(source, sandbox, beside, files=files, seed=seed, folder=folder)
    failing = [one for one in solved if one.verdict is not Verdict.PASSED]
    return {one.grade_id: why_not_passed(one) for one in failing}


def _with_solution(
    source: NotebookNode,
    sandbox: Sandbox,
    beside: frozenset[str],
    *,
    files: Mapping[str, bytes] | None,
    seed: int,
    folder: Path | None,
) -> Sequence[CellVerdict]:
    """What comes of the instructor's own solution; it is kept.

    It runs in the sandbox as a submission does, when no student's process is left.
    """
    digest = hashlib.sha256(nbformat.writes(source).encode()).hexdigest()
    known = digest, str(folder), sandbox.limits, beside
    if known not in _solved:
        most = sandbox.limits.disk_bytes // 2
        around = files or {} if folder is None else files_beside(folder, most)
        own = rebuild(source, nbformat.writes(source).encode())
        with Run(own, sandbox, around, seed, beside) as run:
            run.all_cells()
            found = run.all_tests(source, folder)
        while len(_solved) >= _KEPT:
            del _solved[next(iter(_solved))]
        _solved[known] = found
    return _solved[known]


def forget_solutions() -> None:
    """Find out anew what the instructors' solutions do not pass: their exams have changed."""
    _solved.clear()


_KEPT = 32
_solved: dict[tuple[str, str, Limits, frozenset[str]], Sequence[CellVerdict]] = {}
