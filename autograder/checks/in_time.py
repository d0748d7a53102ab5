"""An answer on its printed examples, for as long as it may take; what to say when it is stopped."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

from autograder.checks import purpose
from autograder.checks.card.as_text import broken, lines_of
from autograder.checks.exam.judge import judge
from autograder.checks.exam.observation import what_failed
from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.checks.exam.rules import while_it_runs
from autograder.checks.examples import Printed
from autograder.checks.stopping import VARIABLE, Interrupted, Stopping, TimeIsUp, allowed
from autograder.checks.values.outcome import Outcome, describe_error

SECONDS = 30
_MORE = 10
# By this name the judge knows what the answer did.
_SEEN = "what was seen of the answer"


class StoppedReport(Report):
    """What was found until somebody pressed Stop."""

    @property
    def headline(self) -> str:
        """The result in one line."""
        return f"{self.exercise}: stopped by you"


class CheckInterrupted(Interrupted):
    """It was an answer's check that was stopped."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"the check of {report.exercise} was stopped")
        self.report = report

    def _render_traceback_(self) -> list[str]:
        return instead_of_a_traceback(self.report, *super()._render_traceback_())


def instead_of_a_traceback(report: Report, line: str) -> list[str]:
    """What IPython prints in place of a traceback through our own code.

    The result itself stands above it, but for nbgrader's Validate, which shows this alone.
    """
    validating = os.environ.get(purpose.VARIABLE) == "validate"
    return broken(lines_of(report)) if validating else [line]


def judge_in_time(exercise: str, answer: Any, printed: Printed) -> Report:
    """What the printed examples say of an answer, or that it took too long for them.

    Raises:
        CheckError: when the environment says what is no limit.
        CheckInterrupted: when somebody has pressed Stop.
    """
    seconds = allowed(SECONDS)
    started = monotonic()
    outcomes: list[Outcome] = []
    for case in printed.cases:
        called = monotonic()
        left = max(seconds - (called - started), 0.001) if seconds else None
        try:
            with Stopping(left), while_it_runs():
                outcomes.append(case.observe(answer))
        except (TimeIsUp, KeyboardInterrupt) as error:
            details = _when_and_where(answer, error, monotonic() - called)
            found = what_failed(case, exercise, details)
            before = _judged(exercise, answer, printed, outcomes)
            report = _stopped(before, found, len(printed.cases), error)
            if isinstance(error, KeyboardInterrupt):
                raise CheckInterrupted(report) from None
            return replace(report, nearest=_advice(seconds or 0))
    return _judged(exercise, answer, printed, outcomes)


def _stopped(before: Report, found: Finding, total: int, error: BaseException) -> Report:
    """What is known of an answer that was stopped, of which the cases `before` were judged."""
    passed, kinds = before.passed, before.kinds
    if passed:
        counted = f"{len(passed)} of {total} cases passed before it"
        found = replace(found, details=(*found.details, counted))
    by_hand = isinstance(error, KeyboardInterrupt)
    kind, verdict = (StoppedReport, Verdict.NOT_RUN) if by_hand else (Report, Verdict.TIMEOUT)
    return kind(before.exercise, verdict, passed=passed, kinds=kinds, total=total, finding=found)


def _judged(exercise: str, answer: object, printed: Printed, outcomes: Sequence[Outcome]) -> Report:
    """What is to be said of the first cases, of which the outcomes are known."""
    known = [
        replace(case, lookalikes={**case.lookalikes, _SEEN: partial(outcomes.__getitem__, place)})
        for place, case in enumerate(printed.cases[: len(outcomes)])
    ]
    return judge(exercise, answer, known, printed.hints, known=_SEEN)


def _when_and_where(answer: Any, error: BaseException, seconds: float) -> list[str]:
    what = "had not returned" if isinstance(error, TimeIsUp) else "was stopped"
    line = describe_error(error, answer).line
    when = f"this call {what} after {_rounded(seconds)} s"
    return [when, f"in your code, {line}"] if line else [when]


def _rounded(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def _advice(seconds: float) -> str:
    return (
        "Look for a loop that never ends, or for one that does much more than it has to. "
        f"A check may take {seconds:g} s. If yours only needs more time, run "
        f"`%env {VARIABLE}={_MORE * seconds:g}` in a cell of your own, and then this check again."
    )
