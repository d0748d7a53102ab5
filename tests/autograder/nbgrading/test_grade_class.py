"""What is said of a submission that could not be graded."""

from pathlib import Path

import pytest

from autograder.course import Course
from autograder.nbgrading.grade_class import StudentResult, as_table, reason_of, students_of

LOG = """\
[ERROR] There was an error processing assignment
    Traceback (most recent call last):
    autograder.errors.GradingFailed: add "data" to preload
[ERROR] Please see the above traceback"""


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({"log": LOG, "error": "NbGraderException: see above"}, 'add "data" to preload'),
        ({"log": "started\nno space left on device"}, "no space left on device"),
        ({"error": "RuntimeError: stopped\n"}, "RuntimeError: stopped"),
    ],
)
def test_reason(outcome, reason):
    assert reason_of(outcome) == reason


def test_who_has_no_score_comes_first() -> None:
    graded = [StudentResult(name, 1, 2, 1.0) for name in ("ada", "cem")]
    failed = [StudentResult(name, failure="the disk is full") for name in ("ben", "dan")]
    table = as_table([graded[0], failed[0], graded[1], failed[1]], "tiny")
    assert [str(cell) for cell in table.columns[0].cells] == ["ben", "dan", "ada", "cem"]


def test_who_has_handed_in(tmp_path: Path) -> None:
    for name in ("ada", "<img src=x>", "ben"):
        (tmp_path / "submitted" / name / "tiny").mkdir(parents=True)
    (tmp_path / "submitted" / "none").mkdir()
    assert students_of(Course(tmp_path), "tiny") == ["<img src=x>", "ada", "ben"]
