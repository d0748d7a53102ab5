"""Nothing that can be had without solving an exercise earns half of its points.

What an answer did on each case is made up here, so that the same is tried of functions and of
classes, whatever drives them: a constant class can't do better than a constant in each part.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from autograder.checks.exam.case import Case
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.judge import judge
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.values.outcome import Outcome, Raised
from autograder.checks.values.tensors import is_tensor
from tests.support.course import COURSE, as_written, lessons_of_exams
from tests.support.sample import sample

pytestmark = pytest.mark.slow

STUB = "stub"
Answer = Callable[[Case], Outcome]
POINTS = {
    name: points
    for lesson in COURSE.lessons()
    for name, points in as_written(lesson).points.items()
}


def earns_half(exam: Exam) -> bool:
    """Whether half of the points of an exercise can be earned at all."""
    report = Report(exam.name, Verdict.WRONG, right_but_for="one thing")
    return report.graded_for(POINTS[exam.name]).earned(POINTS[exam.name]) > 0


# On a worksheet, what is printed is all that there is.
EXAMS = [
    pytest.param(exam, id=exam.name)
    for exam in lessons_of_exams()
    if exam.drawn and earns_half(exam)
]


def report_of(exam: Exam, cases: list[Case], answer: Answer) -> Report:
    """What the judge finds of an answer that does this on each case."""
    played = [replace(case, lookalikes={STUB: partial(answer, case)}) for case in cases]
    return judge(exam.name, lambda *_: None, played, {}, STUB, exam.about)


def filled(value: Any, number: float) -> Any:
    """A value of the same kind and shape with one number everywhere."""
    if is_tensor(value):
        return value.new_full(value.shape, number)
    if isinstance(value, np.ndarray):
        return np.full_like(value, number) if value.dtype.kind in "biuf" else value
    if isinstance(value, dict):
        return {key: filled(one, number) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(filled(one, number) for one in value)
    if isinstance(value, bool | int | float | np.number | np.bool_):
        kind: Any = type(value)
        return kind(number)
    return "" if isinstance(value, str) else value


def inputs_in(value: Any) -> Iterator[Any]:
    """The arrays and tensors among arguments, wherever they stand."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from inputs_in(one)
    elif is_tensor(value) or isinstance(value, np.ndarray):
        yield value


def all_but_the_output(value: Any) -> Any:
    """What a driver found with a constant output, or results of which the first alone is right."""
    if isinstance(value, dict) and "output" in value:
        return {**value, "output": filled(value["output"], 0.0)}
    if isinstance(value, tuple) and len(value) > 1:
        return (value[0], *filled(value[1:], 0.0))
    return filled(value, 0.0)


def answers(cases: list[Case]) -> Iterator[tuple[str, Answer]]:
    """What can be handed in without an idea, by name."""
    first = next(case.expected.value for case in cases if case.printed and not case.expected.raised)

    def constant(number: float) -> Answer:
        # What is refused has no value: a constant gives its own there, too.
        return lambda case: Outcome(
            filled(first if case.expected.raised else case.expected.value, number)
        )

    def as_given(case: Case) -> Outcome:
        found, value = next(inputs_in(case.arguments), None), case.expected.value
        if isinstance(value, dict) and "output" in value:
            return Outcome({**filled(value, 0.0), "output": found})
        return Outcome(found)

    yield from ((f"{number} everywhere", constant(number)) for number in (0.0, 0.5, 1.0))
    yield "a constant output", lambda case: Outcome(all_but_the_output(case.expected.value))
    yield "the first printed result", lambda case: Outcome(first)
    yield "the first input", as_given
    yield "nothing", lambda case: Outcome(None)
    yield "an error", lambda case: Outcome(raised=Raised("ValueError", "no"))
    yield "nothing written", lambda case: Outcome(raised=Raised("NotImplementedError", ""))


def by_heart(answer: Answer, label: str = "") -> Answer:
    """The same, but right on what is printed, and on the cases of one kind."""
    return lambda case: case.expected if case.printed or case.label == label else answer(case)


def with_some_right(cases: list[Case]) -> Iterator[tuple[str, Answer]]:
    """The same, and with what can be learned by heart."""
    for what, answer in answers(cases):
        yield what, answer
        yield f"{what}, but for what is printed", by_heart(answer)
    zero = dict(answers(cases))["0.0 everywhere"]
    for label in {case.label for case in cases if not case.printed}:
        yield f"{label}, and 0.0 elsewhere", by_heart(zero, label)


@pytest.mark.parametrize("exam", sample(EXAMS, 20))
def test_nothing_is_earned_without_an_idea(exam: Exam) -> None:
    cases = exam.hidden_cases()
    for what, answer in with_some_right(cases):
        report = report_of(exam, cases, answer)
        assert report.verdict is not Verdict.PASSED, what
        assert not report.right_but_for, f"{what} earns half: {report.right_but_for}"


@pytest.mark.parametrize("exam", sample(EXAMS, 3))
def test_no_group_holds_most_of_what_is_tried(exam: Exam) -> None:
    """What is outside of it says enough: it is more than one kind of case, and half of all."""
    halves = exam.halves
    hidden = [case for case in exam.hidden_cases() if not case.printed] if halves else []
    for what in halves:
        outside = [case.label for case in hidden if case.group != what]
        assert len(set(outside)) >= 2, what
        assert 2 * len(outside) >= len(hidden), what
