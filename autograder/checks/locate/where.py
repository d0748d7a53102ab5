"""A report with the places to look at: searched here or, if a grader asks, where the answer is."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.locate.cases_as_json import written
from autograder.checks.locate.search import FoundPlace, search
from autograder.errors import ExamError

_IN_THE_SANDBOX = "autograder.checks.locate.in_sandbox"
_MOST_TEXT = 1 << 20
_MOST_PLACES = 4

# Runs a cell in the student's process, and gives its outputs.
Run = Callable[[str], Sequence[Any]]

_there: ContextVar[Run | None] = ContextVar("there", default=None)


@contextmanager
def searching_in(run: Run) -> Iterator[None]:
    """Have answers searched by cells that `run` runs, where they are."""
    token = _there.set(run)
    try:
        yield
    finally:
        _there.reset(token)


def with_places(report: Report, answer: Callable[..., Any], cases: Sequence[Case]) -> Report:
    """The report, with the places to look at if no hint explains what is wrong.

    Where expected numbers are for the learner to find, a place would be one of them.
    """
    wrong = report.verdict in (Verdict.WRONG, Verdict.EXCEPTION)
    if not wrong or report.misconception or not all(case.reveal for case in cases):
        return report
    run = _there.get()
    found = _asked(run, report.exercise, cases) if run else search(answer, cases)
    return replace(report, places=tuple(one.place() for one in found))


def _asked(run: Run, exercise: str, cases: Sequence[Case]) -> list[FoundPlace]:
    """What the student's process claims to have found; nothing where it claims what can't be."""
    try:
        text = json.dumps(written(cases))
    except ExamError:
        # An example that can't be written down can't be tried there.
        return []
    if len(text) > _MOST_TEXT:
        return []
    module = f"__import__({_IN_THE_SANDBOX!r}, fromlist=['tell'])"
    outputs = run(f"{module}.tell({exercise!r}, {text!r})")
    try:
        (output,) = outputs
        found = [_found(**one) for one in json.loads(output["text"])[:_MOST_PLACES]]
        for one in found:
            one.place()
    except (TypeError, ValueError, KeyError, IndexError):
        return []
    return found


def _found(line: object, text: object, family: object, quoted: object) -> FoundPlace:
    match line, text, family, quoted:
        case int(), str(), int(), str():
            return FoundPlace(line, text, family, quoted)
    raise TypeError("no place is like this")
