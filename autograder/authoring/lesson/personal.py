"""A lesson as one course has it: with what its folder `mine` adds, and what its course.toml says.

Whoever takes over a course's lessons edits none of their files, so that a later version of them can
be merged.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import gcd
from typing import TypeVar

from autograder.authoring.lesson.left_out import leave_out, pointing_at
from autograder.authoring.lesson.lesson import Block, Check, Lesson, WrittenExercise, validate
from autograder.authoring.lesson.own_text import with_own_text
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import read_reference
from autograder.course import Course, lesson_number
from autograder.settings import WORKED, setting_error

Value = TypeVar("Value")

_EXERCISE = re.compile(r"^`{3,}\{exercise\}[ \t]*(\w+)", re.MULTILINE)
# In the front matter of a retake's text.
_RETAKE_OF = re.compile(r"^retake_of: *(\S+)", re.MULTILINE)
_SCALED = (
    "These marks are for {before} points; here the answer is worth {now}, so give the same shares "
    "of that.\n\n"
)


def course_lesson(course: Course, name: str) -> Lesson:
    """One of a course's lessons, as the course has it.

    Args:
        course: where it is.
        name: its full name.

    Raises:
        LessonError: naming the file and the line, for a text that is not as it should be.
        SettingError: naming the line, for a setting about an exercise that can't be.
    """
    lesson = read_lesson(course.lesson_file(name))
    settings, own = course.settings, course.own_text(name)
    if not (own or settings.points or settings.leave_out):
        return lesson
    if own:
        lesson = with_own_text(lesson, own)
    points = _about(course, name, "points", settings.points)
    lesson = replace(lesson, blocks=tuple(_worth(course, points, one) for one in lesson.blocks))
    validate(lesson)
    if left_out := _about(course, name, "leave_out", settings.leave_out):
        forms = {exercise: form == WORKED for exercise, form in left_out.items()}
        file = course.reference_file(name)
        lesson = leave_out(lesson, forms, file, read_reference(file))
    return lesson


def warnings_of(course: Course, lesson: Lesson) -> Iterator[str]:
    """What a lecturer may want to read again in a lesson of which something is left out."""
    names = {entry.rpartition("/")[2] for entry in course.settings.leave_out}
    yield from pointing_at(lesson, names, course.reference_file(lesson.name))


def retake_of(course: Course, lesson: str) -> str:
    """The lesson of which one is a retake, as its text says; "" of any other."""
    text = course.lesson_file(lesson).read_text(encoding="utf-8")
    front = text.split("\n---\n", 1)[0]
    found = _RETAKE_OF.search(front)
    return found[1] if found else ""


def _about(
    course: Course, lesson: str, setting: str, entries: Mapping[str, Value]
) -> dict[str, Value]:
    """What a setting says of a lesson's exercises, by their names.

    An entry is such a name, or the lesson's and the exercise's: "02/context_vector". A name alone
    is about a lesson and its retakes.
    """
    exercises = {one: _exercises_in(course, one) for one in course.lessons()} if entries else {}
    found: dict[str, Value] = {}
    for entry, value in entries.items():
        within, _, exercise = entry.rpartition("/")
        having = [
            one
            for one, names in exercises.items()
            if exercise in names and within in ("", one, lesson_number(one))
        ]
        first = [one for one in having if retake_of(course, one) not in having]
        if len(first) != 1:
            wrong = f"no exercise of the course's lessons is called {entry!r}"
            if having:
                named = " or ".join(f'"{lesson_number(one)}/{exercise}"' for one in first)
                wrong = f"several lessons have an exercise {exercise}: write {named}"
            raise setting_error(course.root, setting, f"{setting}: {wrong}", entry)
        if lesson in having:
            found[exercise] = value
    return found


def _exercises_in(course: Course, lesson: str) -> set[str]:
    """The names of a lesson's exercises, found in its text without reading all of that."""
    return {*_EXERCISE.findall(course.lesson_file(lesson).read_text(encoding="utf-8"))}


def _worth(course: Course, points: Mapping[str, int], block: Block) -> Block:
    """A block with the points that the course gives for it."""
    if not isinstance(block, Check | WrittenExercise) or block.name not in points:
        return block
    now, before = points[block.name], block.points
    if isinstance(block, Check) or now == before:
        return replace(block, points=now)
    step = before // gcd(*(one.worth for one in block.to_tick)) if block.to_tick else 1
    if now % step:
        listed = ", ".join(str(one.worth) for one in block.to_tick)
        sentence = (
            f"points: {block.name} is marked by a list of points ({listed}), of which {now} can't "
            f"be shared out in whole numbers: choose a multiple of {step}"
        )
        raise setting_error(course.root, "points", sentence, block.name)
    return replace(
        block,
        points=now,
        to_tick=tuple(replace(one, worth=one.worth * now // before) for one in block.to_tick),
        marking_scheme=f"{_SCALED.format(before=before, now=now)}{block.marking_scheme}",
    )
