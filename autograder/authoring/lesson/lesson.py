"""A lesson, as its author wrote it: prose, given code, exercises and checks, each with its line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote

from autograder.checks.own_judgement import Point
from autograder.checks.source.cells import FURTHER
from autograder.checks.source.opening import Opening, opening_of_text
from autograder.errors import LessonError

# A heading that ends so begins a part that nothing in any core needs; whatever stands below it,
# down to the next heading that is not lower, is such a part too.
ENDING = f" · {FURTHER}"
_HEADING = re.compile(r"(?P<depth>#{1,6}) +(?P<title>.*?)[ \t]*")
_FENCE = re.compile(r" {0,3}(?P<ticks>`{3,}|~{3,})")
_MARK = re.compile(r"^[ \t]*### BEGIN (?:SOLUTION|HIDDEN TESTS|MARK SCHEME)\b", re.MULTILINE)


@dataclass(frozen=True)
class _Placed:
    """Where a block begins.

    `file` is the text that it stands in, where that is not the lesson's own: see `own_text`.
    """

    line: int
    file: Path | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Prose(_Placed):
    """Markdown, as it will stand in the notebook."""

    text: str


@dataclass(frozen=True)
class Code(_Placed):
    """A given code cell; `metadata` is what its options say beside the tags."""

    source: str
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Exercise(_Placed):
    """The place of an exercise, with its card but for the points.

    `origin` says where it comes from: a document, a paper.
    """

    name: str
    difficulty: int
    minutes: int
    origin: str = ""


@dataclass(frozen=True)
class Check(_Placed):
    """The place of an exercise's check.

    `tests` are plain asserts that examine it, in place of an exam.
    """

    name: str
    points: int
    tests: str = ""


@dataclass(frozen=True)
class WrittenExercise(_Placed):
    """A question answered in words and graded by hand.

    `scale` says which points its marks are for, where these are others than the answer is worth.
    """

    name: str
    difficulty: int
    minutes: int
    points: int
    question: str
    model_answer: str
    marking_scheme: str
    to_tick: tuple[Point, ...] = ()
    origin: str = ""
    scale: str = ""


Block = Prose | Code | Exercise | Check | WrittenExercise


@dataclass(frozen=True)
class Lesson:
    """A lesson as its author wrote it, and as a course has changed it: see `personal`.

    `left_out` has the exercises that the course does not ask, each with whether it is worked out,
    and `counted` those that it counts as further, or as core, whatever their headings say.
    """

    path: Path
    blocks: tuple[Block, ...]
    metadata: dict[str, object] = field(default_factory=dict)
    left_out: Mapping[str, bool] = field(default_factory=dict)
    counted: Mapping[str, bool] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The lesson's name, which is also that of its assignment and its notebook."""
        return self.path.stem

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """The code exercises, in their order."""
        return tuple(block for block in self.blocks if isinstance(block, Exercise))

    @property
    def points(self) -> dict[str, int]:
        """Points by exercise, written answers included."""
        return {b.name: b.points for b in self.blocks if isinstance(b, Check | WrittenExercise)}

    @cached_property
    def opening(self) -> Opening:
        """What it says of itself above its first code."""
        texts = takewhile(lambda block: isinstance(block, Prose), self.blocks)
        return opening_of_text("\n".join(one.text for one in texts if isinstance(one, Prose)))

    @cached_property
    def further(self) -> frozenset[str]:
        """The exercises, written answers included, that the core of the course does not need."""
        return frozenset(
            block.name
            for block, is_further in in_parts(self.blocks)
            if isinstance(block, Exercise | WrittenExercise)
            and self.counted.get(block.name, is_further)
        )

    @cached_property
    def sections(self) -> dict[str, str]:
        """The heading of the section in which each exercise stands, written answers included."""
        found: dict[str, str] = {}
        title = ""
        for block in self.blocks:
            if isinstance(block, Prose):
                for _, heading in _headings(block.text.split("\n")):
                    title = heading["title"] if len(heading["depth"]) > 1 else ""
            elif isinstance(block, Exercise | WrittenExercise):
                found[block.name] = title
        return found

    @property
    def with_tests(self) -> frozenset[str]:
        """The exercises that plain asserts in the text examine, and no exam."""
        return frozenset(b.name for b in self.blocks if isinstance(b, Check) and b.tests)

    @property
    def own(self) -> frozenset[str]:
        """The code exercises that a course adds to the lesson."""
        return frozenset(exercise.name for exercise in self.exercises if exercise.file)

    def file_of(self, block: Block) -> Path:
        """The text in which a block stands."""
        return block.file or self.path

    def error(self, block: Block, sentence: str, offset: int = 0) -> LessonError:
        """What is wrong with a block, or so many lines below where it begins."""
        return LessonError(self.file_of(block), block.line + offset, sentence)


def in_parts(blocks: Iterable[Block]) -> Iterator[tuple[Block, bool]]:
    """Each block, and whether it stands in a further part; prose is cut where a part begins."""
    marked = 0  # the depth of the heading that has begun a further part, 0 in the core
    for block in blocks:
        if not isinstance(block, Prose):
            yield block, marked > 0
            continue
        begun, lines = 0, block.text.split("\n")
        for number, heading in _headings(lines):
            depth = len(heading["depth"])
            was_further = marked > 0
            if marked and depth <= marked:
                marked = 0
            if not marked and heading["title"].endswith(ENDING):
                marked = depth
            if number > begun and was_further != (marked > 0):
                yield _piece(block, lines, begun, number), was_further
                begun = number
        yield _piece(block, lines, begun, len(lines)), marked > 0


def anchor(heading: str) -> str:
    """What JupyterLab calls a section in an address within its notebook."""
    return quote(re.sub(r"[`*]", "", heading).replace(" ", "-"))


def _headings(lines: Iterable[str]) -> Iterator[tuple[int, re.Match[str]]]:
    fence = ""
    for number, line in enumerate(lines):
        if ticks := _FENCE.match(line):
            fence = "" if fence and ticks["ticks"].startswith(fence) else fence or ticks["ticks"]
        elif not fence and (heading := _HEADING.fullmatch(line)):
            yield number, heading


def _piece(block: Prose, lines: list[str], begin: int, end: int) -> Prose:
    text = "\n".join(lines[begin:end]).rstrip()
    return replace(block, line=block.line + begin, text=text)


def validate(lesson: Lesson) -> None:
    """Refuse what does not fit together.

    Raises:
        LessonError: naming the file and the line.
    """
    seen: dict[str, Block] = {}
    checked: dict[str, Block] = {}
    exercises = {exercise.name for exercise in lesson.exercises}
    for block in lesson.blocks:
        if isinstance(block, Exercise | WrittenExercise):
            if block.name in seen:
                first = _where(lesson, block, seen[block.name])
                raise lesson.error(block, f"the exercise {block.name} stands here and {first}")
            seen[block.name] = block
        if isinstance(block, Check):
            if block.name in checked:
                first = _where(lesson, block, checked[block.name])
                raise lesson.error(block, f"{block.name} is checked here and {first}")
            if block.name not in seen:
                raise lesson.error(block, f"no exercise {block.name} stands above its check")
            if block.name not in exercises:
                text = f"{block.name} is answered in words and has no {{check}}"
                raise lesson.error(block, text)
            checked[block.name] = block
    for exercise in lesson.exercises:
        if exercise.name not in checked:
            raise lesson.error(exercise, f"{exercise.name} is never checked")
    _refuse_marks(lesson)
    _refuse_shared_cells(lesson, seen)


def _where(lesson: Lesson, block: Block, other: Block) -> str:
    """Where another block stands, for whoever looks at this one."""
    file = lesson.file_of(other)
    return f"on line {other.line}" if file == lesson.file_of(block) else f"in {file}:{other.line}"


def _refuse_marks(lesson: Lesson) -> None:
    """nbgrader would stop at its own marks in a cell that is neither written in nor graded."""
    for block in lesson.blocks:
        if isinstance(block, Code | Prose):
            text = block.source if isinstance(block, Code) else block.text
            if mark := _MARK.search(text):
                sentence = (
                    f'"{mark[0]}" stands in a given cell: write an {{exercise}} with its solution '
                    "in the reference, and tests in the body of its {check}"
                )
                raise lesson.error(block, sentence, text[: mark.start()].count("\n"))


def _refuse_shared_cells(lesson: Lesson, names: Iterable[str]) -> None:
    """An exercise's cells have its name, and its name with an ending: see `notebook`."""
    taken = set(names)
    for block in lesson.blocks:
        if isinstance(block, Exercise | WrittenExercise):
            cell = f"{block.name}_{'check' if isinstance(block, Exercise) else 'question'}"
            if cell in taken:
                text = (
                    f"{block.name} has a cell named {cell}: give the exercise {cell} another name"
                )
                raise lesson.error(block, text)
