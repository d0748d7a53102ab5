"""All lessons: answers that keep what they have returned, by all of their arguments but one.

Such an answer is right wherever that argument is new together with another. Counts and functions in
the place of that argument are left out: no other value is sure to fit those beside it.
"""

import inspect
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.exam.case import are_yes_or_no
from autograder.checks.exam.report import Verdict
from autograder.checks.values.tensors import another_like
from tests.support.course import every_exam, without_hints

pytestmark = pytest.mark.slow

EXAMS = {
    place: without_hints(exam)
    for place, exam in every_exam().items()
    if not isinstance(exam.reference, type)
}


def key_of(value: Any) -> Hashable:
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), str(value.dtype), value.detach().double().numpy().tobytes()
    if isinstance(value, np.ndarray):
        return value.shape, str(value.dtype), value.tobytes()
    if isinstance(value, dict):
        return tuple((name, key_of(one)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(key_of, value))
    return value if isinstance(value, Hashable) else id(value)


def keeping(reference: Callable[..., Any], without: str) -> Callable[..., Any]:
    """The reference, which looks at this argument only where the others are new to it."""
    kept: dict[Hashable, Any] = {}
    signature = inspect.signature(reference)

    def answer(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key = tuple(key_of(value) for name, value in bound.arguments.items() if name != without)
        if key not in kept:
            kept[key] = reference(*args, **kwargs)
        return kept[key]

    answer.__signature__ = signature  # type: ignore[attr-defined]
    return answer


def arguments() -> Iterator[tuple[str, str]]:
    """All that are an array, a tensor, or True or False in some hidden case, by the exam's place.

    Learners' tests say yes or no: what they keep, other functions under the same name show.
    """
    for place, exam in EXAMS.items():
        cases = exam.hidden_cases(2026)
        if len(inspect.signature(exam.reference).parameters) < 2 or are_yes_or_no(cases):
            continue
        for name in cases[0].arguments if exam.use is None else ():
            if any(another_like(case.arguments.get(name)) is not None for case in cases):
                yield place, name


@pytest.mark.parametrize(("place", "name"), [*arguments()])
def test_no_argument_may_be_left_out_of_what_is_kept_for(place: str, name: str) -> None:
    exam = EXAMS[place]
    assert exam.examine(keeping(exam.reference, name), 2026).verdict is not Verdict.PASSED
