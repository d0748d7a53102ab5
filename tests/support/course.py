"""This course, which the tests of the whole are about."""

from copy import copy
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.authoring.build.shipping import Entry, entries_in
from autograder.authoring.lesson.lesson import Lesson
from autograder.authoring.lesson.reading import read_lesson
from autograder.checks.exam.draw import DEFAULT_SEED
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.checks.examples import FILE
from autograder.course import Course

ROOT = Path(__file__).resolve().parents[2]
COURSE = Course(ROOT)


@cache
def as_written(lesson: str) -> Lesson:
    """A lesson of this course, read once by each process: no test changes it."""
    return read_lesson(COURSE.lesson_file(lesson))


@cache
def every_exam() -> dict[str, Exam]:
    """By the place of its exercise, such as 02_dot_product_self_attention/attention_weights."""
    return {
        f"{lesson}/{name}": exam
        for lesson in COURSE.lessons()
        for name, exam in exams_of(COURSE.exam_module(lesson)).items()
    }


def exam_of(name: str, lesson: str = "") -> Exam:
    """The exam of an exercise by its name, of a lesson if several have such an exercise.

    A test of one that a course lacks is skipped.
    """
    exams = (exam for place, exam in every_exam().items() if place.startswith(lesson))
    found = next((exam for exam in exams if exam.name == name), None)
    if not found:
        pytest.skip(f"the course has no {name}")
    return found


def without_hints(exam: Exam) -> Exam:
    """The same cases, without what known mistakes make of them, which can take a minute."""
    bare = copy(exam)
    bare.misconceptions, bare._made = {}, {}
    return bare


def is_refused(exam: Exam, answer: object, seed: int = DEFAULT_SEED) -> bool:
    """Whether an answer fails the exam, found out without a word on what is wrong with it."""
    return without_hints(exam).examine(answer, seed).verdict is not Verdict.PASSED


@cache
def every_entry() -> dict[str, Entry]:
    """What ships of each exercise, by its place."""
    return {
        f"{lesson}/{name}": entry
        for lesson in COURSE.lessons()
        for name, entry in entries_in(
            (COURSE.release_folder(lesson) / FILE).read_text(encoding="utf-8")
        ).items()
    }


def lessons_of_exams() -> dict[Exam, str]:
    """The lesson of each exam, in the order of lessons and exercises."""
    return {exam: place.partition("/")[0] for place, exam in every_exam().items()}


class Reference:
    """A module of the reference, for its tests: one about what a lesson leaves out is skipped."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        # Who looks for tests asks each object for names of its own.
        if not hasattr(self._module, name) and not name.startswith("_"):
            pytest.skip(f"{self._module.__name__} has no {name}")
        return getattr(self._module, name)
