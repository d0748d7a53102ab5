"""The notebook that a learner's folder opens with: the map of the course.

It is written once and then belongs to the learner, notes and all. What `autograder lab` renews is
the output of the cell with the map, so that the page is up to date before anything is run; the
script `front/start_page.js` runs that cell when somebody comes back to the page.
"""

import json
from pathlib import Path
from typing import Any

from autograder.learner.notebooks.keeping import in_bytes
from autograder.learner.notebooks.work import writing
from autograder.learner.status import bundle
from autograder.whole_file import write_whole

START = "start.ipynb"
_MAP = "map"
_ABOVE = """\
# Your course

A lesson opens when you click on its name. In JupyterLab the map is brought up to date when you \
come back to this page; elsewhere **Ctrl+Enter** in the cell below does that."""
_CODE = """\
from autograder import status

status()"""
_BELOW = """\
**When you come back**, *Continue* opens the lesson where you go on, behind what you did last. \
Your answers are still there, but a new kernel has not run them: run the next check, and it offers \
to run the cells above.

**An exercise is done** when the answer that passed its check is the one in your saved notebook. \
`from autograder import mark; mark()` in a lesson tries your answers on more than the examples \
that the checks know.

**To begin an exercise anew**, select its cell and press *Begin anew* in the toolbar, or run \
`autograder reset LESSON EXERCISE` in a terminal. A copy of what you had is kept."""


def write_start_page(folder: Path) -> None:
    """Write the page where there is none, and bring its map up to date where it has one.

    Raises:
        WorkFolderError: when it can't be written.
    """
    path = folder / START
    if path.exists() and not path.is_file():
        return  # Nobody waits for a pipe, or reads a device to its end.
    with writing(folder):
        before = path.read_bytes() if path.exists() else b""
        page = _read(before) if before else _new_page()
        cell = next((one for one in page.get("cells", ()) if _is_map(one)), None)
        if cell is None:
            return  # A notebook of the learner's own, or what is left of one.
        output = {"output_type": "display_data", "data": bundle(folder, folder), "metadata": {}}
        cell["outputs"], cell["execution_count"] = [output], None
        after = in_bytes(json.dumps(page, indent=1, ensure_ascii=False))
        if after != before:
            write_whole(path, after)


def _read(content: bytes) -> dict[str, Any]:
    try:
        page = json.loads(content)
        return page if isinstance(page, dict) and isinstance(page.get("cells"), list) else {}
    except (ValueError, RecursionError):
        return {}


def _is_map(cell: object) -> bool:
    return isinstance(cell, dict) and cell.get("id") == _MAP and cell.get("cell_type") == "code"


def _new_page() -> dict[str, Any]:
    texts = {"above": _ABOVE, "below": _BELOW}
    above, below = (
        {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}
        for name, text in texts.items()
    )
    map_cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": _MAP,
        "metadata": {},
        "outputs": [],
        "source": _CODE,
    }
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {
        "cells": [above, map_cell, below],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
