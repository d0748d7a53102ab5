"""Tests that learners write have to look everywhere: what is blind in one way is found out."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.exam.case import Case, are_yes_or_no, is_mistaken
from autograder.checks.exam.draw import Draw
from autograder.checks.exam.exam import Exam
from solutions.exams.families import Comparison
from solutions.exams.spoiled import spoiled
from tests.support.course import every_exam
from tests.support.sample import sample

Pair = tuple[Any, Any]
SEED = 7
# Of results that are compared.
AXES = range(3)
# What these are tried with has neither places nor sizes.
WITHOUT_PLACES = {"00b_tensors_and_modules/is_mode_kept"}
# Where a part of an axis tells as much as all of it, and why.
AS_GOOD = {
    ("04_causal_attention/is_causal", 1): "every beginning of a sentence is compared, so "
    "each word is the last of one of them, and what changes first is the only one that does",
}

# As their signatures say: each process would draw the cases of all exams for half of its time.
ALL_TESTS = {
    place: exam
    for place, exam in every_exam().items()
    if signature(exam.reference).return_annotation is bool
}


@pytest.mark.parametrize("turn", range(6))
@pytest.mark.parametrize("size", [0.0, 1e-6])
def test_what_is_spoiled_is_no_rounding(turn: int, size: float) -> None:
    """A number next to 0 with the other sign, or one that is like its neighbour, was passed."""
    right = size * torch.arange(6, dtype=torch.float64).reshape(2, 3)
    wrong = spoiled(Draw((SEED, 0, turn)), 1, 2)(right)
    assert (wrong - right).abs().max() > 0.01
    assert wrong[0].equal(right[0])


def steps_of(exam: Exam) -> type[Comparison] | None:
    """What compares the results in steps, where an exam has that."""
    for module in [*sys.modules.values()]:
        steps = vars(module).get("Compared")
        if isinstance(steps, type) and steps.__module__ == module.__name__:
            has_pairs = "pairs" in vars(steps)
            if has_pairs and any(value is exam for value in vars(module).values()):
                return steps
    return None


COMPARED = {place: steps for place, exam in ALL_TESTS.items() if (steps := steps_of(exam))}
CUT = [place for place in ALL_TESTS if place not in {*COMPARED, *WITHOUT_PLACES}]


def blind(
    steps: type[Comparison],
    of_results: Callable[[Any], Any] = lambda result: result,
    of_pairs: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> Callable[..., bool]:
    """A test that looks at a part of the results alone, or at some of the pairs."""

    def answer(*arguments: Any) -> bool:
        test = steps()
        pairs = of_pairs(test.pairs(*arguments))
        return all(test.alike(of_results(one), of_results(other)) for one, other in pairs)

    return answer


def along(result: Any, axis: int, places: Sequence[int] | slice) -> Any:
    return result[(*(slice(None),) * axis, places)] if result.ndim > axis else result


def first_and_last(result: Any, axis: int) -> Any:
    size = result.shape[axis] if result.ndim > axis else 0
    return along(result, axis, sorted({*range(size)} & {0, 1, size - 2, size - 1}))


def in_order(result: Any, axis: int) -> Any:
    if result.ndim <= axis:
        return result
    return np.sort(result, axis) if isinstance(result, np.ndarray) else result.sort(axis).values


@cache
def cases_of(place: str) -> list[Case]:
    return ALL_TESTS[place].hidden_cases(SEED)


@cache
def shapes(place: str) -> list[list[tuple[int, ...]]]:
    """The shapes of the results that are compared, of each case."""
    found = [COMPARED[place]().pairs(*case.arguments.values()) for case in cases_of(place)]
    with torch.no_grad():
        return [[one.shape for one, _ in pairs] for pairs in found]


def sizes(place: str, axis: int) -> list[int]:
    """The sizes of all results along an axis, the largest first."""
    every = {shape for some in shapes(place) for shape in some}
    return sorted({shape[axis] for shape in every if len(shape) > axis}, reverse=True)


def refused(place: str, answer: Callable[..., object]) -> bool:
    """Whether an answer is wrong in some case; which mistake it looks like takes longer to tell."""
    # Those that are not printed come last, and are what it is most often wrong in.
    return any(is_mistaken(case.observe(answer), case) for case in reversed(cases_of(place)))


def test_each_exam_of_a_test_is_tried() -> None:
    assert {*COMPARED, *CUT, *WITHOUT_PLACES} == {*ALL_TESTS}


@pytest.mark.parametrize("place", sample([*every_exam()], 12))
def test_a_signature_says_whether_it_is_a_test(place: str) -> None:
    exam = every_exam()[place]
    yes_or_no = are_yes_or_no(exam.printed_cases()) and are_yes_or_no(exam.hidden_cases(SEED))
    assert yes_or_no is (place in ALL_TESTS)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("place", sample([*COMPARED], 4))
def test_the_first_sizes_are_not_enough(place: str, axis: int) -> None:
    """In some case all that is wrong lies beyond the sizes of all the others."""
    if not (of := sizes(place, axis)):
        pytest.skip("its results have no such axis")
    smaller = next(size for size in of if size < of[0] - 3)
    assert refused(place, blind(COMPARED[place], lambda one: along(one, axis, slice(smaller))))


@pytest.mark.parametrize("look", [first_and_last, in_order])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("place", sample([*COMPARED], 4))
def test_nor_are_both_ends_or_sorted_entries(
    place: str, axis: int, look: Callable[[Any, int], Any]
) -> None:
    if (place, axis) in AS_GOOD:
        pytest.skip(AS_GOOD[place, axis])
    if not sizes(place, axis):
        pytest.skip("its results have no such axis")
    assert refused(place, blind(COMPARED[place], lambda one: look(one, axis)))


def the_first(pairs: Iterable[Pair]) -> list[Pair]:
    return [*pairs][:8]


def every_other(pairs: Iterable[Pair]) -> list[Pair]:
    return [*pairs][::2]


def at_both_ends_and_in_the_middle(pairs: Iterable[Pair]) -> list[Pair]:
    every = [*pairs]
    middle = len(every) // 2
    return [*every[:3], *every[middle : middle + 1], *every[-2:]]


@pytest.mark.parametrize("few", [the_first, every_other, at_both_ends_and_in_the_middle])
@pytest.mark.parametrize("place", sample([*COMPARED], 4))
def test_nor_are_a_few_comparisons(
    place: str, few: Callable[[Iterable[Pair]], Iterable[Pair]]
) -> None:
    steps = COMPARED[place]
    if max(map(len, shapes(place))) <= 2:
        pytest.skip("there is one comparison to make")
    assert refused(place, blind(steps, of_pairs=few))


def lengths(value: Any) -> Iterator[tuple[str, int]]:
    """The length of each sequence in an argument, by its kind."""
    if isinstance(value, str | torch.Tensor):
        yield type(value).__name__, len(value)
    elif isinstance(value, list):
        yield "list", len(value)
        yield from (length for one in value for length in lengths(one))


def shortened(value: Any, kind: str, size: int) -> Any:
    """The same without what is beyond a length in sequences of a kind."""
    if type(value).__name__ == kind:
        return value[:size]
    return [shortened(one, kind, size) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("place", sample(CUT, 2))
def test_the_beginnings_of_texts_are_not_enough(place: str) -> None:
    """In some case all that is wrong is beyond the lengths of all the others, in each argument."""
    exam = ALL_TESTS[place]
    cases, tried = cases_of(place), 0
    for name in cases[0].arguments:
        found = {pair for case in cases for pair in lengths(case.arguments[name])}
        for kind in {kind for kind, _ in found}:
            of = sorted({size for one, size in found if one == kind}, reverse=True)
            smaller = next(size for size in of if size < 0.9 * of[0])

            def answer(
                *given: Any, name: str = name, kind: str = kind, smaller: int = smaller
            ) -> Any:
                arguments = dict(zip(exam.parameters, given, strict=True))
                arguments[name] = shortened(arguments[name], kind, smaller)
                return exam.reference(*arguments.values())

            assert refused(place, answer), f"{name}: {kind} up to {smaller}"
            tried += 1
    assert tried
