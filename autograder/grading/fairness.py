"""What becomes of a test once the instructor's own solution was tried.

One that the solution does not pass is no mistake of a student's. One that was passed with something
empty, where the solution gives more back, is no pass; nor is one with nan.
"""

from dataclasses import replace

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import grade_id_of
from autograder.grading.examiner import error_output
from autograder.grading.record import CellVerdict

_HOLLOW = (
    "the test may have compared nothing: what this code gave back is empty or not a number, and "
    "what the solution gives back is neither"
)


def fair(found: CellVerdict, solution: CellVerdict, notebook: NotebookNode) -> CellVerdict:
    """What became of a test, by what came of the solution there.

    The page in `notebook` shows the same.
    """
    hollow = found.hollow and not solution.hollow
    if found.verdict is Verdict.PASSED and not hollow:
        return found
    if solution.verdict is not Verdict.PASSED:
        verdict, report = Verdict.NOT_GRADABLE, None
        message = f"the instructor's own solution does not pass: {why_not_passed(solution)}"
        # What its tests say of a solution is for the instructor, who reads the record.
        shown = "this test could not be graded here, which is no mistake of yours"
    elif hollow:
        verdict, report, message, shown = Verdict.NOT_GRADABLE, None, _HOLLOW, _HOLLOW
    elif found.verdict is Verdict.NOT_GRADABLE:
        verdict, report = Verdict.WRONG, found.report
        message = shown = f"not with what your code has made: {found.message}"
    else:
        return found
    cell = next(one for one in notebook.cells if grade_id_of(one) == found.grade_id)
    cell.outputs = [new_output(**error_output(verdict, shown))]
    return replace(found, verdict=verdict, points=0.0, message=message, report=report)


def why_not_passed(found: CellVerdict) -> str:
    """What is said of a test that was not passed."""
    return found.message or found.verdict.value
