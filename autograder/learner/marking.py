"""Marking one's own work: the full exam, on a learner's own notebook, in a clone of the course.

The code is run as it is, with all that its author may do: this is for one's own, trusted work.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build import build_lesson
from autograder.authoring.build.matching import every_exam
from autograder.authoring.lesson.lesson import Check
from autograder.authoring.lesson.personal import course_lesson
from autograder.checks.exam.exam import Exam
from autograder.checks.source.cells import grade_id_of, is_answered, is_test
from autograder.checks.source.notebook_file import read_notebook
from autograder.checks.stopping import Interrupted, Stopping, TimeIsUp, allowed
from autograder.course import Course
from autograder.errors import CheckError
from autograder.learner.marks import (
    NO_ANSWER,
    Mark,
    bundle,
    mark_of,
    marks_in,
    passed,
    stopped_mark,
    written_mark,
)
from autograder.learner.run_notebook import SECONDS_PER_CELL, run
from autograder.learner.showing import show

_AS_SAVED = (
    "No exercise is defined in this kernel yet, so the notebook is run and marked as it was saved."
)
_NOT_DEFINED = "missing: run the cell that defines it"
_NOT_RUN = "not run: you pressed Stop"
_STOPPED = "mark() was stopped"


def mark_running(course: Course, namespace: Mapping[str, object]) -> None:
    """Mark the notebook that is running in the current folder, and show its marks: see `mark`.

    Args:
        course: whose lesson it is.
        namespace: the names that are defined in it.

    Raises:
        CheckError: when the notebook's folder is not named after a lesson.
    """
    folder = Path.cwd()
    lesson = lesson_of(course, folder)
    exams = every_exam(course, lesson)
    text = course_lesson(course, lesson)
    file = _file(folder, namespace)
    if file and not any(name in namespace for name in text.points):
        print(_AS_SAVED)
        try:
            show(bundle(mark_notebook(course, file)))
        except KeyboardInterrupt:
            raise Interrupted(_STOPPED) from None
        return
    saved = _read(file)
    tests = {block.name: block.tests for block in text.blocks if isinstance(block, Check)}
    halves = course.settings.partial_credit

    def marked(name: str, out_of: int) -> Mark:
        if name not in namespace and (name in text.with_tests or name in exams):
            return _not_defined(name, out_of, saved)
        if name in text.with_tests:
            return _mark_by_tests(name, out_of, tests[name], namespace)
        return _mark(name, out_of, exams, namespace, saved, halves)

    _mark_each(text.points, marked, namespace)


def _mark_each(
    points: Mapping[str, int],
    marked: Callable[[str, int], Mark],
    namespace: Mapping[str, object],
) -> None:
    """Show what each exercise earns, also where one does not end, or somebody presses Stop."""
    seconds = allowed(SECONDS_PER_CELL)
    marks: dict[str, Mark] = {}
    try:
        for name, out_of in points.items():
            try:
                with Stopping(seconds):
                    marks[name] = marked(name, out_of)
            except TimeIsUp as error:
                marks[name] = stopped_mark(name, out_of, error, namespace.get(name))
    except KeyboardInterrupt:
        rest = {name: Mark(name, 0, out_of, _NOT_RUN) for name, out_of in points.items()}
        show(bundle([*(rest | marks).values()]))
        raise Interrupted(_STOPPED) from None
    show(bundle([*marks.values()]))


def mark_notebook(
    course: Course, path: Path, *, progress: Callable[[int, int], None] = lambda done, cells: None
) -> list[Mark]:
    """Run a learner's notebook with the hidden tests in it and return its marks.

    The file itself is left as it is.

    Raises:
        CheckError: when the file is not a notebook of this course.
        NotebookStopped: when it could not be run to its end.
    """
    lesson = lesson_of(course, path)
    built = build_lesson(course, lesson)
    notebook = with_hidden_tests(read_notebook(path), built.source)
    run(
        notebook,
        path.parent.resolve(),
        path=course.root,
        seconds_per_cell=allowed(SECONDS_PER_CELL),
        progress=progress,
    )
    return marks_in(notebook, built.lesson.points, halves=course.settings.partial_credit)


def with_hidden_tests(notebook: NotebookNode, source: NotebookNode) -> NotebookNode:
    """The learner's notebook with the instructor's test cells in place of its own."""
    tests = {grade_id_of(cell): cell for cell in source.cells if is_test(cell)}
    for cell in notebook.cells:
        if grade_id_of(cell) in tests:
            cell.source = tests[grade_id_of(cell)].source
    return notebook


def lesson_of(course: Course, path: Path) -> str:
    """The lesson that a notebook, or a folder of one, belongs to: by its name.

    Raises:
        CheckError: when no lesson begins as that name does.
    """
    lessons = course.lessons()
    for name in (path.stem, path.resolve().parent.name):
        # Of week1 and week10, the longer one is meant where both fit.
        for lesson in sorted(lessons, key=len, reverse=True):
            if name.startswith(lesson):
                return lesson
    raise CheckError(
        f"{path} belongs to no lesson: the notebook, or the folder it is in, must be named after "
        f"one of {', '.join(lessons)}"
    )


def _mark(
    name: str,
    out_of: int,
    exams: Mapping[str, Exam],
    namespace: Mapping[str, object],
    saved: NotebookNode | None,
    halves: bool,
) -> Mark:
    if name not in exams:
        return marks_in(saved, {name: out_of})[0] if saved else written_mark(name, out_of)
    return mark_of(exams[name].examine(namespace[name]), out_of, halves=halves)


def _not_defined(name: str, out_of: int, saved: NotebookNode | None) -> Mark:
    cells = saved.cells if saved else []
    written = [is_answered(cell) for cell in cells if grade_id_of(cell) == name]
    return Mark(name, 0, out_of, _NOT_DEFINED if any(written) or not written else NO_ANSWER)


def _mark_by_tests(name: str, out_of: int, tests: str, namespace: Mapping[str, object]) -> Mark:
    """The mark that plain asserts give, in a namespace where they can bind names of their own."""
    try:
        exec(compile(tests, f"<the tests of {name}>", "exec"), {**namespace})
    except Exception as error:
        return Mark(name, 0, out_of, f"{type(error).__name__}: {error}".removesuffix(": "))
    return passed(name, out_of)


def _file(folder: Path, namespace: Mapping[str, object]) -> Path | None:
    """The file of the notebook that is running; none where nobody says which one it is."""
    # What VS Code and JupyterLab tell a kernel.
    told = namespace.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or ""
    files = [folder / Path(str(told)).name] if told else [*folder.glob("*.ipynb")]
    return files[0] if len(files) == 1 and files[0].is_file() else None


def _read(file: Path | None) -> NotebookNode | None:
    try:
        return read_notebook(file) if file else None
    except CheckError:
        return None
