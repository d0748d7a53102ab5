"""An answer in a notebook that was saved, defined without running the rest of the notebook.

What it is made with is found by names: the imports, functions and values that its cell uses, and
what these use. Figures, training and what tries an answer out are not run.
"""

import ast
import linecache
from collections.abc import Sequence
from contextlib import suppress

from nbformat.notebooknode import NotebookNode

from autograder.checks.source.cells import grade_id_of, has_role
from autograder.checks.source.needed import needed
from autograder.checks.values.outcome import quiet
from autograder.checks.values.tensors import seeded
from autograder.errors import CheckError


def define(exercise: str, notebook: NotebookNode, title: str) -> dict[str, object]:
    """The names that an exercise's own cell makes, and those that it needs.

    What its author's code raises passes through, and what it prints is not shown.

    Args:
        exercise: its name.
        notebook: as it was saved.
        title: what the notebook is called where it is named.

    Raises:
        CheckError: when the notebook has no cell for the exercise.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    own = next((place for place, cell in enumerate(cells) if _answers(exercise, cell)), None)
    if own is None:
        raise CheckError(
            f"{title} has lost its cell for {exercise}: take it from another copy of the lesson"
        )
    sources = [cell.source for cell in cells]
    names = [f"<cell {place} of {title}>" for place in range(1, len(cells) + 1)]
    statements = needed(exercise, own, sources)
    # As in a notebook: whoever looks for a class's module finds one.
    namespace: dict[str, object] = {"__name__": "__main__"}
    with quiet(), seeded():
        for one in statements:
            if one.cell != own:
                # What is missed because of an error is said by who misses it.
                with suppress(Exception, SystemExit):
                    _run([one.tree], names[one.cell], sources[one.cell], namespace)
        answer = [one.tree for one in statements if one.cell == own]
        _run(answer, names[own], sources[own], namespace)
    return namespace


def _answers(exercise: str, cell: NotebookNode) -> bool:
    return grade_id_of(cell) == exercise and has_role(cell, "solution")


def _run(
    statements: Sequence[ast.stmt], name: str, source: str, namespace: dict[str, object]
) -> None:
    # So that a traceback, and a rule about how an exercise is written, can read the lines.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(ast.Module([*statements], []), name, "exec", dont_inherit=True), namespace)
