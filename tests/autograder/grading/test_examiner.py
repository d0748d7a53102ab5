"""What came of a test cell, and the page and the record that are made from it."""

from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_notebook, new_output
from nbgrader.utils import determine_grade

from autograder.checks.card.as_html import bundle
from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.grading.allowed import Allowed, Taken
from autograder.grading.cell_verdict import CellVerdict, Examined
from autograder.grading.examiner import Examiner
from autograder.grading.ordinary.instructor_names import Definitions
from autograder.grading.record import CellRecord, Record, make_record
from autograder.nbgrading.preprocessor import _with_points
from autograder.student.limits import Limits
from tests.support.samples import make_cell

PASSED = Report("scores", Verdict.PASSED, passed=("one", "two"), total=2)
WRONG = Report("weights", Verdict.WRONG, misconception="over_rows", hint="Take the other axis.")
HALF = Report("weights", Verdict.WRONG, right_but_for="the gradients")
IMPORTS = """\
from autograder.checks.check import settle
from autograder.checks.exam.report import Report, Verdict
"""


def cell_of(*reports: Report) -> NotebookNode:
    """A test cell whose checks find these reports."""
    text = IMPORTS + "\n".join(f"settle({_call(report)})" for report in reports)
    return make_cell("code", text, "weights_check", grade=True, points=4)


def _call(report: Report) -> str:
    return repr(report).replace(repr(report.verdict), str(report.verdict))


def examine(cell: NotebookNode) -> Examined:
    source = new_notebook(cells=[cell])
    return Examiner(lambda name: name, Definitions(source)).examine(cell)


def _verdict_of(report: Report, grade_id: str) -> CellVerdict:
    """What becomes of a test cell with one check, which earns nothing."""
    reports = (report,)
    return CellVerdict(
        report.verdict, report.headline, reports=reports, grade_id=grade_id, max_points=4
    )


def test_reports_are_carried_whole() -> None:
    assert examine(cell_of(PASSED)) == Examined(Verdict.PASSED, "", reports=(PASSED,), credit=1.0)
    examined = examine(cell_of(PASSED, WRONG))
    assert examined.reports == (PASSED, WRONG)
    assert examined.report == WRONG
    assert (examined.verdict, examined.message) == (Verdict.WRONG, WRONG.headline)


def test_what_comes_after_a_check_that_is_not_passed_is_not_run() -> None:
    assert examine(cell_of(WRONG, PASSED)).reports == (WRONG,)


def test_tests_without_a_check_have_no_report() -> None:
    cell = make_cell("code", "assert 1 == 2", "weights_check", grade=True, points=4)
    said = "a test of this cell does not hold: assert 1 == 2"
    assert examine(cell) == Examined(Verdict.WRONG, said)


@pytest.mark.parametrize(
    ("tests", "quoted"),
    [
        ("assert (1\n    == 2)", ": assert 1 == 2"),
        ("### BEGIN HIDDEN TESTS\nassert 1 == 2\n### END HIDDEN TESTS", ""),
        ("def same():\n    assert 1 == 2\nsame()", ": assert 1 == 2"),
        ("import operator\nassert operator.eq(1, 2), 'not one'", None),
    ],
)
def test_assert_that_students_can_read_is_quoted(tests: str, quoted: str | None) -> None:
    said = examine(make_cell("code", tests, "one_check", grade=True, points=1)).message
    assert said == ("not one" if quoted is None else f"a test of this cell does not hold{quoted}")


@pytest.mark.parametrize(
    ("reports", "points"), [((PASSED,), 4), ((PASSED, HALF), 2), ((PASSED, WRONG), 0)]
)
def test_page_shows_each_report_and_gives_what_was_earned(
    reports: tuple[Report, ...], points: float
) -> None:
    cell = cell_of(*reports)
    cell.outputs = [new_output(**output) for output in examine(cell).outputs()]
    shown = [one.data for one in cell.outputs if one.output_type == "display_data"]
    assert shown == [bundle(report) for report in reports]
    found = CellVerdict(**vars(examine(cell)), grade_id="weights_check", max_points=4)
    assert found.points == points
    cell.metadata.nbgrader.grade_id = found.grade_id
    notebook = new_notebook(cells=[cell])
    _with_points(notebook, Record(cells=(CellRecord.of(found),)))
    assert determine_grade(cell)[0] == points


def test_record_says_what_stopped_an_answer() -> None:
    told = f"ValueError: {'so ' * 200}"
    finding = Finding("one word", "", (told, "in your code, line 2: raise ValueError"))
    stopped = Report("weights", Verdict.EXCEPTION, total=2, finding=finding)
    verdicts = [
        _verdict_of(stopped, "weights_check"),
        _verdict_of(WRONG, "other_check"),
    ]
    how: dict[str, Any] = {"isolation": "full", "seconds": 1.0, "used": 2.5}
    record = make_record("", b"", verdicts, [], seed=0, allowed=Allowed(Limits(), None), **how)
    said, nothing = (one.exception for one in record.cells)
    assert said.startswith("ValueError: so so")
    assert len(said) <= 300
    assert nothing == ""


def test_record_tells_what_the_card_tells() -> None:
    verdicts = [
        _verdict_of(WRONG, "weights_check"),
        CellVerdict(Verdict.NOT_RUN, "not run", grade_id="loop_check", max_points=1),
    ]
    allowed = Allowed(Limits(), Taken(4.0, 1.0, 0.5))
    how: dict[str, Any] = {"isolation": "full", "seconds": 1.0, "used": 2.5, "allowed": allowed}
    record = make_record("its digest", b"", verdicts, [], seed=0, **how)
    assert [(one.verdict, one.misconception, one.hint) for one in record.cells] == [
        (Verdict.WRONG, "over_rows", "Take the other axis."),
        (Verdict.NOT_RUN, "", ""),
    ]
    assert record.time == {"used": 2.5, "allowed": 80.0, "solution": 4.0}
