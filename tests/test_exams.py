"""The test of the tests: every known mistake is caught and named, every right style passes."""

from functools import cache
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.exam import Exam, exams_of
from autograder.matrix import FILE, Verdict, judge_misconceptions, kill_matrix
from autograder.report import State

COURSE = Course(Path(__file__).resolve().parents[1])
EXAMS = [
    pytest.param(exam, id=f"{lesson[:2]}-{name}")
    for lesson in COURSE.lessons()
    for name, exam in exams_of(COURSE.exam_module(lesson)).items()
]
WORKSHEET = "_by_hand"


@cache
def judged(exam: Exam) -> tuple[Verdict, ...]:
    """What becomes of an exam's misconceptions, found out once for all tests."""
    return tuple(judge_misconceptions(exam))


@pytest.mark.parametrize("exam", EXAMS)
def test_reference_passes(exam: Exam) -> None:
    for seed in (0, 2026):
        assert exam.examine(exam.reference, seed).state is State.PASSED
    assert exam.preview(exam.reference).state is State.PASSED


@pytest.mark.parametrize("exam", EXAMS)
def test_right_styles_pass(exam: Exam) -> None:
    for right in exam.accepted.values():
        report = exam.examine(right)
        assert report.state is State.PASSED, report.lines()
    # A worksheet is a list of numbers: there is one way to write it.
    if not exam.name.endswith(WORKSHEET):
        assert len(exam.accepted) >= 3


@pytest.mark.parametrize("exam", EXAMS)
def test_misconceptions_are_caught(exam: Exam) -> None:
    assert len(exam.misconceptions) >= 4
    assert [verdict.misconception for verdict in judged(exam) if not verdict.caught] == []
    for name, wrong in exam.misconceptions.items():
        report = exam.examine(wrong, seed=1)
        assert report.state is not State.PASSED, name
        assert report.misconception == name, report.lines()
        assert report.hint == exam.hints[name]


@pytest.mark.parametrize("exam", EXAMS)
def test_check_names_what_it_can(exam: Exam) -> None:
    """A misconception that the check does not name gives the right numbers on every example."""
    for verdict in judged(exam):
        assert verdict.named or verdict.reason, verdict.misconception


@pytest.mark.parametrize("exam", EXAMS)
def test_unwritten_is_calm(exam: Exam) -> None:
    def unwritten(*_: object, **__: object) -> None:
        raise NotImplementedError

    assert exam.examine(unwritten).state is State.NOT_IMPLEMENTED
    assert exam.preview(unwritten).state is State.NOT_IMPLEMENTED


@pytest.mark.parametrize("exam", EXAMS)
def test_same_seed_same_report(exam: Exam) -> None:
    for wrong in list(exam.misconceptions.values())[:2]:
        assert exam.examine(wrong, seed=1) == exam.examine(wrong, seed=1)


def test_matrix_is_current() -> None:
    assert (COURSE.root / FILE).read_text(encoding="utf-8") == kill_matrix(COURSE, judged)


def test_nine_in_ten_are_named() -> None:
    verdicts = [v for exam in EXAMS for v in judged(exam.values[0])]
    assert sum(verdict.named for verdict in verdicts) >= 0.9 * len(verdicts)
