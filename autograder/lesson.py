"""A lesson's text, read: prose, given code, exercises and checks, each with its line.

A lesson is a MyST Markdown notebook with two directives more. `exercise` says which exercise goes
here, `check` that it is checked here and for how many points:

    ```{exercise} attention_scores
    :difficulty: 1
    :minutes: 5
    ```

    ```{check} attention_scores
    :points: 2
    ```

An `exercise` with a body is a written answer: the body is the question, a model answer between
nbgrader's solution marks and a marking scheme between its mark-scheme marks; it has its points
itself and no check.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from jupytext.myst import CODE_DIRECTIVE, MystMetadataParsingError, myst_to_notebook

from autograder.errors import LessonError

_FENCE = re.compile(r"^(?P<ticks>`{3,})\{(?P<directive>[\w-]+)\}\s*(?P<name>\S*)\s*$")
_OPTION = re.compile(r"^:(?P<key>[\w-]+):\s*(?P<value>.*)$")
_NAME = re.compile(r"^[a-z][a-zA-Z0-9_]*$")
_REGION = re.compile(
    r"^### BEGIN (?P<kind>SOLUTION|MARK SCHEME)\n(?P<text>.*?)\n### END (?P=kind)$", re.S | re.M
)


@dataclass(frozen=True)
class Prose:
    """Markdown, as it will stand in the notebook."""

    line: int
    text: str


@dataclass(frozen=True)
class Code:
    """A given code cell."""

    line: int
    source: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """The place of an exercise, with its card but for the points."""

    line: int
    name: str
    difficulty: int
    minutes: int


@dataclass(frozen=True)
class Check:
    """The place of an exercise's check."""

    line: int
    name: str
    points: int


@dataclass(frozen=True)
class Written:
    """A question answered in words and graded by hand."""

    line: int
    name: str
    difficulty: int
    minutes: int
    points: int
    question: str
    model_answer: str
    marking_scheme: str


Block = Prose | Code | Exercise | Check | Written


@dataclass(frozen=True)
class Lesson:
    """A lesson as its author wrote it."""

    path: Path
    blocks: tuple[Block, ...]
    metadata: dict[str, object] = field(default_factory=dict)

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
        return {b.name: b.points for b in self.blocks if isinstance(b, Check | Written)}


def read_lesson(path: Path) -> Lesson:
    """Read and validate a lesson.

    Raises:
        LessonError: naming the file and the line, for anything that is not as it should be.
    """
    text = path.read_text(encoding="utf-8")
    try:
        notebook = myst_to_notebook(text, add_source_map=True)
    except (MystMetadataParsingError, yaml.YAMLError) as error:
        raise LessonError(path, 1, f"this is not a MyST notebook: {error}") from error
    starts = notebook.metadata.pop("source_map")
    blocks: list[Block] = []
    for cell, start in zip(notebook.cells, starts, strict=True):
        if cell.cell_type == "code":
            blocks.append(Code(start + 1, cell.source, tuple(cell.metadata.get("tags", ()))))
        else:
            blocks += _split(path, text.splitlines(), cell.source, start)
    kernelspec = notebook.metadata.get("kernelspec")
    if not kernelspec:
        raise LessonError(path, 1, "the front matter names no kernelspec")
    lesson = Lesson(path, tuple(blocks), {"kernelspec": dict(kernelspec)})
    _validate(lesson)
    return lesson


def _split(path: Path, file: Sequence[str], source: str, start: int) -> Iterator[Block]:
    """Cut a Markdown cell at its directives."""
    lines = source.split("\n")
    while start < len(file) and file[start].strip() != lines[0].strip():
        start += 1
    prose_from, position = 0, 0
    while position < len(lines):
        fence = _FENCE.match(lines[position])
        if not fence:
            position += 1
            continue
        end = _closing(path, lines, position, start, fence["ticks"])
        yield from _prose(lines, prose_from, position, start)
        yield _directive(path, start + position + 1, fence, lines[position + 1 : end])
        prose_from = position = end + 1
    yield from _prose(lines, prose_from, len(lines), start)


def _closing(path: Path, lines: Sequence[str], opening: int, start: int, ticks: str) -> int:
    for position in range(opening + 1, len(lines)):
        if lines[position].strip() == ticks:
            return position
    raise LessonError(path, start + opening + 1, "this directive is never closed")


def _prose(lines: Sequence[str], begin: int, end: int, start: int) -> Iterator[Prose]:
    while begin < end and not lines[begin].strip():
        begin += 1
    text = "\n".join(lines[begin:end]).rstrip()
    if text:
        yield Prose(start + begin + 1, text)


def _directive(path: Path, line: int, fence: re.Match[str], body: Sequence[str]) -> Block:
    kind, name = fence["directive"], fence["name"]
    if kind not in ("exercise", "check"):
        known = f"{CODE_DIRECTIVE}, {{exercise}} and {{check}}"
        raise LessonError(path, line, f"unknown directive {{{kind}}}; there are {known}")
    if not _NAME.match(name):
        raise LessonError(path, line, f"{{{kind}}} needs the name of an exercise, found {name!r}")
    options, text = _options(path, line, body)
    if kind == "check":
        return Check(line, name, **_numbers(path, line, name, options, ("points",)))
    if not text:
        return Exercise(
            line, name, **_numbers(path, line, name, options, ("difficulty", "minutes"))
        )
    numbers = _numbers(path, line, name, options, ("points", "difficulty", "minutes"))
    regions = {region["kind"]: region["text"].strip() for region in _REGION.finditer(text)}
    for region in ("SOLUTION", "MARK SCHEME"):
        if region not in regions:
            raise LessonError(path, line, f"the written answer {name} has no ### BEGIN {region}")
    question = _REGION.sub("", text).strip()
    return Written(
        line, name, question=question, model_answer=regions["SOLUTION"],
        marking_scheme=regions["MARK SCHEME"], **numbers,
    )  # fmt: skip


def _options(path: Path, line: int, body: Sequence[str]) -> tuple[dict[str, str], str]:
    options: dict[str, str] = {}
    rest = 0
    for rest, text in enumerate([*body, ""]):
        option = _OPTION.match(text)
        if not option:
            break
        if option["key"] in options:
            raise LessonError(path, line + 1 + rest, f"the option {option['key']} stands twice")
        options[option["key"]] = option["value"].strip()
    return options, "\n".join(body[rest:]).strip()


def _numbers(
    path: Path, line: int, name: str, options: dict[str, str], needed: Sequence[str]
) -> dict[str, int]:
    for key in needed:
        if key not in options:
            raise LessonError(path, line, f"{name} has no card entry `:{key}:`")
        if not options[key].isdigit() or int(options[key]) == 0:
            raise LessonError(path, line, f"`:{key}:` of {name} is not a positive whole number")
    for key in options:
        if key not in needed:
            raise LessonError(path, line, f"{name} has an unknown option `:{key}:`")
    if int(options.get("difficulty", 1)) > 3:
        raise LessonError(path, line, f"the difficulty of {name} is 1, 2 or 3")
    return {key: int(options[key]) for key in needed}


def _validate(lesson: Lesson) -> None:
    seen: dict[str, int] = {}
    checked: dict[str, int] = {}
    for block in lesson.blocks:
        if isinstance(block, Exercise | Written):
            if block.name in seen:
                first = seen[block.name]
                text = f"the exercise {block.name} stands here and on line {first}"
                raise LessonError(lesson.path, block.line, text)
            seen[block.name] = block.line
        if isinstance(block, Check):
            if block.name in checked:
                text = f"{block.name} is checked here and on line {checked[block.name]}"
                raise LessonError(lesson.path, block.line, text)
            if block.name not in seen:
                text = f"{block.name} is checked before its exercise"
                raise LessonError(lesson.path, block.line, text)
            checked[block.name] = block.line
    for exercise in lesson.exercises:
        if exercise.name not in checked:
            raise LessonError(lesson.path, exercise.line, f"{exercise.name} is never checked")
