"""The page that a learner's folder opens with."""

import json
from pathlib import Path

import nbformat
import pytest

from autograder.checks.progress import FOLDER
from autograder.learner.front import extension
from autograder.learner.notebooks.work import copy_lessons
from autograder.learner.start_page import START, write_start_page
from tests.support.course import COURSE

LESSON = COURSE.lessons()[0]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    copy_lessons(COURSE, tmp_path)
    write_start_page(tmp_path)
    return tmp_path


def page(work: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(work / START, as_version=4)
    nbformat.validate(notebook)
    return notebook


def the_map(work: Path) -> str:
    (output,) = next(cell for cell in page(work).cells if cell.cell_type == "code").outputs
    return str(output.data["text/html"])


def test_page_shows_every_lesson_before_anything_is_run(work: Path) -> None:
    for lesson in COURSE.lessons():
        assert f'<a href="{lesson}/{lesson}.ipynb">' in the_map(work)


def test_the_script_runs_what_the_page_was_written_with(work: Path) -> None:
    script = Path(extension.__file__).with_name("start_page.js").read_text(encoding="utf-8")
    (cell,) = (cell for cell in page(work).cells if cell.cell_type == "code")
    for name, value in (("PAGE", START), ("MAP", cell.id), ("CODE", cell.source)):
        assert f"const {name} = {json.dumps(value)};" in script


def test_code_of_the_page_runs(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = (cell.source for cell in page(work).cells if cell.cell_type == "code")
    monkeypatch.chdir(work)
    exec(code, {})


def test_map_is_renewed_and_notes_are_kept(work: Path) -> None:
    written = page(work)
    written.cells.append(nbformat.v4.new_markdown_cell("my notes"))
    nbformat.write(written, work / START)
    kept = work / FOLDER / LESSON / "dot_product.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"mistake": "Halves it.", "mistake_at": 5.0}))
    write_start_page(work)
    assert "Halves it." in the_map(work)
    assert page(work).cells[-1].source == "my notes"


def test_page_that_is_up_to_date_is_left_alone(work: Path) -> None:
    before = (work / START).stat().st_mtime_ns
    write_start_page(work)
    assert (work / START).stat().st_mtime_ns == before


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 3}', '{"cells": [{"id": "mine"}, 7]}'])
def test_page_of_ones_own_is_left_alone(work: Path, text: str) -> None:
    (work / START).write_text(text)
    write_start_page(work)
    assert (work / START).read_text() == text
