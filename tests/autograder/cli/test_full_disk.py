"""A full disk: every command says it in a sentence, and does its work once there is room."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.cli import program
from autograder.course import Course
from autograder.learner.notebooks.work import copy_lessons, work_folder
from autograder.nbgrading.configuration import configuration, nbgrader_api
from tests.support.course import ROOT
from tests.support.sample import sample
from tests.support.small_course import LESSON as SMALL
from tests.support.small_course import small_course
from tests.support.tiny_course import LESSON as TINY
from tests.support.tiny_course import hand_in, tiny_course

pytestmark = pytest.mark.slow

NO_ROOM = os.strerror(errno.ENOSPC)
# The program where no file in a course, or beside it, can be written to. SQLite opens its own.
FULL = f"""
import errno, os, sys

HERE = os.path.dirname(os.getcwd())

def refuse(event, about):
    if event == "open" and not isinstance(about[0], int):
        path = os.path.abspath(os.fsdecode(about[0]))
        if about[2] & (os.O_WRONLY | os.O_RDWR) and path.startswith(HERE):
            raise OSError(errno.ENOSPC, {NO_ROOM!r}, path)

sys.addaudithook(refuse)
from autograder.cli import main
main()
"""
# In the course of a small lesson that is built, and in one of a class that has handed in: what is
# called, and whether it writes a file.
SMALLS = {
    ("build", "--force"): True,
    ("site",): True,
    ("new-course", "../another"): True,
    ("new-exercise", SMALL, "more"): True,
    ("lab", "--no-open"): True,
    ("update",): True,
    ("reset", SMALL): True,
    ("reset", SMALL, "match"): True,
    ("again", SMALL, "match"): True,
    ("status",): False,
    ("exam", "match"): False,
    ("mark", f"work/{SMALL}/{SMALL}.ipynb"): False,
    ("teach", "--no-open"): False,
}
CLASSES = {
    ("roster", "../class.csv"): True,
    ("collect", TINY, "--zip", "../all.zip"): True,
    ("student", "ada"): False,
    ("student", "ada", "--copy", "../copy"): True,
    ("student", "ada", "--rename", "eva"): True,
    ("student", "ada", "--remove", "../copy"): True,
    ("grade", TINY): True,
    ("grade", "submitted", "--records", "../records"): True,
    ("report",): True,
    ("doctor",): False,
}
# Lessons in a browser take a Pyodide of 400 MB, a retake takes exams that draw, and the simulated
# class takes minutes: what they raise is told by the program as all else is.
OTHERS = {"lite", "variant", "demo"}


def test_all_commands_are_tried() -> None:
    names = {str(one.name or one.callback.__name__) for one in program.app.registered_commands}
    tried = {words[0] for words in (*SMALLS, *CLASSES)}
    assert {name.replace("_", "-") for name in names} == tried | OTHERS


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one lesson that is built, and somebody's notebook of what it was before."""
    root = tmp_path_factory.mktemp("small") / "course"
    root.mkdir()
    small_course(root)
    called(root, "build")
    course = Course(root)
    copy_lessons(course, work_folder(course, None))
    own = root / "work" / SMALL / f"{SMALL}.ipynb"
    notebook = json.loads(own.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "match":
            cell["source"] = "match = 1"
    own.write_text(json.dumps(notebook))
    text = root / "source" / f"{SMALL}.md"
    text.write_text(text.read_text("utf-8").replace("Six words", "Seven words"))
    called(root, "build")
    return root


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a student whose work is graded, one who has handed in, and one in a zip."""
    root = tmp_path_factory.mktemp("classes") / "course"
    root.mkdir()
    tiny_course(root)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    (root / "source" / f"{TINY}.md").touch()
    blank = (root / "notebooks" / TINY / f"{TINY}.ipynb").read_bytes()
    hand_in(root, "ada", blank)
    with nbgrader_api(configuration(Course(root), root)).gradebook:
        pass
    for place in (root / "roster.csv", root.parent / "class.csv"):
        place.write_text("id,last_name\nada,Lovelace\nben,Babbage\ncyd,Cyd\n")
    called(root, "grade", TINY)
    hand_in(root, "ben", blank)
    with zipfile.ZipFile(root.parent / "all.zip", "w") as archive:
        archive.writestr(f"cyd/{TINY}.ipynb", blank)
    return root


def called(root: Path, *words: str, code: str = "") -> "subprocess.CompletedProcess[str]":
    program = ["-c", code] if code else ["-m", "autograder.cli"]
    return subprocess.run(
        [sys.executable, *program, *words],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def must_tell(course: Path, words: Sequence[str], folder: Path, *, writes: bool) -> None:
    root = folder / course.name
    shutil.copytree(course.parent, folder, dirs_exist_ok=True)
    full = called(root, *words, code=FULL)
    # A table breaks its lines.
    said = " ".join((full.stdout + full.stderr).replace("│", " ").split())
    assert (bool(full.returncode), NO_ROOM in said) == (writes, writes), full
    assert "Traceback" not in said
    if full.returncode == 2:
        assert re.fullmatch(r"autograder: [^\n]+\n", full.stderr)
    again = called(root, *words)
    assert again.returncode == 0, again


@pytest.mark.parametrize(("words", "writes"), sample([*SMALLS.items()], 3))
def test_full_disk_is_a_sentence(
    small: Path, tmp_path: Path, words: Sequence[str], *, writes: bool
) -> None:
    must_tell(small, words, tmp_path, writes=writes)


@pytest.mark.parametrize(("words", "writes"), sample([*CLASSES.items()], 3))
def test_full_disk_is_a_sentence_for_a_class(
    classes: Path, tmp_path: Path, words: Sequence[str], *, writes: bool
) -> None:
    must_tell(classes, words, tmp_path, writes=writes)


def raised_somewhere(error: Exception, *, from_it: bool) -> Exception:
    try:
        try:
            raise error
        except OSError as cause:
            raise RuntimeError("the pages can't be made") from (cause if from_it else None)
    except RuntimeError as wrapped:
        return wrapped


QUOTA = OSError(errno.EDQUOT, "Disk quota exceeded", "/home/ada/x")
# As shutil says it of a folder.
COPYING = shutil.Error([("a", "b", f"[Errno 28] {NO_ROOM}: 'b'")])


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENOSPC, NO_ROOM), f"({NO_ROOM})"),
        (QUOTA, "(Disk quota exceeded: /home/ada/x)"),
        (COPYING, f"({NO_ROOM})"),
        (raised_somewhere(QUOTA, from_it=True), "(Disk quota exceeded: /home/ada/x)"),
        (raised_somewhere(COPYING, from_it=False), f"({NO_ROOM})"),
    ],
)
def test_full_disk_is_told_whatever_was_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, says: str
) -> None:
    def app() -> None:
        raise error

    monkeypatch.setattr(program, "app", app)
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 2
    assert capsys.readouterr().err == (
        f"autograder: the disk is full {says}: make room, and run the same command again\n"
    )


def test_other_failures_of_files_are_not_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def app() -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "x")

    monkeypatch.setattr(program, "app", app)
    with pytest.raises(FileNotFoundError):
        program.main()
