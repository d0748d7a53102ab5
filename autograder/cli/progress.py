"""How a command shows how far it has come."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.progress import Progress


def progress_bar() -> "Progress":
    """A line of progress with the time that is left, gone at the end; only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("left"),
    )
    console = Console()
    # Elsewhere it would leave an empty line.
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def shown(bar: "Progress", first: str) -> Callable[[int, int, str], None]:
    """Shows steps in a bar, and each in a line where there is no terminal to draw it in."""
    task = bar.add_task(first, total=None)

    def show(done: int, steps: int, step: str) -> None:
        bar.update(task, completed=done, total=steps, description=step)
        if not bar.console.is_terminal:
            typer.echo(f"  {done} of {steps}: {step}")

    return show
