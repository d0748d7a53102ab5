"""What the instructor's own cells define: names that a test uses as they are there, not as the
student's code has left them.

A given cell that uses no answer is run on this side, loops and conditions and all. What one makes
*with* an answer (`weights = attention_weights(scores)`) is the student's, and is asked for over
there. Where that can't be told, as whether `fill(table, double)` writes into the table, the name
is undecided, and a test that needs it is refused. What a test cell computes is always computed
here.
"""

import ast
import builtins
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograder.checks.source.cell_code import SHELL, hides_names, statements_of
from autograder.checks.source.cells import has_role, is_test
from autograder.checks.source.effects import Effects, Reader
from autograder.checks.source.own_files import beside

_BUILTINS = frozenset(dir(builtins))


class Owner(Enum):
    """Whose a name is at some place of the notebook."""

    OURS = "a cell of the instructor's has made it, and no answer was used"
    ANSWER = "a cell that students write has made it"
    MADE_WITH = "a given cell has made it with an answer"
    UNDECIDED = "what a given cell makes of it can't be told"
    UNKNOWN = "no cell of the instructor's notebook gives it a meaning"


@dataclass(frozen=True, eq=False)
class Definition:
    """One statement, the names that it gives a meaning or changes, and those that it uses."""

    owner: Owner
    names: frozenset[str]
    uses: frozenset[str]
    statement: ast.stmt
    cell: int
    is_test: bool = False

    @property
    def line(self) -> str:
        """How it begins, for a message."""
        return ast.unparse(self.statement).partition("\n")[0][:80]


@dataclass(frozen=True)
class FoundNames:
    """Whose a name is, and the statements of ours that give it its meaning, in their order."""

    owner: Owner
    needed: tuple[Definition, ...] = ()
    last: Definition | None = None


class Definitions:
    """All definitions of an instructor's notebook; `places` are those of its cells, by their id."""

    def __init__(self, source: NotebookNode, folder: Path | None = None) -> None:
        """Read a notebook.

        Args:
            source: the instructor's notebook.
            folder: where it lies, with the modules that its cells import.
        """
        self._folder = folder
        self.imports: list[str] = []
        self.places = {cell.id: number for number, cell in enumerate(source.cells)}
        # The attributes and methods that the instructor's own solution has.
        self.attributes: set[str] = set()
        # Whether some cell may have defined what can't be read off its text.
        self.hides_names = False
        self._found: list[Definition] = []
        self._reader = Reader()
        self._imported: set[str] = set()
        self._owners: dict[str, Owner] = {}
        # Modules whose own random numbers were seeded: what uses them hangs together.
        self._seeded: set[str] = set()
        for number, cell in enumerate(source.cells):
            if cell.cell_type != "code":
                continue
            for statement in statements_of(cell.source):
                if has_role(cell, "solution"):
                    self._take_answer(statement, number)
                else:
                    self._take(statement, number, test=is_test(cell))

    def theirs(self, cell: int) -> frozenset[str]:
        """The names that are not ours for a test in this cell."""
        last = {name: one.owner for one in self._before(cell) for name in one.names}
        return frozenset(name for name, owner in last.items() if owner is not Owner.OURS)

    def before(self, name: str, cell: int) -> FoundNames:
        """Whose a name is for a test in this cell, and what gives it its meaning if it is ours.

        The statements are those that bind it, what these use, and, of given cells, what uses the
        same things and may change them: each draw from a generator, for one. Of earlier tests they
        are only what binds a name that is used behind it, as all else of a test is its own.
        """
        earlier = self._before(cell)
        last = next((one for one in reversed(earlier) if name in one.names), None)
        if last is None:
            imported = name in self._imported
            return FoundNames(Owner.OURS if imported or name in _BUILTINS else Owner.UNKNOWN)
        if last.owner in (Owner.ANSWER, Owner.MADE_WITH):
            return FoundNames(last.owner, (), last)
        ours = [one for one in earlier if one.owner is Owner.OURS]
        wanted, needed = {name}, set[int]()
        while more := [
            n
            for n, one in enumerate(ours)
            if n not in needed
            and one.names & ({name} | _used_after(n, ours, needed))
            | (frozenset() if one.is_test else (one.names | one.uses) & wanted)
        ]:
            needed.update(more)
            wanted.update(*(ours[n].names | ours[n].uses for n in more))
        return FoundNames(last.owner, tuple(ours[n] for n in sorted(needed)), last)

    def _before(self, cell: int) -> list[Definition]:
        return [one for one in self._found if one.cell < cell]

    def _take_answer(self, statement: ast.stmt, cell: int) -> None:
        self.attributes.update(_attributes(statement))
        if isinstance(statement, ast.Import | ast.ImportFrom):
            # A module is what it is, whoever imports it.
            self._take(statement, cell, test=False)
            return
        names = self._reader.read(statement).binds
        self._reader.forget(names)
        self._note(Definition(Owner.ANSWER, names, frozenset(), statement, cell))

    def _take(self, statement: ast.stmt, cell: int, *, test: bool) -> None:
        if hides_names(statement):
            self.hides_names = True
        effects = self._reader.read(statement)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            names = effects.binds | _all_of(statement, self._folder)
            self.imports.append(ast.unparse(statement))
            self._imported |= names
            self._note(Definition(Owner.OURS, names, frozenset(), statement, cell, test))
            return
        if test:
            names = effects.binds | self._known(effects.changes)
            uses = frozenset(effects.uses & self._owners.keys())
            self._note(Definition(Owner.OURS, names, uses, statement, cell, is_test=True))
        else:
            self._take_given(statement, effects, cell)

    def _take_given(self, statement: ast.stmt, effects: Effects, cell: int) -> None:
        changes, perhaps = self._known(effects.changes), self._known(effects.may_change)
        match self._owner_of(effects):
            case Owner.OURS:
                uses = (effects.uses | effects.changes) & (self._owners.keys() | self._seeded)
                uses -= self._imported - self._seeded
                if seeded := _seeded(statement):
                    self._seeded.add(seeded)
                    uses |= {seeded}
                names = effects.binds | changes
                self._note(Definition(Owner.OURS, names, frozenset(uses), statement, cell))
            case Owner.MADE_WITH:
                names = effects.binds | changes
                self._note(Definition(Owner.MADE_WITH, names, frozenset(), statement, cell))
                self._note(
                    Definition(Owner.UNDECIDED, perhaps - names, frozenset(), statement, cell)
                )
            case owner:
                names = effects.binds | changes | perhaps
                self._note(Definition(owner, names, frozenset(), statement, cell))

    def _owner_of(self, effects: Effects) -> Owner:
        """Whose a given statement is, by the names that it uses."""
        if SHELL in effects.uses:
            return Owner.UNDECIDED
        used = {self._owners[name] for name in effects.uses & self._owners.keys()}
        if effects.uses - self._owners.keys() - _BUILTINS - effects.binds - _JUPYTERS:
            used.add(Owner.ANSWER)  # a name of which nothing is known but that it is not ours
        if used & {Owner.ANSWER, Owner.MADE_WITH}:
            return Owner.MADE_WITH
        return Owner.UNDECIDED if Owner.UNDECIDED in used else Owner.OURS

    def _known(self, names: frozenset[str]) -> frozenset[str]:
        """Those that stand for a value of the notebook's own, and for no module."""
        return (names & self._owners.keys()) - self._imported

    def _note(self, found: Definition) -> None:
        if found.names or found.uses:
            self._found.append(found)
            self._owners.update(dict.fromkeys(found.names, found.owner))
            if not isinstance(found.statement, ast.Import | ast.ImportFrom):
                self._imported -= found.names


def _used_after(place: int, ours: list[Definition], needed: set[int]) -> set[str]:
    """What is used by those needed statements that stand behind a place."""
    return set[str]().union(*(ours[n].uses for n in needed if n > place))


# What Jupyter itself has put there.
_JUPYTERS = frozenset({"display", "In", "Out", "_", "__", "__name__", "__file__", "__doc__"})


def _all_of(statement: ast.stmt, folder: Path | None) -> frozenset[str]:
    """The names that `from module import *` binds."""
    if not isinstance(statement, ast.ImportFrom) or statement.names[0].name != "*":
        return frozenset()
    try:
        with beside(folder):
            module = importlib.import_module(statement.module or "")
    except ImportError:
        return frozenset()  # said where it is needed
    public = [name for name in vars(module) if not name.startswith("_")]
    return frozenset(getattr(module, "__all__", public))


def _attributes(statement: ast.stmt) -> Iterator[str]:
    """The attributes that objects of the instructor's solution have by their text."""
    for node in ast.walk(statement):
        match node:
            case ast.ClassDef(body=body):
                for inner in body:
                    match inner:
                        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                            yield name
                        case ast.ClassDef(name) | ast.AnnAssign(ast.Name(name)):
                            yield name
                        case ast.Assign(targets):
                            yield from (one.id for one in targets if isinstance(one, ast.Name))
                if node.decorator_list:
                    yield from _OF_DATACLASSES
                for base in node.bases:
                    yield from _inherited(base)
            case ast.Attribute(_, name, ast.Store()):
                yield name
            case ast.Call(ast.Name("namedtuple") | ast.Attribute(_, "namedtuple"), [_, fields, *_]):
                yield from _OF_TUPLES
                for one in ast.walk(fields):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        yield from one.value.replace(",", " ").split()


def _inherited(base: ast.expr) -> Iterator[str]:
    if isinstance(base, ast.Name) and isinstance(getattr(builtins, base.id, None), type):
        names = set(dir(getattr(builtins, base.id))) - set(dir(object))
        yield from names | ({"__eq__"} if base.id in _COMPARED_BY_VALUE else set())
    elif isinstance(base, ast.Name | ast.Attribute):
        name = base.id if isinstance(base, ast.Name) else base.attr
        yield from ("name", "value", "__eq__") if name.endswith("Enum") else ()
        yield from _OF_TUPLES if name == "NamedTuple" else ()


# What these make by themselves.
_OF_DATACLASSES = ("__eq__", "__repr__", "__lt__", "__le__", "__gt__", "__ge__")
_OF_TUPLES = ("__eq__", "__repr__", "__len__", "__iter__", "__getitem__", "_asdict", "_fields")
_COMPARED_BY_VALUE = ("int", "float", "str", "list", "dict", "set", "tuple", "frozenset", "bytes")


def _seeded(statement: ast.stmt) -> str:
    """The module whose random numbers a statement seeds, as in `torch.manual_seed(0)`."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(of, "seed" | "manual_seed"))):
            while isinstance(of, ast.Attribute):
                of = of.value
            return of.id if isinstance(of, ast.Name) else ""
    return ""
