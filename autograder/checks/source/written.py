"""What a student has written: statements, what they name and make.

Text that is run as code, by `exec` or a magic, is read as code too.
"""

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from autograder.checks.source.cell_code import DEEPEST, MOST_CHARACTERS, lines_of, read
from autograder.checks.source.effects import locals_of
from autograder.checks.source.words import RUNS_LINES, RUNS_TEXT

# What a name is bound to: an expression, a library's module (True), one's own (False) or whatever.
Source: TypeAlias = ast.expr | bool | None

_WORD = re.compile(r"\w+")
# What runs text: the ways that Python has, and those that IPython turns its own lines into.
RUN = RUNS_TEXT | RUNS_LINES


@dataclass(frozen=True)
class Written:
    """All code of a submission.

    Attributes:
        cells: in their order, each with the exercise that it answers, or "".
        files: what lies beside the notebook and is the student's own, by name.
        given: the functions and classes that given cells import, each with what it leads to.
    """

    cells: Sequence[tuple[str, str]]
    files: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_too_long(self) -> bool:
        """Whether there is more than is read."""
        texts = [text for _, text in self.cells]
        texts += [text for file, text in self.files.items() if _is_python(file)]
        return sum(map(len, texts)) > MOST_CHARACTERS

    @functools.cached_property
    def statements(self) -> Sequence["Statement"]:
        """All statements of its cells and Python files."""
        read = [one for name, text in self.cells for one in _statements(text, name)]
        files = [(file, text) for file, text in self.files.items() if _is_python(file)]
        return [*read, *(one for file, text in files for one in _statements(text, file=file))]


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement that stands for itself in a cell or a file, or a text that can't be read."""

    tree: ast.stmt | None
    text: str  # of the cell or file
    exercise: str = ""
    file: str = ""
    skipped: int = 0  # lines of the text that are not in the tree

    @property
    def where(self) -> str:
        """Where it stands, for the student."""
        first = next((line for line in lines_of(self.text) if line.strip()), "")
        return f"in {self.file or 'the cell that begins with'} {first.strip()[:80]}".strip()

    def line(self, number: int) -> str:
        """One of its lines, with its number."""
        lines = lines_of(self.text)
        number = min(number + self.skipped, len(lines))
        return f"line {number}: {lines[number - 1].strip()}"

    def defines(self, name: str) -> bool:
        """Whether it is the definition of this function or class."""
        return isinstance(self.tree, ast.FunctionDef | ast.ClassDef) and self.tree.name == name

    @property
    def is_import(self) -> bool:
        """Whether it imports, and does nothing else."""
        return isinstance(self.tree, ast.Import | ast.ImportFrom)

    @functools.cached_property
    def made(self) -> frozenset[str]:
        """The names that it gives something to."""
        if self.tree is None:
            return frozenset(words_in(self.text))
        return frozenset(_made(self.tree))

    @functools.cached_property
    def sets(self) -> frozenset[str]:
        """Those of them that it gives to an attribute, or by a text."""
        return frozenset(_set(self.tree) if self.tree else self.made)

    @functools.cached_property
    def used(self) -> frozenset[str]:
        """The names and texts by which it reaches what others have made; attributes with a dot."""
        if self.tree is None:
            return frozenset()
        return frozenset(_used(self.tree))


def imported(texts: Iterable[str]) -> dict[str, str]:
    """The names that cells import from modules, each with its path there.

    What is written in capitals is a number or a text: it does nobody's work.
    """
    trees = [one for text in texts for one in parsed(text) or () if isinstance(one, ast.ImportFrom)]
    return {
        name.asname or name.name: f"{one.module}.{name.name}"
        for one in trees
        for name in one.names
        if not name.name.isupper()
    }


def made_with(exercise: str, written: Written) -> Sequence[Statement]:
    """The statements that an exercise's answer is made with, as far as names lead."""
    chosen = list(_begins_with(exercise, written))
    left = defaultdict[str, list[Statement]](list)
    for one in written.statements:
        for name in one.made if one not in chosen else ():
            left[name].append(one)
    chosen = list(dict.fromkeys([*chosen, *left.pop(exercise, [])]))
    taken, names = set(chosen), {exercise}
    # What is found on the way is looked at in its turn.
    for one in chosen:
        for name in one.used - names:
            found = [
                other
                for other in left[name.removeprefix(".")]
                if other not in taken and _is_reached(name, other, one)
            ]
            chosen += dict.fromkeys(found)
            taken.update(found)
        names |= one.used
    # A file that is not Python may be read and run.
    return [
        *chosen,
        *(
            Statement(None, text, file=file)
            for file, text in written.files.items()
            if not _is_python(file) and {file, file.rpartition(".")[0]} & names
        ),
    ]


def _is_reached(name: str, other: Statement, by: Statement) -> bool:
    """Whether what a statement makes may be what another one uses by this name.

    An attribute is what somebody has set as one, or what a file holds, or the notebook as a module.
    """
    if not name.startswith("."):
        return True
    return bool(other.file) or name[1:] in other.sets or bool({"__main__", ".modules"} & by.used)


def _begins_with(exercise: str, written: Written) -> Iterator[Statement]:
    """The exercise's own cell, to its definition; what stands below is there to try it out."""
    is_defined = False
    for one in written.statements:
        if one.exercise == exercise:
            if not is_defined or _binds_by_text(one):
                yield one
            is_defined = is_defined or one.defines(exercise)


def _binds_by_text(one: Statement) -> bool:
    """Whether it runs text that gives something a name, or text that can't be read."""
    for node in ast.walk(one.tree) if one.tree else ():
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in RUN:
                texts = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
                for body in (parsed(text.value) for text in texts if isinstance(text.value, str)):
                    if body is None or any(any(_made(part)) for part in body):
                        return True
    return one.tree is None


def _is_python(file: str) -> bool:
    return file.endswith(".py")


def _statements(source: str, exercise: str = "", file: str = "") -> list[Statement]:
    """The statements of a cell, or one that can't be read."""
    try:
        found = read(source)
    except SyntaxError:
        return [Statement(None, source, exercise, file)]
    return [Statement(one, source, exercise, file, found.skipped) for one in found.body]


def _named(tree: ast.AST, depth: int) -> Iterator[str]:
    docstrings = {id(text) for node in ast.walk(tree) for text in _docstring(node)}
    if isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant):
        docstrings.add(id(tree.value))
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Attribute(attr=name):
                yield f".{name}"
            case ast.alias(name=name) | ast.ImportFrom(module=str(name)):
                yield name
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield text
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in RUN:
                for part in (*node.args, *(word.value for word in node.keywords)):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from _in_code(part.value, depth)


def _in_code(text: str, depth: int) -> Iterator[str]:
    """What a text mentions that is run as code; of one that is not Python, all words."""
    body = parsed(text) if depth < DEEPEST else None
    if body is None:
        yield from words_in(text)
    else:
        yield from (name for one in body for name in _named(one, depth + 1))


def words_in(text: str) -> Sequence[str]:
    """All words of a text."""
    return _WORD.findall(text)


def parsed(source: str) -> Sequence[ast.stmt] | None:
    """The statements of a text that is run as code; None if it can't be read."""
    try:
        return read(source).body
    except SyntaxError:
        return None


def _made(tree: ast.AST) -> Iterator[str]:
    """What a statement binds, in any way that a reader can see."""
    left = [tree]
    while left:
        node = left.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
                inside = [one for one in ast.walk(node) if isinstance(one, ast.Global)]
                yield from (name for one in inside for name in one.names)
                continue
            case ast.Lambda():
                continue
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.Constant(value=str(text)) if text.isidentifier():
                # setattr(torch, "name", …), globals()["name"] = …
                yield text
        left += ast.iter_child_nodes(node)


def _set(tree: ast.AST) -> Iterator[str]:
    """What a statement gives to an attribute, or may give by a text."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Constant(value=str(text)) if text.isidentifier():
                yield text


def _used(tree: ast.stmt) -> Iterator[str]:
    """What a statement names, but for what its functions and methods have for themselves alone."""
    own: set[str] = set()
    if isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        own = locals_of(tree)
    elif isinstance(tree, ast.ClassDef):
        for part in tree.body:
            yield from _used(part)
        heads = [*tree.bases, *(word.value for word in tree.keywords), *tree.decorator_list]
        for head in heads:
            yield from _words_of(head)
        return
    yield from (name for name in _words_of(tree) if name not in own)


def _words_of(tree: ast.AST) -> Iterator[str]:
    for name in _named(tree, 0):
        if name.startswith("."):
            yield name
        else:
            yield from name.split(".")


def _docstring(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value


def bindings(nodes: Iterable[ast.AST], modules: set[str]) -> dict[str, list[Source]]:
    """The names that code binds where it stands, and to what; "*" for all of a file's."""
    bound = defaultdict[str, list[Source]](list)
    for node in inside(nodes):
        match node:
            case ast.Assign(targets=targets, value=value):
                for one, source in _assigned(targets, value):
                    bound[one.id].append(source)
            case ast.For(target=ast.Name(id=name), iter=source):
                bound[name].append(source)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value:
                bound[name].append(value)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                bound[name].append(value)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound[name].append(None)
            case ast.ClassDef(name=name):
                bound[name].append(None)
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    bound[alias.asname or top].append(top not in modules)
            case ast.ImportFrom(names=aliases):
                top = (node.module or "").partition(".")[0]
                is_beside = bool(node.level) or top in modules
                for alias in aliases:
                    if alias.name != "*" or is_beside:
                        bound[alias.asname or alias.name].append(not is_beside)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound[name].append(None)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                bound[name].append(None)
            case ast.Global(names=names):
                for name in names:
                    bound[name].append(None)
    simple = {id(target) for node in inside(nodes) for target in _simple_targets(node)}
    for node in inside(nodes):
        # Loops, unpacking, `with`, `+=`: whatever that gives.
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and id(node) not in simple
        ):
            bound[node.id].append(None)
    return dict(bound)


def _assigned(targets: Iterable[ast.expr], value: ast.expr) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that are given something, each with what; of a tuple, name by name."""
    for target in targets:
        match target, value:
            case ast.Name(), _:
                yield target, value
            case ast.Tuple(names) | ast.List(names), ast.Tuple(parts) | ast.List(parts):
                if len(names) == len(parts):
                    for one in zip(names, parts, strict=True):
                        yield from _assigned([one[0]], one[1])


def _simple_targets(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from (name for name, _ in _assigned(targets, value))
        case ast.For(target=ast.Name() as name):
            yield name
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            yield target


def inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of the same scope; of inner scopes, what they bind outside of themselves."""
    left = list(nodes)
    while left:
        node = left.pop()
        yield node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                yield from (one for one in ast.walk(node) if isinstance(one, ast.Global))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from (one for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
            case _:
                left += ast.iter_child_nodes(node)


def defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that have a default, each with it."""
    by_position = [*arguments.posonlyargs, *arguments.args]
    first = len(by_position) - len(arguments.defaults)
    yield from (
        (one.arg, of) for one, of in zip(by_position[first:], arguments.defaults, strict=True)
    )
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    yield from ((one.arg, of) for one, of in by_name if of)
