"""From an instructor's notebook to a student's: nbgrader's own steps.

`nbgrader_config.py` hands the same list to `nbgrader generate_assignment`, so the command, the
formgrader's button and the build make the same notebook.
"""

import re
from copy import deepcopy

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    IncludeHeaderFooter,
    InstantiateTests,
    LockCells,
    NbGraderPreprocessor,
    SaveCells,
)
from traitlets.config import Config

from autograder.authoring.lesson.built import KEY
from autograder.authoring.lesson.reference import BEGIN, END, INSTEAD

_REPLACING = re.compile(
    rf"^ *{BEGIN} {re.escape(INSTEAD)}\n.*?^ *{END}\n?", re.DOTALL | re.MULTILINE
)


class LeaveGivenLines(ClearSolutions):  # type: ignore[misc]
    """nbgrader's ClearSolutions, but a solution that replaces the lines above it leaves no stub.

    A worksheet with blanks, or a broken cell to repair, is complete without its solution: behind
    the mark `### BEGIN SOLUTION (replaces the lines above)`, "raise NotImplementedError()" would
    stand in the learner's way.
    """

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict | dict[str, object]
    ) -> tuple[NotebookNode, ResourcesDict | dict[str, object]]:
        """Take out the solutions, and what the build knows its own notebook by."""
        nb.metadata.pop(KEY, None)
        taken_out: tuple[NotebookNode, ResourcesDict] = super().preprocess(nb, resources)
        return taken_out

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        cell.source, without_stub = _REPLACING.subn("", cell.source)
        if without_stub:
            cell.source = cell.source.rstrip("\n")
        replaced: bool = super()._replace_solution_region(cell, language)
        return replaced or without_stub > 0


PREPROCESSORS: list[type[NbGraderPreprocessor]] = [
    IncludeHeaderFooter,
    InstantiateTests,
    LockCells,
    LeaveGivenLines,
    ClearOutput,
    CheckCellMetadata,
    ComputeChecksums,
    SaveCells,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
]

# They need a gradebook, a kernel or a header file, and change nothing in our notebooks.
_NOT_HERE = (SaveCells, InstantiateTests, IncludeHeaderFooter)


def settings() -> Config:
    """The options that these steps run with, here and in `nbgrader_config.py`."""
    config = Config()
    # A written question carries its marking scheme in a locked cell; nbgrader expects it in a task.
    config.ClearMarkScheme.enforce_metadata = False
    return config


def student_notebook(source: NotebookNode) -> NotebookNode:
    """The notebook that students get: no solutions, no hidden tests, no marking schemes."""
    notebook = deepcopy(source)
    resources: dict[str, object] = {}
    for step in PREPROCESSORS:
        if step not in _NOT_HERE:
            notebook, resources = step(parent=None, config=settings()).preprocess(
                notebook, resources
            )
    return notebook
