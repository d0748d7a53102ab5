"""What the button *Begin anew* says, and what JupyterLab takes its notebook for afterwards."""

from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_output

from autograder.course import Course
from autograder.learner.begin_anew import begin_anew
from autograder.learner.notebooks.work import copy_lessons
from tests.support.one_lesson import course_of, give_out
from tests.support.samples import make_cell

LESSON = "02_mixing"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    course = course_of(tmp_path, LESSON)
    give_out(course, LESSON, [make_cell("code", "def mix(): ...", "mix", solution=True)])
    copy_lessons(course)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(course.root / "work" / LESSON)
    return course


@pytest.mark.parametrize("is_trusted", [True, False])
def test_notebook_is_trusted_as_before(
    course: Course, capsys: pytest.CaptureFixture[str], is_trusted: bool
) -> None:
    mine = course.root / "work" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(mine, as_version=4)
    notebook.cells[0].source = "mine"
    nbformat.write(notebook, mine)
    if is_trusted:
        NotebookNotary().sign(notebook)
    begin_anew(LESSON, "mix")
    (kept,) = mine.parent.glob("*kept*")
    said = f"mix is as it was given out. What you had is kept in {kept.name}.\n"
    assert capsys.readouterr().out == said
    after = nbformat.read(mine, as_version=4)
    assert after.cells[0].source == "def mix(): ..."
    assert NotebookNotary().check_signature(after) == is_trusted


def test_what_is_wrong_is_a_sentence(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    begin_anew(LESSON, "nix")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "the lesson has no exercise called nix: there are mix\n")


def test_what_cannot_be_signed_is_not_trusted(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    """As half of a letter in an output, for which there are no bytes."""
    mine = course.root / "work" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(mine, as_version=4)
    notebook.cells[0].source = "mine"
    notebook.cells.append(new_code_cell("1", outputs=[new_output("stream", text="half: ?")]))
    mine.write_text(nbformat.writes(notebook).replace("half: ?", r"\ud83d"))
    begin_anew(LESSON, "mix")
    said = capsys.readouterr()
    assert (said.out[:3], said.err) == ("mix", "")
    after = nbformat.read(mine, as_version=4)
    assert after.cells[0].source == "def mix(): ..."
    assert after.cells[1].outputs[0].text == "\ud83d"
