"""What becomes of a test once the instructor's own solution was tried.

One that the solution does not pass is no mistake of a student's. One that was passed with something
empty, where the solution gives more back, is no pass; nor is one with nan. An answer that writes to
what the solution leaves as it is fails: the test may have compared with what was written.
"""

from dataclasses import replace

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import grade_id_of
from autograder.grading.examiner import error_output
from autograder.grading.record import CellVerdict
from autograder.student.rpc.doubts import WRITTEN


def fair(found: CellVerdict, solution: CellVerdict, notebook: NotebookNode) -> CellVerdict:
    """What became of a test, by what came of the solution there.

    The page in `notebook` shows the same.
    """
    doubt = next((text for place, text in found.doubts.items() if place not in solution.doubts), "")
    if found.verdict is Verdict.PASSED and not doubt:
        return found
    report = None
    if solution.verdict is not Verdict.PASSED:
        verdict = Verdict.NOT_GRADABLE
        message = f"the instructor's own solution does not pass: {why_not_passed(solution)}"
        # What its tests say of a solution is for the instructor, who reads the record.
        shown = "this test could not be graded here, which is no mistake of yours"
    elif written := _written(found) - _written(solution):
        # Where the solution writes as well, the two may only be out of step: a human is to look.
        verdict = Verdict.NOT_GRADABLE if _written(solution) else Verdict.WRONG
        message = shown = found.doubts[min(written)]
    elif doubt:
        verdict, message, shown = Verdict.NOT_GRADABLE, doubt, doubt
    elif found.verdict is Verdict.NOT_GRADABLE:
        verdict, report = Verdict.WRONG, found.report
        message = shown = f"not with what your code has made: {found.message}"
    else:
        return found
    cell = next(one for one in notebook.cells if grade_id_of(one) == found.grade_id)
    cell.outputs = [new_output(**error_output(verdict, shown))]
    return replace(found, verdict=verdict, points=0.0, message=message, report=report)


def _written(found: CellVerdict) -> set[str]:
    return {place for place in found.doubts if place.startswith(WRITTEN)}


def why_not_passed(found: CellVerdict) -> str:
    """What is said of a test that was not passed."""
    return found.message or found.verdict.value
