"""How a solution is taken out of a cell: nbgrader's way, and one for cells with given lines."""

import re

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions

from autograder.lesson.built import KEY
from autograder.lesson.reference import BEGIN, END, INSTEAD

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
