"""What counts as an edit of a built notebook."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell

from autograder.authoring.lesson.built import is_edited, signed
from tests.support.tiny_course import tiny_notebook

EDITS: list[Callable[[Any], object]] = [
    lambda one: one.cells.pop(),
    lambda one: one.cells.reverse(),
    lambda one: one.cells.append(new_markdown_cell("One more.")),
    lambda one: one.cells[0].update(source="import torch"),
    lambda one: one.cells[2].metadata.nbgrader.update(points=3),
    lambda one: one.cells[2].metadata.update(tags=["skip"]),
    lambda one: one.cells[0].update(cell_type="raw"),
    lambda one: one.metadata.pop("autograder"),
    lambda one: one.metadata.autograder.update(built=""),
    lambda one: one.metadata.update(autograder=[]),
]
OTHERS: list[Callable[[Any], object]] = [
    lambda one: one.cells[0].update(execution_count=3),
    lambda one: one.cells[0].metadata.update(collapsed=True),
    lambda one: one.metadata.kernelspec.update(display_name="Another Python"),
]


@pytest.mark.parametrize(("edits", "found"), [(EDITS, True), (OTHERS, False)])
def test_edits(tmp_path: Path, edits: list[Callable[[Any], object]], found: bool) -> None:
    path = tmp_path / "lesson.ipynb"
    for edit in edits:
        notebook = signed(tiny_notebook())
        edit(notebook)
        path.write_text(nbformat.writes(notebook))
        assert is_edited(path, "") is found


@pytest.mark.parametrize(
    "text", ["", "{", "<<<<<<< HEAD", "[]", '{"cells": 3}', '{"metadata": {}, "cells": [7]}']
)
def test_what_is_no_notebook_may_be_somebodys(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_text(text)
    assert is_edited(path, "")


def test_what_is_not_there_is_not_edited(tmp_path: Path) -> None:
    assert not is_edited(tmp_path / "lesson.ipynb", "")
