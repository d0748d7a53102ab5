"""A course with a single lesson, of which only what students get is there."""

from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook

from autograder.course import Course


def course_of(root: Path, lesson: str) -> Course:
    """The course; its lesson is still to be given out."""
    course = Course(root.resolve())
    course.source.mkdir()
    (course.root / "nbgrader_config.py").touch()
    course.lesson_file(lesson).touch()
    return course


def give_out(course: Course, lesson: str, cells: Sequence[NotebookNode]) -> Path:
    """Have these cells be what students get, and return the folder."""
    folder = course.release_folder(lesson)
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[*cells]), folder / f"{lesson}.ipynb")
    return folder
