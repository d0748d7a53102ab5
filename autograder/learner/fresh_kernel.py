"""What a notebook says when a check is run in a kernel that has not run the cells above it.

Python stops at the first name that it does not know, before any check is called. So the kernels
that `autograder lab` starts load this as an extension of IPython. It changes what is shown of a
NameError where the name is part of a call of `check` in the cell that was run, and nothing else.
"""

import ast
from textwrap import wrap
from types import TracebackType
from typing import TYPE_CHECKING

from autograder.checks.source.cell_code import parsed

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_CHECK = "check"
_MENU = "Run → Run All Above Selected Cell"
# JupyterLab breaks longer lines in the midst of a word.
_WIDTH = 80
# JupyterLab runs the command when the button is pressed; its cell is the selected one then.
_BUTTON = (
    '<button type="button" data-commandlinker-command="notebook:run-all-above" '
    'data-commandlinker-args="{}">Run the cells above</button>'
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
    said = in_words(error.name or "", history.input_hist_raw[-1]) if history else ""
    if said:
        # IPython shows this in place of a traceback.
        error._render_traceback_ = lambda: wrap(said, _WIDTH)  # type: ignore[attr-defined]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if said:
        from IPython.display import display

        display({"text/html": _BUTTON, "text/plain": _MENU}, raw=True)


def in_words(name: str, cell: str) -> str:
    """What to do about a missing name, if it is missing from a call of `check` in this cell."""
    try:
        calls = [node for node in ast.walk(parsed(cell)) if isinstance(node, ast.Call)]
    except SyntaxError:
        return ""
    checks = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == _CHECK]
    used = {node.id for one in checks for node in ast.walk(one) if isinstance(node, ast.Name)}
    if name not in used:
        return ""
    return (
        f"{name} is not defined in this kernel yet: run the cells above, with the button below or "
        f"{_MENU}, and then this one."
    )
