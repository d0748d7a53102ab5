"""What the instructor's own cells define: names that a test uses as they are there, not as the
student's code has left them.

Those are imports, functions, classes, and what is assigned once from nothing but such names. A
given cell may use a student's answer (`weights = attention_weights(scores)`); its result is the
student's, and is asked for over there. What a test cell computes is always computed here.
"""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager
from nbformat.notebooknode import NotebookNode

from autograder.cells import has_role, is_test

_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, eq=False)
class Definition:
    """One statement that gives names a meaning, the names that it uses, the place of its cell.

    Without a source it is the student's from there on.
    """

    names: frozenset[str]
    uses: frozenset[str]
    source: str
    cell: int
    is_test: bool


class Definitions:
    """All definitions of an instructor's notebook; `places` are those of its cells, by their id."""

    def __init__(self, source: NotebookNode) -> None:
        self.imports: list[str] = []
        self.places = {cell.id: number for number, cell in enumerate(source.cells)}
        self._found: list[Definition] = []
        # What names stand for something of the instructor's, as far as was read.
        self._imported: set[str] = set()
        self._defined: set[str] = set()
        # Modules whose own random numbers were seeded: what uses them hangs together.
        self._seeded: set[str] = set()
        code = [(n, cell) for n, cell in enumerate(source.cells) if cell.cell_type == "code"]
        self._answers = {
            name
            for _, cell in code
            if has_role(cell, "solution")
            for statement in _statements(cell.source)
            for name in _bound(statement)
        }
        for number, cell in code:
            if not has_role(cell, "solution"):
                for statement in _statements(cell.source):
                    self._take(statement, number, is_test=is_test(cell))

    def before(self, name: str, cell: int) -> list[Definition]:
        """The statements that give a name its meaning for a test in this cell, in their order.

        They are those that bind it, what these use, and, of given cells, what uses the same things
        and may change them: each draw from a generator, for one. None if it is the student's.
        """
        earlier = [one for one in self._found if one.cell < cell]
        last = next((one for one in reversed(earlier) if name in one.names), None)
        if last is None or not last.source:
            return []
        wanted, needed = {name}, set[int]()
        while more := [
            n
            for n, one in enumerate(earlier)
            if n not in needed and wanted & (one.names if one.is_test else one.names | one.uses)
        ]:
            needed.update(more)
            wanted.update(*(earlier[n].names | earlier[n].uses for n in more))
        return [earlier[n] for n in sorted(needed) if earlier[n].source]

    def _take(self, statement: ast.stmt, cell: int, *, is_test: bool) -> None:
        names = frozenset(_bound(statement)) - self._answers
        if isinstance(statement, ast.Import | ast.ImportFrom):
            statement.names = [one for one in statement.names if _imported(one) in names]
            self.imports += [ast.unparse(statement)] if statement.names else []
            self._imported |= names
            return
        used = _used(statement)
        ours = is_test or used <= self._imported | self._defined | _BUILTINS
        if seeded := _seeded(statement):
            self._seeded.add(seeded)
            used, ours = {seeded}, not is_test
        elif not names and not (ours and _written(statement)):
            return
        text = ast.unparse(statement) if ours else ""
        uses = frozenset(used & (self._defined | self._seeded) if ours else ())
        self._found.append(Definition(names, uses, text, cell, is_test))
        self._defined = self._defined | names if ours else self._defined - names


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:
        # In %%time and its like, the rest is Python; in %%bash it is not.
        text = re.sub(r"\A\s*%%(time|timeit|capture|prun)\b.*", "", source)
        with suppress(SyntaxError):  # a cell may be there to show one
            return [] if re.match(r"\s*%%", text) else ast.parse(_as_python(text)).body
    return []


def _as_python(source: str) -> str:
    """A cell of the instructor's as Python has it: without %matplotlib inline and its like."""
    python: str = TransformerManager().transform_cell(source)
    return python


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a cell gives a meaning."""
    match statement:
        case ast.Import(names) | ast.ImportFrom(names=names):
            yield from map(_imported, names)
        case ast.FunctionDef(name) | ast.ClassDef(name) | ast.AsyncFunctionDef(name):
            yield name
        case _:
            yield from _stored([statement])


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for inner in _inside(nodes):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def _inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from ast.walk(node)


def _imported(name: ast.alias) -> str:
    return name.asname or name.name.partition(".")[0]


def _used(statement: ast.stmt) -> set[str]:
    """The names that a statement needs when it is run; those in a function's body come later."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return {""}  # a loop or a condition may do anything, more than once
    loaded = {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    value = [statement.value] if statement.value else []
    own = {*_stored(value), *(one.arg for one in _inside(value) if isinstance(one, ast.arg))}
    changed = _stored([statement.target]) if isinstance(statement, ast.AugAssign) else ()
    return (loaded - own) | set(changed)


def _written(statement: ast.stmt) -> bool:
    """Whether it writes into something that has a name: `mask[0] = 1`."""
    return isinstance(statement, ast.Assign | ast.AugAssign)


def _seeded(statement: ast.stmt) -> str:
    """The module whose random numbers a statement seeds, as in `torch.manual_seed(0)`."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(of, "seed" | "manual_seed"))):
            while isinstance(of, ast.Attribute):
                of = of.value
            return of.id if isinstance(of, ast.Name) else ""
    return ""
