"""What becomes of a test cell: what it shows itself, and what holds once the solution was tried.

A test that the instructor's own solution does not pass is no mistake of a student's. One that was
passed with something empty or shorter, where the solution gives more back, is no pass; nor is one
with nan. An answer that writes to what the solution leaves as it is fails: the test may have
compared with what was written.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.checks.card.as_html import bundle
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.source.cells import grade_id_of
from autograder.student.rpc.doubts import WRITTEN, letters_of

# How the message of a test begins that is nobody's mistake, and that a student's process may run.
SOLUTION_FAILS = "the instructor's own solution does not pass"


@dataclass(frozen=True)
class Examined:
    """What came of one test cell: all that its record and its page are made from."""

    verdict: Verdict
    message: str
    _: KW_ONLY
    reports: tuple[Report, ...] = ()  # what its checks have shown
    credit: float = 0.0  # the share of the points that it earned
    made_with: tuple[str, ...] = ()  # what given cells have made with an answer, and it looked at
    remark: str = ""  # what else its page says
    # What it was passed with and may not owe to a right answer: where, and what is said of it.
    doubts: Mapping[str, str] = field(default_factory=dict)
    # How many entries each of the replies that it was passed with has.
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def report(self) -> Report | None:
        """The report that decided: a check that is not passed ends its cell."""
        return self.reports[-1] if self.reports else None

    def graded_for(self, points: float, *, halves: bool) -> Self:
        """What came of a test of so many points, half of which may not be to be earned."""
        report = self.report
        if report is None:
            return self
        kept = report.graded_for(points, halves=halves and self.credit > 0)
        if kept == report:
            return self
        message = kept.headline if self.message == report.headline else self.message
        return replace(self, message=message, reports=(*self.reports[:-1], kept), credit=0.0)

    def outputs(self) -> list[dict[str, Any]]:
        """What the page shows of it: an error where nothing was earned."""
        shown: list[dict[str, Any]] = [
            {"output_type": "display_data", "data": bundle(report), "metadata": {}}
            for report in self.reports
        ]
        if self.remark:
            shown.insert(0, {"output_type": "stream", "name": "stdout", "text": self.remark})
        failed = self.verdict is not Verdict.PASSED and not self.credit
        return [*shown, error_output(self.verdict, self.message)] if failed else shown


@dataclass(frozen=True)
class CellVerdict(Examined):
    """What became of one test cell of a submission."""

    _: KW_ONLY
    grade_id: str
    max_points: float
    seconds: float = 0.0
    # Whether the test ran in the student's process: its outcome could be forged.
    beside: bool = False

    @property
    def points(self) -> float:
        """What it earned."""
        return round(self.credit * self.max_points, 2)


def fair(found: CellVerdict, solution: CellVerdict, notebook: NotebookNode) -> CellVerdict:
    """What became of a test, by what came of the solution there.

    The page in `notebook` shows the same.
    """
    doubt = next((text for place, text in found.doubts.items() if place not in solution.doubts), "")
    doubt = doubt or _too_short(found.sizes, solution.sizes)
    if found.verdict is Verdict.PASSED and not doubt:
        return found
    reports: tuple[Report, ...] = ()
    if solution.verdict is not Verdict.PASSED:
        verdict = Verdict.NOT_GRADABLE
        message = f"{SOLUTION_FAILS}: {why_not_passed(solution)}"
        # What its tests say of a solution is for the instructor, who reads the record.
        shown = "this test could not be graded here, which is no mistake of yours"
    elif written := _written(found) - _written(solution):
        # Where the solution writes as well, the two may only be out of step: a human is to look.
        verdict = Verdict.NOT_GRADABLE if _written(solution) else Verdict.WRONG
        message = shown = found.doubts[min(written)]
    elif doubt:
        verdict, message, shown = Verdict.NOT_GRADABLE, doubt, doubt
    elif found.verdict is Verdict.NOT_GRADABLE:
        verdict, reports = Verdict.WRONG, found.reports
        message = shown = f"not with what your code has made: {found.message}"
    else:
        return found
    cell = next(one for one in notebook.cells if grade_id_of(one) == found.grade_id)
    cell.outputs = [new_output(**error_output(verdict, shown))]
    return replace(found, verdict=verdict, credit=0.0, message=message, reports=reports)


def _too_short(found: Mapping[str, int], solution: Mapping[str, int]) -> str:
    # Right texts differ in length; but a text in place of a list ends early, too.
    for number, expected in solution.items():
        entries = found.get(number) or found.get(letters_of(number), expected)
        if number.isdecimal() and entries < expected:
            return (
                "the test may have compared too little: what this code gave back has "
                f"{entries} of the {expected} entries that the solution gives back"
            )
    return ""


def _written(found: CellVerdict) -> set[str]:
    return {place for place in found.doubts if place.startswith(WRITTEN)}


def why_not_passed(found: CellVerdict) -> str:
    """What is said of a test that was not passed."""
    return found.message or found.verdict.value


def error_output(verdict: Verdict, message: str) -> dict[str, Any]:
    """The output of a test that has earned nothing."""
    return {
        "output_type": "error",
        "ename": verdict.ename,
        "evalue": message,
        "traceback": [message or verdict.value],
    }
