"""Who takes part: a table with a row for each student, as a spreadsheet saves it.

    id,last_name,first_name,email,lms_user_id,extension,extension 02
    ada,Lovelace,Ada,ada@example.org,1815,,
    ben,"Babbage, Jr.",Ben,,1791,2,7.5

`id` is the name of the student's folder in submitted/, and is needed; all other columns may be left
out. `extension` is by how many days everything is due later for a student, and `extension 02` that
for one lesson, in its place. Semicolons and tabs separate as well, and a byte order mark is no
letter.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from autograder.errors import RosterError
from autograder.grading.submitted_files import shown
from autograder.nbgrading.inbox.student_ids import (
    NAME_LETTERS,
    is_persons_name,
    is_student_id,
    why_nobody,
)

FILE = "roster.csv"
_NAMES = ("last_name", "first_name", "email", "lms_user_id")
_EXTENSION = "extension"
_SEPARATORS = ",;\t"
# Of what a spreadsheet saves beside UTF-8, only this can be told for sure.
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MOST_DAYS = 3650


@dataclass(frozen=True)
class Listed:
    """One student. `extensions` has days by the lesson's name, and those for all others by ""."""

    id: str
    names: Mapping[str, str] = field(default_factory=dict)
    extensions: Mapping[str, timedelta] = field(default_factory=dict)

    def extension(self, lesson: str) -> timedelta:
        """By how much a lesson is due later."""
        return self.extensions.get(lesson, self.extensions.get("", timedelta()))


def read_roster(path: Path, lesson_named: Callable[[str], str]) -> list[Listed]:
    """The students of a table.

    Args:
        path: the file.
        lesson_named: the full name of a lesson that a column names, such as 02.

    Raises:
        RosterError: naming the line, when it can't be read or says what can't be.
        LessonNotFound: when a column names no lesson.
    """
    lines = _rows(path)
    _, header = next(lines, (1, []))
    columns = [" ".join(name.split()).lower() for name in header]
    if "id" not in columns:
        raise RosterError(f"{path}:1: no column is called id, which names each student's folder")
    lessons = _lessons_in(path, columns, lesson_named)
    found: dict[str, tuple[int, Listed]] = {}
    for number, row in lines:
        if not any(row):
            continue
        if len(row) > len(columns):
            raise RosterError(
                f"{path}:{number}: this row has {len(row)} cells and the first {len(columns)}: put "
                "quotes around what has a separator in it"
            )
        # A row that is cut off ends with empty cells.
        filled = dict.fromkeys(columns, "") | dict(zip(columns, row, strict=False))
        one = _listed(f"{path}:{number}", filled, lessons)
        if one.id in found:
            raise RosterError(f"{path}:{number}: {one.id} is on line {found[one.id][0]} as well")
        found[one.id] = number, one
    return [one for _, one in found.values()]


def update_gradebook(gradebook: Gradebook, students: Iterable[Listed]) -> tuple[int, int]:
    """Have the gradebook know the students, and what it did not know of them.

    Nobody is taken out, and no name is taken away that a table leaves empty.

    Returns:
        How many are new in it, and of how many others something has changed.
    """
    new = changed = 0
    for one in students:
        names = {name: text for name, text in one.names.items() if text}
        try:
            known = gradebook.find_student(one.id)
        except MissingEntry:
            new += 1
        else:
            changed += any(getattr(known, name) != text for name, text in names.items())
        gradebook.update_or_create_student(one.id, **names)
    return new, changed


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table, each with the number of its last line."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-16" if content.startswith(_UTF16) else "utf-8-sig")
    except OSError as error:
        raise RosterError(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RosterError(
            f"{path}:{line}: this is not UTF-8: save it from the spreadsheet as CSV UTF-8"
        ) from None
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for row in reader:
            yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise RosterError(f"{path}:{reader.line_num}: this is not CSV: {error}") from None


def _lessons_in(
    path: Path, columns: list[str], lesson_named: Callable[[str], str]
) -> dict[str, str]:
    """The lesson of each column with extensions, "" for all of them."""
    lessons = {}
    for name in columns:
        if found := re.fullmatch(rf"{_EXTENSION}(?: (?P<lesson>\S+))?", name):
            lessons[name] = lesson_named(found["lesson"]) if found["lesson"] else ""
        elif name not in ("id", *_NAMES):
            known = ", ".join(("id", *_NAMES, _EXTENSION, f"{_EXTENSION} 02"))
            raise RosterError(
                f"{path}:1: no column can be called {shown(name)!r}: there are {known}"
            )
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise RosterError(f"{path}:1: two columns are called {twice[0]}")
    return lessons


def _listed(where: str, row: Mapping[str, str], lessons: Mapping[str, str]) -> Listed:
    if not is_student_id(row["id"]):
        raise RosterError(
            f"{where}: {shown(row['id'])!r} is no id: {why_nobody(row['id'], in_table=True)}"
        )
    extensions = {}
    for column, lesson in lessons.items():
        if text := row.get(column, ""):
            extensions[lesson] = timedelta(days=_days(where, text))
    names = {name: row[name] for name in _NAMES if name in row}
    for name, text in names.items():
        if not is_persons_name(text):
            raise RosterError(
                f"{where}: {name} can't be {shown(text[:40])!r}: it has at most {NAME_LETTERS} "
                "characters, in one line"
            )
    return Listed(row["id"], names, extensions)


def _days(where: str, text: str) -> float:
    try:
        days = float(text.replace(",", "."))
    except ValueError:
        days = -1.0
    if not 0 <= days <= _MOST_DAYS:
        raise RosterError(
            f"{where}: an extension is a number of days, as in 2 or 0.5, not {shown(text)!r}"
        )
    return days
