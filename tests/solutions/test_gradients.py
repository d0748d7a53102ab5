"""A function that a model could be trained through is asked for its gradients, in every lesson."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.checks import examples
from autograder.checks.drivers.back_propagation import (
    come_back,
    is_floating,
    what_is_cut_off,
    with_gradients,
)
from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.checks.in_time import judge_in_time
from tests.support.course import COURSE, every_entry, every_exam, without_hints
from tests.support.sample import sample

pytestmark = pytest.mark.slow

EXAMS = every_exam()
# By what ships of them, which is current: to draw the examples of all exams would take seconds.
SHIPPED = every_entry()
ASKED = [
    place
    for place in EXAMS
    if any(case.get("way") == "gradients" for case in SHIPPED[place]["cases"])
]


def without_a_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*given: Any) -> Any:
        with torch.no_grad():
            return function(*given)

    return answer


def stops_at_a_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*given: Any) -> Any:
        for one in given:
            if isinstance(one, torch.Tensor):
                one.numpy()
        return function(*given)

    return answer


def test_most_functions_of_tensors_are_asked():
    assert len(ASKED) >= 33


@pytest.mark.parametrize("place", [place for place in EXAMS if EXAMS[place].unasked])
def test_a_reason_is_given_only_where_there_is_something_to_ask(place: str, monkeypatch):
    exam = EXAMS[place]
    reasons = {*exam.unasked}
    monkeypatch.setattr(exam, "unasked", {})
    cases = exam.hidden_cases()
    asked = {WAYS[case.way].about for case in cases if case.way}
    asked |= {"single" for case in cases if case.group == "single"}
    assert asked >= reasons


def test_who_is_not_asked_has_a_reason_or_no_gradient():
    """Of all functions of tensors: what is cut off is accepted nowhere else."""
    accepted = [
        place
        for place in EXAMS
        if place not in ASKED
        and "gradients" not in EXAMS[place].unasked
        and could_be_cut_off(EXAMS[place])
        and without_hints(EXAMS[place]).examine(without_a_graph(EXAMS[place].reference)).verdict
        is Verdict.PASSED
    ]
    # It uses a model that is trained already, and its exam refuses outputs with a graph.
    assert accepted == ["00b_tensors_and_modules/predict"]


def could_be_cut_off(exam: Exam) -> bool:
    given = [case.arguments for case in exam.printed_cases() if not case.expected.raised]
    takes_tensors = any(is_floating(value) for one in given for value in one.values())
    if isinstance(exam.reference, type) or not takes_tensors:
        return False
    # What a driver makes of a function may depend on models that it makes itself.
    found = (with_gradients(tuple(one), exam.reference, *one.values()) for one in given)
    return exam.use is not None or any(map(come_back, found))


@pytest.mark.parametrize("place", sample(ASKED, 6))
def test_a_gradient_that_is_cut_off_has_its_name(place: str):
    exam = EXAMS[place]
    for examine in (exam.preview, exam.examine):
        report = examine(without_a_graph(exam.reference))
        assert report.verdict is Verdict.WRONG
        assert "no gradient comes back through it" in report.hint


@pytest.mark.parametrize("place", sample(ASKED, 12))
def test_gradients_are_asked_whatever_the_number_of_axes(place: str) -> None:
    exam = EXAMS[place]
    cases = [case for case in exam.hidden_cases() if case.way == "gradients"]
    given = [next(iter(case.arguments.values())) for case in cases]
    for axes in {one.ndim for one in given if isinstance(one, torch.Tensor)}:

        def answer(first: Any, *others: Any, axes: int = axes) -> Any:
            is_cut = isinstance(first, torch.Tensor) and first.ndim == axes
            function = without_a_graph(exam.reference) if is_cut else exam.reference
            return function(first, *others)

        assert exam.examine(answer).verdict is Verdict.WRONG


@pytest.mark.parametrize("place", ASKED[::7])
def test_it_is_half_of_the_work(place: str):
    exam = EXAMS[place]
    assert exam.examine(without_a_graph(exam.reference)).right_but_for == "the gradients"


# NumPy has no bfloat16, either.
@pytest.mark.parametrize(
    "place", [one for one in ASKED if "16-bit floats" not in EXAMS[one].halves][::7]
)
def test_numpy_on_the_way_has_its_name(place: str):
    report = EXAMS[place].examine(stops_at_a_graph(EXAMS[place].reference))
    assert report.verdict is Verdict.EXCEPTION
    assert "stops at tensors that require gradients" in report.hint


def test_nan_for_a_gradient_is_not_called_cut_off() -> None:
    gradients = torch.tensor([0.5, 1.0])
    found = {"output": gradients, "gradient for x": gradients}
    for received, words in ((gradients * torch.nan, "NaN comes back"), (-gradients, "cut off")):
        assert words in what_is_cut_off(found, {**found, "gradient for x": received})


@pytest.mark.parametrize("place", sample(ASKED, 6))
def test_a_mistake_that_nobody_knows_is_judged_by_the_check(place: str):
    lesson, name = place.split("/")
    exam = EXAMS[place]

    def answer(*given: Any) -> Any:
        found = exam.reference(*given)
        return tuple(1.37 * one for one in found) if isinstance(found, tuple) else 1.37 * found

    printed = examples.read(COURSE.release_folder(lesson))[name]
    report = judge_in_time(name, answer, printed)
    assert report.verdict is Verdict.WRONG
    assert "back-propagation" not in report.finding.case
