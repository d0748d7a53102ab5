"""Scenery: given cells on which no test depends, such as figures and what they are drawn from.

They are not run when grading. The build finds them by what cells make and use, and gives them the
tag; in an ordinary notebook its author does. What a test, an answer or a submission needs is run
all the same, whatever the tag says.
"""

import ast
import builtins
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from nbformat.notebooknode import NotebookNode

from autograder.checks.source.acts import acts
from autograder.checks.source.cell_code import has_magics, hides_names, statements_of
from autograder.checks.source.cells import has_role, is_test
from autograder.checks.source.effects import Reader, defined_by, names_in, root_of

SCENERY, NEEDED = "scenery", "needed"
# What stands below a cell that was left out.
NOT_RUN = "Not run when grading: no point depends on this cell.\n"
# With these a student's code can find what it does not name.
_LOOKING_AROUND = frozenset(
    ("__main__", "_getframe", "currentframe", "user_ns", "In", "Out", "_", "__", "_ih", "_oh")
)
_BUILTINS = frozenset(dir(builtins))
# Of a student's cell; far more than an answer has. In the grader, whose time nobody counts then.
_MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class _Cell:
    """A code cell, by what its text says: the names that it makes or changes, and those it uses."""

    id: str
    is_given: bool
    makes: frozenset[str]
    uses: frozenset[str]
    acts: bool
    tags: frozenset[str]


def scenery_in(notebook: NotebookNode) -> frozenset[str]:
    """The ids of an instructor's given cells on which, by their text, no test depends.

    A cell that acts in a way that names don't show is among them only if it has the tag already,
    one that is tagged as needed never.
    """

    def may_be(cell: _Cell) -> bool:
        return NEEDED not in cell.tags and (SCENERY in cell.tags or not cell.acts)

    return _without(notebook, may_be)


def tag_scenery(notebook: NotebookNode) -> None:
    """Give an instructor's cells on which no test depends the tag that says so."""
    found = scenery_in(notebook)
    for cell in notebook.cells:
        tags = [tag for tag in cell.metadata.get("tags", ()) if tag != SCENERY]
        if cell.id in found:
            tags.append(SCENERY)
        if tags or "tags" in cell.metadata:
            cell.metadata["tags"] = tags


def left_out(notebook: NotebookNode, written: Iterable[str]) -> frozenset[str]:
    """The ids of those tagged cells on which neither a test nor a submission depends.

    Args:
        notebook: the instructor's.
        written: the student's own cells.
    """
    if not any(SCENERY in cell.metadata.get("tags", ()) for cell in notebook.cells):
        return frozenset()
    named = set[str]()
    for text in written:
        names = _named_in(text)
        if names is None:
            return frozenset()
        named |= names
    return _without(notebook, lambda cell: SCENERY in cell.tags, named)


def _without(
    notebook: NotebookNode, may_be: Callable[[_Cell], bool], named: Iterable[str] = ()
) -> frozenset[str]:
    """The given cells that may be left out, and that nothing which is run depends on.

    Where in the notebook a name is made does not count: a function finds it when it is called.
    """
    left, wanted = list[_Cell](), set(named)
    for cell in _cells(notebook):
        if cell.is_given and may_be(cell):
            left.append(cell)
        else:
            wanted |= cell.uses
    while more := [cell for cell in left if cell.makes & wanted]:
        wanted.update(*(cell.uses for cell in more))
        left = [cell for cell in left if cell not in more]
    return frozenset(cell.id for cell in left)


def _cells(notebook: NotebookNode) -> Sequence[_Cell]:
    texts = [
        (
            cell.id,
            cell.source,
            not has_role(cell, "solution") and not is_test(cell),
            frozenset(cell.metadata.get("tags", ())),
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    return _read(tuple(texts))


@functools.lru_cache(maxsize=4)
def _read(texts: tuple[tuple[str, str, bool, frozenset[str]], ...]) -> Sequence[_Cell]:
    """The cells of a notebook, read once for a class."""
    found, reader, modules, acting = list[_Cell](), Reader(), set[str](), set[str]()
    for cell, source, is_given, tags in texts:
        makes, uses = set[str](), set[str]()
        statements = statements_of(source)
        # What is no Python at all is another program's, or there to fail.
        does = has_magics(source) or not statements
        for statement in statements:
            names, effects = names_in(statement), reader.read(statement)
            uses |= names.uses | effects.uses
            makes |= names.binds | (effects.changes | effects.may_change) - modules
            makes |= set(_handed_over(statement, modules)) - modules
            if isinstance(statement, ast.Import | ast.ImportFrom):
                modules |= names.binds
            if acts(statement, modules, acting) or hides_names(statement):
                does = True
                acting |= {defined_by(statement) or ""}
        found.append(_Cell(cell, is_given, frozenset(makes), frozenset(uses), does, tags))
    return found


@functools.lru_cache(maxsize=256)
def _named_in(text: str) -> frozenset[str] | None:
    """The names that a student's cell uses; None if it may use any, or is too much to be read."""
    if len(text) > _MOST_CHARACTERS:
        return None
    try:
        statements = statements_of(text)
        if has_magics(text) or any(map(_looks_around, statements)):
            return None
        return frozenset[str]().union(*(names_in(statement).uses for statement in statements))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Python reads it another way when it runs it, or refuses it: that is the student's affair.
        return None


def _looks_around(statement: ast.stmt) -> bool:
    """Whether a student's code may use names that are not in its text."""
    found = set(names_in(statement).uses)
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(_, name) | ast.alias(name) | ast.Constant(str(name)):
                found.add(name)
    return hides_names(statement) or bool(found & _LOOKING_AROUND)


def _handed_over(statement: ast.stmt, modules: Set[str]) -> Iterator[str]:
    """What is given to an answer or to a function of the notebook's, which may write to it."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(ast.Name(name), args, words):
                own = name not in modules and name not in _BUILTINS
            case ast.Call(ast.Attribute(_, name), args, words):
                own = name.endswith("_")
            case _:
                continue
        if own:
            for one in (*args, *(word.value for word in words)):
                yield from root_of(one)
