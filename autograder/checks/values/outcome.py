"""What one call did: the value it returned, the exception it raised, the arguments it changed."""

import contextlib
import copy
import io
import linecache
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from traceback import walk_tb
from types import TracebackType
from typing import Any

import numpy as np

from autograder.checks.values.compare import Tolerance, differences, identical
from autograder.checks.values.kinds import has_numbers, is_number
from autograder.checks.values.tensors import NO_MEMORY, fresh_generators, is_tensor, seeded
from autograder.errors import ExchangeError

_PRINTED = 500
# The method by which what is in another process is driven from here.
DRIVEN_BY = "__driven_by__"
# The method by which it is asked for several calls at once.
TOGETHER = "__called_together__"
# The method by which something is made beside it, in its process.
MADE_BESIDE = "__made_beside__"
# What a blank function says of itself when another one calls it; `is_blank` knows it by its end.
_BLANK_CALLEE = ", which this calls, is not implemented yet"
# Numbers that are nearer to each other than this have been added in another order.
_BY_CHANCE = Tolerance(1e-6, 1e-5)
# What torch says of a module without a forward.
_NO_FORWARD = 'is missing the required "forward" function'


@dataclass(frozen=True)
class Raised:
    """An exception as a learner should see it: its class, its message and their own last line."""

    kind: str
    message: str
    line: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind

    @property
    def is_blank(self) -> bool:
        """Whether it is an exercise's own `raise NotImplementedError()`, or a missing forward.

        torch raises NotImplementedError too, for what it can't do, and says what that was.
        """
        blank = not self.message or self.message.endswith((_BLANK_CALLEE, _NO_FORWARD))
        return self.kind == "NotImplementedError" and blank

    @property
    def is_out_of_memory(self) -> bool:
        """Whether more memory was asked for than there is."""
        return self.kind == "MemoryError" or NO_MEMORY in self.message


@dataclass(frozen=True)
class Outcome:
    """What a call did: `changed` names the arguments it wrote to, `printed` is what it printed."""

    value: Any = None
    raised: Raised | None = None
    changed: tuple[str, ...] = ()
    printed: str = ""


def observe(
    function: Callable[..., object],
    arguments: Mapping[str, object],
    use: Callable[..., object] | None = None,
) -> Outcome:
    """Call `function` on copies of `arguments`, by position, and report what happened.

    With `use`, a driver, it is that which is called: with `function`, which may be a class, before
    the arguments. A generator among the arguments is new, with the seed that it had at first.
    Warnings and floating-point noise of the called code are swallowed: a right answer that warns
    is a right answer.
    """
    given = _copies(arguments)
    return _observed(function, arguments, given, lambda: driven(use, function)(*given.values()))


def observe_each(
    function: Callable[..., object],
    calls: Sequence[Mapping[str, object]],
    use: Callable[..., object] | None = None,
) -> list[Outcome]:
    """What `observe` finds in each of several calls, of which none depends on another's outcome.

    The function is asked for all of them at once, by the method `TOGETHER` of its type. A driver is
    at work where the function is: what it says is not more to be believed than that process.
    """
    given = [_copies(arguments) for arguments in calls]
    together = getattr(type(function), TOGETHER)
    results = together(function, use, [tuple(one.values()) for one in given])
    return [_observed(function, *one) for one in zip(calls, given, results, strict=True)]


def results_of(
    function: Callable[..., Any],
    calls: Sequence[tuple[object, ...]],
    use: Callable[..., object] | None = None,
) -> Iterator[object]:
    """What each of several calls returns, or raises, of which none depends on another.

    With `use`, it is that which is called, before the arguments with the function and where it is.
    """
    together = getattr(type(function), TOGETHER, None)
    if together is None:
        call = partial(use, function) if use else function
        yield from (call(*arguments) for arguments in calls)
    else:
        yield from (result() for result in together(function, use, calls))


def differs_from_call_to_call(
    function: Callable[..., object], arguments: Mapping[str, object]
) -> bool:
    """Whether two calls of a function return other numbers, though the arguments are the same."""
    calls = [tuple(_copies(arguments).values()) for _ in range(2)]
    # Seeded once for both: else the second would draw what the first has drawn.
    with quiet(), seeded():
        try:
            first, second = results_of(function, calls)
        except ExchangeError:
            raise
        except (Exception, SystemExit):
            return False
    return _is_plain(first) and any(differences(first, second, _BY_CHANCE))


def _is_plain(value: object) -> bool:
    """Whether a value is made of numbers alone, so that two of them can be compared."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if type(value) is np.ndarray:
        return has_numbers(value)
    return is_tensor(value) or is_number(value)


def _observed(
    function: Callable[..., object],
    arguments: Mapping[str, object],
    given: Mapping[str, object],
    call: Callable[[], object],
) -> Outcome:
    """What a call of `function` did with what was given to it, copies of the arguments."""
    value: object = None
    raised: Raised | None = None
    with quiet() as printed, seeded():
        try:
            value = call()
        except ExchangeError:
            raise
        except (Exception, SystemExit) as error:
            raised = describe_error(error, function)
    changed = tuple(name for name in given if not identical(arguments[name], given[name]))
    return Outcome(value, raised, changed, printed.getvalue().strip())


def driven(
    use: Callable[..., object] | None, function: Callable[..., object]
) -> Callable[..., object]:
    """What a driver makes of a function, called with all other arguments of the driver.

    The driver works here, also where the function is in another process: what it measures is then
    not that process's word. Without a driver it is the function itself that is called.
    """
    if use is None:
        return function
    through = getattr(type(function), DRIVEN_BY, None)
    return through(function, use) if through else partial(use, function)


def _copies(arguments: Mapping[str, object]) -> dict[str, object]:
    # deepcopy would copy how far a generator has come.
    made = {id(old): new for old, new in fresh_generators(arguments)}
    return copy.deepcopy(dict(arguments), made)


class _Beginning(io.StringIO):
    """Keeps the beginning of what is printed, so that an endless print costs no memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _PRINTED - self.tell())])
        return len(text)


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Keep warnings, and what is printed, from whoever looks on."""
    printed = _Beginning()
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield printed


def describe_error(error: BaseException, function: Callable[..., object]) -> Raised:
    """An exception that `function` raised, with the last line of whoever wrote the function."""
    line = getattr(error, "own_line", "") or _own_line(error.__traceback__, function)
    raised = Raised(type(error).__name__, str(error), line)
    callee = _callee(error.__traceback__, function) if raised.is_blank else ""
    return replace(raised, message=f"`{callee}`{_BLANK_CALLEE}") if callee else raised


def _callee(trace: TracebackType | None, function: Callable[..., object]) -> str:
    """The learner's other function in which it ended, or nothing if it was `function` itself."""
    frames = [frame for frame, _ in walk_tb(trace)]
    if not frames:
        return ""
    name = frames[-1].f_code.co_name
    found = frames[-1].f_globals.get(name)
    is_it = getattr(found, "__code__", None) is frames[-1].f_code
    return name if is_it and found is not function else ""


def _own_line(trace: TracebackType | None, function: Callable[..., object]) -> str:
    """The last line of the traceback that is the learner's: in a cell, or beside `function`."""
    home = _home(function)
    line = ""
    for frame, number in walk_tb(trace):
        name = frame.f_code.co_filename
        if "ipykernel_" in name or name.startswith("<ipython-input") or name == home:
            line = _in_words(number, linecache.getlines(name, frame.f_globals)[:number])
    return line


def _in_words(number: int, lines: Sequence[str]) -> str:
    """The last of so many lines; of a `raise` below a condition, that, as the reason for it."""
    text = lines[-1] if len(lines) == number else ""
    if text.lstrip().startswith("raise"):
        around = (n for n, one in enumerate(lines) if one.strip() and _indent(one) < _indent(text))
        before = max(around, default=number - 1)
        if lines[before].lstrip().startswith(("if ", "elif ")):
            number, text = before + 1, lines[before]
    return f"line {number}: {text.strip()}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _home(function: Callable[..., object]) -> str | None:
    """The file that a function, or a class by its methods, is written in."""
    parts = (function, *vars(function).values()) if isinstance(function, type) else (function,)
    codes = (getattr(part, "__code__", None) for part in parts)
    return next((code.co_filename for code in codes if code), None)
