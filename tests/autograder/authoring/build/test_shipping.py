"""What is there is current where a processor's digits are all that differs."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.authoring.build.shipping import Entry, entries_in, entry, is_current, text_of
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.judge import judge
from autograder.checks.examples import as_printed
from autograder.checks.packed import pack, unpack
from autograder.checks.values.compare import Tolerance
from autograder.errors import ExamError
from tests.support.samples import affine_exam, mixing_exam

ENTRIES = {"mix": entry(mixing_exam()), "Affine": entry(affine_exam())}


def with_outcomes(written: Entry, change: Callable[[list[Any]], None]) -> Entry:
    outcomes = unpack(written["outcomes"])
    change(outcomes)
    return {**written, "outcomes": pack(outcomes)}


def scaled(value: Any, by: float) -> Any:
    if isinstance(value, dict):
        return {key: scaled(one, by) for key, one in value.items()}
    if isinstance(value, list):
        return [scaled(one, by) for one in value]
    return value * by if isinstance(value, float) else value


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize(("by", "same"), [(1 + 1e-6, True), (1 - 1e-6, True), (1 + 1e-4, False)])
def test_digits(name: str, by: float, same: bool) -> None:
    def change(outcomes: list[Any]) -> None:
        outcomes[:] = scaled(outcomes, by)

    assert is_current(with_outcomes(ENTRIES[name], change), ENTRIES[name]) is same


def exam_with_one_off_by(share: float) -> Exam:
    """An exam of the number 1, and a misconception that is off by a share of what is allowed."""

    def one(x: np.ndarray) -> float:
        return 1.0

    exam = Exam(one, tolerance=Tolerance(0.1), dtypes=("float64",))
    exam.example(documented(lambda: np.zeros(1)))

    def too_large(x: np.ndarray) -> float:
        return 1.0 + 0.1 * share

    exam.misconception(documented(too_large))
    return exam


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_what_no_digit_decides_ships(share: float) -> None:
    outcomes, _ = unpack(entry(exam_with_one_off_by(share))["outcomes"])
    assert ("too_large" in outcomes["lookalikes"]) is (share > 1)


@pytest.mark.parametrize("share", [0.85, 0.97, 1.03, 1.15])
def test_example_on_which_a_digit_decides_is_refused(share: float) -> None:
    with pytest.raises(ExamError, match=r"^\S+:\d+: the misconception too_large of one is wrong"):
        entry(exam_with_one_off_by(share))


def documented(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__doc__ = "a sentence"
    return function


def exam_on_three_numbers(
    right: Callable[[np.ndarray], np.ndarray], wrong: Callable[[np.ndarray], np.ndarray]
) -> Exam:
    exam = Exam(right)
    exam.example(documented(lambda: np.array([0.1, 0.7, 1.3])))
    exam.misconception(wrong)
    return exam


def lookalike_gone(outcomes: list[Any]) -> None:
    outcomes[0]["lookalikes"].popitem()


def case_gone(outcomes: list[Any]) -> None:
    outcomes.pop()


def raised_instead(outcomes: list[Any]) -> None:
    outcomes[0]["expected"] = {"raised": ["ValueError", "no"]}


def through_single(outcomes: list[Any]) -> None:
    outcomes[0]["single"] = [next(iter(outcomes[0]["lookalikes"]))]


@pytest.mark.parametrize("change", [lookalike_gone, case_gone, raised_instead, through_single])
def test_all_else_is_compared_exactly(change: Callable[[list[Any]], None]) -> None:
    written = ENTRIES["mix"]
    assert not is_current(with_outcomes(written, change), written)


@pytest.mark.parametrize("key", ENTRIES["mix"])
def test_other_texts_are_not_current(key: str) -> None:
    written = ENTRIES["mix"]
    other: Entry = json.loads(json.dumps(written))
    changed = {**other, key: "damaged" if key == "outcomes" else [other[key]]}
    assert not is_current(changed, written)
    assert is_current(other, written)


def test_a_line_for_each_exercise() -> None:
    text = text_of(ENTRIES, lesson="02", descriptions={"arcs": "Arcs."})
    assert [line[:8] for line in text.splitlines()] == [
        *('{"format', '"descrip', '"exercis', '"mix":{"', '"Affine"', "}}"),
    ]
    assert entries_in(text) == ENTRIES
    assert entries_in("{") == entries_in('{"format":0}') == {}


def test_mistake_in_single_precision_is_named_anyhow() -> None:
    """Its numbers ship with the digits that it has, and are compared as such."""

    def thirds(x: np.ndarray) -> np.ndarray:
        return x / 3

    def in_single(x: np.ndarray) -> np.ndarray:
        """Too little is kept."""
        return (np.float32(1) + (x / 3).astype(np.float32)).astype(x.dtype)

    written = entry(exam_on_three_numbers(thirds, in_single))
    singles = [one.get("single", []) for one in unpack(written["outcomes"])]
    assert singles == [["in_single"], [], []]
    printed = as_printed(written)

    def elsewhere(x: np.ndarray) -> np.ndarray:
        return in_single(x) * (1 + 3e-6)

    assert judge("thirds", elsewhere, printed.cases, printed.hints).misconception == "in_single"


def test_noise_is_not_shipped_and_contradicts_nobody() -> None:
    """In single precision, the steps are lost in rounding, as every processor does it otherwise."""

    def twice(x: np.ndarray) -> np.ndarray:
        return 2 * x

    def by_steps(x: np.ndarray) -> np.ndarray:
        """A step is no derivative."""
        step = x.dtype.type(1e-6)
        return 1e-3 + ((x + step) ** 2 - x**2) / step

    written = entry(exam_on_three_numbers(twice, by_steps))
    double, single, _ = unpack(written["outcomes"])
    assert (double.get("noise"), single["noise"]) == (None, ["by_steps"])
    assert [*double["lookalikes"]] == ["by_steps"]
    assert single["lookalikes"] == {}
    printed = as_printed(written)
    assert [one.shows("by_steps") for one in printed.cases if not one.way] == [True, False]

    def elsewhere(x: np.ndarray) -> np.ndarray:
        return by_steps(x) + (0.01 if x.dtype == np.float32 else 0.0)

    assert judge("twice", elsewhere, printed.cases, printed.hints).misconception == "by_steps"


def test_what_is_noise_on_another_processor_alone_is_current() -> None:
    def to_noise(outcomes: list[Any]) -> None:
        name, _ = outcomes[0]["lookalikes"].popitem()
        outcomes[0]["noise"] = [name]

    written = ENTRIES["mix"]
    noisy = with_outcomes(written, to_noise)
    assert is_current(noisy, written)
    assert not is_current(written, noisy)
