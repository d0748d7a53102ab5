"""Sizes that one could take for one another: some example and some hidden case tell them apart.

The scores are divided by the root of one size. If another size equals it wherever that matters, an
answer that takes the other one is accepted, or called by the name of a third.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import pytest

from autograder.checks.exam.case import Case
from autograder.checks.exam.exam import Exam
from solutions.exams.families.attention import Unscaled
from tests.support.course import every_exam
from tests.support.sample import sample

# No answer mistakes it for a width: it says only how long a text may be.
_NO_WIDTH = "context_length"


def _unscaled(exam: Exam) -> str:
    """What the exam calls an answer that does not scale its scores, if it knows one."""
    wrong = exam.misconceptions.items()
    return next((name for name, one in wrong if vars(one).get("declared_by") is Unscaled), "")


EXAMS = [exam for exam in every_exam().values() if _unscaled(exam)]


def _sizes_of(name: str, value: Any) -> Iterator[tuple[str, int]]:
    """The sizes in an argument, by name: whole numbers, and the last two axes of tensors."""
    if type(value) is int:
        yield name, value
    elif isinstance(value, Mapping):
        numbers = {key: one for key, one in value.items() if type(one) is int}
        yield from numbers.items()
        width, heads = numbers.get("d_out", numbers.get("d_model")), numbers.get("num_heads", 1)
        if width and width % heads == 0:
            yield "head_dim", width // heads
    elif isinstance(value, tuple | list):
        for number, one in enumerate(value):
            yield from _sizes_of(f"{name}[{number}]", one)
    elif len(getattr(value, "shape", ())) > 1:
        yield f"the length of {name}", value.shape[-2]
        yield f"the width of {name}", value.shape[-1]


def _sizes(case: Case) -> dict[str, int]:
    arguments = case.arguments.items()
    found = dict(size for name, value in arguments for size in _sizes_of(name, value))
    return {name: size for name, size in found.items() if name != _NO_WIDTH}


@pytest.mark.parametrize("exam", sample(EXAMS, 3), ids=lambda exam: exam.name)
def test_no_two_sizes_hide_one_another(exam: Exam) -> None:
    """Two sizes that differ in some case do so in a printed example and in a hidden case."""
    name = _unscaled(exam)
    cases = [case for case in exam.hidden_cases() if name in case.lookalikes and case.shows(name)]
    printed = [_sizes(case) for case in cases if case.printed]
    drawn = [_sizes(case) for case in cases if not case.printed]
    everywhere = set.intersection(*(set(sizes) for sizes in (*printed, *drawn)))
    for one, other in combinations(sorted(everywhere), 2):
        apart = [any(sizes[one] != sizes[other] for sizes in some) for some in (printed, drawn)]
        assert apart[0] == apart[1], f"{one} and {other} are always equal in some of the cases"


def test_no_axis_of_a_result_is_called_as_another() -> None:
    """A card that counts by axis must tell the axis of the queries from that of the keys."""
    alike = [
        place
        for place, exam in every_exam().items()
        for shapes in exam.axes.values()
        for shape in shapes
        if len({*map(str, shape)}) < len(shape)
    ]
    # Its rows and columns are both features, and neither has a name of its own.
    assert alike == ["06_positional_encoding/shift_matrix"]
