"""Settings of nbgrader's own: the course's nbgrader_config.py, and the one in mine/."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader import converters
from nbgrader.apps import ExportApp, ZipCollectApp
from nbgrader.converters import NbGraderException
from nbgrader.exchange import ExchangeError, default
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.cli.opening import teach
from autograder.errors import SolutionError
from autograder.nbgrading.fail_closed import or_nothing_is_done
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


FAILING = ["c.Exchange.root =", "c.Exchange.rooot.path = 1 / 0", "gone", "exit()", "import gone"]
# What nbgrader does with what students hand in, see or have earned, as its own programs begin it.
STEPS = [
    *(
        getattr(converters, name)
        for name in ("Autograde", "GenerateAssignment", "GenerateFeedback")
    ),
    *(getattr(default, name) for name in dir(default) if hasattr(getattr(default, name), "start")),
    *(ZipCollectApp, ExportApp),
]


@pytest.fixture
def allowed_afterwards() -> Iterator[None]:
    yield
    with or_nothing_is_done():
        pass


def refused(step: Callable[[], Any], words: str) -> None:
    with pytest.raises((NbGraderException, ExchangeError, SystemExit)) as raised:
        step().start()
    assert isinstance(raised.value, SystemExit) or re.search(words, str(raised.value))


@pytest.mark.parametrize("line", FAILING)
def test_one_of_ones_own_that_fails_stops_all(
    tmp_path: Path, allowed_afterwards: None, line: str
) -> None:
    """nbgrader warns of it alone, forgets the rest too, and would follow links to collect."""
    own = tmp_path / OWN / CONFIG
    own.parent.mkdir()
    own.write_text(f"c = get_config()\n{line}\n")
    with pytest.raises(SolutionError, match=rf"^{re.escape(str(own.resolve()))}:[12]: "):
        loaded(tmp_path)
    assert len(STEPS) >= 12
    for step in STEPS:
        refused(step, rf"^nothing is graded, .*{re.escape(str(own))}:[12]: ")
    own.write_text("c = get_config()\n")
    loaded(tmp_path)
    assert not [step for step in STEPS if step.start.__module__ == or_nothing_is_done.__module__]


def test_package_that_is_missing_stops_all(tmp_path: Path) -> None:
    """In a process of its own, which has imported nothing yet."""
    shutil.copy(ROOT / CONFIG, tmp_path)
    code = (
        "import sys; sys.modules['ijson'] = None\n"
        "from traitlets.config.loader import PyFileConfigLoader\n"
        "try: PyFileConfigLoader('nbgrader_config.py', path=sys.argv[1]).load_config()\n"
        "except ImportError: pass\n"
        "from nbgrader import converters\n"
        "converters.Autograde().start()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "NbGraderException: nothing is graded, collected or given out" in done.stderr
    assert "ijson" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ((ROOT / CONFIG).read_text(encoding="utf-8"), "leave the call of configure out"),
        (
            'c = get_config()\nc.CourseDirectory.course_id = "x"\n',
            ":2: c.CourseDirectory.course_id",
        ),
        ('c = get_config()\n\nc.GradeSafely.preload = ["mine"]\n', ":3: c.GradeSafely.preload"),
        (None, "this is no file that can be read"),
    ],
)
def test_what_the_course_says_of_itself(
    tmp_path: Path, allowed_afterwards: None, text: str | None, said: str
) -> None:
    own = tmp_path / OWN / CONFIG
    own.parent.mkdir()
    if text is None:
        own.symlink_to("nowhere")
    else:
        own.write_text(text)
    with pytest.raises(SolutionError, match=re.escape(said)):
        loaded(tmp_path)


@pytest.mark.parametrize("folder", ["", OWN])
def test_broken_one_opens_no_formgrader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed_afterwards: None, folder: str
) -> None:
    (tmp_path / "source").mkdir()
    shutil.copy(ROOT / CONFIG, tmp_path)
    broken = tmp_path / folder / CONFIG
    broken.parent.mkdir(exist_ok=True)
    broken.write_text("c = get_config()\nc.Exchange.root = gone\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SolutionError, match=rf"^{re.escape(str(broken))}:2: NameError"):
        teach(no_open=True)
    assert not (tmp_path / "exchange").exists()
