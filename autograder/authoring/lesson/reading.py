"""A lesson's text, read: prose, given code, exercises and checks, each with its line.

A lesson is a MyST Markdown notebook with two directives more. `exercise` says which exercise goes
here, `check` that it is checked here and for how many points:

    ```{exercise} attention_scores
    :difficulty: 1
    :minutes: 5
    :from: S1
    ```

    ```{check} attention_scores
    :points: 2
    ```

A `check` with a body has tests of its own, plain asserts in place of an exam, of which students see
what is not between nbgrader's hidden-test marks.

A code cell that acts in a way its names don't show, and on which no test depends all the same, has
the option `:scenery:`; one that must be run when grading has `:needed:`.

An `exercise` with a body is a written answer: the body is the question, a model answer between
nbgrader's solution marks and a marking scheme between its mark-scheme marks; it has its points
itself and no check. Between `### BEGIN POINTS` and `### END POINTS` may stand what a good answer
says, for learners to tick.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from jupytext.myst import (
    CODE_DIRECTIVE,
    MystMetadataParsingError,
    get_parser,
    read_fenced_cell,
)

from autograder.authoring.lesson.lesson import (
    Block,
    Check,
    Code,
    Exercise,
    Lesson,
    Prose,
    WrittenExercise,
    validate,
)
from autograder.checks.own_judgement import Point, read_points
from autograder.checks.source.cell_code import is_python
from autograder.checks.source.scenery import NEEDED, SCENERY
from autograder.errors import LessonError

if TYPE_CHECKING:
    from markdown_it.token import Token

_DIRECTIVE = re.compile(r"\s*\{(?P<kind>[\w-]+)\}\s*(?P<name>.*?)\s*$")
_AT_START = re.compile(r"`{3,}\{")
_STRAY = re.compile(r"[\s>*+-]*(`{3,}|~{3,})\s*\{(?P<kind>code-cell|exercise|check)\}")
_MISPLACED = "write ```{{{kind}}} at the start of its line, below a blank line where HTML precedes"
_OPTION = re.compile(r"^:(?P<key>[\w-]+):\s*(?P<value>.*)$")
_NBGRADER = "nbgrader"
# What stands between is for the grader alone.
HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")
# What an exercise may be called.
IS_NAME = re.compile(r"^[a-zA-Z][a-zA-Z0-9_]*$")
_REGION = re.compile(
    r"^### BEGIN (?P<kind>SOLUTION|MARK SCHEME|POINTS)\n(?P<text>.*?)^### END (?P=kind)$",
    re.S | re.M,
)


def read_lesson(path: Path) -> Lesson:
    """Read and validate a lesson.

    Raises:
        LessonError: naming the file and the line, for anything that is not as it should be.
    """
    return _lesson(path, path.read_text(encoding="utf-8"))


@lru_cache(maxsize=32)
def _lesson(path: Path, text: str) -> Lesson:
    """What a text says; a build asks for it again for each table."""
    kernelspec = _kernelspec(path, _tokens(text))
    lesson = Lesson(path, read_blocks(path, text), {"kernelspec": kernelspec})
    validate(lesson)
    return lesson


def read_blocks(path: Path, text: str) -> tuple[Block, ...]:
    """The blocks of a text, each valid by itself.

    Raises:
        LessonError: naming the file and the line, for one that is not.
    """
    lines, tokens = text.split("\n"), _tokens(text)
    fenced = _fenced_in(tokens)
    for number, line in enumerate(lines):
        # Directives that Markdown takes for something else must not end up as prose.
        stray = _STRAY.match(line)
        if stray and number not in fenced:
            raise LessonError(path, number + 1, _MISPLACED.format(kind=stray["kind"]))
    return tuple(_blocks(path, lines, tokens))


def fenced_lines(text: str) -> set[int]:
    """The lines of a text, counted from 0, that stand within fences or are theirs."""
    return _fenced_in(_tokens(text))


def _tokens(text: str) -> Sequence["Token"]:
    tokens: Sequence[Token] = get_parser().parse(f"{text}\n")
    return tokens


def _fenced_in(tokens: Sequence["Token"]) -> set[int]:
    return {n for token in tokens if token.type == "fence" for n in range(*_range(token))}


def _kernelspec(path: Path, tokens: Sequence["Token"]) -> dict[str, object]:
    front = tokens[0].content if tokens and tokens[0].type == "front_matter" else ""
    try:
        metadata = yaml.safe_load(front)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1
        raise LessonError(path, line, "the front matter is not YAML") from error
    kernelspec = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    if not isinstance(kernelspec, dict) or not all(
        isinstance(kernelspec.get(key), str) for key in ("name", "display_name")
    ):
        text = "the front matter names no kernelspec with a name and a display_name"
        raise LessonError(path, 1, text)
    return kernelspec


def _blocks(path: Path, lines: Sequence[str], tokens: Sequence["Token"]) -> Iterator[Block]:
    """Cut a lesson at its directives and at the `+++` between two cells of prose."""
    prose_from = 0
    for token in tokens:
        block = _fenced(path, lines, token) if token.type == "fence" else None
        if block or (token.type in ("front_matter", "myst_block_break") and token.level == 0):
            begin, end = _range(token)
            yield from _prose(lines, prose_from, begin)
            prose_from = end
        if block:
            yield block
    yield from _prose(lines, prose_from, len(lines))


def _prose(lines: Sequence[str], begin: int, end: int) -> Iterator[Prose]:
    while begin < end and not lines[begin].strip():
        begin += 1
    text = "\n".join(lines[begin:end]).rstrip()
    if text:
        yield Prose(begin + 1, text)


def _fenced(path: Path, lines: Sequence[str], token: "Token") -> Block | None:
    """The block that a fence stands for; none when it is part of the prose."""
    begin, end = _range(token)
    line = begin + 1
    directive = _DIRECTIVE.match(token.info)
    if directive and not _AT_START.match(lines[begin]):
        raise LessonError(path, line, _MISPLACED.format(kind=directive["kind"]))
    # One in a list or a quotation ends where that ends.
    if token.level == 0 and not _is_closed(lines[begin:end], token.markup):
        raise LessonError(path, line, "this fence is never closed")
    if not directive:
        return None
    kind, name = directive["kind"], directive["name"]
    if f"{{{kind}}}" == CODE_DIRECTIVE:
        return _code(path, token)
    return _directive(path, line, kind, name, lines[begin + 1 : end - 1])


def _is_closed(lines: Sequence[str], markup: str) -> bool:
    """Whether a fence ends with its own closing line, not with that of a directive inside."""
    ticks = f"{markup}{markup[0]}*"
    closing = re.fullmatch(rf" {{0,3}}{ticks}\s*", lines[-1])
    swallowed = any(re.match(rf"{ticks}\{{[\w-]+\}}", line) for line in lines[1:])
    return len(lines) > 1 and closing is not None and not swallowed


def _code(path: Path, token: "Token") -> Code:
    begin, _ = _range(token)
    try:
        options, body = read_fenced_cell(token, 0, "Code")
    except (MystMetadataParsingError, yaml.YAMLError) as error:
        raise LessonError(path, begin + 1, "the options of this cell are not YAML") from error
    tags = options.get("tags", []) if isinstance(options, dict) else None
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise LessonError(path, begin + 1, "the tags of this cell are not a list of words")
    tags = [*tags, *(tag for tag in (SCENERY, NEEDED) if tag in options)]
    metadata = {key: one for key, one in options.items() if key not in ("tags", SCENERY, NEEDED)}
    if wrong := _what_is_wrong(metadata):
        raise LessonError(path, begin + 1, wrong)
    source = "\n".join(body)
    # The options stand above the source and are as many lines as it has fewer.
    options_above = token.content.rstrip().count("\n") - source.rstrip().count("\n")
    return Code(begin + 2 + options_above, source, tuple(tags), metadata)


def _what_is_wrong(metadata: dict[str, object]) -> str:
    """What a given cell's metadata can't be, where it is that."""
    if _NBGRADER in metadata:
        return (
            "nbgrader's metadata stands in the options of this cell: write an {exercise} and a "
            "{check}, whose body may be plain asserts"
        )
    try:
        json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError):
        return "an option of this cell has a value that a notebook can't hold: put it in quotes"
    return ""


def _range(token: "Token") -> tuple[int, int]:
    """A token's lines, counted from 0, the last one excluded."""
    assert token.map is not None
    begin, end = token.map
    return begin, end


def _directive(path: Path, line: int, kind: str, name: str, body: Sequence[str]) -> Block:
    if kind not in ("exercise", "check"):
        known = f"{CODE_DIRECTIVE}, {{exercise}} and {{check}}"
        raise LessonError(path, line, f"unknown directive {{{kind}}}; there are {known}")
    if not IS_NAME.match(name):
        raise LessonError(path, line, f"{{{kind}}} needs the name of an exercise, found {name!r}")
    options, text = _options(path, line, body)
    origin = options.pop("from", "")
    if kind == "check":
        numbers = _numbers(path, line, name, options, ("points",))
        return Check(line, name, numbers["points"], _tests(path, line, name, text))
    if not text:
        numbers = _numbers(path, line, name, options, ("difficulty", "minutes"))
        return Exercise(line, name, numbers["difficulty"], numbers["minutes"], origin)
    numbers = _numbers(path, line, name, options, ("points", "difficulty", "minutes"))
    return WrittenExercise(
        line, name, numbers["difficulty"], numbers["minutes"], numbers["points"],
        question=_REGION.sub("", text).strip(),
        model_answer=_region(path, line, name, text, "SOLUTION"),
        marking_scheme=_region(path, line, name, text, "MARK SCHEME"),
        to_tick=_to_tick(path, line, name, text, numbers["points"]), origin=origin,
    )  # fmt: skip


def _tests(path: Path, line: int, name: str, text: str) -> str:
    if not is_python(text):
        raise LessonError(path, line, f"the body of the {{check}} of {name} is not Python")
    marks = [stripped for one in text.split("\n") if (stripped := one.strip()) in HIDDEN]
    if marks != [*HIDDEN] * (len(marks) // 2):
        pair = " and ".join(HIDDEN)
        raise LessonError(path, line, f"the {{check}} of {name} needs {pair} in turns")
    return text


def _to_tick(path: Path, line: int, name: str, text: str, worth: int) -> tuple[Point, ...]:
    if not re.search(r"^### (BEGIN|END) POINTS$", text, re.MULTILINE):
        return ()
    try:
        points = read_points(_region(path, line, name, text, "POINTS"))
    except ValueError as error:
        raise LessonError(path, line, f"the written answer {name} {error}") from error
    listed = sum(point.worth for point in points)
    if listed != worth:
        sentence = f"the written answer {name} is worth {worth} points, and its list has {listed}"
        raise LessonError(path, line, sentence)
    return points


def _region(path: Path, line: int, name: str, text: str, kind: str) -> str:
    for mark in (f"### BEGIN {kind}", f"### END {kind}"):
        found = text.split("\n").count(mark)
        if found != 1:
            sentence = f"the written answer {name} needs one line {mark}, found {found}"
            raise LessonError(path, line, sentence)
    regions = {region["kind"]: region["text"].strip() for region in _REGION.finditer(text)}
    if not regions.get(kind):
        sentence = f"the written answer {name} has nothing below its ### BEGIN {kind}"
        raise LessonError(path, line, sentence)
    return regions[kind]


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
        if not options[key].isdecimal() or int(options[key]) == 0:
            raise LessonError(path, line, f"`:{key}:` of {name} is not a positive whole number")
    for key in options:
        if key not in needed:
            raise LessonError(path, line, f"{name} has an unknown option `:{key}:`")
    if int(options.get("difficulty", 1)) > 3:
        raise LessonError(path, line, f"the difficulty of {name} is 1, 2 or 3")
    return {key: int(options[key]) for key in needed}
