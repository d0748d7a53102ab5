"""Which modules, lessons and exercises stand on which, found in their texts and never in a list.

Besides imports there are other ways to reach a module: its name in quotes, by which a program is
started or a function is called in the sandbox; the fixtures of a conftest, which a test takes by
the names of its arguments; and code in quotes. A lesson is a node as a module is, and so is an
exercise: `04_causal_attention` and `04_causal_attention/causal_mask`.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path

from autograder.course import Course, module_name
from autograder.import_graph import ImportGraph, names_imported

PACKAGES = ("autograder", "benchmarks", "companion", "solutions", "tests", "tools")
# These may start whatever there is; what a package names in quotes is a module of its own.
_OUTSIDE = ("benchmarks", "tests", "tools")
# "autograder.cli" or "companion:rope"
_QUOTED = re.compile(r"[\"'](\w+(?:\.\w+)*[.:]\w+)(?=[\"':])")
# How a package is asked for names that the text does not say.
_ANY_NAME = re.compile(r"__all__|\bgetattr\((?:autograder|companion)\b")


class CourseGraph(ImportGraph):
    """All modules of this repository, its lessons and its exercises."""

    def __init__(self, root: Path) -> None:
        configuration = {"nbgrader_config": root / "nbgrader_config.py"}
        super().__init__({name: root / name for name in PACKAGES} | configuration)
        self.root = root
        self.lessons = Course(root).lessons()
        self._all_imports: dict[str, frozenset[str]] = {}
        self._adding: dict[str, set[str]] = {}
        self._exams = dict(self._find_exams())
        self.modules |= {name: root / "source" / f"{name}.md" for name in self.lessons}

    def exercises(self, lesson: str) -> list[str]:
        """The nodes of a lesson's exercises."""
        return [node for node in self._exams if node.startswith(f"{lesson}/")]

    def imports_of(self, module: str) -> frozenset[str]:
        """All that a node stands on directly."""
        if module not in self._all_imports:
            self._all_imports[module] = self._found(module) - {module}
        return self._all_imports[module]

    def modules_of(self, path: str) -> set[str]:
        """The nodes that a file belongs to: for a template, those that name it, or are beside."""
        place = self.root / path
        own = {self._nodes[one] for one in (place, _module_of(place)) if one in self._nodes}
        top = path.partition("/")[0]
        if own or top not in PACKAGES or place.suffix == ".py":
            return own
        within = [node for node in self.modules if node.startswith(f"{top}.")]
        called = re.compile(rf"[\"'/]{re.escape(place.name if top in _OUTSIDE else place.stem)}\b")
        naming = {one for one in within if called.search(self._text(one))}
        if naming or top in _OUTSIDE:
            return naming
        return {node for node in within if self.modules[node].is_relative_to(place.parent)}

    def standing_on(self, changed: Iterable[str]) -> dict[str, int]:
        """All nodes that reach one of these, and by how many steps."""
        steps = dict.fromkeys(changed, 0)
        nodes = dict.fromkeys([below for one in steps for below in self._below(one)])
        steps |= {node: 1 for node in nodes if node not in steps}
        waiting = list(steps)
        while waiting:
            found = {one for node in waiting for one in self._importers.get(node, ())}
            waiting = sorted(found - steps.keys())
            # What stands on a change itself is nearer than what stands on all below a package.
            steps |= dict.fromkeys(waiting, max(steps.values()) + 1)
        return steps

    def _below(self, module: str) -> Iterator[str]:
        """What is run after this one, unasked: all of a package, or all tests of a folder."""
        path = self.modules.get(module)
        package, _, name = module.rpartition(".")
        if path and path.stem == "__init__":
            package = module
        if path and (path.stem == "__init__" or name == "conftest"):
            yield from (one for one in self.modules if one.startswith(f"{package}."))
        yield from self._adding.get(module, ())

    @cached_property
    def _nodes(self) -> Mapping[Path, str]:
        return {path: node for node, path in self.modules.items()}

    @cached_property
    def _importers(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {}
        for node in (*self.modules, *self._exams):
            for one in self.imports_of(node):
                found.setdefault(one, set()).add(node)
        return found

    def _found(self, node: str) -> frozenset[str]:
        if node in self._exams:
            return self._exams[node]
        found, text = set(super().imports_of(node)), self._text(node)
        if node in self.lessons:
            return frozenset({*found, *self._own_modules(module_name(node))})
        top = node.partition(".")[0]
        for name in _QUOTED.findall(text):
            known = {*self.named_in(f"from {_as_import(name)}")}
            found |= {one for one in known if one.split(".")[0] == top or top in _OUTSIDE}
        if top in _OUTSIDE:
            found |= {*self.named_in(_unquoted(text), node)}
            found |= {module for called, module in self._programs if called.search(text)}
        if node.rpartition(".")[2].startswith("test_"):
            found |= {*self._by_fixtures(node, text)}
        return frozenset(one for module in found for one in self._asked_for(module, text))

    def _offered(self, module: str) -> Mapping[str, str]:
        """A package that hands on names of its modules is looked through as an index is."""
        path = self.modules[module]
        if path.stem == "__init__" and module not in self._offers and not self.is_index(module):
            names = names_imported(self._text(module), module)
            known = ((name.rpartition(".")[2], self._longest_known(name)) for name in names)
            self._offers[module] = {name: one for name, one in known if one}
        return super()._offered(module)

    def _asked_for(self, module: str, text: str) -> set[str]:
        """The modules of the names that a text asks of an index, which imports none unasked."""
        if not self.is_index(module) or _ANY_NAME.search(text):
            return {module}
        asked = re.findall(rf"\b{re.escape(module)}\.(\w+)", text)
        return {self._offered(module)[name] for name in asked if name in self._offered(module)}

    def _text(self, module: str) -> str:
        return self.modules[module].read_text(encoding="utf-8")

    def _own_modules(self, name: str) -> set[str]:
        """A lesson's reference and exams."""
        own = f"solutions.{name}", f"solutions.exams.{name}"
        return {one for one in self.modules if one in own or one.startswith(f"{own[1]}.")}

    def _find_exams(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Each exercise with the modules of its exam, and what adds to it from outside imports."""
        for lesson in self.lessons:
            package = f"solutions.exams.{module_name(lesson)}."
            below = {one for one in self.modules if one.startswith(package)}
            exercises = {one.removeprefix(package).partition(".")[0] for one in below}
            for exercise in sorted(one for one in exercises if not one.startswith("_")):
                own = {one for one in below if f"{one}.".startswith(f"{package}{exercise}.")}
                found, node = set(own), f"{lesson}/{exercise}"
                for shared in (one for one in below if one.startswith(f"{package}_")):
                    # It changes an exam that it imports, as what is published elsewhere does.
                    if own & (imports := ImportGraph.imports_of(self, shared)):
                        self._adding.setdefault(shared, set()).add(node)
                        found |= imports - below
                yield node, frozenset(found)

    @cached_property
    def _programs(self) -> list[tuple[re.Pattern[str], str]]:
        """How a program that we install is called, and the module that it begins with."""
        project = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        return [
            (re.compile(rf"[(\[]\"{name}\", \"|(?<!ROOT )/ \"{name}\""), entry.partition(":")[0])
            for name, entry in project["project"]["scripts"].items()
        ]

    def _by_fixtures(self, test: str, text: str) -> Iterator[str]:
        """What the conftests above a test import: for all, or in a fixture that it takes."""
        folders = test.split(".")[:-1]
        for depth in range(1, len(folders) + 1):
            conftest = ".".join([*folders[:depth], "conftest"])
            if conftest in self.modules:
                for name, part in _statements(self.modules[conftest]):
                    if not name or "autouse" in part or re.search(rf"\b{name}\b", text):
                        yield from self.named_in(part, conftest)


@cache
def _statements(path: Path) -> list[tuple[str, str]]:
    """The statements of a module, with the name of each function and class."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return [(getattr(one, "name", ""), ast.unparse(one)) for one in body]


def _module_of(path: Path) -> Path:
    """The module that a stub is for."""
    return path.with_suffix(".py") if path.suffix == ".pyi" else path


def _as_import(name: str) -> str:
    """`package.module import name` for package.module.name and package.module:name."""
    module, name = re.split(r"[.:](?=\w+$)", name)
    return f"{module} import {name}"


def _unquoted(text: str) -> str:
    """A text in which code in quotes stands on lines of its own."""
    return re.sub(r"\\n|[\"']", "\n", text)
