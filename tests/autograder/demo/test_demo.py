"""The main job from end to end: a simulated class, graded by nbgrader as it comes."""

import json
from pathlib import Path

import nbformat
import pytest

from autograder.course import Course
from autograder.demo import Result, disappointments, run_demo
from autograder.marks import total
from autograder.record import RECORD_SUFFIX

ROOT = Path(__file__).resolve().parents[1]
LESSON = "02_dot_product_self_attention"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    root = tmp_path_factory.mktemp("class") / "course"
    graded = run_demo(Course(ROOT), root, [LESSON], progress=lambda step: None)
    return {result.submission.student: result for result in graded}


def test_class_comes_out_as_made(results: dict[str, Result]) -> None:
    assert len(results) == 12
    assert disappointments(list(results.values())) == []


def test_perfect_and_empty(results: dict[str, Result]) -> None:
    earned, tested, to_read = total(results["ada"].marks)
    assert earned == tested == 29
    assert to_read == 4
    assert total(results["cleo"].marks) == (0, 29, 0)


def test_known_mistakes_cost_their_exercise(results: dict[str, Result]) -> None:
    mistaken = [result for result in results.values() if result.submission.mistakes]
    assert len({name for result in mistaken for name in result.submission.mistakes}) == 5
    for result in mistaken:
        lost = [mark for mark in result.marks if mark.points == 0]
        assert [mark.exercise for mark in lost] == list(result.submission.mistakes)
        assert result.feedback is not None
        assert result.score == total(result.marks)[0] > 20


def test_broken_are_reported(results: dict[str, Result]) -> None:
    assert "not valid JSON" in results["liz"].remarks[0]
    assert total(results["liz"].marks) == (0, 29, 0)
    for student, reason in (("max", "ended its own process"), ("kit", "ran for too long")):
        (lost,) = [mark for mark in results[student].marks if mark.points == 0]
        assert reason in lost.verdict


def test_records_lie_beside(results: dict[str, Result]) -> None:
    for result in results.values():
        assert result.feedback is not None
        graded = result.feedback.parents[3] / "autograded" / result.submission.student / LESSON
        record = json.loads((graded / f"{LESSON}{RECORD_SUFFIX}").read_text(encoding="utf-8"))
        assert len(record["cells"]) == 10
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
    for path in sorted((ROOT / "notebooks" / LESSON).iterdir()):
        assert (released / path.name).read_bytes() == path.read_bytes()
