"""From an instructor's notebook to a student's: nbgrader's own steps.

`nbgrader_config.py` hands the same list to `nbgrader generate_assignment`, so the command, the
formgrader's button and the build make the same notebook.
"""

from copy import deepcopy

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ComputeChecksums,
    IncludeHeaderFooter,
    InstantiateTests,
    LockCells,
    NbGraderPreprocessor,
    SaveCells,
)
from traitlets.config import Config

from autograder.lesson.given_lines import LeaveGivenLines

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
