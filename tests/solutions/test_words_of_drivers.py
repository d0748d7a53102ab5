"""What a driver says of an answer that refuses is nothing that an answer can say itself."""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograder.checks.card.as_text import lines_of
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import lessons_of_exams
from tests.support.sample import sample


def words(value: object) -> Iterator[str]:
    """All texts in what is expected."""
    if isinstance(value, str):
        yield value
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(parts, list | tuple) or isinstance(value, dict):
        for part in parts:  # type: ignore[attr-defined]
            yield from words(part)


def words_of(exam: Exam) -> list[str]:
    """What is said where the solution refuses: texts that are expected with a driver."""
    cases = [case for case in exam.hidden_cases() if case.use]
    return sorted({one for case in cases for one in words(case.expected.value)})


REFUSING = ("KVCache", "sinusoidal_encoding")
EXAMS = {exam.name: exam for exam in lessons_of_exams()}


def saying(said: list[str], method: Callable[..., Any], refused: list[Exception]) -> Any:
    """A method that says what fits best, of all that its driver says, where it should refuse."""

    @functools.wraps(method)
    def answer(*arguments: Any, **keywords: Any) -> Any:
        try:
            return method(*arguments, **keywords)
        except (ValueError, AssertionError) as error:
            refused.append(error)
            numbers = {str(one) for one in arguments if isinstance(one, int)}
            return max(said, key=lambda one: len(numbers.intersection(one.split())))

    return answer


def answer_that_says(said: list[str], exam: Exam, refused: list[Exception]) -> Any:
    """The solution, which says something in place of each refusal, but in making an object."""
    if not isinstance(exam.reference, type):
        return saying(said, exam.reference, refused)
    own = {
        name: saying(said, one, refused)
        for name, one in vars(exam.reference).items()
        if callable(one) and name != "__init__"
    }
    return type(exam.name, (exam.reference,), own)


@pytest.mark.parametrize("exercise", sample([*EXAMS], 30, always=REFUSING))
def test_no_text_is_taken_for_a_refusal(exercise: str) -> None:
    exam, refused = EXAMS[exercise], list[Exception]()
    if said := words_of(exam):
        report = exam.examine(answer_that_says(said, exam, refused))
        assert not refused or report.verdict is not Verdict.PASSED, lines_of(report)
    assert refused or exercise not in REFUSING


FOREIGN = "not enough values to unpack (expected 3, got 2)"
DRIVEN = [exam.name for exam in EXAMS.values() if exam.use]


@pytest.mark.parametrize("name", sample(DRIVEN, 12, always=REFUSING))
def test_error_where_nothing_is_to_be_refused_is_shown_as_it_is(name: str) -> None:
    """Many of Python's and PyTorch's own are a ValueError, which a driver might take for a refusal.

    No driver of the course does so where the solution refuses nothing.
    """
    calls: list[object] = []

    def stopping(*arguments: Any, **keywords: Any) -> Any:
        calls.append(arguments)
        raise ValueError(FOREIGN)

    exam, answers = EXAMS[name], [stopping]
    if isinstance(exam.reference, type):
        own = {one: stopping for one, value in vars(exam.reference).items() if callable(value)}
        own.pop("__init__", None)
        answers.append(type(exam.name, (exam.reference,), own))
    sound = [
        case
        for case in exam.printed_cases()
        if not case.expected.raised
        and not any("Error" in one for one in words(case.expected.value))
    ]
    for case, answer in itertools.product(sound, answers):
        calls.clear()
        raised = case.observe(answer).raised
        # Of some modules, only what they are made of is looked at.
        assert bool(raised) == bool(calls), case.label
        assert not raised or (raised.kind, raised.message) == ("ValueError", FOREIGN), case.label
