"""What comes of many calls by chance: asked in one dtype, and no more often than it takes."""

import pytest

from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.case import Case
from autograder.checks.exam.exam import Exam
from tests.support.course import every_exam
from tests.support.sample import sample

# From here on the calls are what takes the time; and so many take a second to grade.
_MANY, _MOST = 16, 900


def calls(case: Case) -> int:
    """How often a case has a module called."""
    found: int = case.arguments.get("calls", 1)
    return found


@pytest.mark.parametrize(
    "exam",
    sample([exam for exam in every_exam().values() if exam.use is run_module], 3),
    ids=lambda exam: exam.name,
)
def test_what_comes_of_many_calls(exam: Exam) -> None:
    cases = exam.hidden_cases()
    often = [case for case in cases if not case.printed and not case.way and calls(case) >= _MANY]
    assert [case.label for case in often if ", in float" in case.label] == []
    assert sum(map(calls, cases)) <= _MOST
