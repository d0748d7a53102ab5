"""Whether a solution stands in a text that reaches students."""

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.authoring.lesson.reference import Solution, Source, words

# Shorter texts ("return total") are everybody's.
_SHORTEST = 16
# One of several parts of a solution may be ("super().__init__()") without giving it away.
_SHORTEST_PART = 40

# The lines on which the statements of a block begin, and the statements, written out once.
_Body = tuple[list[int], list[str]]


def leaks(text: str, sources: Iterable[Source], *, is_code: bool) -> Iterator[tuple[str, int]]:
    """The exercises whose solution stands in `text`, each with the line (from 1) where it does.

    A solution is found by its letters, however they are spaced, and in code by its syntax: the
    same statements under the same names, whatever stands around them. Of a solution between several
    pairs of marks, as in a class, each longer part is one as well.
    """
    letters = words(text)
    bodies = list(_bodies(text)) if is_code else []
    for source in sources:
        for secret in _secrets(source):
            line = _by_letters(text, letters, secret.letters) or _by_syntax(bodies, secret.dumps)
            if line:
                yield source.name, line
                break


@dataclass(frozen=True)
class _Secret:
    """What may not be found: its letters, and its statements, written out once."""

    letters: str
    dumps: list[str]


@functools.cache
def _secrets(source: Source) -> list[_Secret]:
    """The whole solution and its longer parts, but for what is too short to be one."""
    parts = source.solutions if len(source.solutions) > 1 else ()
    found = [(Solution(source.solution, source.tree), _SHORTEST)]
    found += [(part, _SHORTEST_PART) for part in parts if part.tree]
    return [_secret(solution, shortest) for solution, shortest in found]


def _secret(solution: Solution, shortest: int) -> _Secret:
    letters = words("".join(solution.lines))
    is_long = sum(map(len, solution.lines)) >= shortest
    return _Secret(
        letters if len(letters) >= shortest else "",
        [ast.dump(statement) for statement in solution.tree] if is_long else [],
    )


def _by_letters(text: str, letters: str, wanted: str) -> int:
    if not wanted or wanted not in letters:
        return 0
    lines = text.split("\n")
    last = next(
        number for number in range(1, len(lines) + 1) if wanted in words("".join(lines[:number]))
    )
    return next(
        number
        for number in range(last, 0, -1)
        if wanted in words("".join(lines[number - 1 : last]))
    )


def _by_syntax(bodies: Iterable[_Body], wanted: list[str]) -> int:
    if not wanted:
        return 0
    for lines, dumps in bodies:
        for start in range(len(dumps) - len(wanted) + 1):
            if dumps[start : start + len(wanted)] == wanted:
                return lines[start]
    return 0


def _bodies(text: str) -> Iterator[_Body]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                yield [one.lineno for one in body], [ast.dump(one) for one in body]
