"""What a student's code is told of a function that it is to judge: never its name."""

import inspect
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

# Where there are two functions, or where nothing says what a function's argument is called.
_KINDS = {
    "00_foundations/is_shift_invariant": 2,
    "01_additive_attention/bahdanau_step": 2,
    "01_additive_attention/luong_step": 2,
    "09_transformer/is_lossless": 2,
}

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


def test_each_can_be_called_by_the_same_names() -> None:
    """Or an answer that names its arguments would be right with some of them alone."""
    for place, exam in every_exam().items():
        names = {tuple(inspect.signature(one).parameters) for one in lent_by(exam)}
        assert len(names) <= _KINDS.get(place, 1), (place, names)


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
