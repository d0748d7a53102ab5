"""What is left of an outcome without the habits that hide all else, and what is said of them."""

import numpy as np

from autograder.checks.exam.habits import without_habits
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


def test_of_a_call_that_is_not_refused_nothing_is_left() -> None:
    for expected in (ERROR, Outcome("a ValueError, or an assert, that names 7")):
        assert without_habits(expected, RIGHT) == (
            None, [" And where an error is asked for, your code goes on."]
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

    for wanted, received, words in ((8, 1, "in training"), (1, 2, "in eval mode")):
        outcome, (said,) = without_habits(outputs(wanted), outputs(received))
        assert outcome is None
        assert words in said
    for wanted, received in ((8, 6), (8, 8), (1, 1)):
        assert without_habits(outputs(wanted), outputs(received)) == (outputs(received), [])
