"""Where things are in a course: its folders, its lessons and their reference.

This is the one place where the engine touches `solutions`, and it does so by name only: no module
of the engine imports it.
"""

import importlib
import keyword
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from autograder.errors import (
    CourseNotFound,
    LessonNameError,
    LessonNotFound,
    ReferenceNotFound,
)
from autograder.settings import SOLUTIONS, Settings, read_settings

# The folder in which lessons are given out and collected.
EXCHANGE = "exchange"
# Where a course keeps what students have made.
_STUDENTS = ("submitted", "autograded", "feedback", EXCHANGE)
# A letter behind the number puts a lesson between two others: 00, 00b, 01.
_NUMBER = re.compile(r"^(\d+[a-z]?)_")
_EXAMS = "exams"
# A folder of texts often says what they are; that is no lesson.
_NO_LESSON = "readme"


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
        courses = [folder for folder in (start, *start.parents) if _is_course(folder)]
        for place, folder in enumerate(courses):
            if not any(_is_handed_in(folder, outer) for outer in courses[place + 1 :]):
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
        return self.root / SOLUTIONS

    @property
    def settings(self) -> Settings:
        """What is particular to this course.

        Raises:
            SettingError: when course.toml says what can't be.
        """
        return read_settings(self.root)

    def lessons(self) -> list[str]:
        """The names of all lessons, such as 02_vectors or week1, in their order: 2 before 10.

        Raises:
            LessonNameError: for a text with a name that no module can have, or with another's.
        """
        lessons: dict[str, Path] = {}
        for path in self.texts():
            module = module_name(path.stem)
            if not module.isidentifier() or keyword.iskeyword(module) or module == _EXAMS:
                raise LessonNameError(
                    f"{path}: no module can be called {module}, as this lesson's reference would "
                    "be: rename it, to letters, digits and _ as in week1.md or 01_vectors.md"
                )
            if module in lessons:
                raise LessonNameError(
                    f"{path} and {lessons[module]} would share the reference "
                    f"{SOLUTIONS}/{module}.py: rename one of them"
                )
            lessons[module] = path
        return [path.stem for path in lessons.values()]

    def texts(self) -> list[Path]:
        """The texts in source/, in their order, whatever they are called."""
        paths = [path for path in self.source.glob("*.md") if path.stem.lower() != _NO_LESSON]
        return sorted(paths, key=_in_order)

    def lessons_named(self, names: Iterable[str]) -> list[str]:
        """The full names of some lessons; how a name begins, such as 02, is enough.

        A whole number stands for its own lesson, so 00 is never 00b.

        Raises:
            LessonNotFound: when a name stands for no lesson, or for several.
        """
        return [self._lesson_named(name) for name in names]

    def _lesson_named(self, name: str) -> str:
        lessons = self.lessons()
        found = [one for one in lessons if name in (one, lesson_number(one))]
        found = found or [one for one in lessons if one.startswith(name)]
        if len(found) != 1 or not name:
            what = "several lessons are" if len(found) > 1 else "no lesson is"
            raise LessonNotFound(f"{what} called {name!r}: there are {', '.join(lessons)}.")
        return found[0]

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
        return self._module(f"{SOLUTIONS}.{module_name(lesson)}")

    def exam_module(self, lesson: str) -> ModuleType:
        """The exams of a lesson.

        Raises:
            ReferenceNotFound: when it has none.
        """
        return self._module(f"{SOLUTIONS}.{_EXAMS}.{module_name(lesson)}")

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
        loaded = sys.modules.get(SOLUTIONS)
        if loaded and not any(Path(place) == self.solutions for place in loaded.__path__):
            for name in [name for name in sys.modules if f"{name}.".startswith(f"{SOLUTIONS}.")]:
                del sys.modules[name]


def _is_course(folder: Path) -> bool:
    return (folder / "nbgrader_config.py").is_file() and (folder / "source").is_dir()


def _is_handed_in(folder: Path, course: Path) -> bool:
    """Whether a student has made it: its settings are Python, and would be run."""
    return folder.relative_to(course).parts[0] in _STUDENTS


def module_name(lesson: str) -> str:
    """A lesson's name without its number, which is the name of its modules in solutions/."""
    return _NUMBER.sub("", lesson)


def lesson_number(lesson: str) -> str:
    """What a lesson is called for short: its number, such as 02 or 00b, or the name of week1."""
    number = _NUMBER.match(lesson)
    return number[1] if number else lesson


def _in_order(path: Path) -> list[tuple[bool, int, str]]:
    """Sorts names as people do, by the numbers in them: week2 comes before week10."""
    parts = [(part, part.isdecimal()) for part in re.findall(r"\d+|\D+", path.stem)]
    return [(not number, int(part) if number else 0, part) for part, number in parts]
