"""Imports point one way: lessons to the engine and the companion, exams to the reference."""

import ast
from collections import defaultdict
from pathlib import Path

from autograder.course import Course
from autograder.lesson import Code, read_lesson

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("autograder", "companion", "solutions", "solutions.exams")

# Who may import whom, and does: an arrow too many or too few is a mistake here or there.
ARROWS = {
    "autograder": set(),
    "companion": set(),
    "solutions": {"companion"},
    "solutions.exams": {"autograder", "companion", "solutions"},
    "lessons": {"autograder", "companion"},
}


def test_arrows_of_modules() -> None:
    found = defaultdict(set)
    for room in ROOMS:
        for path in (ROOT / room.replace(".", "/")).glob("*.py"):
            found[room] |= rooms_in(path.read_text(encoding="utf-8")) - {room}
    assert dict(found) == {room: ARROWS[room] for room in ROOMS}


def test_arrows_of_lessons() -> None:
    course, found = Course(ROOT), set()
    for name in course.lessons():
        for block in read_lesson(course.lesson_file(name)).blocks:
            if isinstance(block, Code):
                found |= rooms_in(block.source)
    assert found == ARROWS["lessons"]


def test_engine_knows_no_attention() -> None:
    for path in (ROOT / "autograder").glob("*.py"):
        code = ast.unparse(without_docstrings(ast.parse(path.read_text(encoding="utf-8"))))
        assert "attention" not in code.lower(), path


def rooms_in(source: str) -> set[str]:
    """The rooms that a module imports from, wherever in it."""
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {room for name in imported if (room := room_of(name))}


def room_of(name: str) -> str:
    if name == "solutions.exams" or name.startswith("solutions.exams."):
        return "solutions.exams"
    top = name.split(".")[0]
    return top if top in ROOMS else ""


def without_docstrings(tree: ast.Module) -> ast.Module:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
