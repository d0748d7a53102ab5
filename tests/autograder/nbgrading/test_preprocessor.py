"""Safe grading as a preprocessor: what it keeps out of the sandbox's sight."""

from pathlib import Path

import pytest
from nbgrader.exchange.default.exchange import Exchange
from traitlets import Unicode
from traitlets.config import Config

from autograder.nbgrading import preprocessor
from autograder.nbgrading.preprocessor import GradeSafely


def test_course_and_exchange_are_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    course, named, default = (tmp_path / name for name in ("course", "named", "default"))
    for folder in (course, named, default):
        folder.mkdir()

    class Elsewhere(Exchange):  # type: ignore[misc]
        # Where a system's nbgrader has it if nobody says: a folder that students' code sees.
        root = Unicode(str(default)).tag(config=True)

    monkeypatch.setattr(preprocessor, "Exchange", Elsewhere)
    config = Config()
    config.CourseDirectory.root = str(course)
    assert set(GradeSafely(config=config)._hidden) == {str(course), str(default)}
    config.Exchange.root = str(named)
    assert set(GradeSafely(config=config)._hidden) == {str(course), str(named)}
