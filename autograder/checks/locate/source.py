"""An answer's own source: the functions and classes of its cell, if it is safe to run them changed.

A changed program may do what its author never would: `rmtree(folder)` with another name in it. So a
source that reaches files, processes or other programs is left alone.
"""

import ast
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from autograder.checks.source.words import RUNS_TEXT, STOPS, WRITES_FILES, words

_HARMLESS = {"abc", "builtins", "cmath", "collections", "copy", "dataclasses", "functools"}
_HARMLESS |= {"itertools", "math", "numbers", "operator", "random", "statistics", "typing", "enum"}
_HARMLESS |= {"string", "re", "time", "warnings", "_operator", "_functools", "_collections_abc"}
_REACHING = RUNS_TEXT | STOPS | words("open __import__ globals setattr delattr get_ipython")
# Of libraries, what writes files, loads code or sets what others use.
_WRITING = WRITES_FILES | words("system popen load load_library compile hub set_default_dtype")
MOST_LINES = 200

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class AnswerSource:
    """The definitions of a cell, in which a change is looked for."""

    name: str
    file: str
    definitions: Sequence[Definition]
    lines: Sequence[str]
    namespace: Mapping[str, object]

    def text(self, line: int) -> str:
        """What its author wrote in a line."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def used(self) -> set[str]:
        """The names, and what is kept in `self`, that are read as it stands."""
        nodes = (node for one in self.definitions for node in ast.walk(one))
        return {name for node in nodes if (name := _read(node))}


def source_of(answer: Callable[..., Any]) -> AnswerSource | None:
    """The source of a function or class, or None if it is not to be had, or must not be changed."""
    functions = [
        *map(_undecorated, [answer] if isinstance(answer, FunctionType) else _methods(answer))
    ]
    if not functions:
        return None
    code, namespace = functions[0].__code__, functions[0].__globals__
    lines = linecache.getlines(code.co_filename, namespace)
    if not lines or len(lines) > MOST_LINES:
        return None
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    definitions = [one for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    name = getattr(answer, "__name__", "")
    around = [
        one
        for one in definitions
        if one.name == name and _first_line(one) <= code.co_firstlineno <= (one.end_lineno or 0)
    ]
    if not around or not all(_is_harmless(one, namespace) for one in definitions):
        return None
    return AnswerSource(name, code.co_filename, definitions, lines, namespace)


def _read(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
            return f"self.{name}"
    return ""


def _undecorated(function: FunctionType) -> FunctionType:
    """What was written, below decorators such as `torch.no_grad()`."""
    while isinstance(inner := vars(function).get("__wrapped__"), FunctionType):
        function = inner
    return function


def _methods(answer: object) -> list[FunctionType]:
    parts = vars(answer).values() if isinstance(answer, type) else ()
    return [part for part in parts if isinstance(part, FunctionType)]


def _first_line(one: Definition) -> int:
    return min([one.lineno, *(decorator.lineno for decorator in one.decorator_list)])


def _is_harmless(tree: ast.AST, namespace: Mapping[str, object]) -> bool:
    return all(_is_harmless_name(name, namespace) for name in _reached(tree))


def _reached(tree: ast.AST) -> Iterator[str]:
    """The names by which it may reach beyond itself; attributes and imports with a sign of it."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Attribute(attr=name):
                yield f".{name}"
            case ast.Import(names=names):
                yield from (f"import {one.name}" for one in names)
            case ast.ImportFrom(module=module):
                yield f"import {module}"
            case ast.Global() | ast.Nonlocal() | ast.Await() | ast.AsyncFunctionDef():
                yield "globals"


def _is_harmless_name(name: str, namespace: Mapping[str, object]) -> bool:
    if name.startswith("."):
        return name[1:] not in _WRITING
    if name.startswith("import "):
        return _is_harmless_module(name.removeprefix("import "))
    found = namespace.get(name)
    if isinstance(found, ModuleType):
        return _is_harmless_module(found.__name__)
    if isinstance(found, FunctionType | BuiltinFunctionType | type):
        return _is_harmless_module(str(found.__module__))
    return name not in _REACHING


def _is_harmless_module(name: str) -> bool:
    top = name.partition(".")[0]
    return top in _HARMLESS or top == "__main__" or top not in sys.stdlib_module_names
