"""Whether an exercise of a retake is as hard as the lesson's: other numbers, of the same kind.

The kind of a number is what it takes to work with it: how many decimals it has, whether it may be
below zero, and how large it is. Besides, the check has to name the mistakes that the lesson's
names, and to give half of the points for what there gets half.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.authoring.build.proving import Caught, tried
from autograder.checks.exam.case import Case
from autograder.checks.exam.exam import Exam
from autograder.checks.values.compare import identical
from autograder.errors import ExamError

# A number with more is one that was computed.
_DECIMALS = 8
# How much larger or smaller the largest number may be.
_FACTOR = 2.0


@dataclass(frozen=True)
class Measured:
    """What is known of an exercise: how many mistakes its check names, and its largest number."""

    exercise: str
    named: int
    largest: float


@dataclass(frozen=True)
class OfTheLesson:
    """A lesson's exercise, to which that of a retake is compared."""

    exam: Exam
    printed: Sequence[Case]
    caught: Mapping[str, Caught] = field(default_factory=dict)

    @classmethod
    def read(cls, exam: Exam) -> "OfTheLesson":
        """Try it.

        Raises:
            ExamError: when it does not tell its own mistakes apart.
        """
        return cls(exam, exam.printed_cases(), {one.name: one for one in tried(exam)})

    @property
    def measured(self) -> Measured:
        """What is known of it."""
        return measured(self.exam, [*self.caught.values()], self.printed)


def measured(exam: Exam, caught: Sequence[Caught], printed: Sequence[Case]) -> Measured:
    """What is known of an exercise whose mistakes have been tried."""
    largest = max(
        (np.abs(one).max(initial=0) for case in printed for one in _numbers(case)), default=0.0
    )
    return Measured(exam.name, sum(not one.unnamed for one in caught), float(largest))


def not_varied(lesson: Exam, retake: Exam) -> bool:
    """Whether a retake has one of the printed examples as the lesson has it."""
    pairs = zip(lesson.printed_cases(), retake.printed_cases(), strict=True)
    return any(identical(_given(before), _given(now)) for before, now in pairs)


def _given(case: Case) -> object:
    """The arguments; of a worksheet, which has none, what comes out."""
    return {**case.arguments} or case.expected.value


def as_hard(lesson: OfTheLesson, retake: Exam) -> Measured | None:
    """What is known of a retake's exercise; None where it is not as hard as the lesson's."""
    printed = retake.printed_cases()
    if not_varied(lesson.exam, retake) or any(map(_of_another_kind, lesson.printed, printed)):
        return None
    try:
        caught = [*tried(retake)]
    except ExamError:
        return None  # its numbers don't tell two mistakes apart
    for one in caught:
        before = lesson.caught.get(one.name)
        if before and one.right_but_for != before.right_but_for:
            return None
        if one.unnamed and not (before and before.unnamed):
            return None
    return measured(retake, caught, printed)


def _of_another_kind(before: Case, now: Case) -> bool:
    pairs = zip(_numbers(before), _numbers(now), strict=True)
    return any(_kind(one) != _kind(other) or not _as_large(one, other) for one, other in pairs)


def _numbers(case: Case) -> Iterator[np.ndarray]:
    """The arrays that go in, or the numbers that come out of a worksheet, line by line."""
    given = [_given(case)]
    while given:
        value = given.pop()
        if isinstance(value, dict):
            given += value.values()
        elif isinstance(value, list | tuple) and not all(isinstance(one, float) for one in value):
            given += value
        elif isinstance(value, list | tuple | float) or hasattr(value, "shape"):
            yield np.asarray(value.detach() if hasattr(value, "detach") else value)


def _kind(numbers: np.ndarray) -> tuple[object, ...]:
    if numbers.dtype.kind != "f":
        return numbers.shape, numbers.dtype
    # In single precision, 0.1 is so written as well.
    noise = 4 * float(np.finfo(numbers.dtype).eps)
    exact = [
        decimals
        for decimals in range(_DECIMALS)
        if np.allclose(numbers, numbers.round(decimals), rtol=noise, atol=noise)
    ]
    return numbers.shape, min(exact, default=_DECIMALS), bool((numbers < 0).any())


def _as_large(one: np.ndarray, other: np.ndarray) -> bool:
    before, now = (np.abs(numbers).max(initial=0) for numbers in (one, other))
    return bool(before / _FACTOR <= now <= before * _FACTOR)
