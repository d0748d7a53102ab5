"""Pages come from a process of their own, in time or in plain text."""

import json
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.checks.source.cells import grade_id_of
from autograder.errors import RenderingFailed
from autograder.nbgrading.pages.rendering import PageWorker
from tests.support.tiny_course import tiny_notebook

RESOURCES: dict[str, Any] = {
    "assignment_id": "tiny", "notebook_id": "tiny", "submission_id": "1", "student": "ada",
    "base_url": "", "index": 0, "total": 1,
}  # fmt: skip
PLAIN = "it is shown as plain text"


@pytest.fixture(scope="module")
def worker() -> Iterator[PageWorker]:
    worker = PageWorker(seconds=1)
    yield worker
    worker.close()


def page(worker: PageWorker, source: str) -> str:
    notebook = tiny_notebook()
    notebook.cells.append(new_code_cell(source))
    return worker.page("formgrade", nbformat.writes(notebook), RESOURCES)


def test_link_to_the_live_notebook_says_what_it_is(worker: PageWorker) -> None:
    html = page(worker, "x = 1")
    assert html.count('title="Open live notebook: whatever you run there is code of') == 2
    assert 'title="Open live notebook"' not in html


def test_page_has_colours(worker: PageWorker) -> None:
    html = page(worker, "x = 'seen' # <b>")
    assert "seen" in html
    assert "<b>" not in html
    assert PLAIN not in html
    assert 'id="double_check"' in html


@pytest.mark.parametrize("slow", ["", "a." * 20_000])
def test_marks_of_a_scheme_are_no_headings(worker: PageWorker, slow: str) -> None:
    notebook = tiny_notebook()
    (why,) = (cell for cell in notebook.cells if grade_id_of(cell) == "why")
    question = new_markdown_cell("Why?\n\n### BEGIN MARK SCHEME\n- 1 point\n### END MARK SCHEME")
    marks = {"grade": False, "solution": False, "locked": True, "grade_id": "asked"}
    question.metadata["nbgrader"] = {**why.metadata.nbgrader, **marks}
    why.source = "In my words:\n### END MARK SCHEME"
    notebook.cells += [question, new_code_cell(slow)]
    html = worker.page("formgrade", nbformat.writes(notebook), RESOURCES)
    assert (PLAIN in html) == bool(slow)
    assert "Why?" in html
    assert "1 point" in html
    # What a student wrote is shown as it stands.
    assert html.count("MARK SCHEME") == 1


def test_page_that_takes_too_long_is_plain(worker: PageWorker) -> None:
    """A colourer that is quadratic in this takes ten seconds and more."""
    html = page(worker, "a." * 20_000 + "<b>seen")
    assert PLAIN in html
    assert "&lt;b&gt;seen" in html
    assert 'id="double_check"' in html


def test_one_answer_that_takes_too_long_is_plain(worker: PageWorker) -> None:
    notebook = tiny_notebook()
    notebook.cells[-1].source = "<b>" + "\\begin{a}" * 20_000
    shown = json.loads(worker.page("answer", nbformat.writes(notebook), {"name": "why"}))
    assert shown["html"].startswith("<pre>&lt;b&gt;\\begin{a}")
    assert shown["digest"]


def test_blanks_cost_nothing(worker: PageWorker) -> None:
    assert PLAIN not in page(worker, " \n" * 50_000 + "x = 1")


def test_next_page_comes(worker: PageWorker) -> None:
    with pytest.raises(RenderingFailed):
        worker.page("formgrade", "no notebook", RESOURCES)
    assert "seen" in page(worker, "seen")


@pytest.mark.long
def test_page_after_another_is_the_same(worker: PageWorker) -> None:
    """A student's text stays inert, though a lesson's own, which is the same, is kept."""
    text = "Why? <b>bold</b>"
    notebook = tiny_notebook()
    notebook.cells.append(new_markdown_cell(text))
    (why,) = (cell for cell in notebook.cells if grade_id_of(cell) == "why")
    why.source = text
    first, second = (worker.page("feedback", nbformat.writes(notebook), {}) for _ in range(2))
    assert first == second
    assert "<b>bold</b>" in second
    assert "&lt;b&gt;bold" in second
