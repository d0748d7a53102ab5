"""The main job from end to end, on a simulated class: build, release, submit, grade, feed back.

It runs in a folder of its own, with nbgrader's own steps and the course's own configuration.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import nbformat

from autograder.authoring.build.build import Built, build_lesson
from autograder.authoring.lesson.lesson import Exercise, Lesson, WrittenExercise
from autograder.authoring.lesson.personal import course_lesson
from autograder.checks import examples
from autograder.course import Course
from autograder.demo.classroom import STUDENTS, Submission, submissions
from autograder.errors import CheckError, GradingFailed
from autograder.grading.class_table import StudentResult
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record
from autograder.nbgrading.configuration import NbGraderAPI, configuration, nbgrader_api
from autograder.nbgrading.grade_class import go_on_after, grade_class, reason_of
from autograder.nbgrading.preprocessor import GradeSafely
from autograder.student.limits import Limits

CLASS_SIZE = len(STUDENTS)

# Loops and hogs are stopped a little sooner than usual. A right answer that takes longer on this
# machine is graded again, with a time that follows from what the solution takes; but a loop in the
# longest exercise is to leave enough for the others.
_LIMITS = {
    "least_cell_seconds": 7.0,
    "cell_seconds": 30.0,
    "call_seconds": 30.0,
    "least_seconds": 120.0,
    "memory_bytes": 512 << 20,
}
_TAG = re.compile(r"</?code>")


@dataclass(frozen=True)
class DemoResult:
    """What came of one submission: what everybody is told, what its record says, and its page."""

    lesson: str
    submission: Submission
    graded: StudentResult
    cells: Sequence[CellRecord] = ()
    remarks: Sequence[str] = ()
    feedback: Path | None = None


def usual_lesson(course: Course) -> str:
    """The lesson that course.toml names, or the one whose exercises are said to take least time.

    Raises:
        SettingError: when course.toml names no lesson.
        GradingFailed: when none has exercises.
    """
    for lesson in course.lessons_in("demo").values():
        return lesson
    lessons = [course_lesson(course, name) for name in course.lessons()]
    with_exercises = [lesson for lesson in lessons if lesson.exercises]
    if not with_exercises:
        raise GradingFailed(f"no lesson in {course.source} has an exercise to grade: write one")
    return min(with_exercises, key=_minutes).name


def _minutes(lesson: Lesson) -> int:
    return sum(one.minutes for one in lesson.blocks if isinstance(one, Exercise | WrittenExercise))


def run_demo(
    course: Course, root: Path, lessons: Sequence[str], *, progress: Callable[[str], None]
) -> Iterator[DemoResult]:
    """Grade a simulated class of these lessons in `root`, which is emptied first.

    Args:
        course: where the lessons are.
        root: the folder in which all of it happens.
        lessons: their full names.
        progress: called with the name of each lesson before its class hands it in.

    Raises:
        GradingFailed: when `root` can't be emptied, a lesson has no exercises, or nbgrader could
            not release it.
    """
    _empty(root)
    config = configuration(course, root)
    # A student hands it in.
    config.TrySolution.enabled = False
    api = nbgrader_api(config)
    limits = {**_LIMITS, **GradeSafely(config=config).limits}
    for lesson in lessons:
        progress(lesson)
        built = _release(course, root, api, lesson)
        made = {one.student: one for one in _submit(root, built, limits)}
        settings = {"limits": limits}
        for graded in grade_class(
            course, lesson, [*made], force=False, settings=settings, root=root
        ):
            yield _result(root, api, lesson, made[graded.student], graded)


def _empty(root: Path) -> None:
    try:
        if root.exists():
            shutil.rmtree(root)
        root.mkdir(parents=True)
    except OSError as error:
        sentence = f"{root} can't be emptied ({error.strerror}): delete it, and try again."
        raise GradingFailed(sentence) from error


def _release(course: Course, root: Path, api: NbGraderAPI, lesson: str) -> Built:
    built = build_lesson(course, lesson)
    if not built.exams:
        raise GradingFailed(f"{lesson} has no exercise that a class could solve: name another one")
    folder = root / course.source.name / lesson
    folder.mkdir(parents=True)
    nbformat.write(built.source, folder / f"{lesson}.ipynb")
    (folder / examples.FILE).write_text(_checks(built), encoding="utf-8", newline="\n")
    outcome = api.generate_assignment(lesson)
    go_on_after(outcome)
    if not outcome["success"]:
        raise GradingFailed(f"nbgrader could not release {lesson}: {reason_of(outcome)}")
    return built


def _checks(built: Built) -> str:
    """The printed examples: those that students get, where they are complete.

    To find them out takes long, and no grade depends on them.
    """
    folder = built.course.release_folder(built.lesson.name)
    with suppress(CheckError):
        found = examples.read(folder)
        if found.keys() == built.exams.keys() and found.descriptions == built.descriptions:
            return (folder / examples.FILE).read_text(encoding="utf-8")
    return built.checks


def _submit(root: Path, built: Built, limits: Mapping[str, object]) -> list[Submission]:
    lesson = built.lesson.name
    folder = root / built.course.notebooks.name / lesson
    released = nbformat.read(folder / f"{lesson}.ipynb", as_version=4)
    made = submissions(built, released, built.exams, Limits.from_mapping(limits).memory_bytes)
    for submission in made:
        target = root / "submitted" / submission.student / lesson
        shutil.copytree(folder, target)
        (target / f"{lesson}.ipynb").write_text(submission.text, encoding="utf-8")
    return made


def _result(
    root: Path, api: NbGraderAPI, lesson: str, submission: Submission, graded: StudentResult
) -> DemoResult:
    """What came of a submission, with its page, which is made while others are graded."""
    if graded.failure:
        return DemoResult(lesson, submission, graded)
    outcome = api.generate_feedback(lesson, graded.student)
    go_on_after(outcome)
    if not outcome["success"]:
        raise GradingFailed(f"{graded.student} has no feedback page: {reason_of(outcome)}")
    page = root / "feedback" / graded.student / lesson / f"{lesson}.html"
    path = root / "autograded" / graded.student / lesson / f"{lesson}{RECORD_SUFFIX}"
    record = Record.read(path)
    return DemoResult(lesson, submission, graded, record.cells, record.remarks, page)


def worth_opening(results: Sequence[DemoResult]) -> Path | None:
    """The feedback page of a wrong answer whose mistake was named."""
    pages = (result.feedback for result in results if result.submission.mistakes)
    return next(filter(None, pages), None)


def disappointments(results: Sequence[DemoResult]) -> list[str]:
    """Where the class did not come out as it was made to: one sentence each."""
    return [
        f"{result.graded.student} in {result.lesson}: {sentence}"
        for result in results
        for sentence in _judge(result)
    ]


def _judge(result: DemoResult) -> Iterator[str]:
    submission, graded = result.submission, result.graded
    if graded.failure:
        yield f"not graded: {graded.failure}"
        return
    why_not = graded.not_graded
    if bool(why_not) != bool(submission.why_not) or submission.why_not not in why_not:
        yield f"it waits because {why_not!r}, not {submission.why_not!r}"
    if submission.remark not in "; ".join(result.remarks):
        yield f"the record does not say {submission.remark!r}"
    cells = {cell.exercise: cell for cell in result.cells}
    for exercise in sorted(submission.passes - cells.keys()):
        yield f"{exercise} was not graded"
    for exercise, cell in cells.items():
        yield from _judge_exercise(result, exercise, cell)
    if graded.score != sum(cell.points for cell in result.cells):
        yield f"the gradebook has {graded.score}, the cells add up otherwise"


def _judge_exercise(result: DemoResult, exercise: str, cell: CellRecord) -> Iterator[str]:
    submission = result.submission
    expected = cell.max_points if exercise in submission.passes else 0
    if cell.points != expected:
        yield f"{exercise} earned {cell.points}, expected {expected}"
    found, right = cell.verdict, submission.verdicts
    if not expected and right and found not in right:
        wanted = " or ".join(sorted(one.value for one in right))
        yield f"{exercise} is {found.value!r}, not {wanted!r}"
    misconception = submission.mistakes.get(exercise, "")
    if misconception and cell.misconception != misconception:
        yield f"{exercise} was not named {misconception}"
    if misconception and not _page_says(result, cell.hint):
        yield f"the feedback page lacks the hint of {misconception}"


def _page_says(result: DemoResult, hint: str) -> bool:
    if not result.feedback or not hint:
        return False
    page = unescape(_TAG.sub("", result.feedback.read_text(encoding="utf-8")))
    return hint.replace("`", "") in page.replace("`", "")
