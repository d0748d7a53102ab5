"""How a solution is taken out of a cell: nbgrader's way, and one more for cells with given lines."""

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions

from autograder.reference import BEGIN, INSTEAD


class LeaveGivenLines(ClearSolutions):  # type: ignore[misc]
    """nbgrader's ClearSolutions, but a solution that replaces the lines above it leaves no stub.

    A worksheet with blanks, or a broken cell to repair, is complete without its solution: behind
    the mark `### BEGIN SOLUTION (replaces the lines above)`, "raise NotImplementedError()" would
    stand in the learner's way.
    """

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        stub = self.code_stub
        if f"{BEGIN} {INSTEAD}" in cell.source:
            self.code_stub = {**stub, language: _NO_STUB}
        try:
            replaced: bool = super()._replace_solution_region(cell, language)
        finally:
            self.code_stub = stub
        if replaced:
            lines = [line for line in cell.source.split("\n") if line.strip() != _NO_STUB]
            cell.source = "\n".join(lines)
        return replaced


_NO_STUB = "### NO STUB"
