"""A folder of submissions in, records and pages out: no gradebook, and none of nbgrader's steps.

    FOLDER/ada/02_vectors/02_vectors.ipynb      as in submitted/, or
    FOLDER/ada/02_vectors.ipynb
    OUT/ada/02_vectors/02_vectors.verdicts.json the record of `grading.record`
    OUT/ada/02_vectors/02_vectors.html          the page that the student gets back

Verdicts and pages are those of nbgrader's way. What only a gradebook knows is not in them: late
penalties, scores and comments that were given by hand.
"""

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.checks.source.cells import (
    UNANSWERED,
    grade_id_of,
    has_role,
    is_test,
    points_of,
)
from autograder.course import Course
from autograder.errors import CourseError, GradingFailed
from autograder.grading.class_table import StudentResult, found_in
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.sandboxes import usual_walls
from autograder.grading.jobs.work import job_of, read_source
from autograder.grading.jobs.workers import ahead, result_of, room_ahead
from autograder.grading.rebuild import rebuild
from autograder.grading.record import RECORD_SUFFIX, Record
from autograder.grading.submitted_files import NOTEBOOK_BYTES, is_own_folder, read_regular
from autograder.nbgrading.inbox.take import Beside, beside
from autograder.nbgrading.pages.outline import WAITS
from autograder.nbgrading.pages.rendering import WORKER
from autograder.whole_file import write_whole

# Of files beside the instructor's notebook, nbgrader gives these to nobody.
_LEFT_OUT = (".ipynb_checkpoints", "__pycache__")
_KEPT_BACK = re.compile(
    r"^.*BEGIN (?P<what>HIDDEN TESTS|MARK SCHEME).*\n(?:.*\n)*?.*END (?P=what).*\n?", re.MULTILINE
)


# What nbgrader comments where nothing was written.
_NO_RESPONSE = "No response."


@dataclass(frozen=True)
class Submitted:
    """One student's notebook of one lesson, and where what comes of it goes."""

    student: str
    lesson: str
    notebook: Path
    to: Path

    @property
    def record(self) -> Path:
        """Where its record goes; it is written last, so what has one is complete."""
        return self.to / f"{self.lesson}{RECORD_SUFFIX}"


def submitted_in(
    course: Course, folder: Path, out: Path, only: str | None = None
) -> list[Submitted]:
    """The submissions of a folder, by student, or those of one student.

    Raises:
        GradingFailed: when there is no such folder, or none in it.
    """
    if not folder.is_dir():
        raise GradingFailed(f"there is no folder {folder}: name one in which submissions lie")
    found, names = [], lessons_of(course)
    for student in sorted(folder.iterdir()):
        if not student.is_dir() or only not in (None, student.name):
            continue
        for lesson in names:
            name = f"{lesson}.ipynb"
            for notebook in (student / lesson / name, student / name):
                if os.path.lexists(notebook):
                    to = out / student.name / lesson
                    found.append(Submitted(student.name, lesson, notebook, to))
                    break
    if not found:
        raise GradingFailed(
            f"{folder} has no submission to a lesson of this course: they lie in "
            "<student>/<lesson>/<lesson>.ipynb or <student>/<lesson>.ipynb"
        )
    return found


def lessons_of(course: Course) -> list[str]:
    """The lessons that have a text, and those whose notebooks were made by hand."""
    made = (path.stem for path in course.source.glob("*/*.ipynb") if path.stem == path.parent.name)
    return sorted({*course.lessons(), *made})


def grade_to_records(
    course: Course, submitted: Sequence[Submitted], *, isolation: str, force: bool
) -> Iterator[tuple[Submitted, StudentResult]]:
    """Grade each submission, or take the record that is there already, if it is still true.

    What fails on our side is told, costs one submission, and leaves its earlier record.
    """
    begun = deque[_Begun]()
    for number, one in enumerate(submitted):
        while number + len(begun) < min(len(submitted), number + max(1, room_ahead())):
            begun.append(_begin(course, submitted[number + len(begun)], isolation, force=force))
        yield one, _result(begun.popleft())


@dataclass(frozen=True)
class _Begun:
    """A submission with the job that grades it, and its record if that is still true."""

    one: Submitted
    job: Job | None = None
    files: Beside = field(default_factory=Beside)
    known: Record | None = None
    failure: str = ""


def _begin(course: Course, one: Submitted, isolation: str, *, force: bool) -> _Begun:
    """Have a worker begin what is to be graded, where there are workers."""
    try:
        job, files = _job(course, one, isolation)
        known = None if force else _known(one, job, files)
        if known is None:
            ahead(job)
        return _Begun(one, job, files, known)
    except CourseError as error:
        return _Begun(one, failure=str(error))


def _result(begun: _Begun) -> StudentResult:
    one, job, record = begun.one, begun.job, begun.known
    if job is None:
        return StudentResult(one.student, failure=begun.failure)
    try:
        if record is None:
            notebook, record = _grade(one, job, begun.files)
        else:
            notebook = rebuild(read_source(job.notebook), job.submission).notebook
    except CourseError as error:
        return StudentResult(one.student, failure=str(error))
    return StudentResult(
        one.student,
        sum(cell.points for cell in record.cells),
        sum(points_of(cell) for cell in notebook.cells if has_role(cell, "grade")),
        sum(map(_waits, notebook.cells)),
        record.seconds,
        tuple(found_in(record)),
    )


def _job(course: Course, one: Submitted, isolation: str) -> tuple[Job, Beside]:
    source = course.source / one.lesson
    folder, walls = one.notebook.parent, usual_walls(course, isolation)
    own = _course_files(source)
    # Notebooks of other lessons lie beside it, where a student has one folder for all.
    files = beside(folder, own) if folder.name == one.lesson else Beside(course=own)
    submission = read_regular(one.notebook, NOTEBOOK_BYTES) if is_own_folder(folder) else b""
    job = job_of(
        course.root,
        source / f"{one.lesson}.ipynb",
        submission,
        walls,
        files=files.contents(walls.limits_given.disk_bytes // 2),
        remarks=files.left_out,
    )
    return job, files


def _known(one: Submitted, job: Job, files: Beside) -> Record | None:
    """The record of just this submission, graded with just this code."""
    try:
        record = Record.read(one.record)
    except (FileNotFoundError, GradingFailed):
        return None
    same = record.submission == job.submission_digest and record.files == files.digests()
    return record if same and record.code == job.code else None


def _grade(one: Submitted, job: Job, files: Beside) -> tuple[NotebookNode, Record]:
    graded = result_of(job)
    record = replace(graded.record, code=job.code, files=files.digests())
    page = _page(graded.notebook, record, one.lesson)
    write_whole(one.to / f"{one.lesson}.html", page.encode())
    write_whole(one.record, record.text().encode())
    return graded.notebook, record


def _page(notebook: NotebookNode, record: Record, lesson: str) -> str:
    """The page that a student gets back, with the points of the record in it."""
    earned = {cell.grade_id: cell.points for cell in record.cells}
    score = most = 0.0
    for cell in notebook.cells:
        cell.source = _KEPT_BACK.sub("", cell.source)
        if has_role(cell, "grade"):
            name, marks = grade_id_of(cell), cell.metadata.nbgrader
            marks["score"] = earned.get(name, 0.0)
            marks[WAITS] = _waits(cell)
            if not marks[WAITS] and not is_test(cell):
                marks["comment"] = _NO_RESPONSE
            score, most = score + marks["score"], most + points_of(cell)
    resources = {"nbgrader": {"score": score, "max_score": most, "notebook": lesson}}
    return WORKER.page("feedback", nbformat.writes(notebook), resources)


def _waits(cell: NotebookNode) -> bool:
    """Whether somebody has written what a human grades."""
    by_hand = has_role(cell, "grade") and not is_test(cell)
    return by_hand and cell.source.strip() not in ("", UNANSWERED)


def _course_files(source: Path) -> dict[str, Path]:
    """What lies beside the instructor's notebook and comes to each submission, by name."""
    return {
        str(path.relative_to(source)): path
        for path in sorted(source.rglob("*"))
        if path.is_file()
        and path.suffix not in (".ipynb", ".pyc")
        and not {*path.relative_to(source).parts} & {*_LEFT_OUT}
    }
