"""Rules about how an exercise is written: "write it yourself", without what would do it for you.

A rule names what the student's source must not mention. It looks at the text, wherever it is
examined: at the exercise's own cell and at the cells that a student added, when an instructor
grades; at the function's or class's own lines otherwise. It stops whoever has not read the rule;
somebody who hides a name from a reader hides it from a rule as well. A function may call itself,
even if what would do it for you has the same name.
"""

import ast
import inspect
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from autograder.exam.report import Finding, Report, Verdict

# A line for IPython: %matplotlib inline, %%time, !pip, ?help, help?
_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?+[ \t]*)$", re.MULTILINE)
_LINE = re.compile(r"\r\n?|\n")

_sources: ContextVar[Mapping[str, Sequence[str]] | None] = ContextVar("sources", default=None)


@contextmanager
def looking_at(sources: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Have rules look at these texts: those that belong to each exercise, by its name."""
    token = _sources.set(sources)
    try:
        yield
    finally:
        _sources.reset(token)


def broken(name: str, answer: object, forbidden: Sequence[str]) -> Report | None:
    """A report on the first rule that an answer breaks, or None if it breaks none."""
    for source in _sources_of(name, answer) if forbidden else ():
        for mentioned, line in _mentioned(source, name):
            found = next((word for word in forbidden if word in mentioned.split(".")), None)
            if found:
                details = (
                    f"write it yourself: this exercise is to be solved without `{found}`",
                    f"in your code, line {line}: {_LINE.split(source)[line - 1].strip()}",
                )
                return Report(name, Verdict.WRONG, (), 0, Finding("how it is written", "", details))
    return None


def _sources_of(name: str, answer: object) -> Sequence[str]:
    known = _sources.get()
    if known is not None:
        return known.get(name, ())
    parts = [_own_source(answer)]
    if isinstance(answer, type) and not parts[0]:
        # Of a class in a notebook, Python knows the methods' lines alone.
        parts = [_own_source(part) for part in vars(answer).values()]
    return [part for part in parts if part]


def _own_source(part: object) -> str:
    try:
        lines, first = inspect.getsourcelines(part)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""
    # Behind as many empty lines as stand before it, so that lines have the numbers of the cell.
    return "\n" * (first - 1) + textwrap.dedent("".join(lines))


def _mentioned(source: str, exercise: str) -> Iterator[tuple[str, int]]:
    """Names, attributes, imports and texts in a program, with their lines.

    Comments don't count, nor where the exercise's own function calls itself.
    """
    tree = _parsed(source) or _parsed(_MAGIC.sub(r"\1pass", source))
    if tree is None:
        return
    docstrings = {id(text) for node in ast.walk(tree) for text in _docstring(node)}
    own_calls = {id(name) for node in tree.body for name in _calls_of_itself(node, exercise)}
    for node in ast.walk(tree):
        if id(node) in own_calls:
            continue
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name, node.lineno
            case ast.alias(name=name) | ast.ImportFrom(module=str(name)):
                yield name, node.lineno
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield text, node.lineno


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _calls_of_itself(node: ast.stmt, exercise: str) -> Iterator[ast.AST]:
    """Where the body of the exercise's own function calls it by its bare name."""
    if isinstance(node, ast.FunctionDef) and node.name == exercise:
        for inner in (part for line in node.body for part in ast.walk(line)):
            match inner:
                case ast.Call(func=ast.Name(id=called) as name) if called == exercise:
                    yield name


def _docstring(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value
