"""What has to be in the dtype of what it is made of is so in 16 bits, too."""

import re
from collections.abc import Iterator
from functools import wraps
from inspect import signature
from typing import Any

import pytest
import torch

from autograder.checks.exam.exam import Exam
from tests.support.course import every_exam, is_refused, without_hints

_SAYS_SO = re.compile(r"in (the|their|the same) dtype|shape and dtype|same dtype")
# The lines that are given there make a mask in 32 bits, and so do right repairs of them.
_GIVEN = {"04_causal_attention/repaired_causal_attention"}
_SHORT = (torch.float16, torch.bfloat16)


def says_so(exam: Exam) -> bool:
    """Whether a docstring says of a result that it has the dtype of the tensors that are given."""
    # NumPy has no bfloat16, and some of its functions have no float16.
    is_of_tensors = "ndarray" not in str(signature(exam.reference))
    return is_of_tensors and bool(_SAYS_SO.search(" ".join((exam.reference.__doc__ or "").split())))


KEPT = sorted({place for place, exam in every_exam().items() if says_so(exam)} - _GIVEN)


def tensors_in(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(one)


def lengthened(value: Any, given: object) -> Any:
    """What an answer returns, in 32 bits if it was given 16."""
    if not any(one.dtype in _SHORT for one in tensors_in(given)):
        return value
    if isinstance(value, dict):
        return {name: lengthened(one, given) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(lengthened(one, given) for one in value)
    return value.float()


def in_32_bits(exam: Exam) -> Any:
    """The solution, but that what is given in 16 bits comes back in 32."""
    if not isinstance(exam.reference, type):

        @wraps(exam.reference)
        def answer(*given: Any, **named: Any) -> Any:
            return lengthened(exam.reference(*given, **named), given)

        return answer

    class Answer(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *given: Any) -> Any:
            return lengthened(super().forward(*given), given)

    return Answer


@pytest.mark.parametrize("place", KEPT)
def test_sixteen_bits_that_become_32_are_seen(place: str) -> None:
    assert is_refused(every_exam()[place], in_32_bits(every_exam()[place]))


def test_many_say_so() -> None:
    assert len(KEPT) > 20


# A module is moved to a dtype, and its driver asks in more cases than one.
HALVED = [
    place
    for place in KEPT
    if "16-bit floats" in every_exam()[place].halves
    and not isinstance(every_exam()[place].reference, type)
]


@pytest.mark.parametrize("place", HALVED)
def test_what_is_made_in_32_bits_on_the_way_may_cost_half(place: str) -> None:
    exam = without_hints(every_exam()[place])
    assert exam.examine(in_32_bits(exam)).right_but_for == "16-bit floats"
