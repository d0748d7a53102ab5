"""What a product of the build is made of, as one digest: all files that its making may read or run.

A file that goes in without need costs a build too many; one left out would leave an old notebook
in place. Imports are followed by their text (`import_graph`), from what makes the product, the
lesson and its exams: that takes no torch.

Of the engine, a lesson's notebooks are made of what makes them and judges its exams. What its cells
import of it, such as `check`, they only name: no card and no search for a line is in a notebook.
What has been found by running cells is made of all that runs (`of_run`).
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from autograder.course import Course, module_name
from autograder.import_graph import ImportGraph
from autograder.settings import CONFIG, OWN, PROOFS_FILE, configurations
from autograder.settings import SOLUTIONS as _REFERENCE

# Where what was proved of exercises is kept: see `proofs`. It is made of all this.
PROOFS = Path(_REFERENCE) / "exams" / PROOFS_FILE
# The same of a course's own exercises, so that the other stays as it came with the lessons.
OWN_PROOFS = Path(OWN) / PROOFS_FILE
_ENGINE = Path(__file__).resolve().parents[2]
# Where the making of a lesson, and of what ships of an exercise, begins.
_BUILD = "autograder.authoring.build.build"
_PROVE = "autograder.authoring.build.proving"
# What makes the numbers, besides the course's own files and the engine's.
_LIBRARIES = ("numpy", "torch")


class Inputs:
    """The files of a course as they are when they are first asked for."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._digests: dict[Path, str] = {}
        self._names: dict[Path, str] = {}

    def of_lesson(self, lesson: str) -> str:
        """The digest of all that a lesson's notebooks and printed examples are made of."""
        texts = [self._course.lesson_file(lesson), self._course.own_text(lesson)]
        paths = [path for path in texts if path]
        named = {
            one for path in paths for one in self._graph.named_in(path.read_text(encoding="utf-8"))
        }
        of_engine = {one for one in named if self._is_engines(one)}
        own = {*paths, *self.beside(lesson), *self.configurations()}
        made_of = self._files([*(named - of_engine), *self.exams_of(lesson), _BUILD])
        only_named = self._graph.files(of_engine)
        return self._digest({*own, *made_of, *only_named}, self._always)

    def of_exams(self, lesson: str) -> str:
        """The digest of all on which it depends which exams a lesson has, and what they say."""
        made_of = {*self._files(self.exams_of(lesson)), *self.configurations()}
        return self._digest(made_of, self._always)

    def of_exercise(self, lesson: str, exercise: str, *, own: bool = False) -> str:
        """The digest of all that an exercise's exam is made of, the same on every machine.

        Args:
            lesson: where it is asked.
            exercise: its name.
            own: whether it is one that the course adds to the lesson.
        """
        libraries = [f"{name} {_public_version(name)}" for name in _LIBRARIES]
        places = self._course.has_places(lesson)
        module = self._exam(f"{OWN if own else _REFERENCE}.exams", lesson, exercise)
        made_of = self._files([module, _PROVE])
        return self._digest(made_of, [*libraries, f"places {places}", exercise])

    def of_run(
        self, code: Sequence[str], modules: Iterable[str] = (), files: Iterable[Path] = ()
    ) -> str:
        """The digest of all that is at work when these cells run, one after the other.

        Args:
            code: the cells.
            modules: what runs them, and what they import without saying so.
            files: what they find or depend on besides, as far as it is there.
        """
        named = [one for source in code for one in self._graph.named_in(source)]
        there = {path for path in files if path.is_file()}
        made_of = self._files([*named, *modules]) | there
        return self._digest(made_of, [*self._always, *code])

    def beside(self, lesson: str) -> Iterator[Path]:
        """The modules that are given out with a lesson's notebook."""
        return (self._course.source / lesson).glob("*.py")

    def configurations(self) -> list[Path]:
        """The files with the course's settings of nbgrader's."""
        return configurations(self._course.root)

    @cached_property
    def _graph(self) -> ImportGraph:
        """All that can be imported in a course: the engine, and what lies at its root."""
        places = {_ENGINE.name: _ENGINE}
        for path in sorted(self._course.root.iterdir()):
            if (path / "__init__.py").is_file() or path.suffix == ".py":
                places.setdefault(path.stem, path)
        if self._course.own.is_dir():
            places[OWN] = self._course.own
        return ImportGraph(places)

    def exams_of(self, lesson: str) -> Iterator[str]:
        """The modules of a lesson's reference and exams, and of those that its course adds."""
        name = module_name(lesson)
        for package in (_REFERENCE, f"{_REFERENCE}.exams", f"{OWN}.{_REFERENCE}", f"{OWN}.exams"):
            if (module := f"{package}.{name}") in self._graph.modules:
                yield module

    def _exam(self, exams: str, lesson: str, exercise: str) -> str:
        """The module of an exercise's exam, which has its name; else that of all the lesson's."""
        own = f"{exams}.{module_name(lesson)}"
        wanted = exercise.replace("_", "").lower()
        for module in self._graph.modules:
            package, _, name = module.rpartition(".")
            if package == own and name.replace("_", "") == wanted:
                return module
        return own

    def _files(self, modules: Iterable[str]) -> set[Path]:
        """The files of modules and of all that they import: of all, where one may import any."""
        reached = self._graph.reached(modules)
        ours = {module for module in reached if not self._is_engines(module)}
        if any(map(self._graph.may_import_any, ours)):
            # What a course adds is known to itself alone.
            added = {one for one in self._graph.modules if one.startswith(f"{OWN}.")} - reached
            reached = self._graph.reached({*self._graph.modules} - added - {Path(CONFIG).stem})
        return self._graph.files(reached) - {
            self._course.root / one for one in (PROOFS, OWN_PROOFS)
        }

    def _is_engines(self, module: str) -> bool:
        return f"{module}.".startswith(f"{_ENGINE.name}.")

    def _digest(self, files: Iterable[Path], parts: Iterable[str]) -> str:
        # In the same order wherever the engine is installed.
        named = sorted((self._name(path).split("/"), path) for path in files)
        lines = [f"{'/'.join(name)} {self._digest_of(path)}" for name, path in named]
        return digest_of("\n".join([*parts, *lines]).encode())

    def _digest_of(self, path: Path) -> str:
        if path not in self._digests:
            self._digests[path] = digest_of(path.read_bytes())
        return self._digests[path]

    def _name(self, path: Path) -> str:
        if path not in self._names:
            home = _ENGINE.parent if path.is_relative_to(_ENGINE) else self._course.root
            self._names[path] = path.relative_to(home).as_posix()
        return self._names[path]

    @cached_property
    def _always(self) -> list[str]:
        """What any product of one's own machine depends on, the settings of the course included."""
        return [sys.version, *_installed(), self._course.settings.in_lessons()]


def digest_of(content: bytes) -> str:
    """By which a content is known again."""
    return hashlib.sha256(content).hexdigest()


def _public_version(library: str) -> str:
    try:
        return version(library).partition("+")[0]
    except PackageNotFoundError:
        return "none"


def _installed() -> list[str]:
    """All installed distributions with their versions, as the names of their folders have them."""
    # setuptools puts a folder of its own there when it is imported.
    folders = [Path(folder) for folder in sys.path if not folder.endswith("_vendor")]
    return sorted({found.name for folder in folders for found in folder.glob("*.dist-info")})
