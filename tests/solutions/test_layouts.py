"""Every function of tensors is right wherever their numbers lie, and told where it is not."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder import run_module
from autograder.checks.exam.report import Verdict
from companion import (
    try_blocks,
    try_dropout,
    try_features,
    try_learned,
    try_module,
    try_stream,
    try_turn,
)
from tests.support.course import every_entry, every_exam, without_hints
from tests.support.sample import sample

EXAMS = every_exam()
# By what ships of them, which is current: to draw the examples of all exams would take seconds.
ASKED = [
    place
    for place, entry in every_entry().items()
    if any(case.get("way") == "transposed" for case in entry["cases"])
]

MODULES = [
    place
    for place, exam in EXAMS.items()
    if exam.use is run_module and "layout" not in exam.unasked
]


def in_each(one: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """An argument with each of its tensors changed, in lists as well."""
    if isinstance(one, list | tuple):
        return type(one)(in_each(part, change) for part in one)
    return change(one) if isinstance(one, torch.Tensor) else one


def of_what_is_contiguous(function: Callable[..., Any]) -> Callable[..., Any]:
    """An answer that merges the axes of what it is given by `view`."""

    return lambda *given: function(*in_each(given, lambda one: one.view(-1).view(one.shape)))


def in_the_order_of_memory(function: Callable[..., Any]) -> Callable[..., Any]:
    """An answer that reads the numbers as they lie in memory."""

    def read(one: torch.Tensor) -> torch.Tensor:
        strides = torch.empty(one.shape, device="meta").stride()
        return one.as_strided(one.shape, strides) if one.numel() else one

    return lambda *given: function(*in_each(given, read))


def test_most_functions_of_tensors_are_asked():
    assert len(ASKED) >= 40


@pytest.mark.parametrize("place", sample(ASKED, 10))
def test_view_has_its_name(place: str):
    exam = EXAMS[place]
    cases = exam.printed_cases()
    given = [one for case in cases for one in case.arguments.values()]
    if not all(one.is_contiguous() for one in given if isinstance(one, torch.Tensor)):
        pytest.skip("its examples are of transposed tensors already")
    asked = next(case for case in cases if case.way == "transposed").arguments.values()
    tensors = [one for one in asked if isinstance(one, torch.Tensor) and one.ndim > 1]
    if not any(min(one.shape) > 1 for one in tensors):
        pytest.skip("of a single column, view makes a vector wherever it lies")
    report = exam.preview(of_what_is_contiguous(exam.reference))
    assert report.verdict is Verdict.EXCEPTION
    assert "is right for contiguous tensors and stops at others" in report.hint


@pytest.mark.parametrize("place", sample(ASKED, 25))
def test_it_is_half_of_the_work(place: str):
    exam = EXAMS[place]
    given = [one for case in exam.printed_cases() for one in case.arguments.values()]
    if not all(one.is_contiguous() for one in given if isinstance(one, torch.Tensor)):
        pytest.skip("its examples are of transposed tensors already")
    for answer in (of(exam.reference) for of in (of_what_is_contiguous, in_the_order_of_memory)):
        report = exam.examine(answer)
        assert report.right_but_for == "tensors that are not contiguous"
        assert "contiguous tensors and" in report.hint


def is_contiguous(value: Any) -> bool:
    """Whether all tensors in an argument lie in memory in the order of their axes."""
    if isinstance(value, dict | list | tuple):
        return all(map(is_contiguous, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, torch.Tensor) or value.is_contiguous()


def test_only_layouts_are_asked_with_other_layouts() -> None:
    """Elsewhere they would cost whoever needs contiguous tensors the half that is theirs."""
    for place in [*ASKED, *MODULES]:
        exam = EXAMS[place]
        if all(is_contiguous(case.arguments) for case in exam.printed_cases() if not case.way):
            drawn = [case for case in exam.hidden_cases() if not case.way]
            others = [case.label for case in drawn if not is_contiguous(case.arguments)]
            assert others == [], place


@pytest.mark.parametrize("place", sample(MODULES, 5))
def test_so_is_a_module(place: str):
    """One that is right for contiguous inputs alone, as `view` is."""
    exam = without_hints(EXAMS[place])

    class Viewing(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *given: Any) -> Any:
            flat = (one.view(-1).view(one.shape) if torch.is_tensor(one) else one for one in given)
            return super().forward(*flat)

    Viewing.__name__ = exam.name
    report = exam.examine(Viewing)
    assert report.right_but_for == "tensors that are not contiguous"
    assert "is right for contiguous tensors and stops at others" in report.hint


def test_a_reason_leaves_it_out(monkeypatch):
    exam = EXAMS[ASKED[0]]
    monkeypatch.setattr(exam, "unasked", {"layout": "its tensors come from a linear layer alone"})
    ways = {case.way for case in exam.printed_cases()}
    assert "transposed" not in ways


DRIVEN = [
    place
    for place, exam in EXAMS.items()
    if exam.use
    in (try_blocks, try_dropout, try_features, try_learned, try_module, try_stream, try_turn)
]


@pytest.mark.parametrize("of", [of_what_is_contiguous, in_the_order_of_memory])
@pytest.mark.parametrize("place", sample(DRIVEN, 4))
def test_so_is_what_companion_drives(place: str, of: Callable[..., Any]) -> None:
    exam = without_hints(EXAMS[place])
    answer: Any = of(exam.reference)
    if isinstance(exam.reference, type):

        class Answer(exam.reference):  # type: ignore[misc, name-defined]
            def forward(self, inputs: torch.Tensor) -> Any:
                return of(super().forward)(inputs)

        answer = Answer
    refused = {Verdict.EXCEPTION, Verdict.WRONG}
    assert exam.preview(answer).verdict in refused
    assert exam.examine(answer).verdict in refused
