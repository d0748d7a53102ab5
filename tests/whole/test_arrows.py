"""Imports point one way, between packages and within them, and no circle leads back."""

import ast
import re
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograder.authoring.lesson.lesson import Code
from autograder.authoring.lesson.reading import read_lesson
from autograder.import_graph import ImportGraph, names_imported
from tests.support.course import COURSE, ROOT

TOPS = ("autograder", "companion", "solutions")
# The modules at the top of the engine that everything may use.
FOUNDATION = "autograder"
PICTURE = ROOT / "docs" / "architecture.md"
MOST_MODULES = 14
MOST_LINES = 400

# Which of the engine's rooms may import nbgrader: how it is used, and what lessons are released
# with.
NBGRADER = ("autograder.nbgrading", "autograder.authoring.lesson.release")


@dataclass(frozen=True)
class Room:
    """A line of the picture: a package, the floor it stands on, and those that it imports from."""

    floor: int
    name: str
    targets: frozenset[str]


def drawing() -> dict[str, list[Room]]:
    """The rooms in the picture, by the folder below whose heading they stand: "autograder/"."""
    block = re.search(r"```text\n(?P<lines>.*?)```", PICTURE.read_text("utf-8"), re.DOTALL)
    assert block, f"{PICTURE} has no drawing"
    found: dict[str, list[Room]] = {}
    for line in block["lines"].splitlines():
        if heading := re.match(r" +([\w/]+)/: ", line):
            found[heading[1]] = []
        elif drawn := re.match(r" +(?P<floor>\d) +(?P<room>\w+)(?: +→ (?P<to>[\w, ]+))?", line):
            targets = frozenset(re.findall(r"\w+", drawn["to"] or ""))
            found[[*found][-1]].append(Room(int(drawn["floor"]), drawn["room"], targets))
    return found


GRAPH = ImportGraph({top: ROOT / top for top in TOPS}, through=False)
modules, imports_of, is_index = GRAPH.modules, GRAPH.imports_of, GRAPH.is_index


def room_of(module: str, folder: str) -> str:
    """The room below a folder that a module is in; the folder's own modules are one together."""
    inside = folder.replace("/", ".")
    if f"{module}.".startswith(f"{inside}."):
        name = module[len(inside) + 1 :].partition(".")[0]
        is_package = name and (ROOT / folder / name).is_dir()
        return name if is_package else Path(folder).name
    return "" if "/" in folder else module.partition(".")[0]


def rooms_below(folder: str) -> dict[str, set[str]]:
    """Each room below a folder, with those that it imports from."""
    found: dict[str, set[str]] = {}
    for module in modules:
        room = room_of(module, folder)
        if f"{module}.".startswith(f"{folder.replace('/', '.')}.") and not is_index(module):
            others = {room_of(one, folder) for one in imports_of(module)} - {room, ""}
            found[room] = found.get(room, set()) | others
    return found


@pytest.mark.parametrize("folder", drawing())
def test_packages_are_as_drawn(folder: str) -> None:
    found, own = rooms_below(folder), Path(folder).name
    drawn = {room.name: set(room.targets) for room in drawing()[folder]}
    if folder == FOUNDATION:
        assert found.pop(own) == set()
    if own not in drawn:
        # What a room has beside its parts is not drawn, and may be above them or below.
        found = {room: targets - {own} for room, targets in found.items() if room != own}
    assert drawn == found


@pytest.mark.parametrize("folder", drawing())
def test_floors_are_as_drawn(folder: str) -> None:
    rooms = {room.name: room for room in drawing()[folder]}
    arrows = {name: room.targets & rooms.keys() for name, room in rooms.items()}
    floors: dict[str, int] = {}
    for name in TopologicalSorter(arrows).static_order():
        floors[name] = 1 + max([-1, *(floors[one] for one in arrows[name])])
    assert {name: room.floor for name, room in rooms.items()} == floors


def test_all_packages_are_drawn() -> None:
    parts = {path.parent for path in modules.values() if path.stem == "__init__"}
    several = [
        str(folder.relative_to(ROOT))
        for folder in {path.parent for path in parts}
        if folder != ROOT and sum(path.parent == folder for path in parts) > 1
    ]
    assert {one for one in several if not one.startswith("solutions")} <= drawing().keys()


def test_nbgrader_stays_in_its_room() -> None:
    for module, path in modules.items():
        if module.startswith("autograder") and not module.startswith(NBGRADER):
            named = names_imported(path.read_text(encoding="utf-8"), module.rpartition(".")[0])
            assert not [one for one in named if one.split(".")[0] == "nbgrader"], path


def test_checks_need_nothing_else_of_ours() -> None:
    for module in modules:
        if module.startswith("autograder.checks"):
            others = {one for one in imports_of(module) if not one.startswith("autograder.checks")}
            # The index is named in an example of a docstring.
            assert others <= {"autograder.errors", "autograder.whole_file", "autograder"}, module


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
            if "." in package and package.startswith(top) and not inside and one in modules:
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
        if not module.startswith("solutions"):
            assert lines <= MOST_LINES, f"{path} has {lines} lines"
    assert {folder: n for folder, n in counted.items() if n > MOST_MODULES} == {}


def test_a_class_name_stands_for_one_thing() -> None:
    found: dict[str, list[str]] = {}
    for module, path in modules.items():
        if module.startswith("autograder"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name, []).append(module)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def without_docstrings(tree: ast.Module) -> ast.Module:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
