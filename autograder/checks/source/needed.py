"""The statements that one name of a notebook is made with, wherever in the notebook they are."""

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.checks.source.cell_code import parsed, statements_of
from autograder.checks.source.effects import Effects, Reader, names_in


@dataclass(frozen=True)
class CellStatement:
    """A statement at the top of a cell, by the cell's place."""

    cell: int
    tree: ast.stmt
    names: Effects


def needed(name: str, cell: int, sources: Sequence[str]) -> list[CellStatement]:
    """What makes a name in its cell, and before it what that needs of the other cells.

    What stands in the cell below the last statement that makes or changes the name is there to try
    it out, and is left out. Of the other cells come the statements that make what is used, and what
    these use in their turn, in the order of the notebook.

    Raises:
        SyntaxError: when the name's own cell is not Python.
    """
    own = [CellStatement(cell, one, names_in(one)) for one in parsed(sources[cell]).body]
    reader, end = Reader(), len(own)
    for place, one in enumerate(own, start=1):
        changes = reader.read(one.tree).changes
        if name in one.names.binds | changes:
            end = place
    wanted = set[str]().union(*(one.names.uses for one in own[:end]))
    others = [
        one
        for one in _statements(tuple(sources))
        if one.cell != cell and name not in one.names.binds
    ]
    chosen, before = list[CellStatement](), -1
    while before < len(chosen):
        before = len(chosen)
        chosen = [one for one in others if one.names.binds & wanted or _brings_all(one.tree)]
        wanted.update(*(one.names.uses for one in chosen))
    return [*chosen, *own[:end]]


@functools.lru_cache(maxsize=4)
def _statements(sources: tuple[str, ...]) -> Sequence[CellStatement]:
    """All statements of a notebook, read once for all of its names."""
    return [
        CellStatement(cell, one, names_in(one))
        for cell, source in enumerate(sources)
        for one in statements_of(source)
    ]


def _brings_all(statement: ast.stmt) -> bool:
    """Whether it imports all that a module has."""
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
