"""Text for a terminal: names and messages that somebody else chose are shown, and never obeyed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text


def printable(text: str) -> str:
    """Text without what a terminal takes for an order, such as to clear the screen."""
    return "".join(one if one.isprintable() or one == "\n" else "?" for one in text)


def as_written(text: str) -> "Text":
    """The same for rich, which would read markup in it: `[red]`, `[link=…]`, `[/]`."""
    # Of commands alone: a check shows its card without rich.
    from rich.text import Text

    return Text(printable(text))
