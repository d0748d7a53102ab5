"""Rules about how an exercise is written: "write it yourself", without what would do it for you.

A rule names what must not do the work. Two look for that:

- What the student has written is read: the exercise's own cell, and of all other cells and files
  the statements that it is made with, as far as names lead there. It is read as IPython makes it,
  so that magics hide nothing; a cell that can't be read breaks the rule.
- While an answer is examined, somebody who can see it run may watch for calls (`looking_at`).

Either can be got around by somebody who sets out to: names can be made at run time, and a process
can be changed by the code that runs in it. A function may call itself, even if what would do it for
you has the same name. Without a submission, as in a learner's own notebook, the function's or
class's own lines are read.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

from autograder.exam.report import Finding, Report, Verdict
from autograder.exam.written import (
    MOST_CHARACTERS,
    Written,
    is_readable,
    made_with,
    mentions,
)
from autograder.forbidden import matches

__all__ = ["Written", "broken", "looking_at", "watched"]

# Called with names, it watches for calls of these, and tells at the end which it saw first.
Watch = Callable[[Sequence[str]], AbstractContextManager[Callable[[], str]]]

_WHERE = "how it is written"

_written: ContextVar[Written | None] = ContextVar("written", default=None)
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def looking_at(written: Written, watch: Watch | None = None) -> Iterator[None]:
    """Have rules look at this, and at what the code does while it is examined."""
    tokens = _written.set(written), _watch.set(watch)
    try:
        yield
    finally:
        _written.reset(tokens[0])
        _watch.reset(tokens[1])


def broken(name: str, answer: object, forbidden: Sequence[str]) -> Report | None:
    """A report on the first rule that an answer breaks, or None if it breaks none."""
    if not forbidden:
        return None
    written = _written.get() or _of_its_own(name, answer)
    if written.is_too_long:
        most = f"more than {MOST_CHARACTERS:,} characters of code"
        return _report(name, f"your notebook can't be read for how it is written: it has {most}")
    below = written.below_definition_of(name)
    for one in made_with(name, written):
        if one.tree is None and one.exercise == name:
            return _report(name, "your code can't be read as Python", one.where)
        for mentioned, line in mentions(one, name, below):
            own = written.own
            found = next((word for word in forbidden if matches(word, mentioned, own)), None)
            if found:
                return _report(name, _without(found), f"in your code, {one.line(line)}")
    return None


@contextmanager
def watched(name: str, forbidden: Sequence[str]) -> Iterator[Callable[[], Report | None]]:
    """Watch an answer run; afterwards, a report if it called what it must do without."""
    watch = _watch.get()
    if not forbidden or watch is None:
        yield lambda: None
        return
    with watch(forbidden) as seen:

        def report() -> Report | None:
            found = seen()
            return _report(name, _without(found), "your code calls it") if found else None

        yield report


def _of_its_own(name: str, answer: object) -> Written:
    """The function's or class's own lines, as far as they are whole statements."""
    parts = [_own_source(answer)]
    if isinstance(answer, type) and not parts[0]:
        # Of a class in a notebook, Python knows the methods' lines alone.
        parts = [_own_source(part) for part in vars(answer).values()]
    return Written([(name, part) for part in parts if part and is_readable(part)])


def _own_source(part: object) -> str:
    try:
        lines, first = inspect.getsourcelines(part)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""
    # Behind as many empty lines as stand before it, so that lines have the numbers of the cell.
    return "\n" * (first - 1) + textwrap.dedent("".join(lines))


def _without(word: str) -> str:
    return f"write it yourself: this exercise is to be solved without `{word}`"


def _report(name: str, *details: str) -> Report:
    return Report(name, Verdict.WRONG, (), 0, Finding(_WHERE, "", details))
