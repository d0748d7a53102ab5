"""Where things are in a course: its folders, its lessons and their reference.

This is the one place where the engine touches `solutions`, and it does so by name only: no module
of the engine imports it.
"""

import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from autograder.errors import CourseNotFound, ReferenceNotFound

_LESSON = re.compile(r"\d\d_[a-z0-9_]+")


@dataclass(frozen=True)
class Course:
    """A course, known by its root: the folder that holds nbgrader_config.py and source/."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> "Course":
        """The course that `start` (by default the current folder) lies in.

        Raises:
            CourseNotFound: when neither it nor any folder above it is a course.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / "nbgrader_config.py").is_file() and (folder / "source").is_dir():
                return cls(folder)
        raise CourseNotFound(
            f"{start} is not in a course (a folder that holds nbgrader_config.py and source/): "
            "go to where you cloned it and try again."
        )

    @property
    def source(self) -> Path:
        """The lessons' texts; also where nbgrader looks for the instructor's notebooks."""
        return self.root / "source"

    @property
    def notebooks(self) -> Path:
        """What students get, a folder per lesson: nbgrader's release directory."""
        return self.root / "notebooks"

    @property
    def solutions(self) -> Path:
        """The reference, a module per lesson, and its exams."""
        return self.root / "solutions"

    def lessons(self) -> list[str]:
        """The names of all lessons, such as 02_dot_product_self_attention, in their order."""
        names = (path.stem for path in self.source.glob("*.md"))
        return sorted(name for name in names if _LESSON.fullmatch(name))

    def lesson_file(self, lesson: str) -> Path:
        """The text of a lesson."""
        return self.source / f"{lesson}.md"

    def release_folder(self, lesson: str) -> Path:
        """The folder that students get of a lesson."""
        return self.notebooks / lesson

    def solution_module(self, lesson: str) -> ModuleType:
        """The reference of a lesson.

        Raises:
            ReferenceNotFound: when it has none.
        """
        return self._module(f"solutions.{module_name(lesson)}")

    def exam_module(self, lesson: str) -> ModuleType:
        """The exams of a lesson.

        Raises:
            ReferenceNotFound: when it has none.
        """
        return self._module(f"solutions.exams.{module_name(lesson)}")

    def _module(self, name: str) -> ModuleType:
        self._come_first()
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            # A module that exists and imports something which does not is a defect of its own.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
        path = self.root.joinpath(*name.split(".")).with_suffix(".py")
        raise ReferenceNotFound(f"{path} is missing: every lesson needs its reference and exams.")

    def _come_first(self) -> None:
        """Have `solutions` mean this course's, even where another course was at work before."""
        root = str(self.root)
        sys.path[:] = [root, *(folder for folder in sys.path if folder != root)]
        loaded = sys.modules.get("solutions")
        if loaded and not any(Path(place) == self.solutions for place in loaded.__path__):
            for name in [name for name in sys.modules if f"{name}.".startswith("solutions.")]:
                del sys.modules[name]


def module_name(lesson: str) -> str:
    """A lesson's name without its number, which is the name of its modules in solutions/."""
    return lesson.split("_", 1)[1]
