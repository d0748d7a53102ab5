"""The solution cells of a graded class, as texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.course import Course
from autograder.insight.similarity.normal import LONGEST
from autograder.insight.similarity.usual import solution_cells

# The pairs of so many take 100 MB.
MOST = 5_000


@dataclass(frozen=True)
class Answers:
    """What each student wrote, by exercise.

    `too_long` are the answers, by student and exercise, that are not compared, and `not_read` the
    students whose notebooks can't be read or who are too many.
    """

    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    too_long: list[tuple[str, str]] = field(default_factory=list)
    not_read: list[str] = field(default_factory=list)


def read_answers(course: Course, lesson: str, students: Sequence[str]) -> Answers:
    """The answers of these students, from their graded notebooks."""
    found = Answers()
    for number, student in enumerate(sorted(students)):
        path = course.root / "autograded" / student / lesson / f"{lesson}.ipynb"
        try:
            cells = solution_cells(path) if number < MOST else {}
        except (OSError, ValueError, KeyError, TypeError):
            cells = {}
        if not cells:
            found.not_read.append(student)
            continue
        found.too_long.extend((student, name) for name, text in cells.items() if _is_long(text))
        found.sources[student] = {name: text for name, text in cells.items() if not _is_long(text)}
    return found


def _is_long(text: str) -> bool:
    return len(text) > LONGEST
