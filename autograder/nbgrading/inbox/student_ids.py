"""Who may be called a student: names that lead nowhere, and that no page or terminal obeys.

Nor may one look like another's: `аda` with a Cyrillic а is a student of its own to a file system
and a gradebook, and Ada to everybody who reads it.
"""

import re
import unicodedata
from collections.abc import Container, Iterable

from autograder.grading.submitted_files import NAME_BYTES

NOBODY = (
    "nobody can be called that: letters of one script, in their plain forms, digits and _ . @ - "
    "make a student's name"
)

# As long as the gradebook's columns, which PostgreSQL keeps to and SQLite does not.
NAME_LETTERS = 128
# PostgreSQL holds no NUL, no database half a surrogate pair, and a terminal obeys the rest.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNFIT = re.compile(r"[^\w@.-]+")
# `.` and `..` would lead to other folders, and a leading `-` reads as an option.
_STUDENT = re.compile(r"[\w@][\w.@-]{0,99}")
# Scripts that are written together, none of whose letters looks like one of another's.
_TOGETHER = dict.fromkeys(
    ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"), "EAST ASIAN"
)


def why_nobody(
    name: str,
    others: Container[str] = (),
    known: Iterable[str] = (),
    *,
    in_table: bool = False,
) -> str:
    """Why this can't be a student, and what to do about it.

    Args:
        name: what their folder is called.
        others: who has a folder of their own, which it can't be.
        known: the students, one of whom may be meant.
        in_table: whether the name stands in a table, and not at a folder.
    """
    near = [one for one in known if _letters(one) == _letters(name) and one not in others]
    if len(near) == 1:
        return f"{NOBODY}; if {near[0]} is meant, rename the folder to that"
    plain = _UNFIT.sub("_", unicodedata.normalize("NFKC", name)).strip("_")
    better = f", for example to {plain}" if is_student_id(plain) and plain not in others else ""
    if in_table:
        return f"{NOBODY}; write another{better.replace(' to ', ' ')}"
    return f"{NOBODY}; rename the folder as the student is called in the gradebook{better}"


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def refusal(name: str, known: Iterable[str] = ()) -> str:
    """Why a folder of this name is nobody's; "" where it can be a student's.

    Args:
        name: what the folder is called.
        known: the students, one of whom may be meant.
    """
    return "" if is_student_id(name) else why_nobody(name, known=known)


def is_student_id(name: str) -> bool:
    """Whether a folder of this name can be a student's."""
    # The other forms of a letter, such as ａ, are what no keyboard and no platform writes.
    return (
        bool(_STUDENT.fullmatch(name))
        and len(name.encode()) <= NAME_BYTES
        and unicodedata.is_normalized("NFKC", name)
        and len(_scripts(name)) <= 1
        and not any("FILLER" in unicodedata.name(letter, "") for letter in name)
    )


def is_persons_name(text: str) -> bool:
    """Whether every gradebook can hold this as a name, an address or another platform's id."""
    return len(text) <= NAME_LETTERS and not _CONTROLS.search(text)


def _scripts(name: str) -> set[str]:
    """The scripts of its letters, by the names that Unicode gives these; 0 to 9 are of any."""
    letters = (one for one in name if one.isalpha() or not one.isascii())
    found = {re.split("[ -]", unicodedata.name(one, "?"))[0] for one in letters}
    return {_TOGETHER.get(script, script) for script in found}
