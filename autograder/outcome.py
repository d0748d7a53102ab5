"""What one call did: the value it returned, the exception it raised, the arguments it changed."""

import contextlib
import copy
import io
import linecache
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from traceback import walk_tb
from types import TracebackType

import numpy as np

from autograder.compare import identical

_PRINTED = 500


@dataclass(frozen=True)
class Raised:
    """An exception as a learner should see it: its class, its message and their own last line."""

    kind: str
    message: str
    line: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(frozen=True)
class Outcome:
    """What a call did: `changed` names the arguments it wrote to, `printed` is what it printed."""

    value: object = None
    raised: Raised | None = None
    changed: tuple[str, ...] = ()
    printed: str = ""


def observe(function: Callable[..., object], arguments: Mapping[str, object]) -> Outcome:
    """Call `function` on copies of `arguments`, by position, and report what happened.

    Warnings and floating-point noise of the called code are swallowed: a right answer that warns
    is a right answer.
    """
    given = copy.deepcopy(dict(arguments))
    value: object = None
    raised: Raised | None = None
    with _quiet() as printed:
        try:
            value = function(*given.values())
        except (Exception, SystemExit) as error:
            raised = _describe(error, function)
    changed = tuple(name for name in given if not identical(arguments[name], given[name]))
    return Outcome(value, raised, changed, printed.getvalue().strip())


class _Beginning(io.StringIO):
    """Keeps the beginning of what is printed, so that an endless print costs no memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _PRINTED - self.tell())])
        return len(text)


@contextlib.contextmanager
def _quiet() -> Iterator[_Beginning]:
    printed = _Beginning()
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield printed


def _describe(error: BaseException, function: Callable[..., object]) -> Raised:
    return Raised(type(error).__name__, str(error), _own_line(error.__traceback__, function))


def _own_line(trace: TracebackType | None, function: Callable[..., object]) -> str:
    """The last line of the traceback that is the learner's: in a cell, or beside `function`."""
    home = getattr(getattr(function, "__code__", None), "co_filename", None)
    line = ""
    for frame, number in walk_tb(trace):
        name = frame.f_code.co_filename
        if "ipykernel_" in name or name.startswith("<ipython-input") or name == home:
            line = f"line {number}: {linecache.getline(name, number, frame.f_globals).strip()}"
    return line
