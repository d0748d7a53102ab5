"""What is particular to one course: `course.toml`, beside its nbgrader_config.py.

    id = "statistics"            # what nbgrader calls it; by default the folder's name
    preload = ["numpy", "data"]  # imported once for all submissions; by default NumPy
    pyplot = false               # refuse pyplot in lessons; by default it is allowed
    without_places = ["exam1"]   # lessons in which no check says where to look; by default none
    demo = "week1"               # the lesson of `make demo`; by default the shortest
    lessons = ["00", "02"]       # those that the course has, in this order; by default all
    leave_out = ["variance"]     # exercises that are worked out, and not asked; by default none
    points = {mean = 3}          # points in place of a lesson's own
    due = {"00" = 2026-11-30T23:59:00+01:00}      # until when a lesson is to be handed in
    late = {per_day = 0.1, grace_hours = 1, floor = 0.5}    # what being late costs; by default none
    browser = ["00", "02"]       # lessons that run in a browser too; by default none
    partial_credit = false       # being right but for one thing earns nothing; by default half
    repository = "ada/statistics"            # where it lies on GitHub; by default nowhere
    site = "https://ada.github.io/stats/"    # where its pages are published; by default nowhere

All of it is optional, the file too. Whoever takes over a course of others leaves their files as
they are, and says what is to be otherwise in `mine/course.toml`, and of nbgrader's own settings in
`mine/nbgrader_config.py`.
"""

import dataclasses
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from autograder.errors import SettingError
from autograder.preload import package_of

FILE = "course.toml"
# What makes a folder an nbgrader course, and its settings of nbgrader's.
CONFIG = "nbgrader_config.py"
# The folders and packages of the reference: that of the lessons, and that of a course's own
# exercises. No setting may show them to students' code.
SOLUTIONS = "solutions"
OWN = "mine"
# What the build has found out about exams, beside them.
PROOFS_FILE = "proofs.json"
# What it makes of exams beside a lesson's notebook: `checks.examples.FILE`, which takes long to
# import.
EXAMPLES_FILE = "checks.json"
# What becomes of an exercise that is left out.
WORKED, GONE = "worked", "gone"

_AT_LINE = re.compile(r"^(?P<what>.*) \(at line (?P<line>\d+), column \d+\)$", re.DOTALL)
_TABLE = re.compile(r"\s*\[")
_YEARS = range(1970, 3000)
# Settings about a term, a name or a command: no lesson is another for them.
_IN_NO_LESSON = ("id", "due", "late", "demo")
# So much of a wrong value is quoted.
_SHOWN = 60
_OWNER_AND_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_NAME_OF_A_FOLDER = re.compile(r"\w[\w. -]*")
_ADDRESS = re.compile(r"https?://[^\s/\"'<>]+(?:/[^\s\"'<>]*)?")


@dataclass(frozen=True)
class Settings:
    """The settings of one course."""

    id: str
    # Modules that each student's process finds imported: see `autograder.preload`.
    preload: tuple[str, ...] = ("numpy",)
    # Whether lessons may draw with pyplot, whose pictures have no alt text.
    pyplot: bool = True
    # Lessons, by name or number, in which an answer that no hint explains is not searched for the
    # line to look at.
    without_places: tuple[str, ...] = ()
    # The lesson of which `autograder demo` grades a class, by name or number.
    demo: str = ""
    # The lessons that the course has, by name or number, in their order; without any, all.
    lessons: tuple[str, ...] = ()
    # Exercises that count as core, or as further, whatever the headings above them say.
    core: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    # Exercises that are not asked, each with what becomes of it: WORKED or GONE; or "further".
    leave_out: Mapping[str, str] = field(default_factory=dict)
    # What exercises are worth, in place of what their lessons say.
    points: Mapping[str, int] = field(default_factory=dict)
    # Until when lessons, by name or number, are to be handed in; a time without a zone is local.
    due: Mapping[str, datetime] = field(default_factory=dict)
    # What is taken off for being late: see `autograder.nbgrading.term.late`.
    late: Mapping[str, float] = field(default_factory=dict)
    # Lessons, by name or number, that run in a browser too: see `autograder.authoring.browser`.
    browser: tuple[str, ...] = ()
    # Whether an answer that is right but for one thing, which its exam declares, earns half.
    partial_credit: bool = True
    # Where the course lies on GitHub, as owner/name: pages link to it, and open lessons from it.
    repository: str = ""
    # The address at which the course's pages are published.
    site: str = ""

    def in_lessons(self) -> str:
        """All that may show in a lesson's notebooks, or in what is built of it, as one text."""
        said = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return repr({name: value for name, value in said.items() if name not in _IN_NO_LESSON})

    def names_of_lessons(self, setting: str) -> tuple[str, ...]:
        """By which names or numbers a setting names lessons: one of `ABOUT_LESSONS`."""
        value = getattr(self, setting)
        return tuple(filter(None, [value] if isinstance(value, str) else value))


def read_settings(root: Path) -> Settings:
    """The settings of the course in a folder.

    Raises:
        SettingError: naming the line, for a file that is not TOML, an unknown name or a value that
            can't be.
    """
    found = {name: value for file in settings_files(root) for name, value in _read(file).items()}
    known = [one.name for one in dataclasses.fields(Settings)]
    for name, value in found.items():
        if name not in known:
            raise setting_error(root, name, f"sets {name}, which is none of {', '.join(known)}")
        if wrong := _RULES[name](value):
            entry = _culprit(value, _RULES[name])
            raise setting_error(root, name, f"{name} {wrong}{_said_of(value, entry)}", entry)
    made = {name: _made(name, value) for name, value in found.items()}
    return Settings(**({"id": root.resolve().name} | made))


def setting_error(root: Path, name: str, what: str, entry: str = "") -> SettingError:
    """What is wrong with a setting, or with one entry of it, with its file and line."""
    file = where_set(root, name)
    line = _line_of(file.read_text(encoding="utf-8"), name, entry)
    return SettingError(f"{file}:{line}: {what}")


def settings_files(root: Path) -> list[Path]:
    """Where a course's settings stand, if they do; what a later file says goes before."""
    return [file for file in (root / FILE, root / OWN / FILE) if file.is_file()]


def configurations(root: Path) -> list[Path]:
    """Where a course's settings of nbgrader's stand; what a later file says goes before."""
    return [file for file in (root / CONFIG, root / OWN / CONFIG) if file.is_file()]


def where_set(root: Path, name: str) -> Path:
    """The file whose word counts for a setting; of one that is in none, where it belongs."""
    own = root / OWN
    files = [file for file in settings_files(root) if name in _read(file)]
    return [own / FILE if own.is_dir() else root / FILE, *files][-1]


def what_is_secret(preload: Iterable[str]) -> str:
    """What is wrong with a list of modules to preload that would show the reference."""
    for secret in (SOLUTIONS, OWN):
        if secret in map(package_of, preload):
            return f"names {secret}, which students' code must never see: leave it out"
    return ""


def _read(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise SettingError(f"{path}:{line}: this is not TOML, which is text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.match(str(error))
        line = int(found["line"]) if found else content.count(b"\n") + 1
        what = found["what"] if found else "the file ends too soon"
        raise SettingError(f"{path}:{line}: this is not TOML: {what}") from None
    except (ValueError, RecursionError):
        what = "a number or a list in it is longer or deeper than any can be"
        raise SettingError(f"{path}: {what}") from None


def _line_of(text: str, name: str, entry: str) -> int:
    """The line, from 1, on which a setting stands, or on which an entry of it does.

    tomllib does not tell. A setting stands above all tables, or is one.
    """
    word = rf"[\"']?{re.escape(name)}[\"']?\s*"
    alone, table = re.compile(rf"\s*{word}[=.]"), re.compile(rf"\s*\[\s*{word}[\].]")
    lines, above_tables, first = text.split("\n"), True, 0
    for number, line in enumerate(lines):
        if table.match(line) or (above_tables and alone.match(line)):
            first = number
            break
        above_tables = above_tables and not _TABLE.match(line)
    found = re.compile(rf"(?<!\w){re.escape(entry)}(?!\w)")
    for number, line in enumerate(lines[first:] if entry else ()):
        # What stands left of the first entry is the setting's own name.
        if found.search(line.partition("=")[2] if number == 0 else line):
            return first + number + 1
    return first + 1


def _culprit(value: Any, rule: Callable[[Any], str]) -> str:
    """The entry of a list or a table for which it is refused, if it is one alone."""
    if isinstance(value, dict):
        return next((str(key) for key, one in value.items() if rule({key: one})), "")
    if isinstance(value, list):
        return next((str(one) for one in value if rule([one])), "")
    return ""


def _said_of(value: Any, entry: str) -> str:
    """What a table says of its wrong entry, for the end of the sentence."""
    if not entry or not isinstance(value, dict):
        return ""
    one = value[entry]
    is_day = isinstance(one, date) and not isinstance(one, datetime)
    why = ", a day without a time" if is_day else ""
    return f'; "{_shortened(entry)}" is set to {_shortened(_as_toml(one))}{why}'


def _as_toml(value: Any) -> str:
    """A value about as it stands in the file, which a lecturer looks for there."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:
        # As a number of 5,000 digits, which has no text.
        return "something too long to be shown"


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _made(name: str, value: Any) -> Any:
    """A value as the settings have it."""
    if name == "leave_out" and isinstance(value, list):
        return dict.fromkeys(value, WORKED)
    return tuple(value) if isinstance(value, list) else value


def _id(value: Any) -> str:
    if isinstance(value, str) and _NAME_OF_A_FOLDER.fullmatch(value):
        return ""
    return 'must be a name that a folder can have, in quotes, such as "statistics"'


def _repository(value: Any) -> str:
    if isinstance(value, str) and _OWNER_AND_NAME.fullmatch(value):
        return ""
    return 'must be the owner and the name of a repository on GitHub, such as "ada/statistics"'


def _site(value: Any) -> str:
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        return ""
    return 'must be the address of the pages, such as "https://ada.github.io/statistics/"'


def _yes_or_no(value: Any) -> str:
    return "" if isinstance(value, bool) else "must be true or false"


def _lesson(value: Any) -> str:
    is_name = isinstance(value, str) and value.strip()
    return "" if is_name else 'must be a lesson in quotes, such as "week1"'


def _is_list_of_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _modules(value: Any) -> str:
    if not _is_list_of_words(value):
        return 'must be a list of modules, such as ["numpy"]'
    return what_is_secret(value)


def _some_lessons(value: Any) -> str:
    return "" if _is_list_of_words(value) else 'must be a list of lessons, such as ["week1"]'


def _lessons(value: Any) -> str:
    if value == []:
        return "names no lesson: name some, or delete the line to have all"
    return _some_lessons(value)


def _left_out(value: Any) -> str:
    if _is_list_of_words(value):
        return ""
    if isinstance(value, dict) and all(one in (WORKED, GONE) for one in value.values()):
        return ""
    return (
        'must be a list of exercises, such as ["variance"], or a table that says of each "worked" '
        'or "gone", such as {variance = "gone"}'
    )


def _exercises(value: Any) -> str:
    return "" if _is_list_of_words(value) else 'must be a list of exercises, such as ["variance"]'


def _points(value: Any) -> str:
    is_table = isinstance(value, dict)
    if is_table and all(type(one) is int and one > 0 for one in value.values()):
        return ""
    return "must be a table of exercises with whole numbers above 0, such as {variance = 3}"


def _due(value: Any) -> str:
    # What lies at the ends of the calendar can't be told in another zone.
    if isinstance(value, dict) and all(
        isinstance(one, datetime) and one.year in _YEARS for one in value.values()
    ):
        return ""
    return (
        "must be a table of lessons with day and time, from 1970 to 2999, such as "
        '{"00" = 2026-11-30T23:59:00+01:00}'
    )


def _late(value: Any) -> str:
    known = isinstance(value, dict) and value.keys() <= {"per_day", "grace_hours", "floor"}
    if known and all(
        type(one) in (int, float) and 0 <= one <= (math.inf if name == "grace_hours" else 1)
        for name, one in value.items()
    ):
        return ""
    return (
        "must be a table of shares from 0 to 1 and of hours, such as "
        "{per_day = 0.1, grace_hours = 1, floor = 0.5}"
    )


# What is wrong with the value of each setting, "" where nothing is.
_RULES: Mapping[str, Callable[[Any], str]] = {
    "id": _id,
    "preload": _modules,
    "pyplot": _yes_or_no,
    "without_places": _some_lessons,
    "demo": _lesson,
    "lessons": _lessons,
    "core": _exercises,
    "further": _exercises,
    "leave_out": _left_out,
    "points": _points,
    "due": _due,
    "late": _late,
    "partial_credit": _yes_or_no,
    "browser": _some_lessons,
    "repository": _repository,
    "site": _site,
}
# Settings that name lessons of the course.
ABOUT_LESSONS = [name for name, rule in _RULES.items() if rule in (_lesson, _some_lessons, _due)]
