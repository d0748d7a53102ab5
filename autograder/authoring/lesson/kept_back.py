"""Descriptions of figures, kept out of the cells that draw them.

A reader who is asked what they expect to see would read it in the cell's `alt=` text. So where a
lesson imports `described` from autograder, the build writes `alt=described("heatmap-c31f")` in the
text's place, and the text into `checks.json`: the figure has it all the same.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import replace

from autograder.authoring.lesson.lesson import Code, Lesson

_NAME = "described"
_FROM = "autograder"
_DIGITS = 4


def kept_back(lesson: Lesson) -> tuple[Lesson, dict[str, str]]:
    """The lesson as its cells read, and the descriptions that these name.

    Both are as before for a lesson that does not import `described`.
    """
    if not any(_imports(block.source) for block in lesson.blocks if isinstance(block, Code)):
        return lesson, {}
    descriptions: dict[str, str] = {}
    blocks = tuple(
        replace(block, source=_without(block.source, descriptions))
        if isinstance(block, Code)
        else block
        for block in lesson.blocks
    )
    return replace(lesson, blocks=blocks), descriptions


def _imports(source: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == _FROM
        and any(alias.name == _NAME for alias in node.names)
        for node in ast.walk(ast.parse(source))
    )


def _without(source: str, descriptions: dict[str, str]) -> str:
    # The last one first: what stands before it keeps its place.
    for drawn_by, place in sorted(_alt_texts(source), key=_place_of, reverse=True):
        text = str(place.value)
        name = f"{drawn_by}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"
        descriptions[name] = text
        source = replaced(source, place, f'{_NAME}("{name}")')
    return source


def _place_of(found: tuple[str, ast.Constant]) -> tuple[int, int]:
    return found[1].lineno, found[1].col_offset


def _alt_texts(source: str) -> Iterator[tuple[str, ast.Constant]]:
    """The texts that calls are given as `alt`, each with the name of the function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            for word in node.keywords:
                if word.arg == "alt" and isinstance(word.value, ast.Constant):
                    yield ast.unparse(node.func).rpartition(".")[2], word.value


def replaced(source: str, node: ast.expr, text: str) -> str:
    """A cell with another text in the place of one of its expressions."""
    lines = source.encode().split(b"\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first][: node.col_offset]
    after = lines[last][node.end_col_offset :]
    return b"\n".join([*lines[:first], before + text.encode() + after, *lines[last + 1 :]]).decode()
