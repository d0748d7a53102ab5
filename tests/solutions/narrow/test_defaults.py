"""All lessons: answers that are right only for what an exam had tried, where a default is another.

A case that passes every argument asks nothing of the defaults. So of each parameter that has one,
some case has to leave it out where another default makes a difference. And of a switch, some case
has to pass the default: what is passed need not be what is no default.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import cache, partial, wraps
from typing import Any, get_args

import pytest
import torch

from autograder.checks.exam.case import Case
from autograder.checks.exam.report import Verdict
from tests.support.course import every_exam, without_hints

pytestmark = pytest.mark.slow

EXAMS = {place: without_hints(exam) for place, exam in every_exam().items()}

# In place of a default: there is none, and a call that leaves the argument out is an error.
NONE_AT_ALL = inspect.Parameter.empty
Default = tuple[str, str, str, object]


def others(parameter: inspect.Parameter) -> list[object]:
    """Other defaults of the same kind."""
    default, kinds = parameter.default, get_args(parameter.annotation)
    if isinstance(default, bool):
        return [not default]
    if isinstance(default, int):
        return [default + 1]
    if isinstance(default, float):
        return [default / 2, default * 2]
    if isinstance(default, torch.dtype):
        return [torch.float64 if default is torch.float32 else torch.float32]
    # A limit that is seldom reached, too: no other default is as easily overlooked.
    sizes = [7, 50] if int in kinds else []
    shares = [0.5, 0.99] if float in kinds else []
    return [*sizes, *shares] or [NONE_AT_ALL]


def methods_of(reference: Callable[..., object]) -> dict[str, Callable[..., Any]]:
    """What is called of an answer, by name; a function itself has none."""
    if not isinstance(reference, type):
        return {"": reference}
    return {
        name: value
        for name, value in vars(reference).items()
        if inspect.isfunction(value) and (name == "__init__" or not name.startswith("_"))
    }


def defaults() -> Iterator[Default]:
    for place, exam in EXAMS.items():
        for method, function in methods_of(exam.reference).items():
            for parameter in inspect.signature(function).parameters.values():
                if parameter.default is not parameter.empty:
                    for other in others(parameter):
                        yield place, method, parameter.name, other


def with_default(function: Callable[..., Any], name: str, default: object) -> Callable[..., Any]:
    """The same function, with another default, or without any."""
    signature = inspect.signature(function)

    @wraps(function)
    def changed(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        if name not in bound.arguments and default is NONE_AT_ALL:
            raise TypeError(f"missing a required argument: {name!r}")
        bound.arguments.setdefault(name, default)
        return function(*bound.args, **bound.kwargs)

    return changed


def answer_with(
    place: str, method: str, changed_by: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Callable[..., object]:
    reference = EXAMS[place].reference
    changed = changed_by(methods_of(reference)[method])
    if not isinstance(reference, type):
        return changed
    return type(reference.__name__, (reference,), {method: changed})


def switches() -> Iterator[tuple[str, str, str]]:
    for place, method, name, other in defaults():
        if isinstance(other, bool):
            yield place, method, name


def switched_if_given(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The same function, which takes whatever is passed for the other value."""
    signature = inspect.signature(function)
    other = not signature.parameters[name].default

    @wraps(function)
    def changed(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        if name in bound.arguments:
            bound.arguments[name] = other
        return function(*bound.args, **bound.kwargs)

    return changed


@cache
def cases_of(place: str) -> list[Case]:
    return EXAMS[place].hidden_cases()


def is_refused(place: str, answer: Callable[..., object]) -> bool:
    """Whether the exam refuses an answer, most often found out from the first case that does."""
    for case in cases_of(place):
        for _ in case.faults(case.observe(answer)):
            return True
    return EXAMS[place].examine(answer).verdict is not Verdict.PASSED


def as_id(value: object) -> str:
    return "required" if value is NONE_AT_ALL else str(value)


@pytest.mark.parametrize(("place", "method", "name", "default"), [*defaults()], ids=as_id)
def test_another_default_is_refused(place: str, method: str, name: str, default: object) -> None:
    changed_by = partial(with_default, name=name, default=default)
    assert is_refused(place, answer_with(place, method, changed_by))


@pytest.mark.parametrize(("place", "method", "name"), [*switches()])
def test_a_switch_is_passed_as_by_default(place: str, method: str, name: str) -> None:
    changed_by = partial(switched_if_given, name=name)
    assert is_refused(place, answer_with(place, method, changed_by))


def test_the_same_default_is_right() -> None:
    """It is not for how they are made that the others are refused."""
    for place, method, name in dict.fromkeys(one[:3] for one in defaults()):
        same = inspect.signature(methods_of(EXAMS[place].reference)[method]).parameters[name]
        answer = answer_with(place, method, partial(with_default, name=name, default=same.default))
        for case in cases_of(place)[:6]:
            assert not [*case.faults(case.observe(answer))], (place, name)
