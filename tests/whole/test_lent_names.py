"""What a student's code is told of a function that it is to judge: never its name."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from autograder.checks.exam.draw import Draw
from autograder.checks.exam.exam import Exam
from autograder.student.rpc.lent import refusal
from tests.support.course import every_exam

# What no function in an exam can be called with, and what fails within it.
ODD: tuple[tuple[object, ...], ...] = (
    *((), ("x",), (None, None), (torch.ones(()),), (torch.ones(2, 3, dtype=torch.int64),) * 2),
    *((torch.ones(0, 0, 0),), (torch.ones(1, 2, 3), None), (torch.ones(2),) * 3, (1,) * 9),
)


def lent_by(exam: Exam) -> Iterator[Callable[..., Any]]:
    """The functions among an exam's arguments."""
    drawn = (function(Draw((7, place, 0))) for place, (function, _) in enumerate(exam._cases))
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
                    kind, told = refusal(error, function, args)
                    assert kind == "refused", place
                    assert not any(name in told for name in names), (place, told)


def test_what_went_wrong_is_told() -> None:
    def far_off(scores: Any) -> Any:
        return {}[scores]

    def told(*args: object) -> str:
        try:
            far_off(*args)
        except Exception as error:
            return refusal(error, far_off, args)[1]
        return ""

    assert told("here") == "KeyError: 'here'"
    assert told(1, 2) == "TypeError: it can't be called with 2 arguments"
    assert told([]) == "TypeError: unhashable type: 'list'"
