"""What a driver does where the answer that it tries may be in another process.

A stand-in for such an answer knows how: its type has the two methods below. Of any other answer a
driver does the same here.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_MADE = "__made_beside__"
_TOGETHER = "__called_together__"


def made_beside(answer: object, make: Callable[..., Any], *arguments: object) -> Any:
    """Make something that the answer is to be given, in the process in which the answer is.

    Args:
        answer: what is tried, or what that has made. Nothing that is made calls what is tried:
            what decides about it stays here.
        make: a function or class that can be imported by its name.
        arguments: plain values, and what was made beside the answer before.

    Returns:
        What is made or, of another process, a stand-in for it; None, text or a number is itself.
    """
    elsewhere = getattr(type(answer), _MADE, None)
    return elsewhere(answer, make, arguments) if elsewhere else make(*arguments)


def duplicate(module: Any) -> Any:
    """A copy of a module, for something that is to have one beside it."""
    return copy.deepcopy(module)


def results_of(answer: Callable[..., Any], calls: Sequence[tuple[object, ...]]) -> Iterator[Any]:
    """What each of several calls returns, of which none depends on another.

    Args:
        answer: what is called; in another process, in few messages.
        calls: the arguments of each call.

    Yields:
        What each returns, in their order; an exception is raised where its result would come.
    """
    together = getattr(type(answer), _TOGETHER, None)
    if together is None:
        yield from (answer(*arguments) for arguments in calls)
    else:
        yield from (result() for result in together(answer, None, calls))
