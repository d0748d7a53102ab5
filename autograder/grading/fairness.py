"""A test that the instructor's own solution does not pass is no mistake of a student's."""

from collections.abc import Mapping
from dataclasses import replace

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.cells import grade_id_of
from autograder.exam.report import Verdict
from autograder.grading.examiner import error_output
from autograder.grading.record import CellVerdict


def fair(found: CellVerdict, failing: Mapping[str, str], notebook: NotebookNode) -> CellVerdict:
    """What became of a test, once it is known which of them the solution does not pass, and why.

    The page in `notebook` shows the same.
    """
    if found.verdict is Verdict.PASSED:
        return found
    if found.grade_id in failing:
        verdict, report = Verdict.NOT_GRADABLE, None
        message = f"the instructor's own solution does not pass: {failing[found.grade_id]}"
        # What its tests say of a solution is for the instructor, who reads the record.
        shown = "this test could not be graded here, which is no mistake of yours"
    elif found.verdict is Verdict.NOT_GRADABLE:
        verdict, report = Verdict.WRONG, found.report
        message = shown = f"not with what your code has made: {found.message}"
    else:
        return found
    cell = next(one for one in notebook.cells if grade_id_of(one) == found.grade_id)
    cell.outputs = [new_output(**error_output(verdict, shown))]
    return replace(found, verdict=verdict, points=0.0, message=message, report=report)
