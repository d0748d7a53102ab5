"""The main job from end to end, on a simulated class: build, release, submit, grade, feed back.

It runs in a folder of its own, with nbgrader's own steps and the course's own configuration.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from rich.table import Table

from autograder.build import Built, build_lesson
from autograder.classroom import Submission, submissions
from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.exam import exams_of
from autograder.marks import Mark, marks_in, total
from autograder.record import RECORD_SUFFIX
from autograder.stock import configuration, nbgrader_api

_SECONDS_PER_CELL = 10
_MANY = 3
_TAG = re.compile(r"</?code>")


@dataclass(frozen=True)
class Result:
    """What came of one submission: its marks and what was remarked, or why there are none."""

    lesson: str
    submission: Submission
    marks: Sequence[Mark] = ()
    score: float = 0.0
    reason: str = ""
    remarks: Sequence[str] = ()
    feedback: Path | None = None


def run_demo(
    course: Course, root: Path, lessons: Sequence[str], *, progress: Callable[[str], None]
) -> list[Result]:
    """Grade a simulated class of these lessons in `root`, which is emptied first.

    Raises:
        GradingFailed: when nbgrader could not release a lesson.
    """
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    config = configuration(course, root)
    config.GradeSafely.limits = {
        "cell_seconds": _SECONDS_PER_CELL,
        "call_seconds": _SECONDS_PER_CELL,
    }
    api = nbgrader_api(config)
    results = []
    for lesson in lessons:
        progress(f"{lesson}: build and release")
        built = _release(course, root, api, lesson)
        for submission in _submit(course, root, lesson):
            progress(f"{lesson}: grade {submission.student}")
            results.append(_grade(root, api, built, submission))
    return results


def _release(course: Course, root: Path, api: NbGraderAPI, lesson: str) -> Built:
    built = build_lesson(course, lesson)
    for path, text in built.files.items():
        if path.is_relative_to(course.source):
            copy = root / path.relative_to(course.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8", newline="\n")
    outcome = api.generate_assignment(lesson)
    if not outcome["success"]:
        raise GradingFailed(f"nbgrader could not release {lesson}: {_last_line(outcome)}")
    return built


def _submit(course: Course, root: Path, lesson: str) -> list[Submission]:
    folder = root / "notebooks" / lesson
    released = nbformat.read(folder / f"{lesson}.ipynb", as_version=4)
    exams = exams_of(course.exam_module(lesson))
    made = submissions(course, lesson, released, exams)
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
        return Result(lesson, submission, reason=_last_line(outcome))
    record = json.loads(graded.with_name(f"{lesson}{RECORD_SUFFIX}").read_text(encoding="utf-8"))
    marks = marks_in(nbformat.read(graded, as_version=4), built.lesson.points)
    api.generate_feedback(lesson, student)
    page = root / "feedback" / student / lesson / f"{lesson}.html"
    with api.gradebook as gradebook:
        score = gradebook.find_submission(lesson, student).score
    feedback = page if page.exists() else None
    return Result(lesson, submission, marks, score, "", record["remarks"], feedback)


def _last_line(outcome: Mapping[str, object]) -> str:
    text = f"{outcome.get('log', '')}\n{outcome.get('error', '')}".strip()
    return text.split("\n")[-1]


def as_tables(results: Sequence[Result]) -> list[Table]:
    """Who scored what, and what they got wrong: a table per lesson."""
    lessons = dict.fromkeys(result.lesson for result in results)
    return [
        _as_table(lesson, [result for result in results if result.lesson == lesson])
        for lesson in lessons
    ]


def _as_table(lesson: str, results: Sequence[Result]) -> Table:
    table = Table(title=lesson, title_justify="left")
    for heading in ("student", "points", "by hand"):
        table.add_column(heading, justify="right" if heading == "points" else "left")
    table.add_column("what was found", overflow="fold")
    for result in results:
        earned, tested, to_read = total(result.marks)
        points = f"{earned:g} / {tested}" if result.marks else "–"
        waiting = f"{to_read} to read" if to_read else "–"
        found = "\n".join(_found(result)) or "all right"
        table.add_row(result.submission.student, points, waiting, found)
    return table


def _found(result: Result) -> list[str]:
    if result.reason:
        return [f"not graded: {result.reason}"]
    if len(result.remarks) > _MANY:
        return [result.remarks[0]]
    lost = [mark for mark in result.marks if mark.points == 0 and not mark.by_hand]
    unwritten = [mark for mark in lost if mark.verdict == "not implemented yet"]
    lines = [
        f"{mark.exercise}: {(mark.misconception or mark.verdict).replace('_', ' ')}"
        for mark in lost
        if mark not in unwritten
    ]
    lines = [*result.remarks, *lines]
    return [*lines, f"{len(unwritten)} not implemented yet"] if unwritten else lines


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
