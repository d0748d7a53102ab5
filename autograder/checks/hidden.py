"""The check that takes the visible one's place when an instructor grades, or a learner marks.

A test cell of the source notebook begins, in nbgrader's hidden region, with

    from autograder import hidden_check
    check = hidden_check("solutions.exams.dot_product_self_attention")

so that the line below it, `check(attention_scores)`, is the one that learners know and runs the
whole exam. It only calls what the student wrote and compares what comes back.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from autograder.checks.card.as_html import show
from autograder.checks.check import ExerciseNotPassed, name_of
from autograder.checks.exam.draw import seed_for
from autograder.checks.exam.exam import exams_of
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.locate.where import with_places


def hidden_check(module: str, places: bool = True) -> Callable[[Any], None]:
    """The check that runs the exams declared in `module`, and raises unless they are passed.

    With `places`, an answer that no hint explains is searched for the place to look at, unless its
    exam says otherwise.
    """
    exams = exams_of(importlib.import_module(module))

    def check(answer: Any) -> None:
        name = name_of(answer, exams, sys._getframe(1).f_globals)
        try:
            report = exams[name].examine(answer, seed_for(name))
            if places and exams[name].places:
                report = with_places(report, answer, exams[name].printed, exams[name].hints)
        except KeyboardInterrupt:
            # nbgrader interrupts a cell that takes too long; a traceback would show the tests.
            report = Report(name, Verdict.TIMEOUT)
        show(report)
        if report.verdict is not Verdict.PASSED:
            raise ExerciseNotPassed(report)

    return check
