"""From an instructor's notebook and a submission to a graded notebook and verdicts.

A pure function, but for the sandbox it runs in: it touches neither the gradebook nor the files of
the course. The same seed and the same submission give the same verdicts.
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import grade_id_of, has_role, is_test, points_of
from autograder.checks.source.scenery import SCENERY
from autograder.grading.allowed import Allowed, Kept, forget, without_solution
from autograder.grading.cell_verdict import CellVerdict, error_output, fair, why_not_passed
from autograder.grading.inert import cut_long_sources
from autograder.grading.ordinary.tests_beside import TAG, marked_beside
from autograder.grading.rebuild import ADDED_ID, NOT_GRADED, NOTICES, Rebuilt, rebuild
from autograder.grading.record import CellRecord, Record, make_record
from autograder.grading.run import Run
from autograder.grading.submitted_files import files_beside
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class Graded:
    """A submission, graded: what to show and to keep; `whole` holds what is cut, by file names."""

    notebook: NotebookNode
    verdicts: tuple[CellVerdict, ...]
    record: Record
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
    halves: bool = True,
    kept: Kept | None = None,
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
        halves: whether an answer earns half that is right but for one thing.
        kept: where it is kept what the instructor's own solution takes.

    Raises:
        SandboxFailed: when the sandbox itself fails, which is never scored.
    """
    started = time.monotonic()
    marked = marked_beside(source)
    kept = kept or Kept()
    place: dict[str, Any] = {"files": files, "seed": seed, "folder": folder, "kept": kept}
    if beside:
        marked |= frozenset(failing_with_solution(source, sandbox, marked, **place))
    digest = digest_of_source(source)

    def graded_once() -> tuple[Run, Rebuilt, list[CellVerdict]]:
        rebuilt = rebuild(source, submission)
        allowed = Allowed(sandbox.limits, kept.find(digest))
        with Run(rebuilt, sandbox, files or {}, seed, marked, allowed, halves=halves) as run:
            run.all_cells()
            return run, rebuilt, run.all_tests(source, folder)

    run, rebuilt, verdicts = graded_once()
    if run.stopped and kept.find(digest) is None:
        # What everybody may take was not enough. The solution may take long here, too.
        _with_solution(source, digest, sandbox, marked, **place)
        if Allowed(sandbox.limits, kept.find(digest)).limits() != run.allowed.limits():
            run, rebuilt, verdicts = graded_once()
    if any(one.verdict is not Verdict.PASSED or one.doubts or one.sizes for one in verdicts):
        solved = _with_solution(source, digest, sandbox, marked, **place)
        pairs = zip(verdicts, solved, strict=True)
        verdicts = [fair(one, solution, rebuilt.notebook) for one, solution in pairs]
    record = make_record(
        digest,
        submission,
        verdicts,
        [*remarks, *rebuilt.remarks, *run.remarks],
        seed=seed,
        isolation=sandbox.layers.record,
        seconds=time.monotonic() - started,
        used=run.taken.submission,
        allowed=run.allowed,
    )
    rebuilt.notebook.metadata[NOTICES] = record.notices
    cut = cut_long_sources(rebuilt.notebook, ADDED_ID)
    return Graded(rebuilt.notebook, tuple(verdicts), record, cut)


def ungraded(source: NotebookNode, why: str) -> Graded:
    """What is shown and kept of a submission that a human has to look at before it is graded.

    Args:
        source: the instructor's notebook.
        why: a sentence for whoever looks.
    """
    notebook = rebuild(source, b"{}").notebook
    notebook.metadata[NOT_GRADED] = why
    verdicts = []
    for cell in filter(is_test, notebook.cells):
        name, most = grade_id_of(cell), points_of(cell)
        verdicts.append(CellVerdict(Verdict.NOT_GRADABLE, why, grade_id=name, max_points=most))
        said = f"not graded yet: {why}"
        cell.outputs = [new_output(**error_output(Verdict.NOT_GRADABLE, said))]
    record = Record(
        source=digest_of_source(source), not_graded=why, cells=tuple(map(CellRecord.of, verdicts))
    )
    return Graded(notebook, tuple(verdicts), record, {})


def failing_with_solution(
    source: NotebookNode,
    sandbox: Sandbox,
    beside: frozenset[str] = frozenset(),
    *,
    files: Mapping[str, bytes] | None = None,
    seed: int = 0,
    folder: Path | None = None,
    kept: Kept | None = None,
) -> Mapping[str, str]:
    """The tests that the instructor's own solution does not pass here, and why not.

    Args:
        source: the instructor's notebook.
        sandbox: where it runs.
        beside: the tests that run beside it, by their names.
        files: what lies beside it, where `folder` does not say so.
        seed: where the random numbers of its process begin.
        folder: where the notebook lies.
        kept: where it is kept what the solution takes.

    Raises:
        SandboxFailed: when the sandbox itself fails.
    """
    place: dict[str, Any] = {"files": files, "seed": seed, "folder": folder}
    digest = digest_of_source(source)
    solved = _with_solution(source, digest, sandbox, beside, **place, kept=kept or Kept())
    failing = [one for one in solved if one.verdict is not Verdict.PASSED]
    return {one.grade_id: why_not_passed(one) for one in failing}


def _with_solution(
    source: NotebookNode,
    digest: str,
    sandbox: Sandbox,
    beside: frozenset[str],
    *,
    files: Mapping[str, bytes] | None,
    seed: int,
    folder: Path | None,
    kept: Kept,
) -> Sequence[CellVerdict]:
    """What comes of the instructor's own solution; it is kept, and so is what it takes.

    It runs in the sandbox as a submission does, when no student's process is left.
    """
    known = digest, str(folder), sandbox.limits, beside
    if known not in _solved:
        room = sandbox.limits.disk_bytes // 2
        around = files or {} if folder is None else files_beside(folder, room)
        own = rebuild(source, nbformat.writes(source).encode())
        most = without_solution(sandbox.limits)
        with Run(own, sandbox, around, seed, beside, most) as run:
            run.all_cells()
            found = [_with_cause(one, own.notebook) for one in run.all_tests(source, folder)]
        kept.keep(digest, run.taken)
        while len(_solved) >= _KEPT:
            del _solved[next(iter(_solved))]
        _solved[known] = found
    return _solved[known]


def _with_cause(found: CellVerdict, solved: NotebookNode) -> CellVerdict:
    """A verdict that misses a name says which cell of the solution has failed above it."""
    if found.verdict is not Verdict.MISSING:
        return found
    above = takewhile(lambda cell: grade_id_of(cell) != found.grade_id, solved.cells)
    failed = [
        f"because the cell of {grade_id_of(cell)} ends in {one.ename}: {one.evalue}"
        for cell in above
        if has_role(cell, "solution") and cell.cell_type == "code"
        for one in cell.outputs
        if one.output_type == "error"
    ]
    return replace(found, message=f"{found.message}, {failed[-1]}") if failed else found


def forget_solutions() -> None:
    """Find out anew what the instructors' solutions do not pass: their exams have changed."""
    _solved.clear()
    forget()


def digest_of_source(source: NotebookNode) -> str:
    """By which it is known again what an instructor's notebook runs and what it gives points for.

    Its text is none of that: whoever mends a word has nothing to grade again. The tags are that say
    where a cell is run, or that it isn't.
    """
    parts = [
        (text, cell.metadata.get("nbgrader"), *sorted(_TAGS.intersection(tags)))
        for cell in source.cells
        for text, tags in [_run_of(cell)]
        if text.strip() or any(map(cell.metadata.get("nbgrader", {}).get, _ROLES))
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _run_of(cell: NotebookNode) -> tuple[str, Sequence[str]]:
    """The text of a code cell and its tags; nothing of what is not run."""
    return (cell.source, cell.metadata.get("tags", ())) if cell.cell_type == "code" else ("", ())


_ROLES = ("grade", "solution", "task")
_TAGS = frozenset((TAG, SCENERY))
_KEPT = 32
_solved: dict[tuple[str, str, Limits, frozenset[str]], Sequence[CellVerdict]] = {}
