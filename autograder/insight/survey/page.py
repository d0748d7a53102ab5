"""A report as one page that needs nothing beside it: no script, no network."""

import functools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from autograder.checks.card.as_html import as_html
from autograder.checks.exam.report import Verdict
from autograder.counted import counted
from autograder.insight.survey import figures, findings
from autograder.insight.survey.alike import ALL, Alike
from autograder.insight.survey.classwork import Classwork, Result

_TEMPLATES = Path(__file__).parent / "templates"
# A larger map is folded up.
_MANY = 40
_SLOWEST = 5


@dataclass(frozen=True)
class _TableCell:
    """One field of the map of students and exercises."""

    mark: str
    kind: str
    title: str


def page(works: Sequence[Classwork], alike: Mapping[str, Alike]) -> str:
    """The page of one lesson, or of several and how the class has done from one to the next.

    `alike` has by lesson who wrote alike.
    """
    several = len(works) > 1
    return _environment().get_template("report.html.j2").render(
        works=works,
        alike=alike,
        all_lessons=ALL,
        findings=findings,
        figures=figures,
        over_time=_over_time(works) if several else "",
        cell=_cell,
        middle=statistics.median,
        slowest=_slowest,
        many=_MANY,
    )  # fmt: skip


def _over_time(works: Sequence[Classwork]) -> Markup:
    students = sorted({student for work in works for student in work.seconds})
    shares = {
        student: [
            work.points[student] / work.out_of if student in work.points and work.out_of else None
            for work in works
        ]
        for student in students
    }
    return figures.over_time(shares, [work.lesson for work in works])


def _cell(work: Classwork, student: str, exercise: str) -> _TableCell:
    one = work.by_place.get((student, exercise))
    if one is None:
        return _TableCell("", "none", "no such test")
    return _TableCell(_mark(one), _kind(one), f"{one.verdict.value}{_more(one)}")


def _mark(one: Result) -> str:
    if one.verdict is Verdict.PASSED:
        return "✓"
    if one.points:
        return f"{one.points:g}"
    return {
        Verdict.NOT_IMPLEMENTED: "·",
        Verdict.MISSING: "·",
        Verdict.NOT_GRADABLE: "?",
        Verdict.WRONG: "✗",
    }.get(one.verdict, "!")


def _kind(one: Result) -> str:
    if one.verdict is Verdict.PASSED:
        return "full"
    if one.verdict in (Verdict.NOT_IMPLEMENTED, Verdict.MISSING):
        return "none"
    return "some" if one.points or one.verdict is Verdict.NOT_GRADABLE else "lost"


def _more(one: Result) -> str:
    text = one.hint or (f"look at {one.place}" if one.place else one.told)
    return f": {text}" if text and one.verdict is not Verdict.PASSED else ""


def _slowest(work: Classwork) -> list[tuple[str, float]]:
    return sorted(work.seconds.items(), key=lambda one: -one[1])[:_SLOWEST]


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["points"] = lambda number: f"{round(number, 2):g}"
    environment.filters["per_cent"] = lambda share: f"{100 * share:.0f} %"
    environment.filters["names"] = _names
    environment.filters["counted"] = counted
    environment.filters["as_html"] = lambda text: Markup(as_html(text))
    return environment


def _names(students: Sequence[Any]) -> str:
    return ", ".join(map(str, students))
