"""Trials: what an answer is tried on where it is itself a test, of right and wrong functions.

An answer that says yes or no could be learned case by case, by whoever hands in often enough. So
where an instructor grades, the order of the cases hangs on what was handed in, and of those that
are not printed a report only says that one is wrong. How many are right, in quarters, it says of
those that are printed: of all cases, a quarter could be made to hang on one that is not.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from autograder.checks.exam.case import Case
from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.checks.exam.rules import all_that_is_written
from autograder.checks.exam.two_slips import praises

Specimen = Callable[..., object]
D = TypeVar("D")

# What hidden trials are, in words that learners may read.
OTHER_FUNCTIONS = "other functions, right and wrong ones"
_QUARTERS = (
    "It is right in fewer than a quarter of the printed examples.",
    "It is right in fewer than half of the printed examples.",
    "It is right in half of the printed examples, or more.",
    "It is right in three quarters of the printed examples, or more.",
)


def printed_trial(specimen: Specimen, arguments: object, on: str) -> Callable[[], object]:
    """A printed example, called by the specimen's name: learners can look it up."""

    def trial() -> object:
        return _behind(specimen, arguments)

    trial.__doc__ = _label(specimen.__name__, on)
    return trial


def drawn_trial(
    specimen: Specimen, sentence: str, arguments: Callable[[D], object], on: str
) -> Callable[[D], object]:
    """A hidden case, called by what the specimen does: its sentence up to the colon.

    Behind the colon stands what the test has to say of it, for those who read the exam.
    """

    def trial(draw: D) -> object:
        return _behind(specimen, arguments(draw))

    trial.__doc__ = _label(sentence.partition(":")[0].lower(), on)
    return trial


def _behind(specimen: Specimen, arguments: object) -> tuple[object, ...]:
    return (specimen, *(arguments if isinstance(arguments, tuple) else (arguments,)))


def _label(what: str, on: str) -> str:
    return f"{what}, {on}" if on else what


def in_an_order_of_its_own(cases: Sequence[Case], seed: int) -> list[Case]:
    """The cases in an order that only the seed and what was handed in decide."""
    digest = hashlib.sha256(all_that_is_written().encode()).digest()
    order = np.random.default_rng([seed, *digest]).permutation(len(cases))
    return [cases[place] for place in order]


def told_coarsely(
    report: Report, cases: Sequence[Case], of_the_printed: Callable[[], Report]
) -> Report:
    """A report that says of hidden cases that one of them is wrong, and not which.

    An answer can choose in which of them it raises: then the others are what is named, or not. So
    what is named is what the printed ones show, and an exception, which is never right, is told
    before all that is wrong.
    """
    finding = report.finding
    if report.verdict is Verdict.PASSED:
        return report
    if report.verdict is Verdict.EXCEPTION:
        alone = of_the_printed()
        report = replace(report, misconception=alone.misconception, hint=alone.hint)
    if finding is None or finding.case not in {case.label for case in cases}:
        # What is said of all cases tells nothing of one.
        return replace(report, passed=(), kinds=())
    printed = {case.label for case in cases if case.printed}
    share = ""
    if finding.case in printed:
        share = _QUARTERS[4 * len(printed.intersection(report.passed)) // len(printed)]
    else:
        is_stopped = report.verdict is Verdict.EXCEPTION
        told = finding.details if is_stopped else ("it is wrong about at least one of them",)
        finding = Finding(OTHER_FUNCTIONS, "", told)
    nearest = "" if report.misconception or praises(report.hint) else share
    return replace(report, passed=(), kinds=(), total=0, finding=finding, nearest=nearest)
