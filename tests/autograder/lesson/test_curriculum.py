"""The table of the curriculum is what the lessons and exams say."""

from pathlib import Path

from autograder.course import Course
from autograder.curriculum import FILE, curriculum
from autograder.lesson import Exercise, Written, read_lesson

COURSE = Course(Path(__file__).resolve().parents[1])


def test_curriculum_is_current() -> None:
    assert (COURSE.root / FILE).read_text(encoding="utf-8") == curriculum(COURSE)


def test_every_exercise_has_an_origin() -> None:
    for name in COURSE.lessons():
        for block in read_lesson(COURSE.lesson_file(name)).blocks:
            if isinstance(block, Exercise | Written):
                assert block.origin, f"{name}: {block.name}"
