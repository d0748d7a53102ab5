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
from autograder.grading.submitted_files import is_leaving, is_notebook, listed, shown
from autograder.nbgrading.inbox.grade_handed_in import grade_handed_in
from autograder.nbgrading.inbox.take import Beside, beside
from autograder.nbgrading.inbox.which_notebook import (
    HandedIn,
    answered_in,
    given_out,
    which_notebook,
    written_in,
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
    is_loose: bool = False
    """Whether notebooks of the lesson lie beside its folder as well."""

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
    for student in _students_in(folder, only):
        if not _is_closed(student):
            for lesson, place, is_loose in _lessons_in(course, student, names):
                to = out / student.name / lesson
                found.append(Submitted(student.name, lesson, place, to, is_loose))
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
    return [
        f"{shown(one.name)} is not graded: {_path(one)} can't be opened by who grades; "
        "`chmod -R u+rwX` opens it"
        for one in _students_in(folder, only)
        if _is_closed(one)
    ]


def _is_closed(folder: Path) -> bool:
    """Whether nobody can tell here what lies in it."""
    return not os.access(folder, os.R_OK | os.X_OK, effective_ids=True)


def _path(path: Path) -> Path:
    """A path for a message, with each name in it as it is shown."""
    return Path(*map(shown, path.parts))


def nothing_in(folder: Path, submitted: Sequence[Submitted], only: str | None = None) -> list[str]:
    """Whose folder has no submission that was found, each in a sentence that says where it lies."""
    found = {one.student for one in submitted}
    return [
        f"{shown(one.name)} has no submission to a lesson of this course in {_path(one)}: one lies "
        "in <lesson>/<lesson>.ipynb there, or in <lesson>.ipynb"
        for one in _students_in(folder, only)
        if one.name not in found and not _is_closed(one)
    ]


def _students_in(folder: Path, only: str | None) -> list[Path]:
    names = (one for one in sorted(folder.iterdir()) if only in (None, one.name))
    return [one for one in names if one.is_dir() and not is_leaving(one.name)]


def _lessons_in(
    course: Course, student: Path, names: Sequence[str]
) -> Iterator[tuple[str, Path, bool]]:
    """The lessons that a student has handed in, and the folder of each.

    That is the lesson's own, unless only notebooks beside that one are answered; whether there are
    any is said as well.
    """
    answered = _answered_loosely(course, student, names)
    for lesson in names:
        own = given_out(_notebook(course, lesson)).to_write if answered else ()
        is_named = os.path.lexists(student / f"{lesson}.ipynb")
        is_loose = is_named or not answered.isdisjoint(own)
        is_own = os.path.lexists(student / lesson)
        if is_own and not (is_loose and _is_beside(course, student, lesson)):
            yield lesson, student / lesson, is_loose
        elif is_loose:
            yield lesson, student, False


def _answered_loosely(course: Course, student: Path, names: Sequence[str]) -> set[str]:
    """Which cells are answered in notebooks with names of their own, each of which is read once."""
    others = {one for name in names for one in (name, f"{name}.ipynb")}
    loose = (one for one in student.iterdir() if one.name not in others and is_notebook(one.name))
    if not any(one.is_file() for one in loose):
        return set()
    given = [given_out(_notebook(course, name)).to_write for name in names]
    together = {cell: kind for one in given for cell, kind in one.items()}
    return answered_in(student, GivenOut(together), others)


def _is_beside(course: Course, student: Path, lesson: str) -> bool:
    """Whether a lesson is answered in a student's folder, and nowhere in its own within that."""
    written = written_in(student, *_asked_of_one_folder(course, lesson))
    return bool(written) and not any(name.startswith(f"{lesson}/") for name in written)


def _notebook(course: Course, lesson: str) -> Path:
    return course.source / lesson / f"{lesson}.ipynb"


def _asked_of_one_folder(course: Course, lesson: str) -> tuple[GivenOut, list[str]]:
    """What was given out with a lesson, and the files and folders of others."""
    others = [name for name in lessons_of(course) if name != lesson]
    return given_out(_notebook(course, lesson)), [*others, *(f"{one}.ipynb" for one in others)]


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
    own, asked = _course_files(source), source / f"{one.lesson}.ipynb"
    # Notebooks of other lessons lie beside it, where a student has one folder for all.
    alone = one.folder.name == one.lesson
    files = beside(one.folder, own) if alone else Beside(course=own)
    if alone:
        submission = which_notebook(one.folder, asked.name, given_out(asked))
        submission = _unless_another(course, one, submission)
    else:
        asked_of_it = _asked_of_one_folder(course, one.lesson)
        submission = which_notebook(one.folder, asked.name, *asked_of_it)
    job = job_of(
        course.root,
        asked,
        submission.content,
        walls,
        files=files.contents(walls.limits_given.disk_bytes // 2),
        remarks=(*submission.remarks, *files.left_out),
    )
    return job, submission, files


def _unless_another(course: Course, one: Submitted, submission: HandedIn) -> HandedIn:
    """What is in a lesson's folder; nothing yet where other answers lie beside that folder."""
    if submission.why_not or not one.is_loose:
        return submission
    lesson = one.lesson
    written = written_in(one.folder.parent, *_asked_of_one_folder(course, lesson))
    own = f"{lesson}/{submission.name}"
    others = sorted(
        name
        for name in written.keys() - {own}
        if not name.startswith(f"{lesson}/") and written[name] != written.get(own)
    )
    if own not in written or not others:
        return submission
    both = listed([own, *map(shown, others)], len(written))
    return HandedIn(
        why_not=f"{both} could each be meant: only one can count",
        of=" ".join(written[name] for name in (own, *others)),
    )


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
