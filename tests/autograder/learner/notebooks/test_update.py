"""A learner's notebook, brought to a lesson that has changed since."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from random import Random
from urllib.parse import unquote

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.utils import compute_checksum
from typer.testing import CliRunner

from autograder.authoring.lesson.guesses import cell_to_guess, question_of
from autograder.authoring.lesson.lesson import Code, Prose
from autograder.checks import progress
from autograder.checks.progress import Standing
from autograder.checks.source.cells import has_role
from autograder.cli import program
from autograder.course import Course
from autograder.errors import CheckError, WorkFolderError
from autograder.learner.notebooks.reset import reset
from autograder.learner.notebooks.update import update_notebook
from autograder.learner.notebooks.work import Change, copy_lessons
from tests.support.one_lesson import course_of, give_out
from tests.support.sample import EVERYTHING
from tests.support.samples import make_cell

LESSON = "02_mixing"
NOW = datetime(2026, 11, 26, 9, 5, 7)
STUB = "def {}():\n    raise NotImplementedError()"


def release(
    course: Course, *names: str, text: str = "# 02 · Mixing", guess: NotebookNode | None = None
) -> None:
    """Give out a lesson with these exercises."""
    cells = [new_markdown_cell(text, id="title"), *([guess] if guess else [])]
    for name in names:
        cells.append(make_cell("code", STUB.format(name), name, solution=True))
        cells.append(make_cell("code", f"check({name})", f"{name}_check", grade=True, points=2))
        cells[-2].id, cells[-1].id = name, f"{name}-check"
        cells[-2].metadata.nbgrader["checksum"] = compute_checksum(cells[-2])
    give_out(course, LESSON, cells)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = course_of(tmp_path, LESSON)
    release(course, "mix", "share")
    return course


@pytest.fixture
def mine(course: Course) -> Path:
    """The learner's notebook, with an answer and a cell of their own."""
    copy_lessons(course)
    path = course.root / "work" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "my mix"
    notebook.cells.append(new_markdown_cell("my notes"))
    nbformat.write(notebook, path)
    return path


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def texts(path: Path) -> list[str]:
    return [cell.source for cell in read(path).cells]


def test_update_keeps_what_was_there_and_says_what_it_did(course: Course, mine: Path) -> None:
    before = mine.read_bytes()
    release(course, "share", "mix", "more")
    original = course.release_folder(LESSON) / mine.name
    updated = update_notebook(mine, original, now=NOW)
    assert updated
    assert updated.kept == mine.with_name(f"{LESSON} (kept 2026-11-26 09.05.07).ipynb")
    assert updated.kept.read_bytes() == before
    assert updated.said == ("Your answers are in their cells: `mix`.", "New: `more`.")
    note, *after = texts(mine)
    assert note.startswith("**This lesson was updated on 26 November 2026.**")
    assert "\n- New: `more`." in note
    assert unquote(note.partition("](")[2].partition(")")[0]) == updated.kept.name
    assert after == [
        "# 02 · Mixing", STUB.format("share"), "check(share)", "my notes", "my mix", "check(mix)",
        STUB.format("more"), "check(more)",
    ]  # fmt: skip
    assert update_notebook(mine, original, now=NOW) is None


def test_name_from_a_file_is_a_name_and_no_more(course: Course, mine: Path) -> None:
    notebook = read(mine)
    strange = make_cell("code", "my answer", "a`<b>\n\x1b[2J", solution=True)
    notebook.cells.append(strange)
    nbformat.write(notebook, mine)
    release(course, "mix")
    updated = update_notebook(mine, course.release_folder(LESSON) / mine.name)
    assert updated
    assert "No longer asked: `a??b????2J`." in "".join(updated.said)


def test_lab_updates_once(course: Course, mine: Path) -> None:
    release(course, "mix", "more")
    (copied,) = copy_lessons(course)
    assert copied.change is Change.UPDATED
    said = str(copied)
    assert said.startswith(f"{LESSON}/{LESSON}.ipynb: updated to the newer lesson.\n")
    assert f"What you had is kept in {mine.with_name(LESSON)} (kept " in said
    assert said.endswith("If the notebook is open, choose File → Reload Notebook from Disk.")
    after = mine.read_bytes()
    for _ in range(2):
        (copied,) = copy_lessons(course)
        assert copied.change is Change.NONE
    assert mine.read_bytes() == after
    assert len([*mine.parent.glob("*.ipynb")]) == 2


def test_lesson_that_goes_back_and_forth_loses_nothing(course: Course, mine: Path) -> None:
    for names in (("more",), ("mix", "share"), ("mix", "more"), ("mix", "share")):
        release(course, *names)
        (copied,) = copy_lessons(course)
        assert copied.change is Change.UPDATED
        assert {"my mix", "my notes"} <= {*texts(mine)}
        assert len([one for one in texts(mine) if one.startswith("**This lesson was")]) == 1
    kept = [*mine.parent.glob("*kept*")]
    assert len(kept) == 4


def test_progress_follows_the_answers(course: Course, mine: Path) -> None:
    lesson = mine.parent
    kept = progress.Remembered(passed=progress.digest_of("my mix"), passed_at=1.0)
    (lesson.parent / progress.FOLDER / LESSON).mkdir(parents=True)
    file = lesson.parent / progress.FOLDER / LESSON / "mix.json"
    file.write_text(f'{{"passed": "{kept.passed}", "passed_at": 1.0}}')
    assert progress.standings(lesson, ["mix"]) == {"mix": Standing.DONE}
    release(course, "more", "mix")
    copy_lessons(course)
    assert progress.standings(lesson, ["more", "mix"]) == {
        "more": Standing.OPEN,
        "mix": Standing.DONE,
    }


@pytest.mark.parametrize("text", ["{", '{"cells": 7}', '{"cells": [{}], "nbformat": 4}', ""])
def test_unreadable_notebook_stays_and_the_newer_lesson_lies_beside(
    course: Course, mine: Path, text: str
) -> None:
    mine.write_text(text)
    release(course, "more")
    with pytest.raises(CheckError, match="is not a notebook"):
        update_notebook(mine, course.release_folder(LESSON) / mine.name)
    (copied,) = copy_lessons(course)
    assert copied.change is Change.BESIDE
    assert "is not a notebook" in str(copied)
    assert mine.read_text() == text
    assert copied.path.read_bytes() == (course.release_folder(LESSON) / mine.name).read_bytes()
    assert copy_lessons(course)[0].change is Change.NONE


def test_notebook_that_is_saved_meanwhile_is_left_alone(
    course: Course, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saved_meanwhile(path: Path, content: bytes) -> None:
        path.write_bytes(content)
        mine.write_text("newer")

    release(course, "more")
    monkeypatch.setattr("autograder.learner.notebooks.keeping.write_whole", saved_meanwhile)
    with pytest.raises(WorkFolderError, match="was saved just now"):
        update_notebook(mine, course.release_folder(LESSON) / mine.name)
    assert mine.read_text() == "newer"


def test_command_brings_back_what_an_open_tab_has_saved_over(
    course: Course, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nothing is new for `autograder lab`, but a lesson that is named is looked at again."""
    monkeypatch.chdir(course.root)
    before = mine.read_bytes()

    def update(*lesson: str) -> str:
        return CliRunner().invoke(program.app, ["update", *lesson], catch_exceptions=False).output

    nothing = "Your notebooks have all of the lessons already: nothing was changed.\n"
    assert update() == nothing
    release(course, "mix", "more")
    assert update().startswith(f"{LESSON}/{LESSON}.ipynb: updated to the newer lesson.\n")
    mine.write_bytes(before)
    assert update() == nothing
    assert "  New: `more`.\n" in update("02")
    assert update("02") == nothing
    assert STUB.format("more") in texts(mine)


def own_texts(folder: Path) -> set[str]:
    """What the learner has written, wherever it lies in the folder of a lesson."""
    found: set[str] = set()
    for path in folder.glob("*.ipynb"):
        found |= {text for text in texts(path) if text.startswith("my ")}
    return found


def test_nothing_is_lost_in_any_order_of_what_may_happen(
    course: Course, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saves, checks, updates, resets, kills in the midst of them, and a tab that saves what it had.

    What is done is after each of them what has passed and is saved.
    """
    drawn = Random(27)
    names = ["mix", "share", "more", "less"]
    guess = cell_to_guess(Prose(1, "**Before you run this:** how much?"), Code(2, "1 + 1"))
    in_a_tab = mine.read_bytes()
    replace = os.replace
    passed: dict[str, str] = {}
    monkeypatch.setattr(progress, "text_of", str)

    def save() -> None:
        notebook = read(mine)
        answers = [
            cell for cell in notebook.cells if has_role(cell, "solution") or question_of(cell)
        ]
        if answers and drawn.random() < 0.7:
            drawn.choice(answers).source = f"my answer {step}"
        else:
            notebook.cells.insert(drawn.randrange(1 + len(notebook.cells)), own_cell(step))
        nbformat.write(notebook, mine)

    def own_cell(number: int) -> NotebookNode:
        return new_markdown_cell(f"my notes {number}")

    def check() -> None:
        answers = progress.answers_in(read(mine).cells)
        if answers:
            name = drawn.choice(sorted(answers))
            progress.remember(mine.parent, name, answers[name], passed=True)
            passed[name] = answers[name]

    def killed(source: object, target: object) -> None:
        moment = drawn.random()
        if moment < 0.3:
            raise KeyboardInterrupt
        replace(str(source), str(target))
        if moment < 0.4:
            raise KeyboardInterrupt

    for step in range(500 if EVERYTHING else 40):
        match drawn.choice(
            ["save", "save", "tab", "check", "release", "lab", "update", "reset", "killed"]
        ):
            case "save":
                save()
                in_a_tab = mine.read_bytes() if drawn.random() < 0.5 else in_a_tab
                continue
            case "tab":
                mine.write_bytes(in_a_tab)  # JupyterLab has asked, and was told to.
                continue
            case "release":
                asked = drawn.sample(names, drawn.randrange(1, 5))
                release(course, *asked, text=f"# 02 · {drawn.random()}", guess=guess)
                continue
            case "check":
                check()
                continue
            case action:
                before = own_texts(mine.parent)
                with monkeypatch.context() as patch, suppress(KeyboardInterrupt, CheckError):
                    if action == "killed":
                        patch.setattr(os, "replace", killed)
                    if action == "reset":
                        reset(course, mine.parents[1], LESSON, drawn.choice(["", *names]))
                    else:
                        copy_lessons(course, named=[LESSON] if action == "update" else [])
        assert before <= own_texts(mine.parent), step
        answers = progress.answers_in(read(mine).cells)
        for name, standing in progress.standings(mine.parent, names).items():
            is_done = name in passed and answers.get(name) == passed[name]
            assert (standing is Standing.DONE) == is_done, (step, name)
