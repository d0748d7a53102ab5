"""What the figures of a lesson show, for those who can't see them.

The descriptions lie in `checks.json` and not in the cells that draw, where they would answer the
question what the reader expects to see. When a cell that draws is run as it was given, each of its
calls is passed the description of its figure. A cell that has been changed draws something else, so
its figures are left without.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from autograder.checks import examples
from autograder.errors import CheckError

ALT = "alt"
_DIGITS = 8
_PLAIN = (str, bytes, int, float, complex)


def keys_of(cell: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """The calls in a cell, each with the name that the description of its figure has.

    The name depends on what the cell does, and neither on its layout and comments nor on the
    version of Python.
    """
    said = "\n".join(_said(node) for node in ast.walk(cell))
    digest = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
    calls = (node for node in ast.walk(cell) if isinstance(node, ast.Call))
    for number, call in enumerate(calls):
        yield call, f"{digest}-{number}"


def _said(node: ast.AST) -> str:
    own = [ascii(value) for _, value in ast.iter_fields(node) if isinstance(value, _PLAIN)]
    return " ".join([type(node).__name__, *own])


class FigureDescriptions:
    """Passes the descriptions of a lesson to the calls of a cell: for IPython."""

    def visit(self, cell: ast.Module) -> ast.Module:
        """A cell whose figures are described."""
        known = _known(Path.cwd())
        for call, key in keys_of(cell) if known else ():
            if key in known and all(word.arg != ALT for word in call.keywords):
                word = ast.keyword(ALT, ast.Constant(known[key]))
                call.keywords.append(ast.fix_missing_locations(ast.copy_location(word, call)))
        return cell


def describe_figures() -> None:
    """Have the figures of this notebook described from now on; nothing where there is none."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython

    shell = get_ipython()
    if shell and not any(isinstance(one, FigureDescriptions) for one in shell.ast_transformers):
        shell.ast_transformers.append(FigureDescriptions())


def described(name: str) -> str:
    """The description of a figure in a notebook that was given out before December 2026."""
    return _known(Path.cwd()).get(name, "A figure of this lesson.")


def _known(lesson: Path) -> Mapping[str, str]:
    path = lesson / examples.FILE
    try:
        return _read(lesson, path.stat().st_mtime_ns)
    except OSError:
        return _installed()


@lru_cache(maxsize=1)
def _read(lesson: Path, _changed: int) -> Mapping[str, str]:
    try:
        return examples.read(lesson).descriptions
    except CheckError:
        return {}


def _installed() -> Mapping[str, str]:
    """Those of all lessons: a name depends on what the cell does, so no two lessons share one."""
    try:
        return {key: said for one in examples.installed() for key, said in one.descriptions.items()}
    except CheckError:
        return {}
