"""Imports point one way, between packages and within them, and no circle leads back."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograder.lesson.import_graph import ImportGraph
from autograder.lesson.lesson import Code, read_lesson
from tests.support.course import COURSE, ROOT

TOPS = ("autograder", "companion", "solutions")
# The modules at the top of the engine that everything may use; `cli` is a room of its own, above
# all others.
FOUNDATION = "autograder"
COMMANDS = "autograder.cli"
PICTURE = ROOT / "docs" / "architecture.md"
MOST_MODULES = 14
MOST_LINES = 400
LARGER = {"autograder/values/as_bytes.py"}


def drawing() -> Iterator[tuple[int, str, set[str]]]:
    """Each line of the picture: a floor, a package, and those that it imports from."""
    block = re.search(r"```text\n(?P<lines>.*?)```", PICTURE.read_text("utf-8"), re.DOTALL)
    assert block, f"{PICTURE} has no drawing"
    for line in block["lines"].splitlines():
        drawn = re.match(r" +(?P<floor>\d) +(?P<room>\w+)(?: +→ (?P<targets>[\w, ]+))?", line)
        if drawn:
            yield (
                int(drawn["floor"]),
                drawn["room"],
                set(re.findall(r"\w+", drawn["targets"] or "")),
            )


def arrows() -> dict[str, set[str]]:
    """The one table: each package with those that it imports from."""
    return {room: targets for _, room, targets in drawing()}


GRAPH = ImportGraph({top: ROOT / top for top in TOPS}, through=False)
modules, imports_of, is_index = GRAPH.modules, GRAPH.imports_of, GRAPH.is_index


def room_of(module: str) -> str:
    """The package that a module is in, as the picture calls it; `cli` is one by itself."""
    top, *rest = module.split(".")
    if not rest:
        return top
    name = rest[0]
    return name if module == COMMANDS or (ROOT / top / name).is_dir() else top


def test_packages_are_as_drawn() -> None:
    found: dict[str, set[str]] = {}
    for module in modules:
        room = room_of(module)
        found.setdefault(room, set())
        if not is_index(module):
            found[room] |= {room_of(one) for one in imports_of(module)} - {room}
    assert found.pop(FOUNDATION) == set()
    # What everything in the engine may use is drawn without arrows.
    engine = {path.name for path in (ROOT / FOUNDATION).iterdir()} | {"cli"}
    assert arrows() == {
        room: targets - {FOUNDATION} if room in engine else targets
        for room, targets in found.items()
    }


def test_floors_are_as_drawn() -> None:
    floors: dict[str, int] = {FOUNDATION: -1}
    for room in TopologicalSorter(arrows()).static_order():
        if room != FOUNDATION:
            floors[room] = 1 + max([-1, *(floors[one] for one in arrows()[room])])
    assert {room: floor for floor, room, _ in drawing()} == {
        room: floor for room, floor in floors.items() if room != FOUNDATION
    }


@pytest.mark.parametrize("top", TOPS)
def test_modules_form_no_circle(top: str) -> None:
    graph = {
        module: {one for one in imports_of(module) if not is_index(one)}
        for module in modules
        if module.split(".")[0] == top and not is_index(module)
    }
    assert list(TopologicalSorter(graph).static_order())


def test_lessons_import_from_two_places() -> None:
    found = set()
    for name in COURSE.lessons():
        for block in read_lesson(COURSE.lesson_file(name)).blocks:
            if isinstance(block, Code):
                tree = ast.parse(block.source)
                nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
                found |= {node.module for node in nodes if (node.module or "").startswith(TOPS)}
    assert found == {"autograder", "companion"}


def test_engine_knows_no_attention() -> None:
    for module, path in modules.items():
        if module.startswith("autograder"):
            code = ast.unparse(without_docstrings(ast.parse(path.read_text(encoding="utf-8"))))
            assert "attention" not in code.lower(), path


@pytest.mark.parametrize("top", ["autograder", "companion"])
def test_each_package_says_what_it_answers(top: str) -> None:
    for module, path in modules.items():
        if module.startswith(top) and path.stem == "__init__":
            opening = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split(". ")[0]
            assert "?" in opening, f"{path} does not open with the question that it answers"


@pytest.mark.parametrize("top", ["autograder", "companion"])
def test_others_import_what_a_package_opens(top: str) -> None:
    """A package's docstring names, below "From outside:", the modules that others may import."""
    for module in modules:
        for one in imports_of(module):
            package, _, name = one.rpartition(".")
            inside = module == package or module.startswith(f"{package}.")
            if package.count(".") == 1 and package.startswith(top) and not inside:
                if is_index(module):
                    continue
                assert name in opened(package), f"{module} imports {one}, which is not opened"


def opened(package: str) -> set[str]:
    text = ast.get_docstring(ast.parse(modules[package].read_text(encoding="utf-8"))) or ""
    _, _, listed = text.partition("From outside:")
    return set(re.findall(r"`(\w+)`", listed))


def test_folders_and_modules_are_small() -> None:
    counted: dict[Path, int] = {}
    for module, path in modules.items():
        if path.stem != "__init__" and not path.stem.startswith("_"):
            counted[path.parent] = counted.get(path.parent, 0) + 1
        lines = path.read_text(encoding="utf-8").count("\n")
        if not module.startswith("solutions") and str(path.relative_to(ROOT)) not in LARGER:
            assert lines <= MOST_LINES, f"{path} has {lines} lines"
    assert {folder: n for folder, n in counted.items() if n > MOST_MODULES} == {}


def without_docstrings(tree: ast.Module) -> ast.Module:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
