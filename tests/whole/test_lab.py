"""A learner's way to the door: whatever lies beside the lessons, nothing is built and no git asked.

What a command imports decides how long it takes to the door, so that is what is looked at.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.authoring.build.incremental import RECORD
from tests.support.course import COURSE, ROOT

LESSONS = COURSE.lessons()
LAB = """
import json, sys
from autograder.cli import main
sys.argv = ["autograder", "lab", "--no-open"]
try:
    main()
except SystemExit as end:
    print(json.dumps([end.code, sorted(sys.modules)]))
"""
HEAVY = {"torch", "numpy", "nbgrader", "nbformat", "nbconvert", "jupytext", "IPython", "sqlalchemy"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a learner has of the course before anything is done, without `.git` as in a zip."""
    root = tmp_path / "course"
    for lesson in LESSONS:
        shutil.copytree(COURSE.release_folder(lesson), root / "notebooks" / lesson)
    (root / "source").mkdir()
    for path in (*COURSE.texts(), ROOT / "nbgrader_config.py", ROOT / "course.toml"):
        shutil.copy(path, root / path.relative_to(ROOT))
    return root


def lab(root: Path, *before: str) -> tuple[int, str, str, set[str]]:
    """Run `autograder lab`: its code, its output, its errors and the modules that it imported.

    A git that is called leaves a file behind.
    """
    git = root.parent / "bin" / "git"
    git.parent.mkdir(exist_ok=True)
    git.write_text(f"#!/bin/sh\ntouch {root.parent}/asked\nexit 1\n")
    git.chmod(0o755)
    path = f"{git.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*before, sys.executable, "-c", LAB],
        cwd=root,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not (root.parent / "asked").exists()
    *said, end = done.stdout.splitlines()
    code, modules = json.loads(end)
    return code, "\n".join(said), done.stderr, set(modules)


def nothing(root: Path) -> None:
    pass


def stray_file(root: Path) -> None:
    (root / "notes.txt").touch()


def stray_text(root: Path) -> None:
    (root / "source" / "my notes.md").write_text("# Notes")


def repository(root: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)


def edited_lesson(root: Path) -> None:
    with (root / "source" / f"{LESSONS[0]}.md").open("a", encoding="utf-8") as text:
        text.write("\nOne more sentence.\n")


def damaged_record(root: Path) -> None:
    (root / RECORD).write_text("{")


@pytest.mark.parametrize(
    "beside", [nothing, stray_file, stray_text, repository, edited_lesson, damaged_record]
)
def test_opens_what_is_there(clone: Path, beside: Callable[[Path], None]) -> None:
    beside(clone)
    code, said, errors, modules = lab(clone)
    assert (code, errors) == (0, "")
    assert said.count(": new.") == len(LESSONS)
    assert f"Your notebooks are in {clone / 'work'}." in said
    assert HEAVY & modules == set()
    assert [name for name in modules if name.startswith("autograder.authoring.lesson")] == []
    for lesson in LESSONS:
        assert (clone / "work" / lesson / f"{lesson}.ipynb").is_file()
    assert not (clone / "source" / LESSONS[0]).exists()


def test_lesson_without_a_notebook_is_named(clone: Path) -> None:
    shutil.rmtree(clone / "notebooks" / LESSONS[3])
    code, said, _, _ = lab(clone)
    assert code == 0
    assert said.count(": new.") == len(LESSONS) - 1
    assert f"{LESSONS[3]}.ipynb: not there yet; `autograder build` makes it." in said


@pytest.mark.parametrize("place", ["work", "."])
@pytest.mark.parametrize("filled", [False, True])
def test_folder_that_can_not_be_written_to_is_a_sentence(
    clone: Path, place: str, filled: bool
) -> None:
    (clone / "work").mkdir()
    if filled:
        lab(clone)
    elif place == ".":
        (clone / "work").rmdir()
    closed = str(clone / place)
    # Permissions do not stop root, and a place that is mounted for reading does.
    walls = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", closed, closed]
    code, said, errors, _ = lab(clone, *walls)
    assert (code, said) == (2, "")
    assert errors == (
        f"autograder: {clone / 'work'} can't be used (Read-only file system): put that right, or "
        "choose another folder with `autograder lab --folder FOLDER`.\n"
    )
