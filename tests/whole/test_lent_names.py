"""What a student's code is told of a function that it is to judge: never its name."""

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from autograder.checks.exam.draw import Draw
from autograder.checks.exam.exam import Exam
from autograder.student.limits import Limits
from autograder.student.rpc.lent import refusal
from autograder.student.rpc.weight import weight_of
from tests.support.course import every_exam

# What no function in an exam can be called with, and what fails within it.
ODD: tuple[tuple[object, ...], ...] = (
    *((), ("x",), (None, None), (torch.ones(()),), (torch.ones(2, 3, dtype=torch.int64),) * 2),
    *((torch.ones(0, 0, 0),), (torch.ones(1, 2, 3), None), (torch.ones(2),) * 3, (1,) * 9),
)


def lent_by(exam: Exam) -> Iterator[Callable[..., Any]]:
    """The functions among an exam's arguments."""
    drawn = (function(Draw((7, place, 0))) for place, (function, *_) in enumerate(exam._cases))
    for values in (*(example() for example in exam._examples), *drawn):
        yield from filter(callable, values if isinstance(values, tuple) else ())


def test_no_refusal_names_a_function() -> None:
    lent = {place: [*lent_by(exam)] for place, exam in every_exam().items()}
    assert any(lent.values())
    for place, functions in lent.items():
        names = {getattr(one, "__name__", "") for one in functions} - {"", "<lambda>"}
        for function in functions:
            for args in ODD:
                try:
                    function(*args)
                except Exception as error:
                    kind, told = refusal(error, function, args, {})
                    assert kind == "refused", place
                    assert not any(name in told for name in names), (place, told)


def test_what_went_wrong_is_told() -> None:
    def far_off(scores: Any) -> Any:
        return {}[scores]

    def told(*args: object, **named: object) -> str:
        try:
            far_off(*args, **named)
        except Exception as error:
            return refusal(error, far_off, args, named)[1]
        return ""

    assert told("here") == "KeyError: 'here'"
    assert told(1, 2) == "TypeError: it can't be called with 2 arguments"
    assert told(1, far=2) == "TypeError: it can't be called with 1 arguments and far"
    assert told(scores="there") == "KeyError: 'there'"
    assert told([]) == "TypeError: unhashable type: 'list'"


def called_with(exam: Exam) -> Iterator[tuple[object, ...]]:
    """What an answer is called with in each case of an exam, by its driver too."""
    calls = list[tuple[object, ...]]()

    @functools.wraps(exam.reference)
    def answer(*given: Any, **named: Any) -> Any:
        calls.append((*given, *named.values()))
        return exam.reference(*given, **named)

    for case in [*exam.printed_cases(), *exam.hidden_cases()]:
        # Some cases are to end in an exception, which is noted.
        case.observe(answer)
    yield from calls


def functions_in(value: object) -> Iterator[Callable[..., Any]]:
    """Whatever can be called there: a function, what a module does, and those of a list."""
    if isinstance(value, torch.nn.Module):
        yield value.forward
    elif isinstance(value, list | tuple):
        for one in value:
            yield from functions_in(one)
    elif callable(value):
        yield value


def takes_names(function: Callable[..., Any]) -> bool:
    """Whether one of its arguments can be given by name."""
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    return any(one.kind not in by_place for one in inspect.signature(function).parameters.values())


@pytest.mark.parametrize(
    "place",
    sorted(
        place
        for place, exam in every_exam().items()
        if re.search(r"Callable|Module", str(inspect.signature(exam.reference)))
    ),
)
def test_none_takes_its_arguments_by_name(place: str) -> None:
    """What an exercise lends is called as its docstring says, whatever the names are elsewhere."""
    lent = {one for call in called_with(every_exam()[place]) for one in functions_in(call)}
    assert lent
    # A module of the library has names of the library's, and a driver's are a matter of its own.
    ours = {one for one in lent if not one.__module__.startswith(("torch.", "companion.trials."))}
    assert {one for one in ours if takes_names(one)} == set()


def counted(function: Callable[..., Any], weights: list[int]) -> Callable[..., Any]:
    """The function, which notes how much each question about it would weigh."""

    def asked(*args: Any, **kwargs: Any) -> Any:
        weights.append(weight_of((*args, *kwargs.values())))
        return function(*args, **kwargs)

    return asked


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_no_question_of_a_right_answer_is_too_large(seed: int) -> None:
    """A larger one is refused where an answer is graded, and nowhere else."""
    found: dict[str, int] = {}
    for place, exam in every_exam().items():
        weights: list[int] = []
        # A driver asks in its own way; most of these are lent nothing.
        for number, (declared, times, _) in enumerate(exam._cases if not exam.use else ()):
            for turn in range(times):
                values = declared(Draw((seed, number, turn)))
                given = values if isinstance(values, tuple) else (values,)
                if any(map(callable, given)):
                    lent = [counted(one, weights) if callable(one) else one for one in given]
                    exam.reference(*lent)
        found[place] = max(weights, default=0)
    assert sum(map(bool, found.values())) > 10
    assert {place: most for place, most in found.items() if most > Limits().asked_numbers} == {}
