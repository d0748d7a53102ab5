"""What a course adds to a lesson that it has from others: a text of its own, `mine/02_vectors.md`.

It is written as a lesson is, but for the front matter, which it has none of. Each part of it begins
with a line that says where in the lesson it goes:

    % before
    % after
    % before exercise context_vector
    % after exercise context_vector

An exercise ends with its check.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.authoring.lesson.lesson import Block, Check, Exercise, Lesson, WrittenExercise
from autograder.authoring.lesson.reading import fenced_lines, read_blocks
from autograder.errors import LessonError

_PLACE = re.compile(r"% *(?P<side>before|after)(?: +exercise +(?P<exercise>\w+))? *$")
_FORMS = '"% before", "% after", "% before exercise NAME" or "% after exercise NAME"'


@dataclass(frozen=True)
class _Part:
    """Some blocks, and where they go: before or after an exercise, or the lesson if that is ""."""

    line: int
    side: str
    exercise: str
    blocks: tuple[Block, ...]


def with_own_text(lesson: Lesson, path: Path) -> Lesson:
    """A lesson with what a course's own text adds to it.

    Raises:
        LessonError: naming the file and the line, for a text that says of a part not where it goes,
            or names an exercise that the lesson has not, and as for a lesson's text.
    """
    parts = list(_parts(path))
    names = {block.name for block in lesson.blocks if isinstance(block, Exercise | WrittenExercise)}
    for part in parts:
        if part.exercise and part.exercise not in names:
            sentence = f"there is no exercise {part.exercise} in {lesson.path}"
            raise LessonError(path, part.line, sentence)

    def added(side: str, exercise: str) -> Iterator[Block]:
        for part in parts:
            if (part.side, part.exercise) == (side, exercise):
                yield from part.blocks

    blocks = list(added("before", ""))
    for block in lesson.blocks:
        if isinstance(block, Exercise | WrittenExercise):
            blocks += added("before", block.name)
        blocks.append(block)
        if isinstance(block, Check | WrittenExercise):
            blocks += added("after", block.name)
    return replace(lesson, blocks=(*blocks, *added("after", "")))


def _parts(path: Path) -> Iterator[_Part]:
    text = path.read_text(encoding="utf-8")
    lines, fenced = text.split("\n"), fenced_lines(text)
    marks = [n for n, line in enumerate(lines) if line.startswith("%") and n not in fenced]
    for number, line in enumerate(lines[: marks[0]] if marks else lines):
        if line.strip():
            raise LessonError(path, number + 1, f"say where this goes, by a line {_FORMS} above it")
    for begin, end in zip(marks, [*marks[1:], len(lines)], strict=True):
        place = _PLACE.match(lines[begin])
        if not place:
            raise LessonError(path, begin + 1, f"write {_FORMS}, found {lines[begin]!r}")
        # Each line keeps its number.
        part = "\n".join([*[""] * (begin + 1), *lines[begin + 1 : end]])
        blocks = tuple(replace(block, file=path) for block in read_blocks(path, part))
        yield _Part(begin + 1, place["side"], place["exercise"] or "", blocks)
