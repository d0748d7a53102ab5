"""The main job from end to end: a simulated class, graded by nbgrader as it comes."""

import json
from pathlib import Path

import nbformat
import pytest

from autograder.demo.classroom import STUDENTS
from autograder.demo.demo import (
    Result,
    disappointments,
    run_demo,
    shortest_lesson,
    worth_opening,
)
from autograder.errors import GradingFailed
from autograder.exam.exam import exams_of
from autograder.exam.report import Verdict
from autograder.grading.record import RECORD_SUFFIX
from autograder.learner.marks import total
from autograder.lesson.lesson import read_lesson
from tests.support.course import COURSE

LESSON = COURSE.lessons()[3]
POINTS = read_lesson(COURSE.lesson_file(LESSON)).points
TESTED = {name: POINTS[name] for name in exams_of(COURSE.exam_module(LESSON))}
ALL = sum(TESTED.values())
TO_READ = sum(POINTS.values()) - ALL


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    root = tmp_path_factory.mktemp("class") / "course"
    graded = run_demo(COURSE, root, [LESSON], progress=lambda done, steps, step: None)
    return {result.submission.student: result for result in graded}


def test_class_comes_out_as_made(results: dict[str, Result]) -> None:
    assert tuple(results) == STUDENTS
    assert disappointments(list(results.values())) == []


def test_class_shows_every_verdict(results: dict[str, Result]) -> None:
    found = {verdict for result in results.values() for verdict in result.verdicts.values()}
    # That takes a submission which has used up its ten minutes.
    assert found == {verdict.name.lower() for verdict in Verdict} - {"not_run", "not_gradable"}


def test_page_worth_opening(results: dict[str, Result]) -> None:
    page = worth_opening(list(results.values()))
    assert page == results["eve"].feedback


def test_shortest_lesson_is_graded() -> None:
    texts = {name: read_lesson(COURSE.lesson_file(name)) for name in COURSE.lessons()}
    exercises = {name: len(text.exercises) for name, text in texts.items()}
    assert exercises[shortest_lesson(COURSE)] == min(exercises.values())


def test_folder_that_can_not_be_emptied(tmp_path: Path) -> None:
    (tmp_path / "class").write_text("a file")
    with pytest.raises(GradingFailed, match=r"class can't be emptied .*: delete it"):
        run_demo(COURSE, tmp_path / "class", [LESSON], progress=lambda done, steps, step: None)


def test_perfect_and_empty(results: dict[str, Result]) -> None:
    earned, tested, to_read = total(results["ada"].marks)
    assert earned == tested == ALL
    assert to_read == TO_READ
    assert total(results["cleo"].marks) == (0, ALL, 0)


def test_known_mistakes_cost_their_exercise(results: dict[str, Result]) -> None:
    mistaken = [result for result in results.values() if result.submission.mistakes]
    assert len({name for result in mistaken for name in result.submission.mistakes}) == 5
    for result in mistaken:
        lost = [mark for mark in result.marks if mark.points == 0]
        assert [mark.exercise for mark in lost] == list(result.submission.mistakes)
        assert result.feedback is not None
        (mistake,) = result.submission.mistakes
        assert result.score == total(result.marks)[0] == ALL - TESTED[mistake]


def test_broken_are_reported(results: dict[str, Result]) -> None:
    assert "not valid JSON" in results["liz"].remarks[0]
    assert total(results["liz"].marks) == (0, ALL, 0)
    for student, reason in (("max", "ended its own process"), ("kit", "ran for too long")):
        (lost,) = [mark for mark in results[student].marks if mark.points == 0]
        assert reason in lost.verdict


def test_records_lie_beside(results: dict[str, Result]) -> None:
    for result in results.values():
        assert result.feedback is not None
        graded = result.feedback.parents[3] / "autograded" / result.submission.student / LESSON
        record = json.loads((graded / f"{LESSON}{RECORD_SUFFIX}").read_text(encoding="utf-8"))
        assert len(record["cells"]) == len(TESTED)
        assert sum(cell["points"] for cell in record["cells"]) == total(result.marks)[0]
        assert record["isolation"].startswith("isolation full")


def test_feedback_keeps_secrets(results: dict[str, Result]) -> None:
    for result in results.values():
        if result.feedback:
            page = result.feedback.read_text(encoding="utf-8")
            for secret in ("hidden_check", "HIDDEN TESTS", "MARK SCHEME", "Model answer"):
                assert secret not in page


def test_formgrader_sees_the_marking_scheme(results: dict[str, Result]) -> None:
    feedback = results["ada"].feedback
    assert feedback is not None
    root = feedback.parents[3]
    graded = nbformat.read(root / "autograded" / "ada" / LESSON / f"{LESSON}.ipynb", as_version=4)
    question = next(c for c in graded.cells if c.source.startswith("**In your own words**"))
    assert "**Marks.**" in question.source


def test_nbgrader_releases_what_the_build_makes(results: dict[str, Result]) -> None:
    feedback = results["ada"].feedback
    assert feedback is not None
    released = feedback.parents[3] / "notebooks" / LESSON
    for path in sorted(COURSE.release_folder(LESSON).iterdir()):
        assert (released / path.name).read_bytes() == path.read_bytes()
