"""The build: from a lesson's text, the reference and the exams to what everybody gets.

    source/02_x.md + solutions/x.py + solutions/exams/x.py
        → source/02_x/02_x.ipynb       the instructor's notebook, not committed
        → source/02_x/checks.json      (nbgrader copies it along)
        → notebooks/02_x/02_x.ipynb    the student's notebook
        → notebooks/02_x/checks.json   the printed examples and what comes out of them
        → docs/misconceptions.md       every exam's misconceptions, all lessons in one table
        → docs/curriculum.md           every exercise, its points, and where it comes from

It is strict: whatever does not fit together is an error that names the file and the line.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder import curriculum, printed
from autograder.course import Course
from autograder.errors import LessonError, SolutionError
from autograder.exam import Exam, exams_of
from autograder.leaks import leaks
from autograder.lesson import Code, Lesson, Prose, Written, read_lesson
from autograder.matrix import FILE, kill_matrix
from autograder.notebook import has_role, source_notebook
from autograder.pictures import Pictures, undescribed_in_prose
from autograder.plain import alike
from autograder.reference import BEGIN, END, Source, read_reference
from autograder.release import student_notebook


@dataclass(frozen=True)
class Built:
    """One lesson, built: the texts of its files by their path."""

    lesson: Lesson
    files: Mapping[Path, str]


def build_lesson(course: Course, name: str) -> Built:
    """Build one lesson in memory.

    Raises:
        LessonError, SolutionError, ExamError: for whatever does not fit together.
    """
    lesson = read_lesson(course.lesson_file(name))
    module = course.solution_module(name)
    reference = Path(str(module.__file__))
    sources = read_reference(reference)
    exams = exams_of(course.exam_module(name))
    _match(lesson, reference, sources, exams)
    _describe_pictures(lesson)
    _keep_secret(lesson, sources)
    source = source_notebook(lesson, sources, course.exam_module(name).__name__)
    student = student_notebook(source)
    checks = printed.write({e.name: exams[e.name] for e in lesson.exercises})
    instructor, release = course.source / name, course.release_folder(name)
    return Built(
        lesson,
        {
            instructor / f"{name}.ipynb": _text(source),
            instructor / printed.FILE: checks,
            release / f"{name}.ipynb": _text(student),
            release / printed.FILE: checks,
        },
    )


def build(course: Course, *, progress: Callable[[str], None] = lambda name: None) -> list[Path]:
    """Build everything and write what changed; returns the files written."""
    files: dict[Path, str] = {}
    for name in course.lessons():
        progress(name)
        files.update(build_lesson(course, name).files)
    files[course.root / curriculum.FILE] = curriculum.curriculum(course)
    progress(str(FILE))
    files[course.root / FILE] = kill_matrix(course)
    return [path for path, text in files.items() if _write(path, text)]


def _write(path: Path, text: str) -> bool:
    """Write a file unless it is already so; whether it was written."""
    if path.exists() and is_current(path, text):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def is_current(path: Path, text: str) -> bool:
    """Whether a file holds what the build makes: this text, or its numbers as another machine
    rounds them.
    """
    found = path.read_text(encoding="utf-8")
    if path.name == printed.FILE and found != text:
        with suppress(ValueError):
            return alike(json.loads(found), json.loads(text))
    return found == text


def solved_notebook(course: Course, name: str) -> NotebookNode:
    """A lesson with every solution in it and the checks that a student sees."""
    built = build_lesson(course, name)
    release = course.release_folder(name) / f"{name}.ipynb"
    source = course.source / name / f"{name}.ipynb"
    solved: NotebookNode = nbformat.reads(built.files[release], as_version=4)
    answers = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in nbformat.reads(built.files[source], as_version=4).cells
        if has_role(cell, "solution")
    }
    for cell in solved.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in answers:
            cell.source = _without_marks(answers[grade_id])
    return solved


def _without_marks(source: str) -> str:
    lines = source.split("\n")
    return "\n".join(line for line in lines if not line.strip().startswith((BEGIN, END)))


def _text(notebook: NotebookNode) -> str:
    return f"{nbformat.writes(notebook)}\n"


def _match(
    lesson: Lesson, reference: Path, sources: Mapping[str, Source], exams: Mapping[str, Exam]
) -> None:
    """Every exercise has a solution and an exam, and the other way round."""
    for exercise in lesson.exercises:
        if exercise.name not in sources:
            text = f"the exercise {exercise.name} has no solution in {reference}"
            raise LessonError(lesson.path, exercise.line, text)
        if exercise.name not in exams:
            text = f"the exercise {exercise.name} has no exam"
            raise LessonError(lesson.path, exercise.line, text)
    placed = {exercise.name for exercise in lesson.exercises}
    for name, source in sources.items():
        if name not in placed:
            text = f"{name} has solution marks but is no exercise in {lesson.path}"
            raise SolutionError(reference, source.line, text)
    for name, exam in exams.items():
        if name not in placed:
            text = f"the exam of {name} has no exercise in {lesson.path}"
            raise SolutionError(*exam.where, text)


def _describe_pictures(lesson: Lesson) -> None:
    pictures = Pictures()
    for block in lesson.blocks:
        found: Iterator[tuple[int, str]] = iter(())
        if isinstance(block, Code):
            try:
                found = iter(list(pictures.undescribed(block.source)))
            except SyntaxError as error:
                line = block.line + (error.lineno or 1) - 1
                raise LessonError(lesson.path, line, f"this is not Python: {error.msg}") from None
            except ImportError as error:
                raise LessonError(lesson.path, block.line, str(error)) from None
        elif isinstance(block, Prose):
            found = undescribed_in_prose(block.text)
        elif isinstance(block, Written):
            found = undescribed_in_prose(block.question)
        for offset, text in found:
            raise LessonError(lesson.path, block.line + offset - 1, text)


def _keep_secret(lesson: Lesson, sources: Mapping[str, Source]) -> None:
    for block in lesson.blocks:
        if isinstance(block, Code | Prose):
            text = block.source if isinstance(block, Code) else block.text
            for name, line in leaks(text, sources.values(), is_code=isinstance(block, Code)):
                sentence = f"the solution of {name} would reach students here"
                raise LessonError(lesson.path, block.line + line - 1, sentence)
