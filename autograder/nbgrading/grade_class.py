"""Grading a class: nbgrader's autograde for one student after the other, and what came of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from nbgrader.utils import temp_attrs
from traitlets.config import Config

from autograder.checks.source.cells import grade_id_of, is_test, points_of
from autograder.course import Course
from autograder.errors import CourseError, GradingFailed
from autograder.grading.class_table import StudentResult, found_in
from autograder.grading.exam_seed import digest_of_seed, exam_seed_of
from autograder.grading.grade import digest_of_source
from autograder.grading.jobs.garbage_collection import keep_what_is_there
from autograder.grading.jobs.own_code import digest_of
from autograder.grading.jobs.work import source_at
from autograder.grading.jobs.workers import room_ahead
from autograder.grading.ordinary.tests_beside import marked_beside
from autograder.grading.record import RECORD_SUFFIX, Conditions, Record
from autograder.grading.submitted_files import shown
from autograder.nbgrading.agreement import must_agree
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.converter import SafeAutograde, workers_for
from autograder.nbgrading.failures import sentence_of
from autograder.nbgrading.gradebook.transaction import gradebook_of
from autograder.nbgrading.inbox.grade_handed_in import grade_handed_in
from autograder.nbgrading.inbox.handed_in import closed_folders
from autograder.nbgrading.inbox.student_ids import is_student_id, why_nobody
from autograder.nbgrading.preprocessor import GradeSafely
from autograder.nbgrading.term.roster import FILE as ROSTER
from autograder.nbgrading.term.roster import read_roster

# The last line of a traceback, which says what failed.
_OUR_ERROR = re.compile(
    r"^[^\S\n]*(?:autograder\.errors\.\w+|nbgrader\.converters\.base\.NbGraderException): (.+)$",
    re.MULTILINE,
)


def students_of(course: Course, lesson: str) -> list[str]:
    """Who has handed in a lesson.

    Raises:
        GradingFailed: when nobody has.
    """
    submitted = course.root / "submitted"
    closed = [Path(folder).parent.name for folder in closed_folders(str(submitted / "*" / lesson))]
    folders = [path.parent.name for path in submitted.glob(f"*/{lesson}") if path.is_dir()]
    if not folders and not closed:
        raise GradingFailed(
            f"nobody has handed in {lesson}: submissions lie in submitted/<student>/{lesson}/"
        )
    return sorted({*folders, *closed})


def expected_of(course: Course) -> list[str]:
    """The students of the roster; without one, those whom the gradebook knows.

    Raises:
        GradingFailed: when the gradebook can't be read.
        RosterError: when the roster can't be.
    """
    roster = course.root / ROSTER
    if roster.is_file():
        return [one.id for one in read_roster(roster, course.lesson_named)]
    with _said(), nbgrader_api(configuration(course, course.root)).gradebook as gradebook:
        return [student.id for student in gradebook.students]


def meant_by(course: Course, folders: Sequence[str]) -> list[str]:
    """Who may be meant by folders in submitted/: nobody, where each can be a student's."""
    # A roster that can't be read is told when everybody is graded.
    with suppress(CourseError):
        return expected_of(course) if called_as_nobody(folders) else []
    return []


def grade_class(
    course: Course,
    lesson: str,
    students: Sequence[str],
    *,
    force: bool,
    settings: Mapping[str, object],
    root: Path | None = None,
) -> Iterator[StudentResult]:
    """Grade each student's submission, or take the score that is there already.

    Args:
        course: whose lesson it is.
        lesson: the name of the lesson.
        students: who has handed it in.
        force: whether to grade again what is graded already.
        settings: those of `GradeSafely` that are others than the course's.
        root: where the gradebook and the submissions are; by default the course's own folder.

    Raises:
        GradingFailed: when the gradebook does not know the lesson as it is in source/.
    """
    root = root or course.root
    config = configuration(course, root)
    config.GradeSafely.update(settings)
    api = nbgrader_api(config)
    with _said(), api.gradebook as gradebook:
        must_agree(root / course.source.name / lesson, lesson, gradebook)
    now = _Now.of(course, root / course.source.name / lesson, config)
    known = meant_by(course, students)
    with workers_for(len(students), config):
        yield from _each(root, api, lesson, students, now, known, force=force)


@dataclass(frozen=True)
class ChangedPoints:
    """What another grading would make of a test: its points before and after, and why."""

    student: str
    exercise: str
    before: float
    after: float
    why: str


def outdated(
    course: Course, lesson: str, students: Sequence[str], settings: Mapping[str, object]
) -> list[str]:
    """Those who were graded with exams, a reference, a notebook in source/ or files beside it that
    have changed since, with another number for hidden cases, or with fewer walls than `settings`
    ask for.
    """
    config = configuration(course, course.root)
    config.GradeSafely.update(settings)
    now = _Now.of(course, course.source / lesson, config)
    return [
        student
        for student in students
        if (record := Record.known(_record_in(course.root, lesson, student)))
        and now.differs(record)
    ]


def called_as_nobody(students: Sequence[str]) -> list[str]:
    """Those whose folders have names that no student can have: they are graded by nothing yet."""
    return [student for student in students if not is_student_id(student)]


@dataclass(frozen=True)
class _Now:
    """What a lesson is graded with as things are.

    Attributes:
        code: by which the exams, the reference and what lies in its folder are known again.
        points: what its tests give, by their names.
        asked: its notebook, and what is asked for otherwise.
    """

    code: str
    points: Mapping[str, float]
    asked: Conditions

    @classmethod
    def of(cls, course: Course, folder: Path, config: Config) -> "_Now":
        grading = GradeSafely(config=config)
        notebook = folder / f"{folder.name}.ipynb"
        # What is not built is told where it is to be graded.
        read = source_at(notebook) if notebook.exists() else None
        cells = read.cells if read else []
        points = {grade_id_of(cell): points_of(cell) for cell in cells if is_test(cell)}
        asked = Conditions(
            isolation=grading.isolation,
            seed=grading.seed,
            exam_seed=digest_of_seed(exam_seed_of(grading.course_folder)),
            source=digest_of_source(read) if read else "",
            marked=marked_beside(read) if read else frozenset(),
            beside=grading.beside,
        )
        return cls(digest_of(course.root, folder, grading.preload), points, asked)

    def differs(self, record: Record) -> bool:
        """Whether a submission with this record would be graded otherwise."""
        given = {cell.grade_id: cell.max_points for cell in record.cells}
        as_asked = record.code == self.code and record.is_as_asked(self.asked)
        return not as_asked or (bool(given) and given != self.points)


def differences(
    course: Course, lesson: str, students: Sequence[str], settings: Mapping[str, object]
) -> Iterator[tuple[str, list[ChangedPoints]]]:
    """What another grading would change, student by student; nothing is saved.

    Raises:
        GradingFailed: when a submission can't be graded on our side.
    """
    config = configuration(course, course.root)
    config.GradeSafely.update(settings)
    api = nbgrader_api(config)
    with workers_for(len(students), config):
        for student in students:
            place = temp_attrs(api.coursedir, assignment_id=lesson, student_id=student)
            with _said(), place:
                grading = SafeAutograde(coursedir=api.coursedir, parent=api)
                grading.init_notebooks()
                (source,) = grading.assignments
                found = [grade_handed_in(*job).record for job in grading.jobs(source)]
            before = Record.known(_record_in(course.root, lesson, student)) or Record()
            yield student, [*_between(student, before, found)]


def _between(student: str, before: Record, found: Sequence[Record]) -> Iterator[ChangedPoints]:
    known = {cell.exercise: cell for cell in before.cells}
    for cell in (cell for record in found for cell in record.cells):
        earned = known[cell.exercise].points if cell.exercise in known else 0.0
        if earned != cell.points:
            why = cell.misconception.replace("_", " ") or cell.verdict.value
            yield ChangedPoints(student, cell.exercise, earned, cell.points, why)


def _record_in(root: Path, lesson: str, student: str) -> Path:
    return root / "autograded" / student / lesson / f"{lesson}{RECORD_SUFFIX}"


def _each(
    root: Path,
    api: NbGraderAPI,
    lesson: str,
    students: Sequence[str],
    now: _Now,
    known: Sequence[str],
    *,
    force: bool,
) -> Iterator[StudentResult]:
    begun = 0
    for number, student in enumerate(students):
        while begun < min(len(students), number + room_ahead()):
            _begin(api, lesson, students[begun], force=force)
            begun += 1
        if not is_student_id(student):
            yield StudentResult(shown(student), not_graded=why_nobody(student, students, known))
            continue
        outcome = api.autograde(lesson, student, force=force)
        keep_what_is_there()
        go_on_after(outcome)
        if outcome["success"]:
            yield _result(root, api, lesson, student, now)
        else:
            yield StudentResult(student, failure=reason_of(outcome))


def _begin(api: NbGraderAPI, lesson: str, student: str, *, force: bool) -> None:
    """Have a worker begin a submission, which is asked for by `autograde` later."""
    # What fails here fails again, and is told, when it is its turn.
    place = temp_attrs(api.coursedir, assignment_id=lesson, student_id=student)
    with suppress(Exception), place:
        SafeAutograde(coursedir=api.coursedir, parent=api, force=force).begin()


def _result(root: Path, api: NbGraderAPI, lesson: str, student: str, now: _Now) -> StudentResult:
    path = _record_in(root, lesson, student)
    try:
        with _said(), gradebook_of(api.coursedir) as gradebook:
            submission = gradebook.find_submission(lesson, student)
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            record = Record.read(path)
            waiting = [grade for grade in grades if grade.needs_manual_grade]
            # Of a large class, whole records would fill the memory.
            return StudentResult(
                student,
                submission.score,
                submission.max_score,
                to_read=tuple(grade.name.removesuffix("_check") for grade in waiting),
                waiting=sum(grade.max_score for grade in waiting),
                penalty=submission.late_submission_penalty or 0.0,
                seconds=record.seconds,
                found=tuple(found_in(record)),
                # Whoever has given points for all of it has graded it.
                not_graded=record.not_graded if waiting else "",
                is_outdated=now.differs(record),
            )
    except GradingFailed as failure:
        return StudentResult(student, failure=str(failure))


@contextmanager
def _said() -> Iterator[None]:
    """What fails on our side is a sentence."""
    try:
        yield
    except Exception as failure:
        raise GradingFailed(sentence_of(failure)) from failure


def go_on_after(outcome: Mapping[str, object]) -> None:
    """Go on with the next step, unless whoever sits at the keyboard wants none.

    Raises:
        KeyboardInterrupt: when nbgrader was interrupted, which it takes for a failure.
    """
    if str(outcome.get("error", "")).rstrip().endswith(KeyboardInterrupt.__name__):
        raise KeyboardInterrupt


def reason_of(outcome: Mapping[str, object]) -> str:
    """Why nbgrader did not do what it was asked to: our own sentence, where the error is ours."""
    text = f"{outcome.get('log', '')}\n{outcome.get('error', '')}".strip()
    ours = _OUR_ERROR.findall(text)
    return str(ours[-1]) if ours else text.split("\n")[-1]
