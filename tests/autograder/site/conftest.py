"""A small course for the tests of its site, built once for each file."""

import pytest

from autograder.authoring.build.build import Built, build_lesson
from tests.support.site_course import site_course
from tests.support.small_course import LESSON


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The lesson of the small course, of which students have what its text makes."""
    return build_lesson(site_course(tmp_path_factory.mktemp("course")), LESSON)
