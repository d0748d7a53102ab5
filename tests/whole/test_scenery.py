"""No verdict depends on scenery: with it and without it, each lesson's answers earn the same."""

import itertools
from collections.abc import Iterator

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build import build_lesson
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.checks.source.scenery import SCENERY
from autograder.demo.classroom import names_above
from autograder.demo.standalone import standing_alone
from autograder.grading.grade import Graded, grade
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.course import COURSE
from tests.support.sample import EVERYTHING

LESSONS = COURSE.lessons()
# So many mixtures of a lesson's answers are tried, from all along them, and otherwise one.
MIXTURES = 6
FEW = 3


@pytest.mark.long
@pytest.mark.parametrize("lesson", LESSONS if EVERYTHING else LESSONS[3:4])
def test_no_verdict_depends_on_scenery(lesson: str) -> None:
    built = build_lesson(COURSE, lesson)
    bare = without_tags(built.source)
    files = {"checks.json": built.checks.encode()}
    preload = COURSE.settings.preload
    with Sandbox(Limits(), preload=preload, hidden=[COURSE.root]) as sandbox:
        for submission in mixtures(built.solved(), exams_of(COURSE.exam_module(lesson))):
            content = nbformat.writes(submission).encode()
            short, whole = (
                grade(source, content, sandbox, files=files) for source in (built.source, bare)
            )
            assert found(short) == found(whole)
            # How many there are differs from lesson to lesson; what an answer ends runs neither.
            assert not_run(short) > FEW
            assert not_run(whole) == 0


def found(graded: Graded) -> list[object]:
    return [
        (one.grade_id, one.verdict, one.points, one.report and one.report.misconception)
        for one in graded.verdicts
    ]


def not_run(graded: Graded) -> int:
    shown = [output for cell in graded.notebook.cells for output in cell.get("outputs", ())]
    return sum("no point depends" in str(output.get("text")) for output in shown)


def without_tags(source: NotebookNode) -> NotebookNode:
    copy: NotebookNode = nbformat.reads(nbformat.writes(source), as_version=4)
    for cell in copy.cells:
        tags = cell.metadata.get("tags", ())
        cell.metadata["tags"] = [tag for tag in tags if tag != SCENERY]
    return copy


def mixtures(solved: NotebookNode, exams: dict[str, Exam]) -> Iterator[NotebookNode]:
    """The solved lesson with answers of every kind: first accepted styles, then misconceptions."""
    answers = {
        name: [
            standing_alone(answer, name, names_above(solved, name))
            for answer in (*exam.accepted.values(), *exam.misconceptions.values())
        ]
        for name, exam in exams.items()
    }
    most = max(map(len, answers.values()))
    # In a mixture of all places, most exercises have a wrong answer and some a right one.
    for place in range(most // 8, most, max(1, most // MIXTURES)) if EVERYTHING else [most // 8]:
        submission: NotebookNode = nbformat.reads(nbformat.writes(solved), as_version=4)
        for number, cell in enumerate(submission.cells):
            ours = answers.get(grade_id_of(cell), [])
            if has_role(cell, "solution") and ours:
                chosen = itertools.islice(itertools.cycle(ours), place + number % 3, None)
                cell.source = next(chosen) or cell.source
        yield submission
