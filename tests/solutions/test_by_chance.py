"""What comes of many calls by chance is the same in every dtype, and asked in one of them."""

import pytest

from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.exam import Exam
from tests.support.course import every_exam

# From here on the calls are what takes the time.
_MANY = 16
EXAMS = [exam for exam in every_exam().values() if exam.use is run_module]


@pytest.mark.parametrize("exam", EXAMS, ids=lambda exam: exam.name)
def test_is_asked_in_one_dtype(exam: Exam) -> None:
    drawn = [case for case in exam.hidden_cases() if not case.printed and not case.way]
    often = [case.label for case in drawn if case.arguments.get("calls", 1) >= _MANY]
    assert [label for label in often if ", in float" in label] == []
