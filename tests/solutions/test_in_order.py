"""Every class is made rightly of its arguments in order."""

import inspect
from typing import Any

import pytest

from autograder import run_module
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import every_exam, exam_of, is_refused
from tests.support.sample import sample

MODULES = {place: exam for place, exam in every_exam().items() if exam.use is run_module}


def required(exam: Exam) -> list[str]:
    """The arguments of a class that it can't be made without."""
    parameters = inspect.signature(exam.reference).parameters.values()
    return [one.name for one in parameters if one.default is one.empty]


def turned(exam: Exam) -> Any:
    """The solution, which takes its first two arguments in the other order."""

    def made(*given: Any, **named: Any) -> Any:
        return exam.reference(*given[1::-1], *given[2:], **named)

    return made


def by_name_alone(exam: Exam) -> Any:
    """The solution, which takes the last of its arguments by its name alone."""
    *others, last = inspect.signature(exam.reference).parameters

    def made(*given: Any, **named: Any) -> Any:
        if len(given) > len(others):
            raise TypeError(f"`{last}` was given without its name")
        return exam.reference(*given, **named)

    return made


@pytest.mark.parametrize("place", sample(sorted(MODULES), 4))
def test_all_arguments_are_given_in_order(place: str) -> None:
    report = MODULES[place].examine(by_name_alone(MODULES[place]))
    assert report.right_but_for == "the order of its arguments"


@pytest.mark.parametrize("place", sample(sorted(MODULES), 4))
def test_arguments_in_another_order_are_seen(place: str) -> None:
    exam = MODULES[place]
    report = exam.examine(turned(exam))
    assert report.right_but_for == "the order of its arguments"
    assert "when they are given in order" in report.hint


# Each with the place of the first of two arguments.
CLASSES = [
    pytest.param(exam, place, id=f"{exam.name}-{place}")
    for exam in every_exam().values()
    if isinstance(exam.reference, type) and exam.use is not run_module
    for place in range(len(required(exam)) - 1)
]


@pytest.mark.parametrize(("exam", "place"), sample(CLASSES, 6))
def test_other_drivers_see_it_too(exam: Exam, place: int) -> None:
    def made(*given: Any, **named: Any) -> Any:
        turned = [*given]
        turned[place : place + 2] = turned[place : place + 2][::-1]
        return exam.reference(*turned, **named)

    for report in (exam.examine(made), exam.preview(made)):
        assert report.verdict is Verdict.WRONG
        assert report.finding
        assert "made of the same arguments in order" in report.finding.details[0]


@pytest.mark.parametrize("name", ["GPT", "RotaryAttention"])
def test_parts_are_the_last_in_order(name: str) -> None:
    exam = exam_of(name)

    def made(*given: Any, **named: Any) -> Any:
        if len(given) > len(required(exam)):
            raise TypeError
        return exam.reference(*given, **named)

    assert is_refused(exam, made)
