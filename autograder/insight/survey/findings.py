"""What a graded class shows: which exercises are hard or tell students apart, and who errs how."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from autograder.checks.exam.report import Verdict
from autograder.insight.survey.classwork import Classwork, Result

# With fewer students, or with all the same points, a correlation says nothing.
_FEWEST = 8
_WELL, _HARDLY = 0.3, 0.1
_NOT_ENDED = (Verdict.TIMEOUT, Verdict.MEMORY, Verdict.KILLED, Verdict.NOT_RUN)
_OURS = (Verdict.NOT_GRADABLE,)
_NOT_TRIED = (Verdict.NOT_IMPLEMENTED, Verdict.MISSING)


@dataclass(frozen=True)
class ExerciseFindings:
    """How a class did in one exercise.

    `mean` is the mean share of its points, from 0 to 1. `separation` is the correlation of what
    students earned here with what they earned in all other exercises; None where it says nothing.
    A `further` one belongs to a part that the core of the course does not need.
    """

    name: str
    out_of: float
    solved: int
    tried: int
    mean: float
    separation: float | None
    further: bool = False

    @property
    def separates(self) -> str:
        """The same in a word."""
        if self.separation is None:
            return "–"
        if self.separation >= _WELL:
            return "well"
        return "hardly" if self.separation < _HARDLY else "somewhat"


@dataclass(frozen=True)
class Mistake:
    """Something that several students have got wrong in the same way: its words, and who."""

    exercise: str
    name: str
    words: str
    students: Sequence[str]


def exercises_of(work: Classwork) -> list[ExerciseFindings]:
    """The exercises of a lesson, in its order."""
    return [_exercise(work, name) for name in work.exercises]


def misconceptions_of(work: Classwork) -> list[Mistake]:
    """The known mistakes in a class, the most frequent first."""
    named = [one for one in work.results if one.misconception]
    return _ranked(named, lambda one: one.misconception, lambda one: one.hint)


def made_twice(mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Those that more than one student made."""
    return [one for one in mistakes if len(one.students) > 1]


def places_of(work: Classwork) -> list[Mistake]:
    """Answers that no hint explains, by the place where one change would make them right."""
    located = [one for one in work.results if one.place and not one.misconception]
    return _ranked(located, lambda one: one.place, lambda one: one.place)


def exceptions_of(work: Classwork) -> list[Mistake]:
    """The exceptions that stopped answers and that nothing else explains, the most frequent
    first.
    """
    stopped = [one for one in _open(work) if one.verdict is Verdict.EXCEPTION]
    return _ranked(stopped, lambda one: one.told, lambda one: one.told)


def unexplained(work: Classwork) -> list[Result]:
    """Wrong results of which neither a mistake nor a place was found."""
    return [one for one in _open(work) if one.verdict is Verdict.WRONG]


def not_ended(work: Classwork) -> list[Result]:
    """Answers that ran for too long, took too much memory or ended their process."""
    return [one for one in work.results if one.verdict in _NOT_ENDED]


def not_gradable(work: Classwork) -> list[Result]:
    """What waits for a human, as the test itself could not be judged."""
    return [one for one in work.results if one.verdict in _OURS]


def to_teach_again(work: Classwork) -> list[ExerciseFindings]:
    """The exercises that fewer than half of those who tried have solved.

    First comes what most of the class would learn from, and never what one student alone tried.
    """
    hard = [one for one in exercises_of(work) if one.tried > 1 and one.solved < one.tried / 2]
    return sorted(hard, key=lambda one: one.solved - one.tried)


def _open(work: Classwork) -> list[Result]:
    return [one for one in work.results if not one.misconception and not one.place]


def _exercise(work: Classwork, name: str) -> ExerciseFindings:
    found = {one.student: one for one in work.results if one.exercise == name}
    shares = [found[student].share if student in found else 0.0 for student in work.students]
    earned = (found[student].points if student in found else 0.0 for student in work.students)
    rest = [work.points[who] - here for who, here in zip(work.students, earned, strict=True)]
    return ExerciseFindings(
        name,
        work.exercises[name],
        sum(one.verdict is Verdict.PASSED for one in found.values()),
        sum(one.verdict not in _NOT_TRIED for one in found.values()),
        statistics.fmean(shares),
        _correlation(shares, rest),
        name in work.further,
    )


def _correlation(ones: Sequence[float], others: Sequence[float]) -> float | None:
    if len(ones) < _FEWEST or len(set(ones)) == 1 or len(set(others)) == 1:
        return None
    return statistics.correlation(ones, others)


def _ranked(
    found: Sequence[Result], kind: Callable[[Result], str], words: Callable[[Result], str]
) -> list[Mistake]:
    def key(one: Result) -> tuple[str, str]:
        return one.exercise, kind(one)

    mistakes = []
    for (exercise, name), group in groupby(sorted(found, key=key), key=key):
        results = list(group)
        students = sorted(one.student for one in results)
        mistakes.append(Mistake(exercise, name, words(results[0]), students))
    return sorted(mistakes, key=lambda one: -len(one.students))
