"""Functions of the examiner's that a student's code may call, as long as they are lent to it."""

import inspect
import re
from collections.abc import Callable, Mapping

from autograder.student.rpc.codec.grammar import Reference

_TOLD = 2000
# A function as Python and torch call it in a message: `Scores.far_off() takes 2 …`.
_CALLED = re.compile(r"[\w.<>]+\(\)")


class Lent:
    """What is lent, by number; a number is never given twice."""

    def __init__(self) -> None:
        self.functions: dict[int, Callable[..., object]] = {}
        self.so_far = 0

    def lend(self, function: Callable[..., object]) -> Reference:
        """Lend a function; this is what is sent for it."""
        self.functions[self.so_far] = function
        self.so_far += 1
        return Reference("callback", self.so_far - 1)

    def take_back(self, first: int) -> dict[int, Callable[..., object]]:
        """Take back what has this number or a later one; it may be lent once more."""
        taken = {n: function for n, function in self.functions.items() if n >= first}
        for number in taken:
            del self.functions[number]
        return taken


def refusal(
    error: Exception,
    function: Callable[..., object],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
) -> tuple[str, str]:
    """The reply for an exception of a lent function.

    Where the answer is to tell right functions from wrong ones, their names would tell it, and
    Python has the name of a function say that it was called with too few arguments.
    """
    if isinstance(error, TypeError) and not _takes(function, args, kwargs):
        named = f" and {', '.join(map(str, kwargs))}" if kwargs else ""
        return "refused", f"TypeError: it can't be called with {len(args)} arguments{named}"[:_TOLD]
    return "refused", f"{type(error).__name__}: {_CALLED.sub('a function', str(error))}"[:_TOLD]


def _takes(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> bool:
    """Whether a function can be called with so many arguments, as far as it says."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    except ValueError:  # a function that is written in C, and says nothing
        return True
    return True
