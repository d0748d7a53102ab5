"""Descriptions of figures, kept out of the cells that draw them.

A reader who is asked what they expect to see would read it in the cell's `alt=` text. So where a
lesson uses this engine, the build takes that text out of the cell and writes it into `checks.json`;
the figure has it all the same: see `autograder.checks.described`.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from autograder.authoring.lesson.lesson import Code, Lesson
from autograder.checks.described import ALT, keys_of

_Passed = ast.expr | ast.keyword

_ENGINE = "autograder"


def kept_back(lesson: Lesson) -> tuple[Lesson, dict[str, str]]:
    """The lesson as its cells read, and the descriptions of its figures.

    Both are as before for a lesson that does not import anything from the engine.
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
        isinstance(node, ast.ImportFrom) and node.module == _ENGINE
        for node in ast.walk(ast.parse(source))
    )


def _without(source: str, descriptions: dict[str, str]) -> str:
    before = ast.parse(source)
    texts = dict(_alt_texts(before))
    # The last one first: what stands before it keeps its place.
    for call in sorted(texts, key=lambda call: (call.lineno, call.col_offset), reverse=True):
        source = _without_alt(source, call)
    # The same calls in the same order, and so with the same numbers.
    for (call, _), (_, key) in zip(keys_of(before), keys_of(ast.parse(source)), strict=True):
        if call in texts:
            descriptions[key] = texts[call]
    return source


def _alt_texts(cell: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """The calls that are given a text as `alt`, each with that."""
    for node in ast.walk(cell):
        if isinstance(node, ast.Call):
            for word in node.keywords:
                if word.arg == ALT and isinstance(word.value, ast.Constant):
                    yield node, str(word.value.value)


def _without_alt(source: str, call: ast.Call) -> str:
    """A cell in which a call is not given `alt`, nor the comma that belongs to it."""
    alt = next(word for word in call.keywords if word.arg == ALT)
    passed: list[_Passed] = [*call.args, *call.keywords]
    passed.sort(key=lambda one: (one.lineno, one.col_offset))
    place = passed.index(alt)
    first, last = _begin(source, alt), _end(source, alt)
    text = source.encode()
    if place:
        first = text.rindex(b",", _end(source, passed[place - 1]), first)
    elif len(passed) > 1:
        last = _begin(source, passed[1])
    else:
        first, last = _end(source, call.func) + 1, _end(source, call) - 1
    return (text[:first] + text[last:]).decode()


def replaced(source: str, node: ast.expr, text: str) -> str:
    """A cell with another text in the place of one of its expressions."""
    whole = source.encode()
    return (whole[: _begin(source, node)] + text.encode() + whole[_end(source, node) :]).decode()


def _begin(source: str, node: _Passed) -> int:
    return _offset(source, node.lineno, node.col_offset)


def _end(source: str, node: _Passed) -> int:
    return _offset(source, node.end_lineno or node.lineno, node.end_col_offset or 0)


def _offset(source: str, line: int, column: int) -> int:
    """Where a place is, in bytes, as Python counts its columns."""
    lines = source.encode().split(b"\n")
    return sum(len(one) + 1 for one in lines[: line - 1]) + column
