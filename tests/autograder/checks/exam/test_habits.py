"""What is left of an outcome without the habits that hide all else, and what is said of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.checks.exam.case import Case
from autograder.checks.exam.habits import aspects_alone, inverted, without_habits
from autograder.checks.values.compare import Tolerance
from autograder.checks.values.outcome import Outcome, Raised

RIGHT = Outcome(np.array([1.0, 2.0], dtype=np.float32))
ERROR = Outcome(raised=Raised("ValueError", "no"))
BUFFER = "a buffer of shape (2, 2)"


def test_an_outcome_without_habits_stays_itself() -> None:
    for expected, received in (
        (RIGHT, Outcome(np.array([3.0], dtype=np.float32))),
        (RIGHT, ERROR),
        (ERROR, ERROR),
        (Outcome({"output": 1.0}), Outcome({"output": 2.0})),
        (Outcome("a ValueError that names 7"), Outcome("a ValueError that does not name 7")),
        (Outcome("two words"), Outcome("three")),
    ):
        assert without_habits(expected, received) == (received, [])


def test_dtype_and_writing_are_set_aside() -> None:
    outcome, said = without_habits(RIGHT, Outcome(np.array([5.0, 6.0]), changed=("x",)))
    assert outcome is not None
    assert outcome.value.dtype == np.float32
    assert outcome.changed == ()
    assert [sentence.split()[:2] for sentence in said] == [["The", "dtype"], ["And", "your"]]


def test_two_results_are_put_into_their_order() -> None:
    context, weights = np.zeros((2, 3)), np.ones((2, 4))
    expected = Outcome({"output": (np.ones((2, 3)), (weights, 1.0))})
    swapped = Outcome({"output": ((1.0, weights), context)})
    outcome, said = without_habits(expected, swapped)
    assert outcome is not None
    first, second = outcome.value["output"]
    assert first is context
    assert second == (weights, 1.0)
    assert [sentence.split()[:3] for sentence in said] == [["And", "your", "two"]]


def test_what_a_result_holds_is_told_from_the_results() -> None:
    """As of a state of two sums beside an output."""
    output, sums = np.zeros(2), (np.ones((3, 4)), np.ones(4))
    _, said = without_habits(Outcome((output, sums)), Outcome((output, sums[::-1])))
    assert said == [" And two parts of a result stand in the wrong order: exchange them."]


def test_what_nothing_tells_apart_follows_what_other_calls_tell() -> None:
    one, other = np.zeros((2, 2)), np.ones((2, 2))
    assert without_habits(Outcome((one, other)), Outcome((other, one)))[1] == []
    outcome, said = without_habits(Outcome((one, other)), Outcome((other, one)), exchanged=True)
    assert outcome is not None
    assert outcome.value == (one, other)
    assert len(said) == 1


def test_what_could_be_in_either_order_stays() -> None:
    for pair in ((np.zeros((2, 3)), np.ones((2, 3))), (1.0, 2.0), (np.zeros(2), np.ones(5))):
        expected = Outcome((np.ones((2, 3)), np.zeros((2, 3))))
        received = Outcome(pair)
        assert without_habits(expected, received) == (received, [])


def test_only_a_table_of_truths_is_inverted() -> None:
    mask = np.array([[True, False], [True, True]])
    turned = inverted(Outcome(mask), Outcome(mask))
    assert turned is not None
    assert (turned.value == ~mask).all()
    assert inverted(Outcome(mask), ERROR) is ERROR
    assert inverted(Outcome(True), Outcome(False)) is None
    assert inverted(Outcome(mask), Outcome(1.0 * mask)) is None


def test_of_a_call_that_is_not_refused_nothing_is_left() -> None:
    for expected in (ERROR, Outcome("a ValueError, or an assert, that names 7")):
        assert without_habits(expected, RIGHT) == (
            None, [" And in one case or more, an error is asked for, and your code goes on."]
        )  # fmt: skip


def test_a_buffer_that_is_missing_is_set_aside() -> None:
    expected = Outcome({"output": 1.0, BUFFER: True})
    outcome, said = without_habits(expected, Outcome({"output": 2.0, BUFFER: False}))
    assert outcome == Outcome({"output": 2.0, BUFFER: True})
    assert said == [" And a buffer that is asked for is missing."]
    other = Outcome({"output": 2.0})
    assert without_habits(expected, other) == (other, [])


def test_calls_that_are_about_dropout_are_left_out() -> None:
    def outputs(number: int) -> Outcome:
        return Outcome({"different outputs in 24 calls": number, "outputs seen in training": 1.0})

    for wanted, received, words in (
        (8, 1, "in training"),
        (1, 2, "calls with the same inputs differ"),
    ):
        outcome, (said,) = without_habits(outputs(wanted), outputs(received))
        assert outcome is None
        assert words in said
    for wanted, received in ((8, 6), (8, 8), (1, 1)):
        assert without_habits(outputs(wanted), outputs(received)) == (outputs(received), [])


GRADIENT = "gradient for inputs[0]"
COUNTED, IN_TRAINING = "different outputs in 9 calls", "outputs seen in training"
IN_EVALUATION = "outputs seen in evaluation"
MODULE = Outcome({"output": 1.0, GRADIENT: 2.0, BUFFER: True})
DROPPED = Outcome({COUNTED: 4, IN_TRAINING: 1.0})
KEPT = Outcome({COUNTED: 1, IN_EVALUATION: 1.0})


def with_parts(outcome: Outcome, parts: Mapping[str, Any]) -> Outcome:
    return replace(outcome, value={**outcome.value, **parts})


@pytest.mark.parametrize(
    ("expected", "received", "aspects"),
    [
        (RIGHT, Outcome(RIGHT.value.astype(np.float64)), {"dtype"}),
        (RIGHT, Outcome(2 * RIGHT.value.astype(np.float64)), set()),
        (RIGHT, replace(RIGHT, changed=("x",)), {"arguments"}),
        (RIGHT, Outcome(2 * RIGHT.value, changed=("x",)), set()),
        (RIGHT, Outcome(RIGHT.value.astype(np.float64), changed=("x",)), set()),
        (RIGHT, ERROR, set()),
        (RIGHT, Outcome(None), set()),
        (ERROR, RIGHT, {"errors"}),
        (ERROR, Outcome(raised=Raised("IndexError", "")), {"errors"}),
        (Outcome("a ValueError that names 7"), RIGHT, {"errors"}),
        (MODULE, with_parts(MODULE, {GRADIENT: None}), {"gradients"}),
        (MODULE, with_parts(MODULE, {GRADIENT: None, "output": 2.0}), set()),
        (MODULE, with_parts(MODULE, {GRADIENT: None, BUFFER: False}), set()),
        (MODULE, with_parts(MODULE, {BUFFER: False}), {"buffer"}),
        (DROPPED, with_parts(DROPPED, {COUNTED: 1, IN_TRAINING: 3.0}), {"dropout"}),
        (DROPPED, with_parts(DROPPED, {IN_TRAINING: 3.0}), {"dropout"}),
        (KEPT, with_parts(KEPT, {COUNTED: 4, IN_EVALUATION: 3.0}), {"dropout"}),
        # Here several calls are made to see an output without its gradients.
        (KEPT, with_parts(KEPT, {IN_EVALUATION: 3.0}), set()),
        # A driver that was tampered with may count anything.
        (KEPT, with_parts(KEPT, {COUNTED: np.zeros(3), IN_EVALUATION: 3.0}), set()),
    ],
)
def test_what_alone_is_wrong(expected: Outcome, received: Outcome, aspects: set[str]) -> None:
    case = Case("a case", {}, expected, Tolerance(1e-6), {}, use=lambda *_: None)
    parts = [one.part for one in case.faults(received)]
    assert set(aspects_alone(expected, received, parts, case)) == aspects
