"""Every answer leaves all as it was for the next call: its results, and PyTorch's settings."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.checks.values.tensors import has_floating
from tests.support.course import every_entry, every_exam
from tests.support.over_there import attributes_of, over_there
from tests.support.sample import sample

pytestmark = pytest.mark.slow

LEFT = "what one call or module leaves to another"
FUNCTIONS = {
    place: exam
    for place, exam in every_exam().items()
    if exam.use is None and inspect.signature(exam.reference).parameters
}
DRIVEN = {
    place: exam
    for place, exam in every_exam().items()
    if exam.use is not None
    and inspect.signature(exam.reference).parameters
    and "calls" not in exam.unasked
}
SETTINGS: dict[str, Callable[[], object]] = {
    "changes PyTorch's default dtype": lambda: torch.set_default_dtype(torch.float64),
    "PyTorch computes no gradients any more": lambda: torch.set_grad_enabled(False),
    "seeds PyTorch's own random numbers": lambda: torch.manual_seed(0),
}


def known_by(value: Any) -> object:
    """What tells an argument from others."""
    if isinstance(value, list | tuple):
        return tuple(map(known_by, value))
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), str(value.tolist()), value.requires_grad
    return id(value) if callable(value) else str(value)


def keeping(exam: Exam) -> Callable[..., Any]:
    """The solution, which returns for equal arguments the very same result."""
    kept: dict[object, Any] = {}

    def keeping(*given: Any) -> Any:
        arguments = known_by(given)
        if arguments not in kept:
            kept[arguments] = exam.reference(*given)
        return kept[arguments]

    return keeping


def setting(exam: Exam, change: Callable[[], object]) -> Callable[..., Any]:
    """The solution, which sets something for all that runs later."""
    if isinstance(exam.reference, type):
        reference: Any = exam.reference

        class Setting(reference):  # type: ignore[misc]
            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(*given, **named)
                change()

        return Setting

    def setting(*given: Any) -> Any:
        found = exam.reference(*given)
        change()
        return found

    return setting


def can_be_written_to(exam: Exam) -> bool:
    """Whether an exercise asks for what is kept by whoever called it."""
    values = [case.expected.value for case in exam.printed if not case.expected.raised]
    return any(isinstance(value, torch.Tensor | list | dict) for value in values)


def has_gradients(exam: Exam) -> bool:
    """Whether an answer that keeps its results keeps their graphs, too."""
    return any(map(has_floating, exam.printed[0].arguments.values()))


KEEPING = [place for place in sorted(FUNCTIONS) if can_be_written_to(FUNCTIONS[place])]


@pytest.mark.parametrize("place", sample(KEEPING, 8))
def test_results_that_are_kept_do_not_do(place: str) -> None:
    report = FUNCTIONS[place].examine(keeping(FUNCTIONS[place]))
    assert report.verdict is not Verdict.PASSED
    if not has_gradients(FUNCTIONS[place]):
        assert "wrong in the next call if its first result is written to" in report.hint
        assert report.right_but_for == LEFT


@pytest.mark.parametrize("said", SETTINGS)
@pytest.mark.parametrize("place", sample(sorted(FUNCTIONS), 4))
def test_settings_that_are_changed_have_their_name(place: str, said: str) -> None:
    before = torch.get_default_dtype(), torch.is_grad_enabled()
    answer = setting(FUNCTIONS[place], SETTINGS[said])
    for report in (FUNCTIONS[place].examine(answer), FUNCTIONS[place].preview(answer)):
        assert said in report.hint
    assert (torch.get_default_dtype(), torch.is_grad_enabled()) == before


@pytest.mark.parametrize("said", [*SETTINGS][1:])
@pytest.mark.parametrize("place", sample(sorted(DRIVEN), 4))
def test_settings_are_looked_at_after_a_driver(place: str, said: str) -> None:
    """Much else may go wrong with them, and is then said instead."""
    if hasattr(DRIVEN[place].reference, "forward") and "seeds" not in said:
        pytest.skip("a driver computes gradients of a module, whatever it sets when it is made")
    before = torch.get_default_dtype(), torch.is_grad_enabled()
    report = DRIVEN[place].examine(setting(DRIVEN[place], SETTINGS[said]))
    assert report.verdict is not Verdict.PASSED
    assert (torch.get_default_dtype(), torch.is_grad_enabled()) == before


@pytest.mark.parametrize("place", sample(sorted(DRIVEN), 8))
def test_they_are_looked_at_in_the_process_of_the_answer(place: str) -> None:
    if hasattr(DRIVEN[place].reference, "forward"):
        pytest.skip("modules are asked by their exams")
    (asked,) = (case for case in DRIVEN[place].hidden_cases() if case.way == "settings")
    right: Any = DRIVEN[place].reference
    change = SETTINGS["seeds PyTorch's own random numbers"]
    answers = {"right": right, "wrong": setting(DRIVEN[place], change)}
    with over_there(answers, attributes_of(DRIVEN[place])) as session:
        at_their_end: Any = session
        assert not [*asked.faults(asked.observe(at_their_end.find("right")))]
        found = asked.observe(at_their_end.find("wrong"))
        assert found.raised
        assert "seeds PyTorch's own random numbers" in found.raised.message


def test_every_function_is_asked() -> None:
    shipped = every_entry()
    asked = {
        place
        for place in FUNCTIONS
        if any(case.get("way") == "again" for case in shipped[place]["cases"])
    }
    assert asked == FUNCTIONS.keys()
    assert len(asked) > 80
