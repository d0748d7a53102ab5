"""The simulated class, where some exercises are examined by plain asserts."""

from pathlib import Path

from autograder.authoring.build.build import build_lesson
from autograder.checks.exam.report import Verdict
from autograder.demo.classroom import submissions
from tests.support.own_course import own_course
from tests.support.small_course import LESSON


def test_exercises_without_an_exam_are_handed_in_too(tmp_path: Path) -> None:
    built = build_lesson(own_course(tmp_path), LESSON)
    made = {one.student: one for one in submissions(built, built.student, built.exams)}
    assert made["ada"].passes == {"match", "shares_of", "largest", "mix", "total"}
    assert made["cleo"].passes == frozenset()
    # It is the last of all, in which one student never comes to an end.
    assert made["kit"].passes == made["ada"].passes - {"total"}
    assert made["kit"].verdicts == {Verdict.TIMEOUT}
    mistaken = {name for one in made.values() for name in one.mistakes}
    assert mistaken <= {"match", "shares_of", "largest", "mix"}
