"""What a notebook says when a check is run in a kernel that has not run the cells above it.

Python stops at the first name that it does not know, before any check is called. So the kernels
that `autograder lab` starts load this as an extension of IPython. It changes what is shown of a
NameError where the name is part of a call of `check` in the cell that was run, or where the cell
uses what another one above it defines, and nothing else.
"""

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from types import TracebackType
from typing import TYPE_CHECKING

from autograder.checks.source.cell_code import parsed
from autograder.checks.source.cells import source_of
from autograder.errors import CheckError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_CHECK = "check"
# Jupyter's, with the notebook that a kernel was started for.
_NOTEBOOK = "JPY_SESSION_NAME"
_MENU = "Run → Run All Above Selected Cell"
# JupyterLab breaks longer lines in the midst of a word.
_WIDTH = 80
# The command is that of front/run_above.js; when the button is pressed, its cell is selected.
_BUTTON = (
    '<button type="button" data-commandlinker-command="autograder-learner:run-with-cells-above" '
    'data-commandlinker-args="{}">Run the cells above and this one</button>'
)


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Have the shell explain names that are missing because cells have not been run."""
    shell.set_custom_exc((NameError,), _show)


def _show(
    shell: "InteractiveShell",
    kind: type[NameError],
    error: NameError,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    history = shell.history_manager
    notebook = Path(os.environ.get(_NOTEBOOK, ""))
    said = in_words(error.name or "", history.input_hist_raw[-1], notebook) if history else ""
    if said:
        # IPython shows this in place of a traceback.
        error._render_traceback_ = lambda: wrap(said, _WIDTH)  # type: ignore[attr-defined]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if said:
        from IPython.display import display

        display({"text/html": _BUTTON, "text/plain": _MENU}, raw=True)


def in_words(name: str, cell: str, notebook: Path | None = None) -> str:
    """What to do about a missing name, if cells above have to be run to have it.

    Args:
        name: what is missing.
        cell: the one that was run.
        notebook: the file that it stands in, where that is known.
    """
    tree = _tree_of(cell)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    checks = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == _CHECK]
    if not any(name in _used(one) for one in checks) and not (
        notebook and name in _used(tree) and name in _defined_above(cell, notebook)
    ):
        return ""
    return (
        f"{name} is not defined in this kernel yet: run the cells above and then this one, with "
        f"the button, or with {_MENU} and Shift+Enter. It may take a minute."
    )


def _tree_of(text: str) -> ast.Module:
    """A cell as Python has it; nothing of one that is no Python."""
    try:
        return parsed(text)
    except SyntaxError:
        return ast.Module([], [])


def _used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _defined_above(cell: str, notebook: Path) -> set[str]:
    """The names that the cells above this one give a meaning to, in the notebook as it is saved."""
    try:
        # A browser has no nbformat, and must not have to import it.
        from autograder.checks.source.notebook_file import read_notebook

        cells = read_notebook(notebook).cells
    except (ImportError, CheckError, OSError):
        return set()
    texts = [source_of(one).strip() for one in cells if one.get("cell_type") == "code"]
    return {name for text in texts[: _place_of(cell.strip(), texts)] for name in _given_by(text)}


def _place_of(cell: str, texts: list[str]) -> int:
    """Where a cell stands; one that has been edited since is known by what it defines."""
    if cell in texts:
        return texts.index(cell)
    own = _defined_by(cell)
    return next((place for place, text in enumerate(texts) if own & _defined_by(text)), 0)


def _defined_by(text: str) -> set[str]:
    """The functions and classes of a cell."""
    defined = (ast.FunctionDef, ast.ClassDef)
    return {one.name for one in _tree_of(text).body if isinstance(one, defined)}


def _given_by(text: str) -> Iterator[str]:
    """The names that a cell gives a meaning to, but for those within its functions and classes."""
    for statement in _tree_of(text).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.alias):
                yield node.asname or node.name.partition(".")[0]
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
