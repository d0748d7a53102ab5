"""Whether a statement does something that its names don't show: it seeds, sets, writes, patches.

What is left out when grading must be missed by nobody. Where a text leaves that open, the answer is
yes. Functions of modules are taken to do what is usual; an author who knows better says so.
"""

import ast
from collections.abc import Set

from autograder.checks.source.effects import FILLS, WRITES, root_of
from autograder.checks.source.words import (
    ALL_NAMES,
    IMPORTS,
    OTHER_PROGRAMS,
    RUNS_TEXT,
    SEEDS,
    STOPS,
    WRITES_FILES,
    words,
)

# What changes how other code behaves, or what lies on the disk.
_ACTING = (
    WRITES_FILES | OTHER_PROGRAMS | RUNS_TEXT | ALL_NAMES | IMPORTS | STOPS
    | words(
        "open remove move chdir putenv unsetenv seterr seterrcall simplefilter filterwarnings rc "
        "rcdefaults basicConfig setrecursionlimit settrace setprofile signal alarm Thread Process "
        "_exit"
    )
) - {"compile"}  # fmt: skip
# `set_printoptions`, `set_default_dtype`, `use_deterministic_algorithms`; of a module's functions
# alone, since a picture's methods begin like that too.
_SETTING = ("set_", "use_", "use", "enable_", "disable_", "register_")


def acts(statement: ast.stmt, modules: Set[str], acting: Set[str]) -> bool:
    """Whether leaving a statement out could be felt where none of its names is used.

    Args:
        statement: what stands in a cell, functions with their bodies.
        modules: the names that were imported.
        acting: the notebook's own functions and classes that act.
    """
    return any(_acts(node, modules, acting) for node in ast.walk(statement))


def _acts(node: ast.AST, modules: Set[str], acting: Set[str]) -> bool:
    match node:
        case ast.Global() | ast.ImportFrom(names=[ast.alias("*")]):
            return True
        case ast.Name(name):
            return name in acting
        case (
            ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del())
        ):
            return bool(root_of(node) & modules)
        case ast.Call(ast.Name(name)):
            return name in _ACTING | SEEDS or (name in modules and name.startswith(_SETTING))
        case ast.Call(ast.Attribute(of, method)):
            if method in _ACTING:
                return True
            sets = method in SEEDS | (WRITES - FILLS) or method.startswith(_SETTING)
            return sets and bool(root_of(of) & modules)
    return False
