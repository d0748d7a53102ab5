"""Checks that name the mistake, for nbgrader courses of any subject."""

from typing import TYPE_CHECKING

from autograder.check import check

if TYPE_CHECKING:
    from autograder.marking import mark

__all__ = ["check", "mark"]


def __getattr__(name: str) -> object:
    """Import `mark` when it is first asked for: it brings nbgrader, which every check would pay."""
    if name == "mark":
        from autograder.marking import mark

        return mark
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
