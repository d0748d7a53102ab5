"""The commands of whoever learns: how far one is, and an exercise as it was given out."""

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[
    Path | None, typer.Option(help="Your own folder; by default work/ in the course.")
]


def status(folder: Folder = None) -> None:
    """Show what is done in each lesson, what is left, the last mistake, and what is next.

    An exercise is done when the answer that passed its check is the one in your saved notebook.
    """
    from rich.console import Console

    from autograder.learner.status import as_table, course_status
    from autograder.learner.work import find_work

    Console().print(as_table(course_status(find_work(folder))))
