"""A retake that is easier or harder than the lesson is refused."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder import Draw, Exam
from autograder.authoring.retakes.likeness import OfTheLesson, as_hard, not_varied

LESSON = [[0.5, -1.5], [2.5, 3.5]]


def total(values: np.ndarray) -> np.ndarray:
    """The sum of each row."""
    return values.sum(axis=1)


def exam_of(numbers: object, *, half_for_large: bool = False) -> Exam:
    exam = Exam(total, dtypes=("float64",))

    @exam.example
    def printed() -> np.ndarray:
        """two rows"""
        return np.array(numbers)

    @exam.case
    def random_rows(draw: Draw) -> np.ndarray:
        """rows drawn at random"""
        return draw("rows columns")

    @exam.case(times=1)
    def large_rows(draw: Draw) -> np.ndarray:
        """large numbers"""
        return draw("rows columns", scale=100)

    if half_for_large:
        exam.half_but_for("large numbers", large_rows)

    @exam.misconception
    def absolute(values: np.ndarray) -> np.ndarray:
        """These are sums of absolute values."""
        return np.abs(values).sum(axis=1)

    @exam.misconception
    def small_alone(values: np.ndarray) -> np.ndarray:
        """Large numbers are left out."""
        return np.where(np.abs(values) < 10, values, 0).sum(axis=1)

    return exam


@pytest.fixture(scope="module")
def lesson() -> OfTheLesson:
    return OfTheLesson.read(exam_of(LESSON))


def test_other_numbers_of_the_same_kind_will_do(lesson: OfTheLesson) -> None:
    measured = as_hard(lesson, exam_of([[4.5, -0.5], [1.5, 2.5]]))
    assert measured
    assert (measured.exercise, measured.named, measured.largest) == ("total", 1, 4.5)
    assert (lesson.measured.named, lesson.measured.largest) == (1, 3.5)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        (LESSON, "the lesson's own"),
        ([[4.5, -0.5]], "fewer"),
        ([[4.25, -0.5], [1.5, 2.5]], "more decimals"),
        ([[4.0, -1.0], [1.0, 2.0]], "fewer decimals"),
        ([[4.5, 0.5], [1.5, 2.5]], "none below zero"),
        ([[7.5, -0.5], [1.5, 2.5]], "larger"),
        ([[1.5, -0.5], [1.5, 0.5]], "smaller"),
    ],
)
def test_numbers_of_another_kind_will_not(lesson: OfTheLesson, numbers: object, why: str) -> None:
    assert as_hard(lesson, exam_of(numbers)) is None, why


def test_numbers_that_show_a_mistake_no_longer_will_not() -> None:
    before = exam_of([[0.5, 1.5], [2.5, 12.5]])
    assert as_hard(OfTheLesson.read(before), exam_of([[0.5, 2.5], [3.5, 12.5]]))
    assert as_hard(OfTheLesson.read(before), exam_of([[0.5, 2.5], [3.5, 8.5]])) is None


def test_what_earned_half_has_to_earn_half(lesson: OfTheLesson) -> None:
    other = [[4.5, -0.5], [1.5, 2.5]]
    assert as_hard(lesson, exam_of(other, half_for_large=True)) is None
    half = OfTheLesson.read(exam_of(LESSON, half_for_large=True))
    assert as_hard(half, exam_of(other, half_for_large=True))


@pytest.mark.parametrize(
    ("there", "other"),
    [
        (lambda: {"sum": [0.5, 1.5]}, lambda: {"sum": [0.5, 2.5]}),
        (lambda: 1.5, lambda: 2.5),
    ],
)
def test_a_worksheet_varies_in_what_comes_out(
    there: Callable[[], object], other: Callable[[], object]
) -> None:
    lesson, retake = (worksheet(answer) for answer in (there, other))
    assert not not_varied(lesson, retake)
    assert not_varied(lesson, worksheet(there))
    assert as_hard(OfTheLesson.read(lesson), retake)


def worksheet(answer: Callable[[], object]) -> Exam:
    exam = Exam(answer)

    @exam.example
    def on_paper() -> tuple[()]:
        """your numbers"""
        return ()

    return exam
