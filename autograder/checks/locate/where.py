"""A report with the places to look at: searched here or, if a grader asks, where the answer is."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.locate.cases_as_json import written
from autograder.checks.locate.search import FoundPlace, is_telling, search
from autograder.errors import ExamError

_IN_THE_SANDBOX = "autograder.checks.locate.in_sandbox"
_MOST_TEXT = 1 << 20
_MOST_PLACES = 4
_MOST_CLAIMED = 1 << 15
# So many misconceptions are told apart on all examples; each takes a second of a large module.
_MOST_LEFT = 4

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


def with_places(
    report: Report,
    answer: Callable[..., Any],
    cases: Sequence[Case],
    hints: Mapping[str, str] = MappingProxyType({}),
) -> Report:
    """The report, with the places to look at if no hint explains what is wrong.

    Where a misconception is left after one change, its hint stands above the place. Where expected
    numbers are for the learner to find, a place would be one of them.
    """
    wrong = report.verdict in (Verdict.WRONG, Verdict.EXCEPTION)
    if not wrong or report.misconception or not all(case.reveal for case in cases):
        return report
    if report.hint or not hints:
        cases = [replace(case, lookalikes={}) for case in cases]
    run = _there.get()
    found = _asked(run, report, cases) if run else search(answer, cases)
    besides = found[0].besides if found else ()
    if besides:
        # One mistake that nobody knows can look like two that somebody does.
        hint = f"Perhaps two things differ, and one of them is this. {hints[besides[0]]}"
        report = replace(report, hint=hint, nearest="")
    alike = (one.place() for one in found if one.besides == besides)
    return replace(report, places=tuple(alike))


def _asked(run: Run, report: Report, cases: Sequence[Case]) -> list[FoundPlace]:
    """What the student's process claims to have found; nothing where it claims what can't be.

    What all misconceptions do takes minutes to find out, but on one example, and mostly the judge
    has. On the others it is found out of those that may be left after a change, and these are
    searched for again.
    """
    failed = [case for case in cases if case.label not in report.passed and not case.way]
    first = next((case for case in failed if is_telling(case.expected.value)), None)
    told = [case if case is first else replace(case, lookalikes={}) for case in cases]
    found = _claimed(run, report.exercise, told)
    if names := [*dict.fromkeys(name for one in found for name in one.besides)][:_MOST_LEFT]:
        found = _claimed(run, report.exercise, [_with(names, case) for case in cases])
    return found


def _with(names: Collection[str], case: Case) -> Case:
    """The case, of which no other misconceptions are told."""
    lookalikes = {name: run for name, run in case.lookalikes.items() if name in names}
    return replace(case, lookalikes=lookalikes)


def _claimed(run: Run, exercise: str, cases: Sequence[Case]) -> list[FoundPlace]:
    try:
        text = json.dumps(written(cases))
    except ExamError:
        # An example that can't be written down can't be tried there.
        return []
    if len(text) > _MOST_TEXT:
        return []
    module = f"__import__({_IN_THE_SANDBOX!r}, fromlist=['tell'])"
    outputs = run(f"{module}.tell({exercise!r}, {text!r})")
    known = {name for case in cases for name in case.lookalikes}
    try:
        (output,) = outputs
        if len(claim := output["text"]) > _MOST_CLAIMED:
            raise ValueError("no search tells as much")
        found = [_found(**one) for one in json.loads(claim)[:_MOST_PLACES]]
        for one in found:
            one.place()
            if not known.issuperset(one.besides):
                raise ValueError("no misconception is called so")
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):
        return []
    return found


def _found(
    line: object, text: object, family: object, quoted: object, besides: object
) -> FoundPlace:
    match line, text, family, quoted, besides:
        case int(), str(), int(), str(), list() if bool not in (type(line), type(family)) and all(
            type(name) is str for name in besides
        ):
            return FoundPlace(line, text, family, quoted, tuple(besides))
    raise TypeError("no place is like this")
