"""What a lesson is made of, as one digest: all files that its build may read or run.

A file that goes in without need costs a build too many; one left out would leave an old notebook
in place. So all of the engine goes in, all that belongs to no lesson, and the course's own packages
and modules of which an import speaks. Imports are searched for, not followed: that takes no torch.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from autograder.course import Course, module_name
from autograder.settings import FILE
from autograder.settings import SOLUTIONS as _REFERENCE

_ENGINE = Path(__file__).resolve().parents[1]
# With names in brackets, an import may go over several lines.
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([^(\n]*(?:\([^)]*\))?)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_DYNAMIC = ("import_module", "__import__", "iter_modules", "walk_packages")


def inputs_of_lesson(course: Course, lesson: str) -> str:
    """The digest of all that a lesson's notebooks and printed examples are made of."""
    path = course.lesson_file(lesson)
    text = path.read_text(encoding="utf-8")
    beside = (course.source / lesson).glob("*.py")
    return _digest(course, {path, *beside, *_reached(course, lesson, [text])})


def inputs_of_exams(course: Course, lesson: str) -> str:
    """The digest of all that a lesson's exams are made of: its text is not."""
    return _digest(course, _reached(course, lesson, []))


def digest_of(content: bytes) -> str:
    """By which a content is known again."""
    return hashlib.sha256(content).hexdigest()


def _digest(course: Course, files: Iterable[Path]) -> str:
    settings = [course.root / name for name in ("nbgrader_config.py", FILE)]
    parts = [sys.version, *_installed()]
    for path in sorted({*files, *_sources(_ENGINE), *settings}):
        if path.is_file():
            parts.append(f"{_name(course, path)} {digest_of(path.read_bytes())}")
    return digest_of("\n".join(parts).encode())


def _name(course: Course, path: Path) -> Path:
    known = (folder for folder in (course.root, _ENGINE) if path.is_relative_to(folder))
    return path.relative_to(next(known))


def _installed() -> list[str]:
    """All installed distributions with their versions, as the names of their folders have them."""
    # setuptools puts a folder of its own there when it is imported.
    folders = [Path(folder) for folder in sys.path if not folder.endswith("_vendor")]
    return sorted({found.name for folder in folders for found in folder.glob("*.dist-info")})


def _reached(course: Course, lesson: str, texts: Iterable[str]) -> set[Path]:
    """A lesson's modules, those that belong to no lesson, and all that these and texts import."""
    groups = _groups(course)
    waiting, reached = {_REFERENCE, module_name(lesson)}, set[str]()
    for text in texts:
        waiting |= _named(text, groups)
    while waiting:
        group = waiting.pop()
        reached.add(group)
        for path in groups[group]:
            if path.suffix == ".py":
                waiting |= _named(path.read_text(encoding="utf-8"), groups) - reached
    return {path for group in reached for path in groups[group]}


def _groups(course: Course) -> Mapping[str, list[Path]]:
    """What can be imported in a course: a lesson's modules, all others, and what lies beside
    solutions/.
    """
    lessons = {module_name(lesson) for lesson in course.lessons()}
    groups: dict[str, list[Path]] = {name: [] for name in (_REFERENCE, *lessons)}
    for path in _sources(course.solutions):
        names = path.relative_to(course.solutions).with_suffix("").parts[:2]
        owner = next((name for name in names if name in lessons), _REFERENCE)
        groups[owner].append(path)
    for path in course.root.iterdir():
        if (path / "__init__.py").is_file() and path not in (course.solutions, _ENGINE):
            groups.setdefault(path.name, []).extend(_sources(path))
        elif path.suffix == ".py":
            groups.setdefault(path.stem, []).append(path)
    return groups


def _named(text: str, groups: Mapping[str, list[Path]]) -> set[str]:
    """The groups of which a text's imports speak; all of them, where it may import anything."""
    if any(word in text for word in _DYNAMIC):
        return set(groups)
    named = set[str]()
    for statement in _IMPORT.findall(text):
        words = _WORD.findall(statement)
        # `from package.module import name` speaks of a package alone, unless it is the reference.
        whole = " import " not in statement or statement.startswith(".") or _REFERENCE in words
        named.update(words if whole else words[:1])
    return named & groups.keys()


def _sources(folder: Path) -> Iterator[Path]:
    """All files of a package but those that Python makes."""
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and "__pycache__" not in path.parts and not hidden:
            yield path
