import io
from dataclasses import replace

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.utils import compute_checksum
from rich.console import Console

from autograder.checks.card.as_html import bundle
from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.checks.own_judgement import Point, Ticks, cell_to_tick
from autograder.learner.marks import (
    Mark,
    as_html,
    as_table,
    mark_of,
    marks_in,
    summary,
    total,
    written_mark,
)
from tests.support.samples import make_cell

PASSED = Report("scores", Verdict.PASSED, passed=("one", "two"), total=2)
WRONG = Report(
    "scores", Verdict.WRONG, passed=("one",), total=2,
    finding=Finding("two words", "", ("too large", "too long")),
    misconception="over_rows", hint="Take the other axis.",
)  # fmt: skip
UNWRITTEN = Report("scores", Verdict.NOT_IMPLEMENTED, total=2)
FOUND = Mark(
    "scores", 0, 2, "wrong", ("too large", "too long"), "over_rows", "Take the other axis."
)


def shown(report: Report) -> NotebookNode:
    return new_output("display_data", data=bundle(report))


def error(kind: str, message: str = "") -> NotebookNode:
    return new_output("error", ename=kind, evalue=message, traceback=[])


def printed(text: str) -> NotebookNode:
    return new_output("stream", text=text)


def check_cell(*outputs: NotebookNode, name: str = "scores") -> NotebookNode:
    cell = make_cell("code", f"check({name})", f"{name}_check", grade=True, points=2)
    cell.outputs = list(outputs)
    return cell


def written_cell(source: str, released: str = "YOUR ANSWER HERE") -> NotebookNode:
    cell = make_cell("markdown", released, "why", solution=True, grade=True, points=3)
    cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    cell.source = source
    return cell


def mark_in(*cells: NotebookNode, exercise: str = "scores", out_of: int = 2) -> Mark:
    others = [new_markdown_cell("words"), new_code_cell("x = 1")]
    (mark,) = marks_in(new_notebook(cells=[*others, *cells]), {exercise: out_of})
    return mark


def test_passed():
    assert mark_in(check_cell(shown(PASSED))) == Mark("scores", 2, 2, "passed")


def test_wrong():
    assert mark_in(check_cell(shown(WRONG), error("ExerciseNotPassed", "no"))) == FOUND


def test_not_implemented():
    mark = mark_in(check_cell(shown(UNWRITTEN), error("ExerciseNotPassed", "no")))
    assert (mark.points, mark.verdict, mark.details) == (0, "not implemented yet", ())


def test_passed_and_stopped():
    assert mark_in(check_cell(shown(PASSED), error("ZeroDivisionError"))).points == 0
    assert mark_in(check_cell(error("ZeroDivisionError"), shown(PASSED))).points == 0


def test_what_stopped_it_is_told() -> None:
    mark = mark_in(check_cell(shown(PASSED), error("ZeroDivisionError", "division by zero")))
    assert mark == Mark("scores", 0, 2, "ZeroDivisionError: division by zero")


def test_last_check_of_a_cell_decides() -> None:
    other = replace(PASSED, exercise="other")
    not_passed = error("ExerciseNotPassed", "no")
    assert mark_in(check_cell(shown(other), shown(WRONG), not_passed)) == FOUND
    half = replace(WRONG, right_but_for="the dtype")
    assert mark_in(check_cell(shown(other), shown(half), not_passed), out_of=3).points == 1.5


def test_printing_is_no_report():
    assert mark_in(check_cell(printed("scores: passed, 2 cases"))).points == 0
    assert mark_in(check_cell(printed("hello"), shown(PASSED))).points == 2


@pytest.mark.parametrize(
    ("outputs", "verdict"),
    [
        ([], "not run"),
        ([printed("hello")], "not run"),
        ([error("CellTimeoutError", "60 s")], "stopped: it ran for too long"),
        ([error("KeyboardInterrupt")], "stopped: it ran for too long"),
        (
            [error("NameError", "name 'scores' is not defined")],
            "missing: name 'scores' is not defined",
        ),
        ([error("CheckError", "print is no exercise")], "CheckError: print is no exercise"),
    ],
)
def test_without_report(outputs, verdict):
    assert mark_in(check_cell(*outputs)) == Mark("scores", 0, 2, verdict)


def test_check_is_missing():
    elsewhere = check_cell(shown(PASSED), name="other")
    mark = mark_in(elsewhere)
    assert mark == Mark("scores", 0, 2, "missing: the notebook has no check for it")


def test_untagged_check():
    copied = check_cell(shown(PASSED))
    del copied.metadata["nbgrader"]
    assert mark_in(copied).verdict.startswith("missing")


def test_answered_in_words():
    mark = mark_in(written_cell("Because."), exercise="why", out_of=3)
    assert mark == Mark("why", None, 3, "to be graded by hand", by_hand=True)
    assert mark == written_mark("why", 3)


POINTS = (Point(1, "rows"), Point(2, "the sum"))


def ticked(*worths: int) -> NotebookNode:
    cell = cell_to_tick("why", POINTS)
    for worth in worths:
        cell.source = cell.source.replace(f"[ ] **{worth}", f"[x] **{worth}")
    return cell


@pytest.mark.parametrize(
    ("worths", "points", "count"), [((1,), 1, 1), ((2,), 2, 1), ((1, 2), 3, 2)]
)
def test_ticks_are_ones_own_judgement(worths, points, count):
    mark = mark_in(written_cell("Because."), ticked(*worths), exercise="why", out_of=3)
    said = f"{count} of the 2 points of a good answer"
    assert mark == Mark("why", points, 3, "by your own judgement", (said,), by_hand=True)


def test_no_more_than_it_is_worth():
    assert mark_in(written_cell("So."), ticked(1, 2), exercise="why", out_of=2).points == 2


def test_nothing_ticked_yet():
    mark = mark_in(written_cell("Because."), ticked(), exercise="why", out_of=3)
    assert (mark.points, mark.verdict) == (None, "to be graded by hand")
    assert mark.details == ("tick the points that it makes, in the cell below it",)


def test_ticks_without_an_answer():
    mark = mark_in(written_cell("YOUR ANSWER HERE"), ticked(1, 2), exercise="why", out_of=3)
    assert mark == Mark("why", 0, 3, "not answered", by_hand=True)


def test_ticks_of_another_answer():
    cell = cell_to_tick("other", POINTS)
    cell.source = cell.source.replace("[ ]", "[x]")
    assert mark_in(written_cell("So."), cell, exercise="why", out_of=3).points is None


def test_own_judgement_is_told_apart():
    own = written_mark("why", 4, ticks=Ticks(3, 4, 3))
    marks = [mark_of(PASSED, 2), own, mark_of(UNWRITTEN, 2)]
    assert total(marks) == (2, 4, 0)
    assert summary(marks) == "2 of 4 points, 3 of 4 more by your own judgement"
    assert summary([*marks, written_mark("how", 5)]) == (
        "2 of 4 points, 3 of 4 more by your own judgement, and 5 more to be graded by hand"
    )
    assert "<td>3 / 4</td>" in as_html(marks)


def test_unanswered():
    mark = mark_in(written_cell("YOUR ANSWER HERE"), exercise="why", out_of=3)
    assert mark == Mark("why", 0, 3, "not answered", by_hand=True)
    assert mark == written_mark("why", 3, answered=False)


def test_marks_in_order_of_points():
    cells = [written_cell("Because."), check_cell(shown(PASSED)), check_cell(name="other")]
    points = {"other": 1, "why": 3, "scores": 2, "gone": 4}
    marks = marks_in(new_notebook(cells=cells), points)
    assert {mark.exercise: mark.out_of for mark in marks} == points
    assert [mark.exercise for mark in marks] == list(points)
    assert [mark.points for mark in marks] == [0, None, 2, 0]


@pytest.mark.parametrize(
    ("report", "mark"),
    [
        (PASSED, Mark("scores", 2, 2, "passed")),
        (WRONG, FOUND),
        (UNWRITTEN, Mark("scores", 0, 2, "not implemented yet")),
    ],
)
def test_mark_of_report(report, mark):
    assert mark_of(report, 2) == mark


@pytest.mark.parametrize("report", [PASSED, WRONG, UNWRITTEN])
def test_same_mark_either_way(report):
    assert mark_in(check_cell(shown(report))) == mark_of(report, 2)


MARKS = [
    mark_of(PASSED, 2),
    FOUND,
    Mark("other", 0, 5, "not run"),
    written_mark("why", 3),
    written_mark("how", 7, answered=False),
]


def test_total():
    assert total(MARKS) == (2, 9, 3)
    assert total([]) == (0, 0, 0)


def test_summary():
    assert summary(MARKS) == "2 of 9 points, and 3 more to be graded by hand"
    assert summary(MARKS[:3]) == "2 of 9 points"
    assert summary([Mark("half", 0.5, 2, "passed")]) == "0.5 of 2 points"


def test_table():
    paper = io.StringIO()
    Console(file=paper, width=120).print(as_table(MARKS, "02_words"))
    text = paper.getvalue()
    for words in ("02_words", "2 / 2", "0 / 5", "– / 3", "0 / 7", "not run", summary(MARKS)):
        assert words in text
    for words in ("wrong", "too large", "too long", "Hint: Take the other axis."):
        assert words in text


def test_table_for_notebook():
    html = as_html(MARKS)
    assert html.count("<tr>") == 1 + len(MARKS)
    assert "<td>– / 3</td>" in html
    assert html.count("Hint: ") == 1
    assert "wrong<br>too large<br>too long<br>Hint: Take the other axis.<" in html
    assert summary(MARKS) in html


def test_learner_text_is_escaped():
    attack = "<script>alert(1)</script>"
    html = as_html([Mark(attack, 0, 2, attack, (attack,), attack, attack)])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 4


def test_part_of_the_points():
    partly = replace(WRONG, right_but_for="the dtype")
    half = mark_of(partly, 5)
    assert (half.points, half.verdict) == (2.5, "right but for the dtype")
    assert half == mark_in(check_cell(shown(partly)), out_of=5)
    for nothing in (mark_of(partly, 5, halves=False), mark_of(partly, 2)):
        assert (nothing.points, nothing.verdict) == (0, "wrong")
