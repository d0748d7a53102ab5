"""How a command shows how far it has come."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

_SECONDS_BETWEEN_LINES = 15


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
    """Shows steps in a bar, or in lines where there is no terminal to draw it in.

    A line for each step, and for its parts one now and then.
    """
    task = bar.add_task(first, total=None)
    last, said_at = -1, 0.0

    def show(done: int, steps: int, step: str) -> None:
        nonlocal last, said_at
        bar.update(task, completed=done, total=steps, description=step)
        is_new = done != last or time.monotonic() - said_at > _SECONDS_BETWEEN_LINES
        if not bar.console.is_terminal and is_new:
            last, said_at = done, time.monotonic()
            typer.echo(f"  {done} of {steps}: {step}")

    return show
