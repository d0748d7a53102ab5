"""What several commands ask for: their common arguments and options."""

from typing import Annotated

import typer

from autograder.course import Course

Lessons = Annotated[list[str] | None, typer.Argument(help="Lessons, by name or number.")]


def lesson_called(course: Course, name: str) -> str:
    """A lesson's full name, also of one whose notebook was made by hand and has no text.

    Raises:
        LessonNotFound: when a name stands for no lesson, or for several.
    """
    made = course.source / name / f"{name}.ipynb"
    if made.is_file() and not course.lesson_file(name).exists():
        return name
    return course.lesson_named(name)
