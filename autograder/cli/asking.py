"""What several commands ask for: their common arguments and options."""

from typing import Annotated

import typer

Lessons = Annotated[list[str] | None, typer.Argument(help="Lessons, by name or number.")]
