"""A table that is shown as HTML in a notebook, and as text wherever there is no HTML."""

from collections.abc import Mapping
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

# Of a text in a browser's table, and of a terminal that says no width.
WIDTH = 110


def show(forms: Mapping[str, str]) -> None:
    """Show what has a form for each MIME type: in a terminal, as plain text."""
    from IPython import get_ipython
    from IPython.display import display

    if hasattr(get_ipython(), "kernel"):
        display(forms, raw=True)
    else:
        print(forms["text/plain"], end="")


def table_as_text(table: "Table") -> str:
    """A table for a terminal as plain text."""
    from rich.console import Console

    written = StringIO()
    # In a notebook, rich would display it as well.
    Console(file=written, width=WIDTH, force_jupyter=False).print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"
