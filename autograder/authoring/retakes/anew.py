"""A lesson's exams once more, for a retake: the same exercises and mistakes, other numbers.

The exams' modules are run a second time, with specimens drawn from the retake's number. What comes
of it are objects of its own: the lesson's exams stay as they are.
"""

import hashlib
import importlib
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from autograder.authoring.retakes.varied import Specimens, drawing
from autograder.checks.exam.case import Case
from autograder.checks.exam.exam import Exam, exams_of


def exams_anew(lesson: ModuleType, number: int) -> dict[str, Exam]:
    """The exams of a retake, by the names that the lesson's module has for them.

    Args:
        lesson: the module, or the package, with the lesson's exams.
        number: the retake's, from which its specimens and hidden cases are drawn.
    """
    return specimens_and_exams(lesson, number)[1]


def specimens_and_exams(
    lesson: ModuleType, number: int
) -> tuple[Mapping[str, object], dict[str, Exam]]:
    """The same, and before it what was drawn, by name."""
    references = {exam.reference.__module__ for exam in exams_of(lesson).values()}
    with drawing(number) as specimens, _set_aside({lesson.__name__, *references}):
        again = importlib.import_module(lesson.__name__)
        for name in references:
            _replace(vars(importlib.import_module(name)), specimens)
        made = {
            name: _Retaken(exam, number)
            for name, exam in vars(again).items()
            if isinstance(exam, Exam)
        }
    for exam in made.values():
        _name_the_lessons(exam, exams_of(lesson)[exam.name])
    return specimens.by_name, {**made}


class _Retaken(Exam):
    """An exam whose hidden cases are drawn from the retake's number as well."""

    def __init__(self, exam: Exam, number: int) -> None:
        vars(self).update(vars(exam))
        self._number = number

    def _drawn_cases(self, seed: int) -> Iterator[Case]:
        return super()._drawn_cases(self._from_both(seed))

    def _single_entries(self, seed: int) -> Iterator[Case]:
        return super()._single_entries(self._from_both(seed))

    def _from_both(self, seed: int) -> int:
        return int.from_bytes(hashlib.sha256(f"{seed} {self._number}".encode()).digest())


def _name_the_lessons(exam: Exam, lessons: Exam) -> None:
    """Whoever hands in a worksheet of the lesson, whose numbers are known, is told so."""
    if exam.parameters:
        return

    @exam.misconception
    def numbers_of_the_lesson() -> object:
        """These are the numbers of the lesson itself. A retake has others: work with those that are
        given here.
        """
        return lessons.reference()


def _replace(names: dict[str, object], specimens: Specimens) -> None:
    for name, value in [*names.items()]:
        names[name] = specimens.in_place_of(value)


@contextmanager
def _set_aside(packages: Collection[str]) -> Iterator[None]:
    """Have modules, and those within them, imported anew; afterwards they are as before."""

    def take() -> dict[str, ModuleType]:
        found = [
            name
            for name in sys.modules
            if any(f"{name}.".startswith(f"{package}.") for package in packages)
        ]
        return {name: sys.modules.pop(name) for name in found}

    before = take()
    # `from package import module` looks there first.
    for above, own in _places(packages):
        vars(above).pop(own, None)
    try:
        yield
    finally:
        take()
        sys.modules.update(before)
        for above, own in _places(packages):
            setattr(above, own, before[f"{above.__name__}.{own}"])


def _places(packages: Collection[str]) -> Iterator[tuple[ModuleType, str]]:
    """Where each stands: the package that it is in, and its own name there."""
    for name in packages:
        package, _, own = name.rpartition(".")
        yield sys.modules[package], own
