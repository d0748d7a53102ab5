"""Slips of an exam's author that no proof of the misconceptions would notice."""

import re
from collections.abc import Callable

import pytest

from autograder import Draw
from autograder.authoring.build.slips import refuse_slips
from autograder.checks.exam.exam import Exam
from autograder.errors import ExamError


def total(numbers: list[float]) -> float:
    """Add up some numbers."""
    return sum(numbers)


@pytest.fixture
def exam() -> Exam:
    exam = Exam(total)

    @exam.example
    def three() -> list[float]:
        """three numbers"""
        return [1.0, 2.5, 4.0]

    @exam.accepts
    def backwards(numbers: list[float]) -> float:
        """From the last to the first."""
        return sum(reversed(numbers))

    return exam


def test_what_fails_as_a_learner_would_is_no_slip(exam: Exam) -> None:
    @exam.misconception
    def not_a_number(numbers: list[float]) -> float:
        """Take the numbers, not their list."""
        raise TypeError("can only add numbers")

    refuse_slips(exam)


def test_misconception_takes_what_its_exercise_takes(exam: Exam) -> None:
    @exam.misconception
    def one_by_one(first: float, second: float) -> float:
        """Add up all of them."""
        return first + second

    sentence = r"one_by_one of total can't be called with \(numbers\), as its exercise is"
    with pytest.raises(ExamError, match=rf"^{re.escape(__file__)}:\d+: .*{sentence}"):
        refuse_slips(exam)


def test_misconception_uses_no_name_that_is_nowhere(exam: Exam) -> None:
    @exam.misconception
    def mean(numbers: list[float]) -> float:
        """Do not divide."""
        return npp.mean(numbers)  # type: ignore[name-defined,no-any-return]  # noqa: F821

    with pytest.raises(ExamError, match="slip of its own, name 'npp' is not defined"):
        refuse_slips(exam)


def test_what_is_to_be_accepted_passes(exam: Exam) -> None:
    @exam.accepts
    def largest(numbers: list[float]) -> float:
        """Not the sum at all."""
        return max(numbers)

    with pytest.raises(ExamError, match=r"largest is to be accepted .* does not pass: "):
        refuse_slips(exam)


def test_solution_passes(exam: Exam) -> None:
    @exam.case
    def drawn(draw: Draw) -> list[float]:
        """numbers drawn at random"""
        return [*map(float, draw.rng.normal(size=4))]

    @exam.holds
    def never(total: Callable[[list[float]], float], numbers: list[float]) -> bool:
        """the total is below each of the numbers"""
        return total(numbers) < min(numbers)

    with pytest.raises(ExamError, match=r"the solution is to be accepted .* does not pass: "):
        refuse_slips(exam)
