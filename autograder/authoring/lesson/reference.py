"""Exercises cut out of the reference: the text of a function or class, with nbgrader's marks in it.

A class has its marks inside its methods, one pair or several.
"""

import ast
import re
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.errors import SolutionError

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
# Written behind the opening mark: the lines above it are given, and the solution replaces them.
INSTEAD = "(replaces the lines above)"


@dataclass(frozen=True)
class Solution:
    """What stands between marks: its lines, dedented to nothing but their order, and its syntax."""

    lines: tuple[str, ...]
    tree: tuple[ast.stmt, ...]


@dataclass(frozen=True)
class Source:
    """One exercise's text in the reference.

    `text` is the whole function or class with its decorators and marks, `line` the first of it, and
    `solutions` what stands between each pair of marks.
    """

    name: str
    line: int
    text: str
    solutions: tuple[Solution, ...]

    @property
    def solution(self) -> tuple[str, ...]:
        """The lines between all the marks."""
        return tuple(line for part in self.solutions for line in part.lines)

    @property
    def tree(self) -> tuple[ast.stmt, ...]:
        """The syntax of the whole solution."""
        return tuple(statement for part in self.solutions for statement in part.tree)


def read_reference(path: Path) -> dict[str, Source]:
    """All functions and classes of a reference module that have a solution between marks.

    One that it imports from another lesson's reference by its own name, as in
    `from solutions.vectors import length as length`, is among them.

    Raises:
        SolutionError: naming the file and line, where marks are missing their other half.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    found = dict[str, Source]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            found |= _passed_on(path, node)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert node.end_lineno is not None
            first = min(part.lineno for part in (node, *node.decorator_list))
            own = lines[first - 1 : node.end_lineno]
            # A closing mark is a comment and not part of the syntax: it may follow the last line.
            for line in lines[node.end_lineno :]:
                if line.strip() and not line.startswith(" "):
                    break
                own.append(line)
            body = "\n".join(own).rstrip()
            if BEGIN in body or END in body:
                found[node.name] = _source(path, node, first, body)
    return found


def _passed_on(path: Path, node: ast.ImportFrom) -> dict[str, Source]:
    names = {alias.name for alias in node.names if alias.name == alias.asname}
    package, _, module = (node.module or "").rpartition(".")
    if not names or package != path.parent.name:
        return {}
    places = path.with_name(f"{module}.py"), path.with_name(module) / "__init__.py"
    theirs = [read_reference(place) for place in places if place.is_file()]
    return {
        name: replace(source, line=node.lineno)
        for sources in theirs
        for name, source in sources.items()
        if name in names
    }


def _source(path: Path, node: ast.FunctionDef | ast.ClassDef, first: int, text: str) -> Source:
    solutions = []
    for begin, end in _spans(path, first, text):
        lines = (line.strip() for line in text.split("\n")[begin:end])
        inside = [
            statement
            for statement in ast.walk(node)
            if isinstance(statement, ast.stmt) and begin <= statement.lineno - first < end
        ]
        solutions.append(Solution(tuple(filter(None, lines)), _outermost(inside)))
    if not any(solution.tree for solution in solutions):
        raise SolutionError(path, first, f"the solution of {node.name} is empty")
    return Source(node.name, first, text, tuple(solutions))


def _spans(path: Path, first: int, text: str) -> list[tuple[int, int]]:
    """The line ranges between marks, counted from the definition's first line."""
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for number, line in enumerate(text.split("\n")):
        mark = line.strip()
        if mark.startswith(BEGIN):
            if opened is not None:
                raise SolutionError(path, first + number, "a solution begins inside another")
            if mark not in (BEGIN, f"{BEGIN} {INSTEAD}"):
                raise SolutionError(path, first + number, f"unknown mark {mark!r}")
            opened = number
        elif mark == END:
            if opened is None:
                raise SolutionError(path, first + number, "a solution ends that never began")
            spans.append((opened + 1, number))
            opened = None
    if opened is not None:
        raise SolutionError(path, first + opened, "a solution begins that never ends")
    return spans


def _outermost(statements: list[ast.stmt]) -> tuple[ast.stmt, ...]:
    nested = {
        id(child) for parent in statements for child in ast.walk(parent) if child is not parent
    }
    return tuple(statement for statement in statements if id(statement) not in nested)


def words(text: str) -> str:
    """Text without its spacing, so that a copy is found however it is laid out."""
    return re.sub(r"\s+", "", text)
