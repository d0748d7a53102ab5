"""Source as lines in which names, comments and layout make no difference.

Each statement is a line, and each name that the source itself gives is a number, in the order in
which the line uses them: `weights = scores / total` and `w = s / t` are both `v0 = v1 / v2`. Names
from elsewhere, such as `torch.softmax`, stay. What is no Python is read line by line, and a line
that is none either is compared as it is written.

The source is a student's. It is parsed, and never run; whatever it holds, this takes bounded time.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from autograder.checks.source.cell_code import lines_of

# Longer ones are nobody's answer to an exercise, nor are those with more statements.
LONGEST = 10_000
_MOST = 200
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_WORD = re.compile(r"\w+|[^\w\s]")
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


@dataclass(frozen=True)
class NormalLine:
    """A statement in its normal form, and the line of the source on which it begins."""

    text: str
    number: int


def normal_lines(source: str) -> list[NormalLine]:
    """The first statements of a source in their normal form; docstrings and `pass` are none."""
    return _first(source, _MOST)


def is_too_long(source: str) -> bool:
    """Whether a source has more than `normal_lines` gives, behind which a copy could hide."""
    return len(source) > LONGEST or len(_first(source, _MOST + 1)) > _MOST


def size_of(text: str) -> int:
    """How many words and signs a text has."""
    return len(_WORD.findall(text))


def _first(source: str, most: int) -> list[NormalLine]:
    tree = _parsed(source)
    if tree is not None:
        with suppress(*_UNREADABLE):
            return [*islice(_lines(tree, _names_given(tree)), most)]
    return [*islice(_line_by_line(source), most)]


def _line_by_line(source: str) -> Iterator[NormalLine]:
    """The lines of what is no Python, each by itself."""
    written = [line.strip() for line in lines_of(source)]
    trees = [_parsed(f"{line} pass" if line.endswith(":") else line) for line in written]
    given = {name for tree in trees if tree for name in _safely_given(tree)}
    for number, (line, tree) in enumerate(zip(written, trees, strict=True), start=1):
        try:
            found = [one.text for one in _lines(tree, given)] if tree else None
        except _UNREADABLE:
            found = None
        if found is None:
            found = [text] if (text := line.partition("#")[0].strip()) else []
        yield from (NormalLine(text, number) for text in found)


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            # About escapes in texts: nobody's to read here.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except _UNREADABLE:
        return None


def _safely_given(tree: ast.Module) -> set[str]:
    try:
        return _names_given(tree)
    except _UNREADABLE:
        return set()


def _names_given(tree: ast.AST) -> set[str]:
    """What a source gives a name to: variables, arguments, functions, and attributes as `.name`."""
    given = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                given.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                given.add(name)
            case ast.Attribute(attr=name, ctx=ast.Store()):
                given.add(f".{name}")
    return given


def _lines(tree: ast.AST, given: set[str]) -> Iterator[NormalLine]:
    for block in _BLOCKS:
        for node in _without_detour(getattr(tree, block, [])):
            inner = {name: getattr(node, name) for name in _BLOCKS if hasattr(node, name)}
            if not _says_nothing(node):
                for name in inner:
                    setattr(node, name, [])
                yield NormalLine(_normal(node, given), getattr(node, "lineno", 0))
                for name, nodes in inner.items():
                    setattr(node, name, nodes)
            yield from _lines(node, given) if inner else ()


def _without_detour(block: list[ast.stmt]) -> list[ast.stmt]:
    """A block that returns what it computes, where it gave that a name first."""
    match block:
        case [*before, ast.Assign(targets=[ast.Name(id=name)], value=value) as last,
              ast.Return(value=ast.Name(id=returned))] if name == returned:  # fmt: skip
            return [*before, ast.copy_location(ast.Return(value), last)]
    return block


def _says_nothing(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Pass)


def _normal(node: ast.AST, given: set[str]) -> str:
    return ast.unparse(_Numbered(given).visit(node))


class _Numbered(ast.NodeTransformer):
    """Puts numbers in the place of names, and leaves annotations out."""

    def __init__(self, given: set[str]) -> None:
        self._given = given
        self._numbers: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._number(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg, node.annotation = self._number(node.arg), None
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if f".{node.attr}" in self._given:
            node.attr = self._number(f".{node.attr}")
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0), end]):
                node.args = [end]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.Assign:
        self.generic_visit(node)
        value = ast.BinOp(node.target, node.op, node.value)
        return ast.Assign([node.target], value, lineno=0)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name, node.returns = "f", None
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = "C"
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value, lineno=0) if node.value else ast.Pass()

    def _number(self, name: str) -> str:
        if name not in self._given:
            return name
        return self._numbers.setdefault(name, f"v{len(self._numbers)}")
