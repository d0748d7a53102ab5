"""The names of parts mean the same to those who write them and to those who read them."""

import pytest

from autograder.authoring.build.shipping import entries_in
from autograder.checks.examples import FILE, as_printed
from autograder.checks.values import parts
from tests.support.course import COURSE
from tests.support.sample import sample


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        ("refused, with a ValueError", True),
        ("a ValueError, or an assert, whose message names 3", True),
        ("Error", False),
        ("the Error of the text", False),
        (None, False),
        (b"a ValueError", False),
    ],
)
def test_refusals_are_what_drivers_say(said: object, refusal: bool) -> None:
    assert parts.tells_refusal(said) == refusal


@pytest.mark.parametrize("lesson", sample(COURSE.lessons(), 4))
def test_drivers_call_gradients_so(lesson: str) -> None:
    """A driver of the course's own writes its keys itself."""
    text = (COURSE.release_folder(lesson) / FILE).read_text(encoding="utf-8")
    for entry in entries_in(text).values():
        for case in as_printed(entry).cases:
            if isinstance(case.expected.value, dict):
                for key in map(str, case.expected.value):
                    assert key.startswith("gradient ") == parts.is_gradient(key), key
