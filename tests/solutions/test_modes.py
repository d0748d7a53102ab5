"""No module is accepted that is right in one mode alone, and nothing that needs a graph."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from autograder.checks.drivers.run_module import run_module
from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from companion import (
    try_dropout,
    try_learned,
    try_loss,
    try_module,
    try_stream,
    try_turn,
)
from tests.support.course import every_entry, every_exam, without_hints
from tests.support.sample import sample

EXAMS = {place: without_hints(exam) for place, exam in every_exam().items()}
SHIPPED = every_entry()
MODULES = {
    place: exam
    for place, exam in EXAMS.items()
    if isinstance(exam.reference, type) and issubclass(exam.reference, nn.Module)
}
# By what ships of them, which is current: a function that gradients come back through.
FUNCTIONS = [
    place
    for place in EXAMS
    if any(case.get("way") == "gradients" for case in SHIPPED[place]["cases"])
]


def off(value: Any) -> Any:
    """What is returned, and a little more."""
    if isinstance(value, list | tuple):
        return type(value)(map(off, value))
    return value + 0.5 if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def wrong_in(exam: Exam, mode: bool) -> type:
    """The solution, which is off in training, or in evaluation."""

    class InOneMode(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *inputs: Any, **named: Any) -> Any:
            output = super().forward(*inputs, **named)
            return off(output) if self.training is mode else output

    return InOneMode


def with_a_graph_alone(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*given: Any) -> Any:
        found = function(*given)
        return found if torch.is_grad_enabled() else off(found)

    return answer


@pytest.mark.parametrize("mode", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("place", sample(sorted(MODULES), 12))
def test_module_that_is_wrong_in_one_mode_is_refused(place: str, mode: bool) -> None:
    assert MODULES[place].examine(wrong_in(MODULES[place], mode)).verdict is Verdict.WRONG


@pytest.mark.parametrize(
    "place", sample([one for one in sorted(MODULES) if MODULES[one].use is run_module], 8)
)
def test_it_is_told_where_to_look(place: str) -> None:
    exam = MODULES[place]
    report = exam.examine(wrong_in(exam, mode=True))
    if report.right_but_for:
        assert report.right_but_for == "the mode, training or evaluation"
        assert "`self.training`" in report.hint


@pytest.mark.parametrize("place", sample(FUNCTIONS, 16))
def test_function_that_needs_a_graph_is_refused(place: str) -> None:
    exam = EXAMS[place]
    report = exam.examine(with_a_graph_alone(exam.reference))
    assert report.verdict is Verdict.WRONG
    assert report.right_but_for == "calls without gradients"
    assert "`torch.no_grad()`" in report.hint


@pytest.mark.parametrize(
    "place", sample([one for one in sorted(MODULES) if MODULES[one].use is run_module], 8)
)
def test_module_that_needs_a_graph_is_refused(place: str) -> None:
    exam = MODULES[place]

    class WithAGraphAlone(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *inputs: Any) -> Any:
            return with_a_graph_alone(super().forward)(*inputs)

    assert exam.examine(WithAGraphAlone).verdict is Verdict.WRONG


def test_each_way_has_an_aspect_of_its_own_name() -> None:
    assert {WAYS[name].about for name in ("other mode", "no gradients")} == {"mode", "no_grad"}


# Those whose drivers hand over tensors as they are: to all others, ways of the engine's own do.
DRIVEN = [
    place
    for place, exam in EXAMS.items()
    if exam.use
    in (
        try_dropout,
        try_learned,
        try_loss,
        try_module,
        try_stream,
        try_turn,
    )
]


def writing_without_a_graph(exam: Exam) -> Any:
    """The solution, which then writes to what it is given."""

    def written(found: Any, given: Any) -> Any:
        if torch.is_grad_enabled() or not given.numel():
            return found
        kept = found.clone()
        given.neg_()
        return kept

    if not isinstance(exam.reference, type):
        return lambda given, *others: written(exam.reference(given, *others), given)

    class Writing(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, inputs: torch.Tensor) -> Any:
            return written(super().forward(inputs), inputs)

    return Writing


@pytest.mark.parametrize("place", sample(DRIVEN, 4))
def test_nothing_is_written_where_there_is_no_graph(place: str) -> None:
    exam = EXAMS[place]
    answer = writing_without_a_graph(exam)
    assert exam.preview(answer).verdict is Verdict.WRONG
    assert exam.examine(answer).verdict is Verdict.WRONG


@pytest.mark.parametrize("place", sample([one for one in DRIVEN if "dropout" not in one], 4))
def test_driven_answer_that_needs_a_graph_is_refused(place: str) -> None:
    exam = EXAMS[place]
    answer: Any = with_a_graph_alone(exam.reference)
    if isinstance(exam.reference, type):

        class WithAGraphAlone(exam.reference):  # type: ignore[misc, name-defined]
            def forward(self, inputs: torch.Tensor) -> Any:
                return with_a_graph_alone(super().forward)(inputs)

        answer = WithAGraphAlone
    assert exam.examine(answer).verdict is Verdict.WRONG
