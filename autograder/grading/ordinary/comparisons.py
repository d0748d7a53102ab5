"""A test cell as it is run here: the instructor's text, which counts what it compares.

A test that compares nothing decides nothing: a loop over an empty list passes whatever stands in
it. So each `assert` counts when it is reached, and so does each condition that may raise, each
function that is called by a name such as `assert_allclose`, and each helper of the instructor's
own. The value of the last line is kept, since nbgrader gives part of the points by it.
"""

import ast
import random
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

from autograder.checks.source.cell_code import parsed
from autograder.student.rpc.stand_in import RemoteObject

_COMPARED, _CALLED, _LOOKED = "__compared__", "__called__", "__looked__"
_LAST = "__last__"
_HOOKS = (_COMPARED, _CALLED, _LOOKED, _LAST)
# They look at the frame that they are called from.
_OF_THE_FRAME = ("super", "locals", "globals", "vars", "dir", "eval", "exec")
_SPEAKING = re.compile(r"assert|raises|warns|check|expect|verify|test|grade|\A(eq|ok)_\Z", re.I)
_LOOKING = re.compile(r"equal|close|issub|isinstance|match")
# Their functions compare where their names say so; others' do as they please.
_LIBRARIES = frozenset(
    {*sys.stdlib_module_names, "numpy", "pandas", "torch", "matplotlib", "scipy", "IPython"}
)

Seed = Callable[[str, int], None]


@dataclass
class Comparisons:
    """What one test cell has compared so far, and the value of its last line."""

    seed: Seed = lambda kind, number: None
    count: int = 0
    looked: int = 0  # comparisons whose outcome may have gone into a sum of points
    last: object = None
    ends_in_value: bool = False  # whether there was a last value, be it None

    def names(self) -> dict[str, object]:
        """What the counted text calls."""
        hooks = (self.compared, self.called, self.looked_at, self.keep_last)
        return dict(zip(_HOOKS, hooks, strict=True))

    def compared(self, value: object = None) -> object:
        """Count a comparison whose outcome this is."""
        self.count += 1
        return value

    def looked_at(self, value: object) -> object:
        """Note a comparison that by itself decides nothing."""
        self.looked += 1
        return value

    def called(self, function: Any) -> Any:
        """A function that is about to be called."""
        if type(function) is RemoteObject:
            return function
        name = getattr(function, "__name__", "")
        if _is_helper(function) or (isinstance(name, str) and _SPEAKING.search(name)):
            self.count += 1
        elif isinstance(name, str) and _LOOKING.search(name):
            self.looked += 1
        return self._seeding(function) or function

    def keep_last(self, value: object) -> None:
        """Keep what Jupyter would show below the cell."""
        self.last, self.ends_in_value = value, True

    def _seeding(self, function: Any) -> Callable[..., object] | None:
        """The same function for those that seed random numbers, here and at the student's."""
        kind = _seed_kind(function)
        if not kind:
            return None

        def seed(*args: Any, **kwargs: Any) -> object:
            number = next(iter((*args, *kwargs.values())), None)
            if type(number) is int:
                self.seed(kind, number)
            return function(*args, **kwargs)

        return seed


def _seed_kind(function: object) -> str:
    if type(function) is MethodType and function == random.seed:
        return "random"
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and function is numpy.random.seed:
        return "numpy"
    if torch is not None and function is torch.manual_seed:
        return "torch"
    return ""


def _is_helper(function: object) -> bool:
    """Whether it is a function of the instructor's own, from a module that no library is."""
    if type(function) not in (FunctionType, MethodType):
        return False
    module = getattr(function, "__module__", None)
    home = module.partition(".")[0] if isinstance(module, str) else ""
    return home not in _LIBRARIES and home not in ("", "__main__")


def counted(source: str, name: str) -> CodeType:
    """A test cell, ready to be run with the names of a `Comparisons` in its namespace.

    Raises:
        SyntaxError: where it is no Python.
    """
    tree = parsed(source)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        if not source.rstrip().endswith(";"):
            tree.body[-1] = ast.Expr(_call(_LAST, last.value))
    return _compiled(_Counting().visit(tree), name)


def may_compare(source: str) -> bool:
    """Whether a test cell has anything that compares, as far as its text tells."""
    with suppress(SyntaxError):
        for node in ast.walk(parsed(source)):
            match node:
                case ast.Assert() | ast.Raise() | ast.Compare():
                    return True
                case ast.Call(ast.Name(name) | ast.Attribute(_, name)) if _SPEAKING.search(name):
                    return True
    return False


def counted_statement(statement: ast.stmt, name: str) -> CodeType:
    """One statement of a given cell: a function in it may be what compares."""
    tree = ast.parse(ast.unparse(statement))
    return _compiled(_Counting().visit(tree), name)


def _compiled(tree: ast.Module, name: str) -> CodeType:
    return compile(ast.fix_missing_locations(tree), name, "exec")


class _Counting(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = _call(_COMPARED, node.test)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        raises = _raises(node)
        self.generic_visit(node)
        if raises:
            node.test = _call(_COMPARED, node.test)
        return node

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        raises = _raises(node)
        self.generic_visit(node)
        return [ast.Expr(_call(_COMPARED)), node] if raises else [node]

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return _call(_LOOKED, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in (*_HOOKS, *_OF_THE_FRAME):
            return node
        node.func = _call(_CALLED, node.func)
        return node


def _raises(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Raise) for inner in ast.walk(node))


def _call(name: str, *values: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(values), [])
