"""A lesson, or one of its exercises, as it was given out, with nothing lost."""

import shutil
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_output
from typer.testing import CliRunner

from autograder.cli import program
from autograder.course import Course
from autograder.errors import CheckError, WorkFolderError
from autograder.learner.notebooks.reset import reset
from autograder.learner.notebooks.work import copy_lessons
from tests.support.one_lesson import course_of, give_out
from tests.support.samples import make_cell

LESSON = "02_mixing"
NOW = datetime(2026, 11, 26, 9, 5, 7)
STUB = "def {}():\n    raise NotImplementedError()"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course with one lesson, which a learner has copied."""
    course = course_of(tmp_path, LESSON)
    cells = [
        new_markdown_cell("# 02 · Mixing"),
        make_cell("code", STUB.format("mix"), "mix", solution=True),
        make_cell("code", "check(mix)", "mix_check", grade=True, points=2),
        make_cell("code", STUB.format("share"), "share", solution=True),
        make_cell("markdown", "YOUR ANSWER HERE", "why", solution=True, grade=True, points=4),
    ]
    give_out(course, LESSON, cells)
    copy_lessons(course)
    return course


@pytest.fixture
def mine(course: Course) -> Path:
    """The learner's notebook, with answers, an output and a cell of their own."""
    path = course.root / "work" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = f"my {cell.metadata.nbgrader.grade_id}"
    for cell in notebook.cells[1:3]:
        cell.outputs = [new_output("stream", text="mine")]
    notebook.cells.append(new_markdown_cell("my notes"))
    nbformat.write(notebook, path)
    return path


def texts(path: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def test_lesson_is_given_back_and_what_was_there_is_kept(course: Course, mine: Path) -> None:
    before = mine.read_bytes()
    kept = reset(course, mine.parents[1], LESSON, now=NOW)
    assert kept == mine.with_name(f"{LESSON} (kept 2026-11-26 09.05.07).ipynb")
    assert kept.read_bytes() == before
    assert mine.read_bytes() == (course.release_folder(LESSON) / mine.name).read_bytes()


@pytest.mark.parametrize("exercise", ["mix", "why"])
def test_exercise_is_given_back_alone(course: Course, mine: Path, exercise: str) -> None:
    before = mine.read_bytes()
    expected = [
        {"mix": STUB.format("mix"), "why": "YOUR ANSWER HERE"}[exercise]
        if text == f"my {exercise}"
        else text
        for text in texts(mine)
    ]
    kept = reset(course, mine.parents[1], LESSON, exercise)
    assert kept
    assert kept.read_bytes() == before
    assert texts(mine) == expected
    for cell in nbformat.read(mine, as_version=4).cells[1:3]:
        assert bool(cell.outputs) == (exercise != "mix"), cell.source


def test_every_copy_is_kept(course: Course, mine: Path) -> None:
    kept = set()
    for text in ("one", "two", "three"):
        mine.write_text(text)
        kept.add(reset(course, mine.parents[1], LESSON, now=NOW))
    assert {path.read_text() for path in kept if path} == {"one", "two", "three"}


def test_notebook_that_is_saved_meanwhile_is_left_alone(
    course: Course, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saved_meanwhile(path: Path, content: bytes) -> None:
        path.write_bytes(content)
        mine.write_text("newer")

    monkeypatch.setattr("autograder.learner.notebooks.keeping.write_whole", saved_meanwhile)
    with pytest.raises(WorkFolderError, match="was saved just now"):
        reset(course, mine.parents[1], LESSON)
    assert mine.read_text() == "newer"


@pytest.mark.parametrize("exercise", ["", "mix"])
def test_original_is_left_alone(course: Course, exercise: str) -> None:
    work = course.root / "work"
    assert reset(course, work, LESSON, exercise) is None
    assert len([*(work / LESSON).glob("*.ipynb")]) == 1


def test_what_is_not_there_is_a_sentence_and_changes_nothing(course: Course, mine: Path) -> None:
    work, before = mine.parents[1], mine.read_bytes()
    with pytest.raises(CheckError, match="no exercise called nix: there are mix, share, why"):
        reset(course, work, LESSON, "nix")
    notebook = nbformat.read(mine, as_version=4)
    del notebook.cells[1]
    nbformat.write(notebook, mine)
    with pytest.raises(CheckError, match="has lost its cell for mix"):
        reset(course, work, LESSON, "mix")
    mine.write_bytes(b"{")
    with pytest.raises(CheckError, match="is not a notebook"):
        reset(course, work, LESSON, "mix")
    mine.write_bytes(before)
    assert [path.name for path in mine.parent.glob("*.ipynb")] == [mine.name]
    shutil.rmtree(mine.parent)
    with pytest.raises(WorkFolderError, match="`autograder lab` copies it"):
        reset(course, work, LESSON)


def test_command_says_where_the_copy_is(
    course: Course, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    said = [
        CliRunner().invoke(program.app, ["reset", "02", "mix"], catch_exceptions=False).output
        for _ in range(2)
    ]
    (kept,) = mine.parent.glob("*kept*")
    assert said[0].startswith(f"mix is as it was given out. What you had is kept in {kept}.\n")
    assert said[1] == "mix is as it was given out already: nothing was changed.\n"
