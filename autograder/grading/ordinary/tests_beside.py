"""Tests that run beside the student's code, where the lecturer has said so.

Some tests need the student's objects in hand: their source, the files that they write, a `with` of
theirs. Such a test runs in the student's own process, in the sandbox with all its walls. It can do
no harm there; but what it says is what that process says, and could be forged.
"""

from collections.abc import Sequence
from dataclasses import replace

from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import grade_id_of, is_test, points_of
from autograder.grading.cell_verdict import Examined
from autograder.grading.ordinary.comparisons import may_compare
from autograder.student.rpc.session import Session
from autograder.student.sandbox.student_process import StudentProcess

TAG = "beside"
_REMARK = "This test ran beside the student's code: its outcome could be forged.\n"

_VERDICTS = {
    "AssertionError": Verdict.WRONG,
    "NotImplementedError": Verdict.NOT_IMPLEMENTED,
    "NameError": Verdict.MISSING,
}


def marked_beside(source: NotebookNode) -> frozenset[str]:
    """The tests of an instructor's notebook whose cells have the tag."""
    return frozenset(
        grade_id_of(cell)
        for cell in source.cells
        if is_test(cell) and TAG in cell.metadata.get("tags", ())
    )


def examine_beside(session: Session[StudentProcess], cell: NotebookNode) -> Examined:
    """Run a test cell in the student's process, and take its word for what came of it.

    Raises:
        ExchangeError: when the process ended, or had to be ended.
    """
    if not may_compare(cell.source):
        return Examined(Verdict.NOT_GRADABLE, "the test compares nothing, so any answer would pass")
    return replace(_told_by(session.run(cell.source), points_of(cell)), remark=_REMARK)


def _told_by(outputs: Sequence[object], points: float) -> Examined:
    for output in outputs:
        match output:
            case {"output_type": "error", "ename": str(kind), "evalue": str(text)}:
                verdict = _VERDICTS.get(kind, Verdict.EXCEPTION)
                plain = verdict is Verdict.WRONG and text
                return Examined(verdict, text[:2000] if plain else f"{kind}: {text}"[:2000])
    return _by_last_value(outputs, points)


def _by_last_value(outputs: Sequence[object], points: float) -> Examined:
    for output in outputs:
        match output:
            case {"output_type": "execute_result", "data": {"text/plain": str(text)}}:
                earned = _number(text)
                if earned is not None and not 0 <= earned <= points:
                    return Examined(Verdict.NOT_GRADABLE, f"the test ends in {text[:40]} points")
                if earned is not None and earned < points:
                    share = earned / points
                    return Examined(Verdict.WRONG, f"{earned:g} of {points:g} points", credit=share)
    return Examined(Verdict.PASSED, "", credit=1.0)


def _number(text: str) -> float | None:
    try:
        return float(text[:40])
    except ValueError:
        return None
