"""A sandbox that the tests of sessions share: making one takes seconds, spawning a student none."""

from collections.abc import Iterator

import pytest

from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.course import COURSE


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(cell_seconds=20), preload=COURSE.settings.preload) as opened:
        yield opened
