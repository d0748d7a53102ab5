"""Which tests read which files of the course, and which of its lessons they are about.

A test is followed through the definitions that it names, in its own file and in those of
tests/support. What it reads is said there by `ROOT / "docs" / "errata.md"`, by the name of a file
in quotes, or by COURSE, which with the name of a lesson means this one and otherwise all.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tools.course_graph import PACKAGES, CourseGraph

COURSE, ROOT = "COURSE", "ROOT"
_SUPPORT = "tests.support.course"
# What a course has besides lessons.
_SETTINGS = ("root", "settings")
# Where lessons are: a test reads them one by one.
OF_LESSONS = ("notebooks", "solutions", "source")


@dataclass(frozen=True)
class Reading:
    """What a test reads: files and folders by their paths, and lessons.

    Where it copies whole packages, it is by its imports that it notices a change of a module.
    """

    paths: frozenset[str]
    lessons: frozenset[str]
    is_copy: bool = False

    def notices(self, path: str) -> bool:
        """Whether it reads a file that belongs to no lesson."""
        within = {one for one in self.paths if path.startswith(f"{one}/")}
        if self.is_copy and path.endswith(".py"):
            within -= {*PACKAGES}
        return path in self.paths or bool(within)


class Readers:
    """The tests of a course that read files of it."""

    def __init__(self, graph: CourseGraph) -> None:
        self._graph = graph
        self._root = graph.root

    @cached_property
    def tests(self) -> dict[str, dict[str, Reading]]:
        """By the path of each file of tests, what each of its tests reads."""
        found: dict[str, dict[str, Reading]] = {}
        for module, path in self._graph.modules.items():
            if path.stem.startswith("test_") and _SUPPORT in self._within_tests(module):
                names = [one for one in _facts(path) if one.startswith("test_")]
                readings = {name: self._reading(module, name) for name in names}
                found[path.relative_to(self._root).as_posix()] = {
                    name: one for name, one in readings.items() if one.paths or one.lessons
                }
        return found

    def _within_tests(self, module: str) -> set[str]:
        found, waiting = set[str](), {module}
        while waiting:
            found |= waiting
            named = {one for node in waiting for one in self._graph.imports_of(node)}
            waiting = {one for one in named if one.startswith("tests.")} - found
        return found

    def _reading(self, module: str, test: str) -> Reading:
        followed = dict(self._followed(module, test))
        if not followed.keys() & {(_SUPPORT, ROOT), (_SUPPORT, COURSE)}:
            return Reading(frozenset(), frozenset())
        texts = frozenset().union(*(one.texts for one in followed.values()))
        asked = frozenset().union(*(one.asked for one in followed.values()))
        paths = {*self._paths(followed)}
        is_copy = any(one.is_copy for one in followed.values())
        of_lessons = {one for one in paths if one.partition("/")[0] in OF_LESSONS}
        paths -= of_lessons
        if any("Course" in one.names for one in followed.values()):
            paths.add("course.toml")
        if not of_lessons and asked <= {*_SETTINGS}:
            return Reading(frozenset(paths), frozenset(), is_copy)
        said = " ".join([*texts, *of_lessons])
        named = frozenset(one for one in self._graph.lessons if one in said)
        if "lessons" in asked or not named:
            named = frozenset(self._graph.lessons)
        return Reading(frozenset(paths), named, is_copy)

    def _paths(self, followed: Mapping[tuple[str, str], "_Facts"]) -> Iterator[str]:
        """The files and folders of which some code speaks.

        Where what is joined to the root is not said, it may be any name in quotes: of a file
        wherever it stands, of a folder where it is joined, or in what is named there.
        """
        joining = [one for one in followed.values() if "" in one.below_root]
        near = {name for one in joining for name in one.names}
        for (_, name), one in followed.items():
            for text in (*one.below_root, *one.texts):
                start = text.partition("*")[0].rpartition("/")[0] if "*" in text else text
                place = self._root / start
                is_said = text in one.below_root or start != text
                is_joined = one in joining or (one.is_constant and name in near)
                if _is_path(start) and (
                    (is_said and place.exists())
                    or (joining and place.is_file())
                    or (is_joined and place.is_dir())
                ):
                    yield start

    def _followed(self, module: str, test: str) -> Iterator[tuple[tuple[str, str], "_Facts"]]:
        """A test's definition, and all that it names."""
        waiting, seen = [(module, test)], set[tuple[str, str]]()
        waiting += [(module, name) for name in _unasked(self._graph.modules[module])]
        while waiting:
            place, name = one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            path = self._graph.modules[place]
            if (facts := _facts(path).get(name)) is None:
                origin = _origins(path).get(name, ("", ""))
                if origin[0] in self._graph.modules:
                    waiting.append(origin)
                elif place == module:
                    waiting += [(one, name) for one in self._conftests(module)]
            elif place.startswith("tests.") or facts.is_constant:
                yield one, facts
                waiting += [(place, other) for other in facts.names]
                waiting += [one for said in facts.texts for one in self._of_program(said)]

    def _of_program(self, said: str) -> Iterator[tuple[str, str]]:
        """All of a module of tests that is started by its name."""
        if said.startswith("tests."):
            name = said.partition(":")[0]
            if path := self._graph.modules.get(name):
                yield from ((name, one) for one in _facts(path))

    def _conftests(self, module: str) -> Iterator[str]:
        folders = module.split(".")[:-1]
        for depth in range(1, len(folders) + 1):
            if (conftest := ".".join([*folders[:depth], "conftest"])) in self._graph.modules:
                yield conftest


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class _Facts:
    """What stands in one definition: names, those of fixtures too, and texts, which may be names;
    what is asked of the course, "" where it is handed on; and paths below the root, "" where what
    is joined to it is not said.
    """

    names: frozenset[str]
    texts: frozenset[str]
    asked: frozenset[str]
    below_root: frozenset[str]
    is_constant: bool
    is_unasked: bool
    is_copy: bool


@cache
def _facts(path: Path) -> dict[str, _Facts]:
    """The definitions at the top of a module by the names that they bind."""
    found: dict[str, _Facts] = {}
    # Others call a course of their own so.
    is_ours = _origins(path).get(COURSE, ("", ""))[0] == _SUPPORT or _named(path) == _SUPPORT
    for statement in _tree(path).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found[statement.name] = _facts_of(statement, is_ours)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            facts = _facts_of(statement, is_ours)
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            bound = {
                node.id
                for target in targets
                for node in ast.walk(target)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            found |= dict.fromkeys(bound, facts)
    return found


def _named(path: Path) -> str:
    """What a file of tests/support is called where it is imported."""
    return ".".join(path.with_suffix("").parts[-3:])


def _facts_of(statement: ast.stmt, is_ours: bool) -> _Facts:
    nodes = [*ast.walk(statement)]
    inner = {id(node.left) for node in nodes if isinstance(node, ast.BinOp)}
    chains = (_below_root(node) for node in nodes if id(node) not in inner)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    texts = {one for one in constants if isinstance(one, str)}
    # A fixture may be asked for in quotes.
    names |= {one for one in texts if one.isidentifier()}
    decorators = getattr(statement, "decorator_list", [])
    return _Facts(
        frozenset(names),
        frozenset(texts),
        frozenset(_asks(nodes) if is_ours else ()),
        frozenset("/".join(chain) for chain in chains if chain is not None),
        isinstance(statement, ast.Assign | ast.AnnAssign),
        any("autouse" in ast.unparse(one) for one in decorators),
        any(isinstance(node, ast.Attribute) and node.attr == "copytree" for node in nodes),
    )


@cache
def _origins(path: Path) -> dict[str, tuple[str, str]]:
    """The names that a module imports, wherever in it, with their modules."""
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _unasked(path: Path) -> list[str]:
    """The fixtures that every test of a file has without asking."""
    return [name for name, facts in _facts(path).items() if facts.is_unasked]


def _is_path(text: str) -> bool:
    return len(text) < 99 and re.fullmatch(r"\.?\w[\w.-]*(/\.?\w[\w.-]*)*", text) is not None


def _below_root(node: ast.AST) -> list[str] | None:
    """The names in ROOT / "docs" / "errata.md", up to one that is not said."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return None
    left = [] if _is_root(node.left) else _below_root(node.left)
    if left is None or not isinstance(node.right, ast.Constant):
        return left
    return [*left, str(node.right.value)]


def _is_root(node: ast.AST) -> bool:
    return ast.unparse(node) in (ROOT, f"{COURSE}.root")


def _asks(nodes: list[ast.AST]) -> Iterator[str]:
    """What is asked of the course: the names of its attributes, "" where it is handed on."""
    of = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == COURSE and isinstance(node.ctx, ast.Load):
            yield of.get(id(node), "")
