"""What is particular to one course: `course.toml`, beside its nbgrader_config.py.

    id = "statistics"            # what nbgrader calls it; by default the folder's name
    preload = ["numpy", "data"]  # imported once for all submissions; by default NumPy
    pyplot = false               # refuse pyplot in lessons; by default it is allowed
    without_places = ["exam1"]   # lessons in which no check says where to look; by default none
    demo = "week1"               # the lesson of `make demo`; by default the shortest

All of it is optional, the file too.
"""

import dataclasses
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import SettingError
from autograder.preload import package_of

FILE = "course.toml"
# The folder and the package of the reference, which no setting may show to students' code.
SOLUTIONS = "solutions"
_MODULES = 'modules, such as ["numpy"]'


@dataclass(frozen=True)
class Settings:
    """The settings of one course."""

    id: str
    # Modules that each student's process finds imported: see `autograder.preload`.
    preload: tuple[str, ...] = ("numpy",)
    # Whether lessons may draw with pyplot, whose pictures have no alt text.
    pyplot: bool = True
    # Lessons in which an answer that no hint explains is not searched for the line to look at.
    without_places: tuple[str, ...] = ()
    # The lesson of which `autograder demo` grades a class, by name or number.
    demo: str = ""


def read_settings(root: Path) -> Settings:
    """The settings of the course in a folder.

    Raises:
        SettingError: for a file that is not TOML, an unknown name or a value that can't be.
    """
    path = root / FILE
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"{path} is not TOML: {error}") from None
    known = [field.name for field in dataclasses.fields(Settings)]
    for name, value in found.items():
        if name not in known:
            raise SettingError(f"{path} sets {name}, which is none of {', '.join(known)}")
        if wrong := _what_is_wrong(name, value):
            raise SettingError(f"{path}: {name} {wrong}")
    lists = {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
    return Settings(**({"id": root.resolve().name} | found | lists))


def _what_is_wrong(name: str, value: Any) -> str:
    """What a value must be, where it is not."""
    if name == "id":
        return "" if isinstance(value, str) and value.strip() else "must be a word in quotes"
    if name == "pyplot":
        return "" if isinstance(value, bool) else "must be true or false"
    if name == "demo":
        is_name = isinstance(value, str) and value.strip()
        return "" if is_name else 'must be a lesson in quotes, such as "week1"'
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        what = 'lessons, such as ["week1"]' if name == "without_places" else _MODULES
        return f"must be a list of {what}"
    return what_is_secret(value) if name == "preload" else ""


def what_is_secret(preload: Iterable[str]) -> str:
    """What is wrong with a list of modules to preload that would show the reference."""
    if SOLUTIONS in map(package_of, preload):
        return f"names {SOLUTIONS}, which students' code must never see: leave it out"
    return ""
