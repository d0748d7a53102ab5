"""Proves of an exercise that its check tells mistakes apart, and makes what ships of it.

Each misconception is tried on the exam: it must be caught, and named by its own name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.authoring.build.shipping import Entry, entry, is_current
from autograder.checks.drivers.memory import memory_limit
from autograder.checks.exam.draw import DEFAULT_SEED
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.errors import ExamError

# What a wrong answer may fill: twice what a submission has in grading.
_MEMORY = 4 << 30


@dataclass(frozen=True)
class Proved:
    """What ships of an exercise, and what was found of its misconceptions; see `Proof`."""

    ships: Entry
    unnamed: Mapping[str, str]
    halves: Mapping[str, str]


@dataclass(frozen=True)
class Caught:
    """A misconception: why the learner's check does not name it, and what it is right but for."""

    name: str
    unnamed: str
    right_but_for: str


def prove(exam: Exam, there: Entry, *, places: bool = True) -> Proved:
    """Try an exam's misconceptions, and make what ships: what is there, where that is current.

    Raises:
        ExamError: when a misconception is not caught or can't be told from another, and when an
            example holds what can't be shipped.
    """
    _refuse_idle_groups(exam)
    with memory_limit(_MEMORY):
        found = list(tried(exam))
    anew = entry(exam, places)
    return Proved(
        there if there and is_current(there, anew) else anew,
        {one.name: one.unnamed for one in found if one.unnamed},
        {one.name: one.right_but_for for one in found if one.right_but_for},
    )


def unnamed_by_the_check(exam: Exam, seed: int = DEFAULT_SEED) -> Iterator[tuple[str, str]]:
    """The misconceptions that the learner's check does not name, and why.

    Raises:
        ExamError: for one that the exam does not catch, or can't tell from another.
    """
    return ((one.name, one.unnamed) for one in tried(exam, seed) if one.unnamed)


def tried(exam: Exam, seed: int = DEFAULT_SEED) -> Iterator[Caught]:
    """Try each misconception.

    Raises:
        ExamError: for one that the exam does not catch, or can't tell from another.
    """
    for name, wrong in exam.misconceptions.items():
        hidden, visible = exam.examine(wrong, seed), exam.preview(wrong)
        if hidden.verdict is Verdict.PASSED:
            raise _error(
                exam,
                name,
                "is never caught: it is right on every case. Add a case on which it is wrong, or "
                "leave it out",
            )
        if hidden.misconception != name:
            raise _error(
                exam,
                name,
                f"can't be told from {hidden.misconception}: add a case on which they differ, or "
                "leave one of them out"
                if hidden.misconception
                else "is caught, but not named: what it does on one case contradicts another",
            )
        unnamed = ""
        if visible.verdict is Verdict.PASSED:
            unnamed = "right on the printed examples"
        elif not visible.misconception:
            raise _error(exam, name, "is not named on the printed examples, on which it is wrong")
        elif visible.misconception != name:
            unnamed = f"gives what {visible.misconception} gives on the printed examples"
        yield Caught(name, unnamed, hidden.right_but_for)


def _refuse_idle_groups(exam: Exam) -> None:
    """Refuse to promise half for a group beside which too few cases are left to be right."""
    groups = [case.group for case in exam.hidden_cases() if not case.printed]
    for group in exam.halves:
        if 2 * groups.count(group) > len(groups):
            path, line = exam.where
            raise ExamError(
                f'{path}:{line}: {exam.name} gives half for what is right but for "{group}", and '
                f"{groups.count(group)} of its {len(groups)} hidden cases are about that: half of "
                "them or more have to be about something else"
            )


def _error(exam: Exam, name: str, what: str) -> ExamError:
    path, line = exam.where
    return ExamError(f"{path}:{line}: the misconception {name} of {exam.name} {what}")
