"""What is said of how far an answer is right is true, and nothing is said where nothing is."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from autograder import Exam
from autograder.checks.exam.nearness import Tried, how_far, rounded

NAMES = ("contexts", "weights")


def tried(label: str, is_right: bool, **arguments: object) -> Tried:
    return Tried(label, arguments, is_right)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            [{"weights"}, {"weights[0]"}],
            "Of the results, contexts is right on every case; only weights is not.",
        ),
        ([{"weights"}, {"contexts"}], ""),
        ([{"weights"}, None], ""),
        ([{"weights"}, {""}], ""),
    ],
)
def test_right_results(wrong: list[set[str] | None], said: str) -> None:
    cases = [
        Tried("case", {}, False, None if parts is None else frozenset(parts)) for parts in wrong
    ]
    found = how_far(cases, NAMES)
    assert found.startswith(said)
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (
            np.ones((1, 2)),
            np.ones((3, 2)),
            "right in just those in which axis 0 of `x` has one entry",
        ),
        (np.ones(3), np.ones((3, 2)), "right in just those in which `x` has 1 axis"),
        (
            torch.eye(3),
            torch.ones(2, 3),
            "right in just those in which the last two axes of `x` are of one size",
        ),
        (
            np.ones(3),
            np.ones(3, np.float32),
            "right in just those in which the numbers of `x` are float64",
        ),
        (np.zeros(2, bool), np.ones(2, bool), "right in just those in which `x` has no True in it"),
        ("dot", "general", "right in just those in which `x` is 'dot'"),
        (None, 4, "right in just those in which `x` is None"),
        (np.ones(3), None, "right in just those in which `x` is given"),
        (5, True, "wrong in just those in which `x` is True"),
        ({"bias": False}, {"bias": True}, "right in just those in which `bias` is False"),
    ],
)
def test_right_cases(right: object, wrong: object, said: str) -> None:
    cases = [tried("a", True, x=right), tried("b", False, x=wrong), tried("c", True, x=right)]
    found = how_far(cases, ())
    assert said in found
    # Two cases are too few to say what they have in common.
    assert how_far(cases[:2], ()) == ""


def test_one_case_has_too_much_in_common() -> None:
    """That its argument is a square, say, is chance; in another precision it is the same case."""
    square, other = np.ones((3, 3)), np.ones((2, 3))
    cases = [tried("a", True, x=other), tried("b", False, x=square), tried("c", True, x=other)]
    cases.append(tried("b, in float32", False, x=square.astype(np.float32)))
    assert how_far(cases, ()) == ""
    cases.append(tried("d", False, x=square))
    assert "wrong in just those in which the last two axes of `x`" in how_far(cases, ())


def test_whatever_may_be_the_reason_is_said() -> None:
    """Two things that the same cases have in common; of the same kind one, and of three none."""

    def said(**more: tuple[object, object]) -> str:
        here, there = ({name: one[place] for name, one in more.items()} for place in (0, 1))
        return how_far([tried("a", True, **here), tried("b", False, **there)] * 2 + c(**here), ())

    def c(**here: object) -> list[Tried]:
        return [tried("c", True, **here)]

    heads, text = (1, 2), (np.ones((4, 1)), np.ones((4, 2)))
    assert said(heads=heads, x=text).endswith("`heads` is 1 and axis 1 of `x` has one entry.")
    assert said(x=text, y=text).endswith("in which axis 1 of `x` has one entry.")
    assert said(heads=heads, x=text, causal=(True, False)) == ""


def test_names_are_those_of_the_card() -> None:
    """Of one thing in a tuple the name of the tuple; nothing of what lies within others."""
    one, two = ((np.ones((1, size)),) for size in (1, 2))
    cases = [tried("a", True, x=one), tried("b", False, x=two), tried("c", True, x=one)]
    assert "which axis 1 of `x` has one entry" in how_far(cases, ())
    cases = [replace(case, arguments={"x": [case.arguments["x"]]}) for case in cases]
    assert how_far(cases, ()) == ""


def test_nothing_in_common() -> None:
    cases = [tried("a", True, x=2), tried("b", False, x=2), tried("c", False, x=3)]
    assert how_far(cases, ()) == ""
    assert how_far([tried(label, False, x=1) for label in "abc"], ()) == ""


def test_how_often_a_driver_calls_is_no_setting() -> None:
    """Nothing of an answer is told by what its driver alone was told."""

    def doubled(x: np.ndarray) -> np.ndarray:
        """Twice as much."""
        return 2 * x

    def use(answer: Callable[..., Any], inputs: np.ndarray, calls: int, way: str) -> Any:
        return answer(inputs)

    exam = Exam(doubled, use=use)
    for calls, way in ((1, "a"), (1, "b"), (8, "a"), (8, "b")):

        def one(calls: int = calls, way: str = way) -> tuple[np.ndarray, int, str]:
            return np.full(2, float(calls)), calls, way

        one.__doc__ = f"{way}, {calls} times"
        exam.example(one)
    report = exam.preview(lambda inputs: inputs + inputs.clip(max=1))
    assert len(report.passed) == 4
    assert report.nearest == ""


def test_cases_without_a_result_are_not_spoken_for() -> None:
    """An answer that refuses what is to be refused is right in these, too."""

    def doubled(x: np.ndarray) -> np.ndarray:
        """Twice as much."""
        if not len(x):
            raise ValueError("nothing to double")
        return 2 * x

    exam = Exam(doubled)
    for first, size in ((1, 1), (5, 1), (1, 2), (1, 3), (1, 0)):

        def one(first: int = first, size: int = size) -> np.ndarray:
            return np.arange(first, first + size, dtype=float)

        one.__doc__ = f"{size} numbers from {first}"
        exam.example(one)
    report = exam.preview(lambda x: doubled(x[:1]))
    assert len(report.passed) == 6
    assert report.nearest.startswith("Of the cases tried that have a result, it is right in")


def test_nothing_is_said_of_an_argument_that_some_do_without() -> None:
    """Not that it is missing either: a case that only asks for a module's weights has no inputs."""
    cases = [tried("a", False, bias=np.ones(3)), tried("b", True), tried("c", True)]
    assert how_far(cases, ()) == ""


THIRDS = np.arange(1, 8) / 3


@pytest.mark.parametrize("decimals", range(1, 6))
@pytest.mark.parametrize("made", [np.asarray, torch.tensor, np.float32])
def test_what_is_rounded_is_said(decimals: int, made: Callable[[Any], Any]) -> None:
    places = f"{decimals} decimals" if decimals > 1 else "one decimal"
    found = rounded([(made(THIRDS), made(THIRDS.round(decimals)))])
    assert found == f"What you return is right, but rounded to {places}: return all of the digits."


@pytest.mark.parametrize(
    "received",
    [
        THIRDS.round(),
        THIRDS.round(2) + 0.01,
        np.full(7, 0.3),
        THIRDS.round(3)[:6],
        np.where(THIRDS > 1, THIRDS.round(3), np.inf),
        THIRDS.round(2).astype(int),
        [*THIRDS.round(3)],
        None,
    ],
)
def test_what_is_not_rounded_is_not_said(received: object) -> None:
    assert rounded([(THIRDS, received)]) == ""
    assert rounded([(THIRDS, THIRDS.round(3)), (THIRDS, received)]) == ""


def test_endless_numbers_are_not_rounded() -> None:
    endless = np.where(THIRDS > 1, THIRDS, np.inf)
    assert rounded([(endless, endless.round(2))]) == ""


def test_rounding_is_a_hint() -> None:
    def thirds(x: np.ndarray) -> np.ndarray:
        """A third of each."""
        return x / 3

    exam = Exam(thirds)

    @exam.example
    def several() -> np.ndarray:
        """Seven numbers."""
        return np.arange(1.0, 8)

    report = exam.preview(lambda x: np.round(x / 3, 2))
    assert report.hint.endswith("rounded to 2 decimals: return all of the digits.")
    assert report.misconception == report.nearest == ""
