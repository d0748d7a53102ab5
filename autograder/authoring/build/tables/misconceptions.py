"""The table of exercises and misconceptions: what each hint says, and which the check can name."""

from collections.abc import Iterator
from pathlib import Path

from autograder.authoring.build.matching import every_exam
from autograder.authoring.build.proofs import Proofs
from autograder.authoring.lesson.personal import course_lesson
from autograder.course import Course

FILE = Path("docs") / "misconceptions.md"

_INTRODUCTION = """\
# Misconceptions

Made by `autograder build` from `solutions/exams/`; it is not committed.

Each row is a known wrong answer, which the hidden exam refuses and names. *Named* means that the
learner's own check, which knows the printed examples alone, names it too; where it can't, the table
says why. The last column is the hint that whoever gives this answer reads.
"""
_HEAD = """\
| exercise | misconception | named by the check | hint |
| --- | --- | --- | --- |
"""


def table(course: Course) -> str:
    """The text of `docs/misconceptions.md`, for a course of which all is proved."""
    sections = (f"\n## {lesson}\n\n{_HEAD}" + "".join(_rows(course, lesson))
                for lesson in course.lessons())  # fmt: skip
    return "".join([_INTRODUCTION, *sections])


def _rows(course: Course, lesson: str) -> Iterator[str]:
    proofs = Proofs(course).of(lesson)
    left_out = course_lesson(course, lesson).left_out
    asked = {
        name: exam for name, exam in every_exam(course, lesson).items() if name not in left_out
    }
    for name, exam in asked.items():
        for misconception, hint in exam.hints.items():
            reason = proofs[name].unnamed.get(misconception)
            named = f"no: {reason}" if reason else "yes"
            said = hint.replace("|", "\\|")
            yield f"| `{name}` | {misconception} | {named} | {said} |\n"
