"""Every module that `run_module` drives is made rightly of its arguments in order."""

import inspect
from typing import Any

import pytest

from autograder import run_module
from autograder.checks.exam.exam import Exam
from tests.support.course import every_exam
from tests.support.sample import sample

MODULES = {place: exam for place, exam in every_exam().items() if exam.use is run_module}


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
