"""A folder of submissions in, records and pages out: no gradebook, and none of nbgrader's steps.

    FOLDER/ada/02_vectors/02_vectors.ipynb      as in submitted/, or
    FOLDER/ada/02_vectors.ipynb                 by any name, where only one has its cells
    OUT/ada/02_vectors/02_vectors.verdicts.json the record of `grading.record`
    OUT/ada/02_vectors/02_vectors.html          the page that the student gets back

Verdicts and pages are those of nbgrader's way. What only a gradebook knows is not in them: late
penalties, scores and comments that were given by hand.
"""

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import (
    NO_RESPONSE,
    UNANSWERED,
    grade_id_of,
    has_role,
    is_test,
    points_of,
)
from autograder.course import Course
from autograder.errors import CourseError, GradingFailed
from autograder.grading.class_table import StudentResult, found_in
from autograder.grading.exam_seed import digest_of_seed
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.sandboxes import usual_walls
from autograder.grading.jobs.work import job_of, read_source, source_digest
from autograder.grading.jobs.workers import ahead, room_ahead
from autograder.grading.ordinary.tests_beside import marked_beside
from autograder.grading.rebuild import GivenOut, rebuild
from autograder.grading.record import RECORD_SUFFIX, Conditions, Record
from autograder.grading.submitted_files import is_notebook, shown
from autograder.nbgrading.inbox.grade_handed_in import grade_handed_in
from autograder.nbgrading.inbox.take import Beside, beside
from autograder.nbgrading.inbox.which_notebook import (
    HandedIn,
    answered_in,
    given_out,
    which_notebook,
)
from autograder.nbgrading.pages.outline import WAITS, is_students
from autograder.nbgrading.pages.rendering import WORKER
from autograder.whole_file import write_whole

# Of files beside the instructor's notebook, nbgrader gives these to nobody.
_LEFT_OUT = (".ipynb_checkpoints", "__pycache__")
_KEPT_BACK = re.compile(
    r"^(?>.*?BEGIN (?P<what>HIDDEN TESTS|MARK SCHEME)).*\n"
    r"(?:(?!.*BEGIN (?P=what)).*\n)*?.*END (?P=what).*\n?",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Submitted:
    """One student's notebook of one lesson, and where what comes of it goes."""

    student: str
    lesson: str
    folder: Path
    to: Path

    @property
    def record(self) -> Path:
        """Where its record goes; it is written last, so what has one is complete."""
        return self.to / f"{self.lesson}{RECORD_SUFFIX}"


def submitted_in(
    course: Course, folder: Path, out: Path, only: str | None = None
) -> list[Submitted]:
    """The submissions of a folder, by student, or those of one student; none that is closed.

    Raises:
        GradingFailed: when there is no such folder, or none in it, or `out` is not apart from it.
    """
    if not folder.is_dir():
        raise GradingFailed(f"there is no folder {folder}: name one in which submissions lie")
    _refuse_among(folder, out)
    found, names = [], lessons_of(course)
    for student in sorted(folder.iterdir()):
        if only in (None, student.name) and student.is_dir() and not _is_closed(student):
            for lesson, place in _lessons_in(course, student, names):
                found.append(Submitted(student.name, lesson, place, out / student.name / lesson))
    if not found:
        raise GradingFailed(
            f"{folder} has no submission to a lesson of this course: they lie in "
            "<student>/<lesson>/<lesson>.ipynb or <student>/<lesson>.ipynb"
        )
    return found


def _refuse_among(folder: Path, out: Path) -> None:
    """Nothing is written where students' links lead, or where their own files have its names."""
    theirs, ours = Path(os.path.realpath(folder)), Path(os.path.realpath(out))
    if theirs.is_relative_to(ours) or ours.is_relative_to(theirs):
        raise GradingFailed(
            f"records could come to lie among the submissions in {folder}: name another folder "
            "with --records, which neither lies in it nor holds it"
        )


def closed_in(folder: Path, only: str | None = None) -> list[str]:
    """Whose submissions can't be opened, each in a sentence that says what opens them."""
    students = (one for one in sorted(folder.iterdir()) if only in (None, one.name))
    return [
        f"{shown(one.name)} is not graded: {_path(one)} can't be opened by who grades; "
        "`chmod -R u+rwX` opens it"
        for one in students
        if one.is_dir() and _is_closed(one)
    ]


def _is_closed(folder: Path) -> bool:
    """Whether nobody can tell here what lies in it."""
    return not os.access(folder, os.R_OK | os.X_OK, effective_ids=True)


def _path(path: Path) -> Path:
    """A path for a message, with each name in it as it is shown."""
    return Path(*map(shown, path.parts))


def _lessons_in(course: Course, student: Path, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The lessons that a student has handed in, and the folder of each."""
    loose = set(names)
    for lesson in names:
        if os.path.lexists(student / lesson):
            yield lesson, student / lesson
        elif os.path.lexists(student / f"{lesson}.ipynb"):
            yield lesson, student
        else:
            continue
        loose.discard(lesson)
    if loose and any(path.is_file() and is_notebook(path.name) for path in student.iterdir()):
        # What has another name is known by its cells.
        others = [f"{name}.ipynb" for name in names]
        given = {one: given_out(course.source / one / f"{one}.ipynb") for one in sorted(loose)}
        kinds = {name: kind for own in given.values() for name, kind in own.to_write.items()}
        answered = answered_in(student, GivenOut(kinds), others)
        for lesson, own in given.items():
            if answered.isdisjoint(own.to_write):
                continue
            if which_notebook(student, f"{lesson}.ipynb", own, others).content:
                yield lesson, student


def lessons_of(course: Course) -> list[str]:
    """The course's lessons, and those whose notebooks were made by hand."""
    made = (path.stem for path in course.source.glob("*/*.ipynb") if path.stem == path.parent.name)
    return sorted({*course.lessons(), *made} - course.lessons_not_chosen())


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
    submission: HandedIn = field(default_factory=HandedIn)
    files: Beside = field(default_factory=Beside)
    known: Record | None = None
    failure: str = ""


def _begin(course: Course, one: Submitted, isolation: str, *, force: bool) -> _Begun:
    """Have a worker begin what is to be graded, where there are workers."""
    try:
        with _told(one.folder):
            job, submission, files = _job(course, one, isolation)
        known = None if force else _known(one, job, submission, files)
        if known is None and not submission.why_not:
            ahead(job)
        return _Begun(one, job, submission, files, known)
    except CourseError as error:
        return _Begun(one, failure=str(error))


def _result(begun: _Begun) -> StudentResult:
    one, job, record = begun.one, begun.job, begun.known
    student = shown(one.student)
    if job is None:
        return StudentResult(student, failure=begun.failure)
    try:
        if record is None:
            notebook, record = _grade(one, job, begun.submission, begun.files)
        else:
            notebook = rebuild(read_source(job.notebook), job.submission).notebook
    except CourseError as error:
        return StudentResult(student, failure=str(error))
    waiting = [cell for cell in notebook.cells if _waits(cell, record)]
    return StudentResult(
        student,
        sum(cell.points for cell in record.cells),
        sum(points_of(cell) for cell in notebook.cells if has_role(cell, "grade")),
        to_read=tuple(grade_id_of(cell).removesuffix("_check") for cell in waiting),
        waiting=sum(map(points_of, waiting)),
        seconds=record.seconds,
        found=tuple(found_in(record)),
        not_graded=record.not_graded,
    )


def _job(course: Course, one: Submitted, isolation: str) -> tuple[Job, HandedIn, Beside]:
    source, walls = course.source / one.lesson, usual_walls(course, isolation)
    own, asked = _course_files(source), f"{one.lesson}.ipynb"
    # Notebooks of other lessons lie beside it, where a student has one folder for all.
    alone = one.folder.name == one.lesson
    files = beside(one.folder, own) if alone else Beside(course=own)
    others = [] if alone else [f"{name}.ipynb" for name in lessons_of(course) if name != one.lesson]
    submission = which_notebook(one.folder, asked, given_out(source / asked), others)
    job = job_of(
        course.root,
        source / asked,
        submission.content,
        walls,
        files=files.contents(walls.limits_given.disk_bytes // 2),
        remarks=(*submission.remarks, *files.left_out),
    )
    return job, submission, files


def _known(one: Submitted, job: Job, submission: HandedIn, files: Beside) -> Record | None:
    """The record of just this submission, graded with what it would be graded with now."""
    record = Record.before(one.record)
    if record is None:
        return None
    same = record.submission == submission.digest and record.files == files.digests()
    asked = Conditions(
        isolation=job.walls.isolation,
        seed=job.seed,
        exam_seed=digest_of_seed(job.exam_seed),
        source=source_digest(job.notebook),
        marked=marked_beside(read_source(job.notebook)),
        beside=job.beside,
    )
    return record if same and record.code == job.code and record.is_as_asked(asked) else None


def _grade(
    one: Submitted, job: Job, submission: HandedIn, files: Beside
) -> tuple[NotebookNode, Record]:
    graded = grade_handed_in(job, submission, files)
    page = _page(graded.notebook, graded.record, one.lesson)
    with _told(one.to):
        write_whole(one.to / f"{one.lesson}.html", page.encode())
        write_whole(one.record, graded.record.text().encode())
    return graded.notebook, graded.record


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Have what can't be read or written cost one submission, and no more."""
    try:
        yield
    except OSError as error:
        where = Path(str(error.filename2 or error.filename or folder))
        raise GradingFailed(
            f"{_path(where)} can't be read or written ({error.strerror}): put that right, and "
            "grade again"
        ) from error


def _page(notebook: NotebookNode, record: Record, lesson: str) -> str:
    """The page that a student gets back, with the points of the record in it."""
    earned = {cell.grade_id: cell.points for cell in record.cells}
    score = most = 0.0
    for cell in notebook.cells:
        if not is_students(cell):
            cell.source = _KEPT_BACK.sub("", cell.source)
        if has_role(cell, "grade"):
            name, marks = grade_id_of(cell), cell.metadata.nbgrader
            marks["score"] = earned.get(name, 0.0)
            marks[WAITS] = _waits(cell, record)
            if not marks[WAITS] and not is_test(cell):
                marks["comment"] = NO_RESPONSE
            score, most = score + marks["score"], most + points_of(cell)
    resources = {"nbgrader": {"score": score, "max_score": most, "notebook": lesson}}
    return WORKER.page("feedback", nbformat.writes(notebook), resources)


def _waits(cell: NotebookNode, record: Record) -> bool:
    """Whether a human has to grade it: an answer in words, or what could not be graded here."""
    if not has_role(cell, "grade") or record.not_graded:
        return has_role(cell, "grade")
    if is_test(cell):
        open_ones = {one.grade_id for one in record.cells if one.verdict is Verdict.NOT_GRADABLE}
        return grade_id_of(cell) in open_ones
    return cell.source.strip() not in ("", UNANSWERED)


def _course_files(source: Path) -> dict[str, Path]:
    """What lies beside the instructor's notebook and comes to each submission, by name."""
    return {
        str(path.relative_to(source)): path
        for path in sorted(source.rglob("*"))
        if path.is_file()
        and path.suffix not in (".ipynb", ".pyc")
        and not {*path.relative_to(source).parts} & {*_LEFT_OUT}
    }
