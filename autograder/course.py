"""Where things are in a course: its folders, its lessons and their reference.

This is the one place where the engine touches `solutions`, and it does so by name only: no module
of the engine imports it.
"""

import importlib
import keyword
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from autograder.errors import (
    CourseError,
    CourseNotFound,
    LessonNameError,
    LessonNotFound,
    NotInstalled,
    ReferenceNotFound,
)
from autograder.faulty_line import told_with_line
from autograder.settings import (
    CONFIG,
    OWN,
    SOLUTIONS,
    Settings,
    read_settings,
    setting_error,
    where_set,
)

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
    def own(self) -> Path:
        """What a course adds to lessons that it has from others: texts, reference and exams."""
        return self.root / OWN

    @property
    def settings(self) -> Settings:
        """What is particular to this course.

        Raises:
            SettingError: when course.toml says what can't be.
        """
        return read_settings(self.root)

    def lessons(self) -> list[str]:
        """The names of the course's lessons, such as 02_vectors or week1, in their order.

        That is the order of course.toml, which may leave some out, or else 2 before 10.

        Raises:
            SettingError: when course.toml names a lesson that there is not.
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
        """The texts of the course's lessons, in their order, whatever they are called.

        Raises:
            SettingError: when course.toml names a lesson that there is not.
        """
        texts = self._all_texts()
        chosen: list[str] = []
        for name in self.settings.lessons:
            lesson, wrong = _only_one(name, [*texts])
            if lesson in chosen:
                wrong = f"{lesson} stands there twice"
            if wrong:
                raise setting_error(self.root, "lessons", f"lessons: {wrong}", name)
            chosen.append(lesson)
        return [texts[lesson] for lesson in chosen or texts]

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Names of lessons in the course's order, and others, such as retakes, behind them.

        As they are given where only a build could say what is wrong with the course's lessons.
        """
        given = [*names]
        with suppress(CourseError):
            lessons = self.lessons()
            given.sort(key=lambda name: lessons.index(name) if name in lessons else len(lessons))
        return given

    def lessons_in(self, setting: str) -> dict[str, str]:
        """The full names of the lessons that a setting names, by what they are called there.

        What is set for a lesson that the course leaves out, as another's course.toml may have it,
        is left out as well.

        Raises:
            SettingError: when course.toml names a lesson that there is not.
        """
        lessons, texts = self.lessons(), [*self._all_texts()]
        found = {}
        for name in self.settings.names_of_lessons(setting):
            lesson, wrong = _only_one(name, texts)
            if wrong:
                raise setting_error(self.root, setting, f"{setting}: {wrong}", name)
            if lesson in lessons:
                found[name] = lesson
        return found

    def has_places(self, lesson: str) -> bool:
        """Whether checks of this lesson say where to look, by its full name."""
        return lesson not in self.lessons_in("without_places").values()

    def lessons_not_chosen(self) -> set[str]:
        """The lessons that have a text and are not among those that course.toml names."""
        return {*self._all_texts()} - {path.stem for path in self.texts()}

    def _all_texts(self) -> dict[str, Path]:
        """All texts in source/ by their names, sorted."""
        paths = [path for path in self.source.glob("*.md") if path.stem.lower() != _NO_LESSON]
        return {path.stem: path for path in sorted(paths, key=_in_order)}

    def lessons_named(self, names: Iterable[str]) -> list[str]:
        """The full names of some lessons; how a name begins, such as 02, is enough.

        A whole number stands for its own lesson, so 00 is never 00b.

        Raises:
            LessonNotFound: when a name stands for no lesson, or for several.
        """
        return [self.lesson_named(name) for name in names]

    def in_full(self, name: str) -> str:
        """The name of the lesson that one begins with, or stands for; any other as it is."""
        with suppress(LessonNotFound):
            return name if (self.source / name).is_dir() else self.lesson_named(name)
        return name

    def lesson_named(self, name: str) -> str:
        """The full name of one lesson, as for `lessons_named`.

        Raises:
            LessonNotFound: when the name stands for no lesson, or for several.
        """
        lesson, wrong = _only_one(name, self.lessons())
        if wrong:
            left_out, _ = _only_one(name, sorted(self.lessons_not_chosen()))
            if left_out:
                file = where_set(self.root, "lessons").relative_to(self.root)
                there = ", ".join(self.lessons())
                wrong = f"`lessons` in {file} leaves out {left_out}: there are {there}"
            raise LessonNotFound(f"{wrong}.")
        return lesson

    def lesson_file(self, lesson: str) -> Path:
        """The text of a lesson."""
        return self.source / f"{lesson}.md"

    def own_text(self, lesson: str) -> Path | None:
        """What the course adds to a lesson's text, if it does: mine/02_vectors.md or mine/02.md.

        Raises:
            LessonNameError: for a text there that belongs to no lesson, or is a lesson's second.
        """
        found: dict[str, Path] = {}
        for path in sorted(self.own.glob("*.md"), key=_in_order):
            if path.stem.lower() == _NO_LESSON:
                continue
            texts = self._all_texts()
            belongs = [one for one in texts if path.stem in (one, lesson_number(one))]
            if not belongs:
                raise LessonNameError(
                    f"{path} belongs to no lesson: call it as one of {', '.join(texts)}, or by "
                    "that one's number"
                )
            if belongs[0] in found:
                raise LessonNameError(
                    f"{path} and {found[belongs[0]]} belong to the same lesson: make one of them"
                )
            found[belongs[0]] = path
        return found.get(lesson)

    def reference_file(self, lesson: str) -> Path:
        """The file of a lesson's reference, which need not be there."""
        path = self.solutions / module_name(lesson)
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def own_reference_file(self, lesson: str) -> Path:
        """The file of the reference of a lesson's own exercises, which need not be there."""
        return self.own / SOLUTIONS / f"{module_name(lesson)}.py"

    def release_folder(self, lesson: str) -> Path:
        """The folder that students get of a lesson."""
        return self.notebooks / lesson

    def solution_module(self, lesson: str) -> ModuleType:
        """The reference of a lesson.

        Raises:
            ReferenceNotFound: when it has none.
            SolutionError: naming the file and the line, when it can't be imported.
        """
        return self._module(f"{SOLUTIONS}.{module_name(lesson)}")

    def exam_module(self, lesson: str) -> ModuleType:
        """The exams of a lesson.

        Raises:
            ReferenceNotFound: when it has none.
            ExamError, SolutionError: naming the file and the line, when they can't be imported.
        """
        return self._module(f"{SOLUTIONS}.{_EXAMS}.{module_name(lesson)}")

    def exam_modules(self, lesson: str) -> list[ModuleType]:
        """The exams of a lesson, and after them those of the course's own exercises in it.

        Raises:
            ReferenceNotFound: when the lesson has none.
        """
        own = module_name(lesson)
        is_there = (self.own / _EXAMS / f"{own}.py").is_file() or (self.own / _EXAMS / own).is_dir()
        others = [self._module(f"{OWN}.{_EXAMS}.{own}")] if is_there else []
        return [self.exam_module(lesson), *others]

    def _module(self, name: str) -> ModuleType:
        self.come_first()
        try:
            return importlib.import_module(name)
        except Exception as error:
            # A module that exists and imports something which does not is a defect of its own.
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            if isinstance(error, ImportError) and NotInstalled.of(error):
                raise
            if missing is None or not f"{name}.".startswith(f"{missing}."):
                raise told_with_line(error, self.root) from error
        path = self.root.joinpath(*name.split(".")).with_suffix(".py")
        raise ReferenceNotFound(
            f"{path} is missing: every lesson needs its reference and exams, though each of the "
            "two files may be empty."
        )

    def come_first(self) -> None:
        """Have `solutions` and `mine` mean this course's, even after another one was at work."""
        root = str(self.root)
        sys.path[:] = [root, *(folder for folder in sys.path if folder != root)]
        for package in (SOLUTIONS, OWN):
            loaded = [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]
            places = [place for name in loaded for place in _places(sys.modules[name])]
            if any(not place.is_relative_to(self.root / package) for place in places):
                for name in loaded:
                    del sys.modules[name]


def _places(module: ModuleType) -> list[Path]:
    """Where a module is from; a package without a file of its own may be from several places."""
    file = getattr(module, "__file__", None)
    return [Path(file)] if file else [*map(Path, getattr(module, "__path__", ()))]


def _is_course(folder: Path) -> bool:
    return (folder / CONFIG).is_file() and (folder / "source").is_dir()


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


def is_called(lesson: str, name: str) -> bool:
    """Whether a name is a lesson's, or its number, be it without the zeros in front."""
    number = lesson_number(lesson)
    is_number = name.strip("0").isdecimal() and name.zfill(len(number)) == number
    return name in (lesson, number) or is_number


def _only_one(name: str, lessons: Sequence[str]) -> tuple[str, str]:
    """The lesson that a name stands for, or else what is wrong with it."""
    found = [one for one in lessons if name in (one, lesson_number(one))]
    found = found or [one for one in lessons if is_called(one, name)]
    found = found or [one for one in lessons if one.startswith(name)]
    if len(found) == 1 and name:
        return found[0], ""
    what = "several lessons are" if len(found) > 1 else "no lesson is"
    there = f"there are {', '.join(lessons)}" if lessons else "source/ has no text of a lesson"
    return "", f"{what} called {name!r}: {there}"


def _in_order(path: Path) -> list[tuple[bool, int, str]]:
    """Sorts names as people do, by the numbers in them: week2 comes before week10."""
    parts = [(part, part.isdecimal()) for part in re.findall(r"\d+|\D+", path.stem)]
    return [(not number, int(part) if number else 0, part) for part, number in parts]
