"""The table of what the course asks for: `docs/curriculum.md`.

What stands above its mark is the course's own introduction, and stays as its author wrote it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.authoring.build.matching import every_exam
from autograder.authoring.build.shipping import entries_in
from autograder.authoring.lesson.lesson import Exercise, Lesson, WrittenExercise
from autograder.authoring.lesson.personal import course_lesson
from autograder.checks import examples
from autograder.course import Course

FILE = Path("docs") / "curriculum.md"

_MARK = "<!-- what stands below is made by `autograder build`; what stands above is yours -->\n"
_INTRODUCTION = """\
# Curriculum

Minutes are the author's estimate for the exercise alone.

"""
_HEAD = """\
| exercise | part | kind | points | minutes | misconceptions | from |
| --- | --- | --- | --- | --- | --- | --- |
"""


def curriculum(course: Course) -> str:
    """The text of `docs/curriculum.md`; the same course gives the same text."""
    parts = [_introduction(course.root / FILE), _MARK]
    for name in course.lessons():
        lesson = course_lesson(course, name)
        parts += _section(lesson, _misconceptions(course, lesson))
    return "".join(parts)


def _misconceptions(course: Course, lesson: Lesson) -> Mapping[str, int]:
    """How many misconceptions are known of each exercise that has an exam.

    What ships of a lesson tells it without importing the exams; of one that was never built, they
    do.
    """
    path = course.release_folder(lesson.name) / examples.FILE
    ships = entries_in(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if {one.name for one in lesson.exercises} <= {*ships, *lesson.with_tests}:
        return {name: len(entry["hints"]) for name, entry in ships.items()}
    exams = every_exam(course, lesson.name)
    return {name: len(exam.misconceptions) for name, exam in exams.items()}


def _introduction(path: Path) -> str:
    """What a course says above its table."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    own, mark, _ = text.partition(_MARK)
    return own if mark else _INTRODUCTION


def _section(lesson: Lesson, misconceptions: Mapping[str, int]) -> Iterator[str]:
    opening = lesson.opening
    tested = sum(lesson.points[exercise.name] for exercise in lesson.exercises)
    written = sum(lesson.points.values()) - tested
    minutes = f", about {opening.minutes} minutes in all" if opening.minutes else ""
    minutes += f", {opening.core} of them for the core" if opening.core else ""
    yield f"\n## {opening.title or lesson.name}\n\n"
    yield f"{tested} points by tests, {written} by hand{minutes}.\n\n{_HEAD}"
    for block in lesson.blocks:
        if isinstance(block, Exercise | WrittenExercise):
            wrong = misconceptions.get(block.name, "–")
            kind = "code" if isinstance(block, Exercise) else "in words"
            part = "further" if block.name in lesson.further else "core"
            points = lesson.points[block.name]
            yield (
                f"| `{block.name}` | {part} | {kind} | {points} | {block.minutes} | {wrong} "
                f"| {block.origin} |\n"
            )
