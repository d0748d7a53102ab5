"""A cell of the instructor's as Python statements, without what only Jupyter understands."""

import ast
import re
from contextlib import suppress

from IPython.core.inputtransformer2 import TransformerManager

# Below these a cell is Python like any other; what %%timeit runs leaves no names behind.
_PYTHON_BELOW = re.compile(r"\A\s*%%(time|capture|prun)\b.*")
_ANOTHER_PROGRAM = re.compile(r"\A\s*%%")
# Line magics whose rest is a statement of the cell's own.
_TIMING = ("time", "prun")
# What may give names a meaning that nobody sees here.
_HIDDEN_MAGICS = ("run", "load", "pylab", "store", "load_ext")
_HIDDEN_CALLS = ("exec", "eval", "globals", "locals", "vars")
SHELL = "get_ipython"


def statements_of(source: str) -> list[ast.stmt]:
    """The statements of a cell; none for a cell that is no Python."""
    with suppress(SyntaxError):  # a cell may be there to show one
        return parsed(source).body
    return []


def parsed(source: str) -> ast.Module:
    """A cell as Python has it: without `%matplotlib inline` and its like, `%time x = 1` as `x = 1`.

    Raises:
        SyntaxError: where it is no Python.
    """
    text = _PYTHON_BELOW.sub("", source)
    if _ANOTHER_PROGRAM.match(text):
        return ast.Module([], [])
    python: str = TransformerManager().transform_cell(text)
    tree: ast.Module = _WithoutMagics().visit(ast.parse(python))
    return ast.fix_missing_locations(tree)


def has_magics(source: str) -> bool:
    """Whether a cell holds a magic or a command of the shell; one that takes its time does too."""
    text = _PYTHON_BELOW.sub("", source)
    return bool(_ANOTHER_PROGRAM.match(text)) or SHELL in TransformerManager().transform_cell(text)


def hides_names(statement: ast.stmt) -> bool:
    """Whether a statement may give names a meaning that can't be read off its text."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in (*_HIDDEN_CALLS, SHELL)
        for node in ast.walk(statement)
    )


class _WithoutMagics(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        name, text = _magic(node.value)
        if not name or name in _HIDDEN_MAGICS or name in ("system", "getoutput"):
            return node
        if name in _TIMING:
            return statements_of(text) or ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Pass(), node)


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
