"""What metadata says of a cell: nbgrader's, its name and what it is for and worth; and our own.

A cell may come from a student's file: nothing that stands in its metadata makes reading it fail.
"""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Literal

# A solution is what a student writes; what is graded and no solution is a test.
Role = Literal["solution", "grade"]

_OURS = "autograder"
# Our own mark on an answer's cell, and its value where the core of the course does not need it.
PART, FURTHER = "part", "further"
# What nbgrader leaves where a text is to be written.
UNANSWERED = "YOUR ANSWER HERE"
# What it comments where nothing was written.
NO_RESPONSE = "No response."


def grade_id_of(cell: Mapping[str, Any]) -> str:
    """The name under which nbgrader knows a cell, or "" if it knows none."""
    grade_id = _marks(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) else ""


def has_role(cell: Mapping[str, Any], role: Role) -> bool:
    """Whether a cell is there to be written or to be graded; a written answer is both."""
    return bool(_marks(cell).get(role))


def further_in(cells: Iterable[Mapping[str, Any]]) -> set[str]:
    """The names of those answers' cells that belong to a further part of their lesson."""
    return {grade_id_of(one) for one in cells if own_mark_of(one, PART) == FURTHER}


def is_test(cell: Mapping[str, Any]) -> bool:
    """Whether a cell examines what stands in others: code that is graded and that nobody writes."""
    is_code = cell.get("cell_type") == "code"
    return is_code and has_role(cell, "grade") and not has_role(cell, "solution")


def is_exam(cell: Mapping[str, Any]) -> bool:
    """Whether a test is one of our exams, which draws inputs that nobody can know before."""
    return is_test(cell) and "hidden_check(" in str(cell.get("source", ""))


def points_of(cell: Mapping[str, Any]) -> float:
    """What a graded cell is worth; 0 for any other, and where it says what can be no points."""
    points = _marks(cell).get("points", 0)
    is_number = isinstance(points, int | float) and not isinstance(points, bool)
    # Compared as it is: an int that no float can be is no longer one that can be converted.
    return float(points) if is_number and 0 <= points <= sys.float_info.max else 0.0


def source_of(cell: Mapping[str, Any]) -> str:
    """What stands in a cell, whatever a file has in its place."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    text = source if isinstance(source, str) else ""
    # Half a surrogate pair is no text that could be saved again.
    return text.encode("utf-8", "replace").decode()


def is_answered(cell: Mapping[str, Any]) -> bool:
    """Whether something is written where an answer is to be, and is not just what was given out."""
    text = source_of(cell).strip()
    if text in ("", UNANSWERED) or "raise NotImplementedError" in text:
        return False
    # A worksheet, or code to be repaired, is no answer where it is what was given out.
    return checksum(cell) != noted_checksum(cell)


def own_mark(name: str, value: str) -> dict[str, dict[str, str]]:
    """The metadata of a cell with a mark of our own."""
    return {_OURS: {name: value}}


def own_mark_of(cell: Mapping[str, Any], name: str) -> str:
    """What our own mark of that name says of a cell, or "" where it has none."""
    value = _marks(cell, _OURS).get(name)
    return value if isinstance(value, str) else ""


def _marks(cell: Mapping[str, Any], whose: str = "nbgrader") -> Mapping[str, Any]:
    metadata = cell.get("metadata")
    marks = metadata.get(whose) if isinstance(metadata, Mapping) else None
    return marks if isinstance(marks, Mapping) else {}


def noted_checksum(cell: Mapping[str, Any]) -> object:
    """What nbgrader has noted down of a cell when it was given out."""
    return _marks(cell).get("checksum")


def checksum(cell: Mapping[str, Any]) -> str:
    """The same of a cell as it is now."""
    marks = _marks(cell)
    parts = [source_of(cell), str(cell.get("cell_type"))]
    parts += [str(bool(marks.get(role))) for role in ("grade", "solution", "locked")]
    parts.append(grade_id_of(cell))
    if marks.get("grade"):
        parts.append(str(float(points_of(cell))))
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()
