"""Marks: what each exercise of a notebook earned, and why not more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from nbformat.notebooknode import NotebookNode
from rich.table import Table

from autograder.checks.card.as_html import report_in
from autograder.checks.card.as_text import HINT
from autograder.checks.card.terminal import as_written
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.own_judgement import Ticks, exercise_of, ticks_in
from autograder.checks.source.cells import UNANSWERED, grade_id_of, has_role, is_exam
from autograder.checks.values.outcome import describe_error
from autograder.learner.showing import table_as_text

BY_HAND = "to be graded by hand"
NO_ANSWER = "not answered"
OWN = "by your own judgement"
_TICK = "tick the points that it makes, in the cell below it"


@dataclass(frozen=True)
class Mark:
    """One exercise's mark. `points` is None where a person has still to decide.

    `by_hand` is true of an answer in words; what it has earned is its author's own judgement.
    """

    exercise: str
    points: float | None
    out_of: int
    verdict: str
    details: tuple[str, ...] = ()
    misconception: str = ""
    hint: str = ""
    by_hand: bool = False


def written_mark(
    exercise: str, out_of: int, *, answered: bool = True, ticks: Ticks | None = None
) -> Mark:
    """The mark of an answer in words: what its author has ticked, or none yet."""
    if not answered:
        return Mark(exercise, 0, out_of, NO_ANSWER, by_hand=True)
    if ticks is None or not ticks.ticked:
        return Mark(exercise, None, out_of, BY_HAND, (_TICK,) if ticks else (), by_hand=True)
    said = f"{ticks.ticked} of the {ticks.listed} points of a good answer"
    return Mark(exercise, min(ticks.worth, out_of), out_of, OWN, (said,), by_hand=True)


def mark_of(report: Report, out_of: int, *, halves: bool = True) -> Mark:
    """The mark that a report earns; `halves` is the course's setting of partial credit."""
    report = report.graded_for(out_of, halves=halves)
    details = report.finding.details if report.finding else ()
    but_for = report.right_but_for
    return Mark(
        report.exercise,
        report.earned(out_of),
        out_of,
        f"right but for {but_for}" if but_for else report.verdict.value,
        details,
        report.misconception,
        report.hint,
    )


def stopped_mark(exercise: str, out_of: int, error: BaseException, answer: Any) -> Mark:
    """The mark of an exercise that was stopped by an error because it ran for too long."""
    line = describe_error(error, answer).line
    details = (f"in your code, {line}",) if line else ()
    return Mark(exercise, 0, out_of, Verdict.TIMEOUT.value, details)


def passed(exercise: str, out_of: int) -> Mark:
    """The mark of an exercise that has passed all its tests."""
    return Mark(exercise, out_of, out_of, Verdict.PASSED.value)


def marks_in(
    notebook: NotebookNode, points: Mapping[str, int], *, halves: bool = True
) -> list[Mark]:
    """The marks of a notebook that was run with the hidden tests in it.

    They are read from the outputs of the cells that ran, so they can be trusted as far as the
    notebook's author can: this is for one's own work.
    """
    cells = {grade_id_of(cell): cell for cell in notebook.cells if grade_id_of(cell)}
    ticks = {exercise_of(cell): ticks_in(cell) for cell in notebook.cells if exercise_of(cell)}
    return [_read(name, out_of, cells, ticks.get(name), halves) for name, out_of in points.items()]


def _read(
    exercise: str,
    out_of: int,
    cells: Mapping[str, NotebookNode],
    ticks: Ticks | None,
    halves: bool,
) -> Mark:
    answer, cell = cells.get(exercise), cells.get(f"{exercise}_check")
    if answer is not None and has_role(answer, "grade"):
        answered = answer.source.strip() not in ("", UNANSWERED)
        return written_mark(exercise, out_of, answered=answered, ticks=ticks)
    if cell is None or cell.cell_type != "code":
        return Mark(exercise, 0, out_of, "missing: the notebook has no check for it")
    errors = [output for output in cell.outputs if output.output_type == "error"]
    reports = [report for one in cell.outputs if (report := report_in(one.get("data", {})))]
    # A check that is not passed ends its cell, so the last one decides.
    if reports and not (errors and reports[-1].verdict is Verdict.PASSED):
        return replace(mark_of(reports[-1], out_of, halves=halves), exercise=exercise)
    if errors:
        return Mark(exercise, 0, out_of, _explain(errors[0].ename, errors[0].evalue))
    # Plain asserts that hold say nothing.
    if not is_exam(cell) and cell.execution_count:
        return passed(exercise, out_of)
    return Mark(exercise, 0, out_of, "not run")


def _explain(kind: str, message: str) -> str:
    if kind in {verdict.ename for verdict in Verdict}:
        return message
    if kind in ("CellTimeoutError", "KeyboardInterrupt"):
        return Verdict.TIMEOUT.value
    if kind == "NameError":
        return f"missing: {message}"
    return f"{kind}: {message}".removesuffix(": ")


def total(marks: Sequence[Mark]) -> tuple[float, int, int]:
    """Points earned, points that could be earned by the tests, points still open by hand."""
    tested = [mark for mark in marks if not mark.by_hand]
    to_read = sum(mark.out_of for mark in marks if mark.points is None)
    return sum(mark.points or 0 for mark in tested), sum(mark.out_of for mark in tested), to_read


def as_table(marks: Sequence[Mark], title: str) -> Table:
    """The marks as a table for a terminal."""
    table = Table(
        title=as_written(title),
        title_justify="left",
        caption=summary(marks),
        caption_justify="left",
    )
    for heading in ("exercise", "points", "what was found"):
        table.add_column(heading, justify="right" if heading == "points" else "left")
    for mark in marks:
        found = as_written("\n".join(_found(mark)))
        table.add_row(as_written(mark.exercise), _points(mark), found)
    return table


def as_html(marks: Sequence[Mark]) -> str:
    """The marks as a table for a notebook; everything from the learner's code is escaped."""
    rows = "".join(
        f"<tr><td style='text-align:left'><code>{escape(mark.exercise)}</code></td>"
        f"<td>{escape(_points(mark))}</td>"
        f"<td style='text-align:left'>{'<br>'.join(map(escape, _found(mark)))}</td></tr>"
        for mark in marks
    )
    head = "<tr><th style='text-align:left'>exercise</th><th>points</th>"
    head += "<th style='text-align:left'>what was found</th></tr>"
    return f"<table>{head}{rows}</table><p>{escape(summary(marks))}</p>"


def bundle(marks: Sequence[Mark]) -> dict[str, str]:
    """The marks in both forms that a notebook may show."""
    return {"text/html": as_html(marks), "text/plain": table_as_text(as_table(marks, ""))}


def summary(marks: Sequence[Mark]) -> str:
    """The total in one line."""
    points, tested, to_read = total(marks)
    line = f"{points:g} of {tested} points"
    own = [mark for mark in marks if mark.verdict == OWN]
    if own:
        judged = sum(mark.points or 0 for mark in own)
        line += f", {judged:g} of {sum(mark.out_of for mark in own)} more {OWN}"
    return f"{line}, and {to_read} more to be graded by hand" if to_read else line


def _points(mark: Mark) -> str:
    earned = "–" if mark.points is None else f"{mark.points:g}"
    return f"{earned} / {mark.out_of}"


def _found(mark: Mark) -> list[str]:
    return [mark.verdict, *mark.details, *([f"{HINT} {mark.hint}"] if mark.hint else [])]
