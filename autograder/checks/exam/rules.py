"""Rules about how an exercise is written: "write it yourself", without what would do it for you.

A rule names what must not do the work. Two look for that:

- What the student has written is read: the exercise's own cell, and of all other cells and files
  the statements that it is made with, as far as names lead there. It is read as IPython makes it,
  so that magics hide nothing; a cell that can't be read breaks the rule. What counts is what a name
  means (`meaning`), not how it is spelt. Without a submission, as in a learner's own notebook, the
  function's or class's own lines are read, and names have the values that they have there.
- While an answer is examined, it is watched for calls: by somebody who can see it run
  (`looking_at`), or, where it runs in this process, from here.

Either can be got around by somebody who sets out to: names can be made at run time, and a process
can be changed by the code that runs in it.
"""

import ast
import functools
import inspect
import itertools
import json
import textwrap
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from types import CellType
from typing import Any

from autograder.checks.exam.report import Finding, Report, Verdict
from autograder.checks.exam.watching import UNWATCHED, Watching, matches
from autograder.checks.source.cell_code import MOST_CHARACTERS, is_python
from autograder.checks.source.meaning import Meaning, is_of_others, path_of
from autograder.checks.source.written import Written, made_with

__all__ = ["Written", "broken", "looking_at", "watched", "while_it_runs"]

# Called with names, it watches for calls of these, and tells at the end which it saw first.
Watch = Callable[[Sequence[str]], AbstractContextManager[Callable[[], str]]]

_WHERE = "how it is written"
# In this process, which is a learner's: to watch a run takes several times as long as the run.
_RUNS_WATCHED_HERE = 2

_read: list[Meaning] = []
_written: ContextVar[Written | None] = ContextVar("written", default=None)
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
_here: ContextVar[Iterator[Watching] | None] = ContextVar("here", default=None)


@contextmanager
def looking_at(written: Written, watch: Watch | None = None) -> Iterator[None]:
    """Have rules look at this, and at what the code does while it is examined."""
    tokens = _written.set(written), _watch.set(watch)
    try:
        yield
    finally:
        _written.reset(tokens[0])
        _watch.reset(tokens[1])


def all_that_is_written() -> str:
    """The code of the submission that is looked at, with its files; "" where there is none."""
    written = _written.get()
    parts = [*written.cells, *sorted(written.files.items())] if written else []
    return json.dumps(parts) if parts else ""


def broken(name: str, answer: object, forbidden: Sequence[str]) -> Report | None:
    """A report on the first rule that an answer breaks, or None if it breaks none."""
    if not forbidden:
        return None
    forbidden = (*forbidden, *UNWATCHED)
    written, live = _written.get(), None
    if written is None:
        if found := _first(forbidden, _itself(answer)):
            return _report(name, _without(found), f"`{name}` is only another name for it")
        written, live = _of_its_own(name, answer), _names_around(answer)
    if written.is_too_long:
        most = f"more than {MOST_CHARACTERS:,} characters of code"
        return _report(name, f"your notebook can't be read for how it is written: it has {most}")
    meaning = _meaning_of(written) if live is None else Meaning(written, live)
    made = made_with(name, written)
    used = {word for one in made for word in one.used if not one.is_import}
    for one in made:
        if one.tree is None and one.exercise == name:
            return _report(name, "your code can't be read as Python", one.where)
        idle = _idle(one.tree, used)
        for path, line in meaning.of_libraries(one):
            if path in idle:
                continue
            if found := _first(forbidden, path):
                return _report(name, _without(found), f"in your code, {one.line(line)}")
    return None


def _idle(tree: ast.stmt | None, used: Set[str]) -> Set[str]:
    """What a statement imports of which nothing is used, as it is called where it comes from."""
    if not isinstance(tree, ast.Import | ast.ImportFrom):
        return set()
    is_whole = isinstance(tree, ast.Import)
    bound = {
        one.name: one.asname or (one.name.partition(".")[0] if is_whole else one.name)
        for one in tree.names
    }
    idle = {name for name, here in bound.items() if here not in {*used, "*"}}
    if isinstance(tree, ast.ImportFrom) and idle == bound.keys():
        idle.add(tree.module or "")
    return idle


def returns_nothing_on_purpose(name: str, answer: object) -> bool:
    """Whether an answer's own lines say `return None`, or `return` alone, as far as they are known.

    Args:
        name: of the exercise.
        answer: the function or class.
    """
    written = _written.get() or _of_its_own(name, answer)
    if written.is_too_long:
        return False
    own = [one.tree for one in written.statements if one.tree and one.defines(name)]
    returns = (node for tree in own for node in ast.walk(tree) if isinstance(node, ast.Return))
    return any(node.value is None or _is_none(node.value) for node in returns)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _meaning_of(written: Written) -> Meaning:
    """What names mean in a submission, which several rules ask one after the other."""
    if not _read or _read[0].written is not written:
        _read[:] = [Meaning(written)]
    return _read[0]


@contextmanager
def watched(name: str, forbidden: Sequence[str]) -> Iterator[Callable[[], Report | None]]:
    """Watch an answer run; afterwards, a report if it called what it must do without."""
    if not forbidden:
        yield lambda: None
        return
    with (_watch.get() or _watch_here)((*forbidden, *UNWATCHED)) as seen:

        def report() -> Report | None:
            found = seen()
            return _report(name, _without(found), "your code calls it") if found else None

        yield report


def while_it_runs() -> AbstractContextManager[None]:
    """For whoever calls an answer in this process: around the call, so that it can be watched."""
    watching = next(_here.get() or iter(()), None)
    return watching.during_a_call() if watching else nullcontext()


@contextmanager
def _watch_here(words: Sequence[str]) -> Iterator[Callable[[], str]]:
    watching = Watching(words)
    token = _here.set(itertools.repeat(watching, _RUNS_WATCHED_HERE))
    try:
        yield lambda: watching.seen
    finally:
        _here.reset(token)


def _first(forbidden: Sequence[str], path: str) -> str:
    return next((word for word in forbidden if matches(word, path)), "")


def _itself(answer: object) -> str:
    """The name of the library's function that an answer is, partly applied or not."""
    while isinstance(answer, functools.partial):
        answer = answer.func
    return path_of(answer) if is_of_others(answer) else ""


def _names_around(answer: object) -> Mapping[str, object]:
    """The values of the names that a function, or a class's methods, can use."""
    parts = vars(answer).values() if isinstance(answer, type) else [answer]
    around: list[Mapping[str, object]] = []
    for part in map(inspect.unwrap, map(_function_of, parts)):
        if inspect.isfunction(part):
            cells = zip(part.__code__.co_freevars, part.__closure__ or (), strict=True)
            around += [{name: cell.cell_contents for name, cell in cells if _is_filled(cell)}]
            around += [part.__globals__]
    return ChainMap(*around)  # type: ignore[arg-type]


def _function_of(part: object) -> Any:
    return getattr(part, "__func__", part)


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _of_its_own(name: str, answer: object) -> Written:
    """The function's or class's own lines, as far as they are whole statements."""
    parts = [_own_source(answer)]
    if isinstance(answer, type) and not parts[0]:
        # Of a class in a notebook, Python knows the methods' lines alone.
        parts = [_own_source(part) for part in vars(answer).values()]
    return Written([(name, part) for part in parts if part and is_python(part)])


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
    return Report(name, Verdict.WRONG, total=0, finding=Finding(_WHERE, "", details))
