"""A course of one tiny lesson, graded as this course grades: for tests of what becomes of work."""

import json
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from autograder.course import Course
from autograder.nbgrading.configuration import configuration, nbgrader_api
from tests.support.course import ROOT
from tests.support.samples import make_cell

LESSON = "tiny"
DOUBLE = "def double(x):\n    return 2 * x"
FOURFOLD = "def fourfold(x):\n    return double(double(x))"
ANSWERS = {"double": DOUBLE, "fourfold": FOURFOLD}

Json = dict[str, Any]


def tiny_notebook() -> NotebookNode:
    """An instructor's notebook: two exercises of 2 and 3 points, and a question of 1."""
    cells = [
        new_code_cell("import numpy as np"),
        make_cell("code", DOUBLE, "double", solution=True),
        make_cell("code", "assert double(3) == 6\nassert double(-1) == -2", "double_check",
                  grade=True, points=2),
        new_code_cell("print(np.arange(3))"),
        make_cell("code", FOURFOLD, "fourfold", solution=True),
        make_cell("code", "assert fourfold(np.ones(2)).tolist() == [4, 4]", "fourfold_check",
                  grade=True, points=3),
        make_cell("markdown", "Because it is.", "why", solution=True, grade=True, points=1),
    ]  # fmt: skip
    for cell in cells:
        marks = cell.metadata.get("nbgrader", {})
        cell.id = marks.get("grade_id", f"given-{cells.index(cell)}")
        if marks.get("solution") and cell.cell_type == "code":
            cell.source = f"### BEGIN SOLUTION\n{cell.source}\n### END SOLUTION"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def tiny_course(root: Path) -> Config:
    """The course's own configuration over a course of one tiny lesson, released."""
    folder = root / "source" / LESSON
    folder.mkdir(parents=True)
    nbformat.write(tiny_notebook(), folder / f"{LESSON}.ipynb")
    (folder / "data.txt").write_text("1 2 3")
    config = configuration(Course(ROOT), root)
    config.GradeSafely.preload = ["numpy"]
    config.GradeSafely.limits = {"cell_seconds": 10, "call_seconds": 3}
    # Its solution is right; to say so costs a sandbox each time.
    config.TrySolution.enabled = False
    outcome = nbgrader_api(config).generate_assignment(LESSON)
    assert outcome["success"], outcome
    return config


def answered(released: NotebookNode) -> Json:
    """The released notebook with right answers, as the JSON of its file."""
    notebook: Json = json.loads(nbformat.writes(released))
    for cell in notebook["cells"]:
        if grade_id_of(cell) in ANSWERS:
            cell["source"] = ANSWERS[grade_id_of(cell)]
    return notebook


def grade_id_of(cell: Json) -> str:
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def hand_in(root: Path, student: str, content: bytes) -> Path:
    folder = root / "submitted" / student / LESSON
    folder.mkdir(parents=True)
    (folder / f"{LESSON}.ipynb").write_bytes(content)
    return folder


def as_bytes(notebook: object) -> bytes:
    return json.dumps(notebook).encode()
