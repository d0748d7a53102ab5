"""A run of everything that was broken off goes on where it stopped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.course import ROOT
from tests.support.git import git

pytestmark = pytest.mark.long

CONFTEST = """\
from tests.support import resuming

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        resuming.begin(config)

def pytest_collection_modifyitems(config, items):
    resuming.leave_out(config, items)
"""
TESTS = """\
import os
import pytest

@pytest.mark.parametrize("n", range(3))
def test_passes(n):
    pass

def test_may_fail():
    assert "MENDED" in os.environ
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / ".gitignore").write_text("artefacts/\n__pycache__/\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=begin")
    return tmp_path


def tried(folder: Path, *words: str, **env: str) -> tuple[int, str]:
    """How pytest ends in a folder, and its last line."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "AUTOGRADER_RESUMES": "1"} | env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.strip().splitlines()[-1]


def test_what_has_passed_is_not_tried_again(folder: Path) -> None:
    code, end = tried(folder)
    assert (code, end.partition(" in ")[0]) == (1, "1 failed, 3 passed")
    code, end = tried(folder, MENDED="yes")
    assert (code, end.partition(" in ")[0]) == (0, "1 passed, 3 deselected")
    code, end = tried(folder, MENDED="yes")
    assert (code, end.partition(" in ")[0]) == (0, "4 deselected")


def test_several_processes_leave_out_the_same(folder: Path) -> None:
    for passed in (4, 0):
        code, end = tried(folder, "-n", "2", MENDED="yes")
        assert code == 0
        assert (f"{passed} passed" in end) == bool(passed)


def test_all_is_tried_again_once_a_file_has_changed(folder: Path) -> None:
    tried(folder, MENDED="yes")
    with (folder / "test_it.py").open("a", encoding="utf-8") as tests:
        tests.write("\ndef test_more(): pass\n")
    assert tried(folder, MENDED="yes")[1].startswith("5 passed")


def test_a_file_that_is_new_counts_by_what_it_holds(folder: Path) -> None:
    for passed, content in ((4, "one"), (0, "one"), (4, "two")):
        (folder / "new.txt").write_text(content, encoding="utf-8")
        end = tried(folder, MENDED="yes")[1]
        assert (f"{passed} passed" in end) == bool(passed), content


def test_nothing_is_kept_unless_asked_for(folder: Path) -> None:
    for _ in range(2):
        assert tried(folder, MENDED="yes", AUTOGRADER_RESUMES="")[1].startswith("4 passed")
