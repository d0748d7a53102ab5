"""The check that stands below each exercise in a notebook."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

from autograder.checks import after_a_pass, examples, progress, purpose
from autograder.checks.card.as_html import show
from autograder.checks.described import describe_figures
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.exam.rules import broken, watched
from autograder.checks.examples import Printed, Shipped
from autograder.checks.in_time import CheckInterrupted, instead_of_a_traceback, judge_in_time
from autograder.checks.values.outcome import DRIVEN_BY
from autograder.errors import CheckError

# Lessons import `check` above all that draws.
describe_figures()


class ExerciseNotPassed(Exception):
    """Raised where a check decides something: when nbgrader validates or grades."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.headline)
        self.report = report

    def _render_traceback_(self) -> list[str]:
        return instead_of_a_traceback(self.report, self.report.headline)


def check(answer: Any) -> None:
    """Check an exercise on its printed example and show what was found.

    Args:
        answer: the function or class that the exercise asks for, as defined in this notebook.

    Raises:
        CheckError: when `answer` is not an exercise of this lesson.
        ExerciseNotPassed: only when nbgrader validates the notebook; otherwise the result is
            shown and the notebook runs on.
        CheckInterrupted: when somebody has pressed Stop; what was found until then is shown.
    """
    folder, namespace = Path.cwd(), sys._getframe(1).f_globals
    exercises = examples_for(answer, namespace)
    try:
        exercise, report, keeps_rules = judged(answer, namespace, exercises)
        if keeps_rules and exercise.places:
            report = _with_places(report, answer, exercise)
    except CheckInterrupted as stopped:
        show(stopped.report)
        raise
    if report.verdict is Verdict.PASSED:
        report = replace(report, untried=exercise.untried)
    below = _how_far(folder, exercises, report, answer)
    others = {}
    if below and report.verdict is Verdict.PASSED:
        others = after_a_pass.told(folder, report.exercise, progress.text_of(answer))
    settle(report, below, others)


def _with_places(report: Report, answer: Any, exercise: Printed) -> Report:
    if report.verdict is Verdict.PASSED or report.misconception:
        return report
    # Here, because most checks need no search and all of them wait for what stands above.
    from autograder.checks.locate.where import with_places

    try:
        return with_places(report, answer, exercise.cases, exercise.hints)
    except KeyboardInterrupt:
        raise CheckInterrupted(report) from None


def _how_far(folder: Path, exercises: Iterable[str], report: Report, answer: object) -> str:
    """Keep what was found and say how far the lesson is, in a folder where that is kept."""
    if report.verdict is Verdict.TIMEOUT:
        return ""  # What a slow moment of the machine says of an answer is not kept.
    name, passed = report.exercise, report.verdict is Verdict.PASSED
    if not progress.remember(folder, name, answer, passed=passed, mistake=report.hint):
        return ""
    return progress.in_words(folder, exercises, name, passed=passed)


def examples_for(answer: Any, namespace: Mapping[str, object]) -> Shipped:
    """The printed examples of the notebook that an answer is in.

    Says, once in a notebook, when they are not those beside it.

    Raises:
        CheckError: when there are none.
    """
    names = [name for name, value in namespace.items() if value is answer]
    if callable(answer):
        names.insert(0, getattr(answer, "__name__", type(answer).__name__))
    found = examples.of_notebook(Path.cwd(), names if callable(answer) else [], namespace)
    # No one can keep a file beside a notebook in a browser, nor install another version.
    if found.is_installed and sys.platform != "emscripten":
        course = examples.installed_version()
        say_once(
            f"There is no {examples.FILE} beside this notebook, so its checks are those of lesson "
            f"{found.lesson} in the installed {course}."
        )
        for name in [one for one in names if one in found][:1]:
            if given := _not_taken(answer, found[name]):
                say_once(
                    f"In {course}, {name} takes {', '.join(given)}, and here it does not: unless "
                    "you have changed its parameters, this notebook is of another version."
                )
    return found


def _not_taken(answer: Any, exercise: Printed) -> list[str]:
    """The arguments of a printed example that an answer has no parameters for, as far as is known:
    a driver has arguments of its own.
    """
    (case, *_) = exercise.cases
    try:
        takes = signature(answer).parameters
    except (TypeError, ValueError):
        return []
    return [] if case.use else [name for name in case.arguments if name not in takes]


@cache
def say_once(sentence: str) -> None:
    """Print a sentence, unless this kernel has."""
    print(sentence)


def judged(
    answer: Any, namespace: Mapping[str, object], exercises: Mapping[str, Printed]
) -> tuple[Printed, Report, bool]:
    """What an answer's exercise is, what its printed examples say, and whether it kept its rules.

    Args:
        answer: the function or class.
        namespace: the names of the notebook that it was defined in.
        exercises: those of its lesson.

    Raises:
        CheckError: when `answer` is not an exercise of this lesson.
        CheckInterrupted: when somebody has pressed Stop.
    """
    name = name_of(answer, exercises, namespace)
    exercise = exercises[name]
    rule = broken(name, answer, exercise.forbids)
    with watched(name, exercise.forbids) as seen:
        report = rule or judge_in_time(name, answer, exercise)
        rule = rule or seen()
    return exercise, rule or report, rule is None


def settle(report: Report, below: str = "", others: Mapping[str, str] | None = None) -> None:
    """Show a report, with a line to end with and other right answers; raise when it did not pass
    and somebody's tool waits for the outcome.
    """
    show(report, below, others)
    if report.verdict is not Verdict.PASSED and purpose.VARIABLE in os.environ:
        raise ExerciseNotPassed(report)


def name_of(answer: object, exercises: Iterable[str], namespace: Mapping[str, object]) -> str:
    """The exercise that `answer` belongs to: by the name it is bound to, else by its own name."""
    known = list(exercises)
    # What is in another process has the name that it was asked for by.
    if (name := getattr(answer, "__name__", "")) in known and hasattr(type(answer), DRIVEN_BY):
        return str(name)
    bound = [name for name in known if name in namespace and namespace[name] is answer]
    own = getattr(answer, "__name__", "")
    if own in known and (own in bound or not bound):
        return own
    if bound:
        return bound[0]
    made = type(answer).__name__
    if made in known:
        raise CheckError(
            f"check needs the class itself, not what it makes: write check({made}), without "
            "brackets behind the name"
        )
    if not callable(answer):
        raise CheckError(
            f"check needs the function itself: write its name without brackets or quotes, as in "
            f"check({known[0]})"
        )
    raise CheckError(
        f"{own} is not an exercise of this lesson; call check with one of: {', '.join(known)}"
    )
