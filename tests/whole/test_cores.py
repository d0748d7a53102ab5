"""The core of every lesson: nothing in it needs a further part, and it takes about an hour."""

import re

import pytest

from autograder.authoring.lesson.left_out import pointing_at, without_further_parts
from autograder.authoring.lesson.lesson import Exercise, Lesson, Prose, WrittenExercise, validate
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import read_reference
from tests.support.course import COURSE

LESSONS = COURSE.lessons()
# Of running text with formulas, read to be understood.
WORDS_A_MINUTE = 200
HINT = re.compile(r"<details>\s*<summary>Hint.*?</details>", re.DOTALL)
TO_LOOK_UP = re.compile(
    r"^## (?:What can go wrong|Going further)\b.*?(?=^## |\Z)", re.DOTALL | re.M
)
CARDS = Exercise | WrittenExercise


def read(name: str) -> Lesson:
    return read_lesson(COURSE.lesson_file(name))


def core_of(name: str) -> Lesson:
    """A lesson without its further parts; an error where something in the core needs one."""
    return without_further_parts(read(name), read_reference(COURSE.reference_file(name)))


def minutes_of(lesson: Lesson) -> float:
    """How long it takes to read a lesson and to do its exercises, for which their hints are."""
    texts = [block.text for block in lesson.blocks if isinstance(block, Prose)]
    texts += [block.question for block in lesson.blocks if isinstance(block, WrittenExercise)]
    read = HINT.sub("", TO_LOOK_UP.sub("", "\n".join(texts)))
    exercises = sum(block.minutes for block in lesson.blocks if isinstance(block, CARDS))
    return len(read.split()) / WORDS_A_MINUTE + exercises


@pytest.mark.parametrize("name", LESSONS)
def test_core_needs_no_further_part(name: str) -> None:
    core = core_of(name)
    validate(core)
    assert core.left_out, "every lesson has something that can wait"
    assert not [*pointing_at(core, core.left_out, COURSE.reference_file(name))]
    assert not any("further" in title for title in core.sections.values())


@pytest.mark.parametrize("name", LESSONS)
def test_core_has_four_to_seven_exercises_and_takes_what_it_says(name: str) -> None:
    core = core_of(name)
    assert 4 <= len(core.points) <= 7
    opening = read(name).opening
    assert opening.core
    assert opening.minutes
    assert 0.85 <= minutes_of(core) / opening.core <= 1.15
    assert 0.85 <= minutes_of(read(name)) / opening.minutes <= 1.15
    assert core.opening.minutes == opening.core


def test_all_cores_together_take_twelve_hours() -> None:
    cores = [read(name).opening.core for name in LESSONS]
    assert sum(filter(None, cores)) <= 12 * 60
