"""Settings of nbgrader's own: the course's nbgrader_config.py, and the one in mine/."""

import os
import re
import shutil
from pathlib import Path

import pytest
from nbgrader import converters
from nbgrader.converters import NbGraderException
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.course import Course
from autograder.errors import SolutionError
from autograder.learner.jupyter import prepare_course
from autograder.settings import CONFIG, OWN
from tests.support.course import ROOT


@pytest.fixture(autouse=True)
def search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])


def loaded(folder: Path) -> Config:
    """The course's configuration, as nbgrader reads it in some folder."""
    shutil.copy(ROOT / CONFIG, folder)
    return PyFileConfigLoader(CONFIG, path=str(folder)).load_config()


def test_added_to_in_a_folder_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / OWN / CONFIG
    own.parent.mkdir()
    own.write_text('c = get_config()\nc.Exchange.root = "/srv/exchange"\n')
    config = loaded(tmp_path)
    assert config.Exchange.root == "/srv/exchange"
    assert config.Exchange.cache == str(tmp_path.resolve() / "cache")


@pytest.mark.parametrize("line", ["c.Exchange.root =", "c.Exchange.rooot.path = 1 / 0", "gone"])
def test_one_of_ones_own_that_fails_stops_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """nbgrader warns of it alone, and would go on with neither limits nor sandbox."""
    monkeypatch.setattr(converters.Autograde, "start", converters.Autograde.start)
    own = tmp_path / OWN / CONFIG
    own.parent.mkdir()
    own.write_text(f"c = get_config()\n{line}\n")
    with pytest.raises(SolutionError, match=rf"^{re.escape(str(own.resolve()))}:2: "):
        loaded(tmp_path)
    with pytest.raises(NbGraderException, match=rf"nothing is graded: {re.escape(str(own))}:2: "):
        converters.Autograde().start()


@pytest.mark.parametrize("folder", ["", OWN])
def test_broken_one_opens_no_formgrader(tmp_path: Path, folder: str) -> None:
    broken = tmp_path / folder / CONFIG
    broken.parent.mkdir(exist_ok=True)
    broken.write_text("c = get_config()\nc.Exchange.root = (\n")
    with pytest.raises(SolutionError, match=rf"^{re.escape(str(broken))}:2: SyntaxError"):
        prepare_course(Course(tmp_path))
    assert not (tmp_path / "exchange").exists()
