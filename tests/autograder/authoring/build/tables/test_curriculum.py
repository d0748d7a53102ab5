"""The table of the curriculum is what the lessons and exams say."""

from autograder.authoring.build.tables.curriculum import FILE, curriculum
from autograder.authoring.lesson.lesson import Exercise, WrittenExercise
from autograder.authoring.lesson.reading import read_lesson
from tests.support.course import COURSE


def test_curriculum_is_current() -> None:
    assert (COURSE.root / FILE).read_text(encoding="utf-8") == curriculum(COURSE)


def test_every_exercise_has_an_origin() -> None:
    for name in COURSE.lessons():
        for block in read_lesson(COURSE.lesson_file(name)).blocks:
            if isinstance(block, Exercise | WrittenExercise):
                assert block.origin, f"{name}: {block.name}"
