"""All tests are run: pytest leaves out folders by their names, "build" among them unless told."""

from fnmatch import fnmatch

import pytest

from tests.support.course import ROOT


def test_no_folder_with_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    patterns = pytestconfig.getini("norecursedirs")
    files = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")]
    left_out = [
        file
        for file in files
        if any(fnmatch(part, pattern) for part in file.parts for pattern in patterns)
    ]
    assert len(files) > 200
    assert left_out == []
