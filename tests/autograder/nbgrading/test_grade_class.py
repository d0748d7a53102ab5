"""What is said of a submission that could not be graded."""

import pytest

from autograder.nbgrading.grade_class import reason_of

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
