"""Whether a solution stands in a text that reaches students."""

import ast
from collections.abc import Iterable, Iterator

from autograder.reference import Source, words

# Shorter texts ("return total") are everybody's.
_SHORTEST = 16


def leaks(text: str, sources: Iterable[Source], *, is_code: bool) -> Iterator[tuple[str, int]]:
    """The exercises whose solution stands in `text`, each with the line (from 1) where it does.

    A solution is found by its letters, however they are spaced, and in code by its syntax: the
    same statements under the same names, whatever stands around them.
    """
    bodies = list(_bodies(text)) if is_code else []
    for source in sources:
        line = _by_letters(text, source) or _by_syntax(bodies, source)
        if line:
            yield source.name, line


def _by_letters(text: str, source: Source) -> int:
    wanted = words("".join(source.solution))
    if len(wanted) < _SHORTEST or wanted not in words(text):
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


def _by_syntax(bodies: Iterable[list[ast.stmt]], source: Source) -> int:
    wanted = [ast.dump(statement) for statement in source.tree]
    if sum(map(len, source.solution)) < _SHORTEST:
        return 0
    for body in bodies:
        dumps = [ast.dump(statement) for statement in body]
        for start in range(len(dumps) - len(wanted) + 1):
            if dumps[start : start + len(wanted)] == wanted:
                return body[start].lineno
    return 0


def _bodies(text: str) -> Iterator[list[ast.stmt]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                yield body
