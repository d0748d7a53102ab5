"""A retake of a lesson: a lesson of its own that asks for the same exercises, with other numbers.

What may be otherwise, and how it is drawn, the exams of the lesson say: see `varied`. What its text
is made of is told in `text`.
"""

import keyword
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from autograder.authoring.begin.templating import filled_in
from autograder.authoring.lesson.personal import retake_of
from autograder.authoring.lesson.reading import IS_NAME, read_lesson
from autograder.authoring.retakes.anew import specimens_and_exams
from autograder.authoring.retakes.likeness import Measured, OfTheLesson, as_hard, not_varied
from autograder.authoring.retakes.text import NoRetake, filled, template_of
from autograder.checks.exam.exam import exams_of
from autograder.course import Course, lesson_number, module_name
from autograder.errors import LessonNameError
from autograder.whole_file import write_all

_WIDTH = 100
# Most numbers don't tell all mistakes of all exercises apart.
_TRIES = 200
_NUMBERS = 10**6


@dataclass(frozen=True)
class NewRetake:
    """What was written, from which number it is drawn, and how it stands to the lesson.

    `compared` has what was measured of each exercise, in the lesson and in the retake.
    """

    files: Sequence[Path]
    number: int
    compared: Sequence[tuple[Measured, Measured]]


def new_retake(
    course: Course,
    name: str,
    lesson: str,
    number: int | None = None,
    progress: Callable[[int], None] = lambda tried: None,
) -> NewRetake:
    """Write a retake, whose numbers are as hard as those of the lesson.

    Args:
        course: where it is added.
        name: what the retake is called, such as 02r_retake.
        lesson: the full name of the lesson.
        number: what to draw from; by default one with which it becomes as hard.
        progress: called with how many numbers have been tried.

    Raises:
        LessonNameError: when no lesson can have the name, or one has it already.
        NoRetake: when the lesson's exams do not say what may be varied, when it is a retake, or
            when `number` makes an exercise harder or easier.
    """
    module = module_name(name)
    files = {
        course.lesson_file(name): "",
        course.solutions / f"{module}.py": "retake_reference.py",
        course.solutions / "exams" / f"{module}.py": "retake_exams.py",
    }
    _refuse_name(course, name, [*files])
    if first := retake_of(course, lesson):
        raise NoRetake(f"{lesson} is a retake itself: make another one of {first}")
    examined = course.exam_module(lesson)
    as_written = read_lesson(course.lesson_file(lesson))
    _refuse_what_stays(lesson, examined)
    template = template_of(course, lesson, examined)
    found, specimens, compared = _draw(examined, lesson, number, progress)
    original = module_name(lesson)
    words = {
        "lesson": lesson,
        "module": original,
        "name": name,
        "number": str(found),
        "passed_on": "\n".join(_passed_on(original, one) for one in sorted(exams_of(examined))),
    }
    texts = {
        path: filled_in(by, words) if by else filled(template, as_written, specimens)
        for path, by in files.items()
    }
    write_all({path: text.encode() for path, text in texts.items()})
    return NewRetake([*files], found, compared)


def _passed_on(module: str, exercise: str) -> str:
    line = f"from solutions.{module} import {exercise} as {exercise}"
    if len(line) > _WIDTH:
        return f"from solutions.{module} import (\n    {exercise} as {exercise},\n)"
    return line


def _refuse_name(course: Course, name: str, files: Sequence[Path]) -> None:
    module = module_name(name)
    if not IS_NAME.match(module) or keyword.iskeyword(module):
        raise LessonNameError(
            f"no retake can be called {name!r}: write a number, _ and a name that a module can "
            "have, of letters, digits and _, as in 02r_retake"
        )
    for path in (*files, *(file.with_suffix("") for file in files[1:])):
        if path.exists():
            raise LessonNameError(f"{path} is there already: choose another name for the retake")
    for lesson in course.lessons():
        if lesson_number(lesson) == lesson_number(name):
            raise LessonNameError(
                f"{lesson} has the number {lesson_number(lesson)} already: choose another for the "
                f"retake, as in {lesson_number(lesson)}r_{module}"
            )


def _refuse_what_stays(lesson: str, examined: ModuleType) -> None:
    """Every printed example, and every worksheet, must be another one."""
    exams = exams_of(examined)
    _, anew = specimens_and_exams(examined, 0)
    if same := [one.name for one in anew.values() if not_varied(exams[one.name], one)]:
        raise NoRetake(
            f"no retake can be made of {lesson}, as these exercises would have the lesson's own "
            f"numbers: {', '.join(sorted(same))}; what may be drawn, their exams say by `varied`, "
            "see docs/authoring.md"
        )


def _draw(
    examined: ModuleType, lesson: str, number: int | None, progress: Callable[[int], None]
) -> tuple[int, Mapping[str, object], list[tuple[Measured, Measured]]]:
    """A number, what is drawn from it, and what was measured of each exercise."""
    lessons = {name: OfTheLesson.read(exam) for name, exam in exams_of(examined).items()}
    numbers = _numbers_to_try() if number is None else iter([number])
    why = ""
    for count, one in enumerate(numbers):
        progress(count)
        specimens, exams = specimens_and_exams(examined, one)
        compared = list[tuple[Measured, Measured]]()
        for exam in exams.values():
            if not (now := as_hard(lessons[exam.name], exam)):
                why = exam.name
                break
            compared.append((lessons[exam.name].measured, now))
        else:
            return one, specimens, compared
    if number is not None:
        raise NoRetake(
            f"the number {number} makes {why} harder or easier than {lesson} has it, or does not "
            "tell its mistakes apart: leave --number out, and another is found"
        )
    raise NoRetake(
        f"no retake of {lesson} is as hard as the lesson, in {_TRIES} draws (at last for {why}): "
        "have the exams draw numbers that are more like their own"
    )


def _numbers_to_try() -> Iterator[int]:
    for _ in range(_TRIES):
        yield secrets.randbelow(_NUMBERS)
