"""The main job from end to end, on a simulated class: build, release, submit, grade, feed back.

It runs in a folder of its own, with nbgrader's own steps and the course's own configuration.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import count
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from rich.table import Table

from autograder.course import Course
from autograder.demo.classroom import STUDENTS, Submission, submissions
from autograder.errors import GradingFailed
from autograder.exam.exam import exams_of
from autograder.exam.report import Verdict
from autograder.grading.record import RECORD_SUFFIX
from autograder.learner.marks import Mark, marks_in, total
from autograder.lesson.build import Built, build_lesson
from autograder.lesson.lesson import read_lesson
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.grade_class import reason_of
from autograder.terminal import as_written

Progress = Callable[[int, int, str], None]

_SECONDS_PER_CELL = 10
_MANY = 3
_TAG = re.compile(r"</?code>")


@dataclass(frozen=True)
class Result:
    """What came of one submission: its marks and what was remarked, or why there are none.

    `verdicts` has what the record says of each exercise.
    """

    lesson: str
    submission: Submission
    marks: Sequence[Mark] = ()
    score: float = 0.0
    reason: str = ""
    remarks: Sequence[str] = ()
    verdicts: Mapping[str, str] = field(default_factory=dict)
    feedback: Path | None = None


def shortest_lesson(course: Course) -> str:
    """The lesson with the fewest exercises, of several the last.

    The class of every lesson shows the same verdicts, and this one's is graded soonest.
    """

    def exercises(lesson: str) -> int:
        return len(read_lesson(course.lesson_file(lesson)).exercises)

    return min(reversed(course.lessons()), key=exercises)


def run_demo(
    course: Course, root: Path, lessons: Sequence[str], *, progress: Progress
) -> list[Result]:
    """Grade a simulated class of these lessons in `root`, which is emptied first.

    Args:
        course: where the lessons are.
        root: the folder in which all of it happens.
        lessons: their full names.
        progress: called before each step, with how many are done of how many, and what it is.

    Raises:
        GradingFailed: when `root` can't be emptied, or nbgrader could not release a lesson.
    """
    _empty(root)
    config = configuration(course, root)
    config.GradeSafely.limits = {
        "cell_seconds": _SECONDS_PER_CELL,
        "call_seconds": _SECONDS_PER_CELL,
    }
    api = nbgrader_api(config)
    results: list[Result] = []
    steps, done = len(lessons) * (1 + len(STUDENTS)), count()
    for lesson in lessons:
        progress(next(done), steps, f"{lesson}: build and release")
        built = _release(course, root, api, lesson)
        for submission in _submit(root, built):
            progress(next(done), steps, f"{lesson}: grade {submission.student}")
            results.append(_grade(root, api, built, submission))
    return results


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
    for path, text in built.files.items():
        if path.is_relative_to(course.source):
            copy = root / path.relative_to(course.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8", newline="\n")
    outcome = api.generate_assignment(lesson)
    if not outcome["success"]:
        raise GradingFailed(f"nbgrader could not release {lesson}: {reason_of(outcome)}")
    return built


def _submit(root: Path, built: Built) -> list[Submission]:
    lesson = built.lesson.name
    folder = root / "notebooks" / lesson
    released = nbformat.read(folder / f"{lesson}.ipynb", as_version=4)
    made = submissions(built, released, exams_of(built.course.exam_module(lesson)))
    for submission in made:
        target = root / "submitted" / submission.student / lesson
        shutil.copytree(folder, target)
        (target / f"{lesson}.ipynb").write_text(submission.text, encoding="utf-8")
    return made


def _grade(root: Path, api: NbGraderAPI, built: Built, submission: Submission) -> Result:
    lesson, student = built.lesson.name, submission.student
    outcome = api.autograde(lesson, student)
    graded = root / "autograded" / student / lesson / f"{lesson}.ipynb"
    if not outcome["success"] or not graded.exists():
        return Result(lesson, submission, reason=reason_of(outcome))
    record = json.loads(graded.with_name(f"{lesson}{RECORD_SUFFIX}").read_text(encoding="utf-8"))
    marks = marks_in(nbformat.read(graded, as_version=4), built.lesson.points)
    api.generate_feedback(lesson, student)
    page = root / "feedback" / student / lesson / f"{lesson}.html"
    with api.gradebook as gradebook:
        score = gradebook.find_submission(lesson, student).score
    feedback = page if page.exists() else None
    cells = {cell["grade_id"].removesuffix("_check"): cell["verdict"] for cell in record["cells"]}
    return Result(lesson, submission, marks, score, "", record["remarks"], cells, feedback)


def as_tables(results: Sequence[Result]) -> list[Table]:
    """Who scored what, and what they got wrong: a table per lesson."""
    lessons = dict.fromkeys(result.lesson for result in results)
    return [
        _as_table(lesson, [result for result in results if result.lesson == lesson])
        for lesson in lessons
    ]


def _as_table(lesson: str, results: Sequence[Result]) -> Table:
    table = Table(title=as_written(lesson), title_justify="left")
    for heading in ("student", "points", "by hand"):
        table.add_column(heading, justify="right" if heading == "points" else "left")
    table.add_column("what was found", overflow="fold")
    for result in results:
        earned, tested, to_read = total(result.marks)
        points = f"{earned:g} / {tested}" if result.marks else "–"
        waiting = f"{to_read} to read" if to_read else "–"
        found = "\n".join(_found(result)) or "all right"
        table.add_row(as_written(result.submission.student), points, waiting, as_written(found))
    return table


def _found(result: Result) -> list[str]:
    if result.reason:
        return [f"not graded: {result.reason}"]
    if len(result.remarks) > _MANY:
        return [result.remarks[0]]
    lost = [mark for mark in result.marks if mark.points == 0 and not mark.by_hand]
    unwritten = [mark for mark in lost if mark.verdict == Verdict.NOT_IMPLEMENTED.value]
    lines = [
        f"{mark.exercise}: {(mark.misconception or mark.verdict).replace('_', ' ')}"
        for mark in lost
        if mark not in unwritten
    ]
    lines = [*result.remarks, *lines]
    return [*lines, f"{len(unwritten)} not implemented yet"] if unwritten else lines


def worth_opening(results: Sequence[Result]) -> Path | None:
    """The feedback page of a wrong answer whose mistake was named."""
    pages = (result.feedback for result in results if result.submission.mistakes)
    return next(filter(None, pages), None)


def disappointments(results: Sequence[Result]) -> list[str]:
    """Where the class did not come out as it was made to: one sentence each."""
    return [sentence for result in results for sentence in _judge(result)]


def _judge(result: Result) -> list[str]:
    submission = result.submission
    who = f"{submission.student} in {result.lesson}"
    if result.reason:
        return [f"{who}: not graded: {result.reason}"]
    sentences = []
    if submission.remark not in "; ".join(result.remarks):
        sentences.append(f"{who}: the record does not say {submission.remark!r}")
    for mark in result.marks:
        if mark.by_hand:
            continue
        expected = mark.out_of if mark.exercise in submission.passes else 0
        if mark.points != expected:
            sentences.append(f"{who}: {mark.exercise} earned {mark.points}, expected {expected}")
        found = result.verdicts[mark.exercise]
        if not expected and submission.verdict and found != submission.verdict.name.lower():
            sentences.append(f"{who}: {mark.exercise} is {found}, not {submission.verdict.value}")
        misconception = submission.mistakes.get(mark.exercise, "")
        if misconception and mark.misconception != misconception:
            sentences.append(f"{who}: {mark.exercise} was not named {misconception}")
        if misconception and not _page_says(result, mark.hint):
            sentences.append(f"{who}: the feedback page lacks the hint of {misconception}")
    if result.marks and result.score != total(result.marks)[0]:
        sentences.append(f"{who}: the gradebook has {result.score}, the cells add up otherwise")
    return sentences


def _page_says(result: Result, hint: str) -> bool:
    if not result.feedback or not hint:
        return False
    page = unescape(_TAG.sub("", result.feedback.read_text(encoding="utf-8")))
    return hint.replace("`", "") in page.replace("`", "")
