"""A cell as Python, as IPython would run it: the one place where the text of cells is read.

A cell's lines for IPython (`%time f(x)`, `x = !ls`, `%%time`) become Python first, as they do when
the cell is run. What is timed counts as if it stood there by itself. A text may be a student's, so
what it takes to read it is bounded.
"""

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager

from autograder.checks.source.words import ALL_NAMES

# Far more than a notebook has that somebody wrote. To read takes time and memory of the grader's.
MOST_CHARACTERS = 150_000
# Text that is run by text that is run …
DEEPEST = 4
_MOST_MAGICS = 30  # in a cell: IPython reads all of it again for each
_MAGIC = re.compile(r"^[ \t]*[%!?/,;]|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
_LINE = re.compile(r"\r\n?|\n")
# Below these a cell is Python like any other, and magics of a line whose rest is a statement.
_PYTHON_BELOW = ("time", "capture", "prun")
_TIMING = ("time", "prun")
# What may give names a meaning that nobody sees here.
_HIDDEN_MAGICS = ("run", "load", "pylab", "store", "load_ext", "system", "getoutput")
_HIDDEN_CALLS = ALL_NAMES | {"exec", "eval"}
SHELL = "get_ipython"


class TooMuch(SyntaxError):
    """A text takes too long to be read."""


@dataclass(frozen=True)
class CellCode:
    """What a cell says.

    Attributes:
        body: its statements as IPython runs them.
        skipped: how many lines of the cell stand before those that `body` counts from.
        has_magics: whether it has a magic or a command of the shell.
        is_apart: whether a magic runs all of it elsewhere, so that it leaves no names behind.
    """

    body: Sequence[ast.stmt]
    skipped: int = 0
    has_magics: bool = False
    is_apart: bool = False


def lines_of(source: str) -> list[str]:
    """The lines of a text, however they end."""
    return _LINE.split(source)


def read(source: str) -> CellCode:
    """What a cell says.

    Raises:
        SyntaxError: where it is no Python, or too much to be read.
    """
    text, skipped, has_magics, is_apart = source, 0, False, False
    for _ in range(DEEPEST):
        python = _transformed(text)
        body = _parsed(python)
        has_magics = has_magics or SHELL in python
        skipped += _lines_before(text)
        name, below = _cell_magic(body)
        if not name:
            return CellCode(_untimed(body), skipped, has_magics, is_apart)
        if name not in _PYTHON_BELOW:
            is_apart = True
            if not is_python(below):
                return CellCode(body, skipped, True, is_apart)
        text, skipped = below, skipped + 1
    raise TooMuch("cell magics within cell magics")


def is_python(source: str) -> bool:
    """Whether a text is Python, once IPython has made that of it."""
    try:
        _parsed(_transformed(source))
    except SyntaxError:
        return False
    return True


def parsed(source: str) -> ast.Module:
    """A cell as Python has it, without what only Jupyter understands.

    Raises:
        SyntaxError: where it is no Python, or too much to be read.
    """
    found = read(source)
    try:
        tree: ast.Module = _WithoutMagics().visit(
            ast.Module([] if found.is_apart else [*found.body], [])
        )
        return ast.fix_missing_locations(tree)
    except RecursionError as error:
        raise TooMuch(str(error)) from None


def statements_of(source: str) -> list[ast.stmt]:
    """The statements of a cell; none for a cell that is no Python."""
    try:
        return parsed(source).body
    except SyntaxError:  # a cell may be there to show one
        return []


def has_magics(source: str) -> bool:
    """Whether a cell holds a magic or a command of the shell, or is too much to be read."""
    try:
        return read(source).has_magics
    except TooMuch:
        return True
    except SyntaxError:
        return SHELL in _transformed(source)


def hides_names(statement: ast.stmt) -> bool:
    """Whether a statement may give names a meaning that can't be read off its text."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in (*_HIDDEN_CALLS, SHELL)
        for node in ast.walk(statement)
    )


def _transformed(source: str) -> str:
    if len(source) > MOST_CHARACTERS or len(_MAGIC.findall(source)) > _MOST_MAGICS:
        raise TooMuch("too much to be read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text: str = TransformerManager().transform_cell(_LINE.sub("\n", source))
    return text


def _parsed(python: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(python).body
    except (ValueError, RecursionError, MemoryError) as error:
        raise TooMuch(str(error)) from None


def _lines_before(source: str) -> int:
    """The empty lines at the beginning, which IPython takes away."""
    return next((n for n, line in enumerate(lines_of(source)) if line.strip()), 0)


def _cell_magic(body: Sequence[ast.stmt]) -> tuple[str, str]:
    """The name of `%%time` or its like, and the text below it."""
    match body:
        case [
            ast.Expr(
                ast.Call(
                    func=ast.Attribute(attr="run_cell_magic"),
                    args=[ast.Constant(value=str(name)), _, ast.Constant(value=str(text))],
                )
            )
        ]:
            return name, text
    return "", ""


def _untimed(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements, what is timed by a line among them."""
    return [part for one in body for part in _within_magic(one)]


def _within_magic(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, ast.Expr):
        name, text = _magic(statement.value)
        if name in _TIMING and (inside := _python_in(text)):
            for one in inside:
                ast.increment_lineno(one, statement.lineno - 1)
            return inside
    return [statement]


def _python_in(text: str) -> list[ast.stmt]:
    try:
        return _parsed(_transformed(text))
    except SyntaxError:
        return []


class _WithoutMagics(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        name, _ = _magic(node.value)
        if not name or name in _HIDDEN_MAGICS:
            return node
        return _within_magic(node) if name in _TIMING else ast.copy_location(ast.Pass(), node)


def _magic(node: ast.expr) -> tuple[str, str]:
    """The name and the line of what IPython has made of a line magic or of a shell command."""
    match node:
        case ast.Call(
            ast.Attribute(ast.Call(ast.Name(one)), how), [ast.Constant(str(first)), *more]
        ):
            if one != SHELL:
                return "", ""
            if how == "run_line_magic":
                rest = more[0].value if more and isinstance(more[0], ast.Constant) else ""
                return first, str(rest)
            return how, first
    return "", ""
