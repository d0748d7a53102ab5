"""Tests that learners write have to compare number by number: what cancels is found out."""

import sys
from typing import Any

import pytest

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from solutions.exams.families import Comparison
from tests.support.course import every_exam
from tests.support.sample import sample

MOST_AXES = 3
# What sums tell as well as numbers do, and why.
AS_GOOD = {
    ("causal_attention.is_causal.misconceptions", 1): "every beginning of a sentence is summed, "
    "the first word alone among them, so whatever changes first is seen",
}


def compared() -> dict[str, tuple[Exam, type[Comparison]]]:
    """The exams of tests, each with what it is whose results are compared there."""
    assert every_exam()
    found = {}
    for name, module in [*sys.modules.items()]:
        steps = vars(module).get("Compared") if name.startswith("solutions.exams.") else None
        if isinstance(steps, type) and issubclass(steps, Comparison) and steps.__module__ == name:
            (exam,) = (one for one in vars(module).values() if isinstance(one, Exam))
            found[name.removeprefix("solutions.exams.")] = exam, steps
    return found


def sums(results: Any, axis: int) -> Any:
    return results.sum(axis) if results.ndim > axis else results


def summed(place: str, *axes: int) -> tuple[Verdict, bool]:
    """What comes of a test that compares these sums alone, and whether there are any."""
    exam, steps = compared()[place]
    met: list[bool] = []

    class Summed(steps):  # type: ignore[misc, valid-type]
        def alike(self, before: Any, after: Any) -> bool:
            if not hasattr(before, "ndim"):
                pytest.skip("it compares no arrays")
            there = [axis for axis in axes if before.ndim > axis]
            met.append(bool(there))
            return all(super(Summed, self).alike(sums(before, one), sums(after, one))
                       for one in there or [MOST_AXES])  # fmt: skip

    def answer(*arguments: Any) -> bool:
        return bool(Summed().answer(*arguments))

    return exam.examine(answer, 7).verdict, any(met)


@pytest.mark.parametrize("axis", range(MOST_AXES))
@pytest.mark.parametrize("place", sample([*compared()], 3))
def test_sums_are_no_comparison(place: str, axis: int) -> None:
    """A test that compares the sums along one axis overlooks what cancels there."""
    if (place, axis) in AS_GOOD:
        pytest.skip(AS_GOOD[place, axis])
    verdict, has_any = summed(place, axis)
    if not has_any:
        pytest.skip("its results have no such axis")
    assert verdict is Verdict.WRONG


@pytest.mark.parametrize("place", sample([*compared()], 3))
def test_nor_are_those_along_every_axis(place: str) -> None:
    """What is off here, and there the other way round, leaves both rows and columns their sums."""
    if any((place, axis) in AS_GOOD for axis in range(MOST_AXES)):
        pytest.skip("one of them is as good as a comparison")
    verdict, has_any = summed(place, *range(MOST_AXES))
    if not has_any:
        pytest.skip("its results have no axis")
    assert verdict is Verdict.WRONG
