"""What lessons import: packages that Pyodide has, and the course's own, which come as a wheel."""

import importlib.machinery
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import autograder
from autograder.authoring.browser.pyodide import NotForBrowsers, Pyodide
from autograder.authoring.browser.wheels import Wheel, is_pure, pack
from autograder.checks.examples import FILE, INSTALLED
from autograder.checks.source.cells import source_of
from autograder.course import Course, lesson_number
from autograder.import_graph import ImportGraph, names_imported
from autograder.preload import package_of
from autograder.settings import where_set

ENGINE = "autograder"
_ENGINE = Path(autograder.__file__).parent
# What Pyodide has in no version that does: the kernel needs the one, the engine the other.
_FROM_HERE = ("comm", "lazy_loader")
_WEIGHTS = ".npz"
_FUNCTION = re.compile(r'"(\w+):(\w+)"')


@dataclass(frozen=True)
class Needs:
    """What has to be there for some lessons.

    Attributes:
        packages: of Pyodide's.
        own: by its name, where each of the course's own packages lies; the engine is one.
        idle: files of these, such as weights, that no module needs which the lessons lead to.
        examples: by its lesson, the file of the printed examples. Python is shown what lies beside
            a notebook if the browser could set that up by the time that it starts it, which no
            private window can.
    """

    packages: tuple[str, ...]
    own: dict[str, Path]
    idle: frozenset[Path]
    examples: dict[str, Path]

    def wheels(self, folder: Path) -> Iterator[Wheel]:
        """Pack what Pyodide does not have, each under a name that changes with what is in it."""
        for module in _FROM_HERE:
            place = _place(module, sys.path)
            assert place, f"{module} is required by what this runs in"
            yield pack(folder, module.replace("_", "-"), version(module), {module: place})
        there = INSTALLED.relative_to(_ENGINE.parent).as_posix()
        more = {f"{there}/{lesson}.json": file for lesson, file in self.examples.items()}
        yield pack(folder, "the-course", "1", self.own, self.packages, self.idle, more)


def needs_of(course: Course, lessons: Iterable[str], pyodide: Pyodide) -> Needs:
    """What lessons need, and what those modules need that their imports lead to.

    Args:
        course: whose they are.
        lessons: their names.
        pyodide: what there is.

    Raises:
        NotForBrowsers: when a lesson has not been built, or imports what no browser has.
    """
    own = _own_packages(course, pyodide)
    graph, packages, used = ImportGraph(own), set[str](), set[Path]()
    examples = dict[str, Path]()
    for lesson in lessons:
        text = _code_of(course, lesson)
        for name in sorted({package_of(one) for one in names_imported(text, "")} - own.keys()):
            if not _is_there(name, pyodide):
                raise NotForBrowsers(
                    f"lesson {lesson_number(lesson)} imports {name}, which no browser has: leave "
                    f"the lesson out of `browser` in {where_set(course.root, 'browser')}"
                )
        if (file := course.release_folder(lesson) / FILE).is_file():
            examples[lesson] = file
            text += _named_in_checks(file)
        files = graph.files(graph.reached(graph.named_in(text)))
        texts = [text, *(one.read_text(encoding="utf-8") for one in files if one.suffix == ".py")]
        packages |= {pyodide.provider(name) for one in texts for name in _tops(one)}
        used |= files
    idle = {one for place in own.values() for one in place.rglob("*") if one.suffix == _WEIGHTS}
    # Those of all lessons, where this is installed.
    idle |= {*INSTALLED.glob("*.json")}
    return Needs(tuple(sorted(packages - {""})), own, frozenset(idle - used), examples)


def _own_packages(course: Course, pyodide: Pyodide) -> dict[str, Path]:
    """The engine, and what students' code may see of the course's own."""
    own = {ENGINE: _ENGINE}
    for name in map(package_of, course.settings.preload):
        place = _place(name, [str(course.root), *sys.path])
        if place and is_pure(place) and not _is_there(name, pyodide):
            own[name] = place
    return own


def _place(name: str, where: Iterable[str]) -> Path | None:
    spec = importlib.machinery.PathFinder.find_spec(name, [*where])
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)


def _is_there(name: str, pyodide: Pyodide) -> bool:
    return name in sys.stdlib_module_names or bool(pyodide.provider(name))


def _code_of(course: Course, lesson: str) -> str:
    path = course.release_folder(lesson) / f"{lesson}.ipynb"
    if not path.is_file():
        raise NotForBrowsers(f"{path} is not there yet: run `autograder build {lesson}`")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join(source_of(cell) for cell in cells if cell["cell_type"] == "code")


def _named_in_checks(file: Path) -> str:
    """Imports of the functions that printed examples are given to, or use."""
    text = file.read_text(encoding="utf-8")
    return "".join(f"\nfrom {package} import {name}" for package, name in _FUNCTION.findall(text))


def _tops(text: str) -> set[str]:
    return {package_of(name) for name in names_imported(text, "")}
