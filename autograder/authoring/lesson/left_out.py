"""Exercises that a course does not ask: given in the lesson with their solution, or gone from it.

One that is given keeps its name, so that what stands below it runs as before. An answer in words
just goes. The time that the lesson says it takes is shorter by theirs. Further parts can go whole.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

from autograder.authoring.lesson.kept_back import replaced
from autograder.authoring.lesson.lesson import (
    Block,
    Check,
    Code,
    Exercise,
    Lesson,
    Prose,
    WrittenExercise,
    in_parts,
)
from autograder.authoring.lesson.reference import BEGIN, END, INSTEAD, Source
from autograder.checks.source.cell_code import statements_of
from autograder.checks.source.effects import names_in
from autograder.checks.source.opening import NEEDS, TIME

_GIVEN = (
    "**Worked out for you:** `{name}` is given here with its solution, so there is nothing to "
    "write. Read it, run it, and go on."
)
# Hints stand in folds between an exercise and its check.
_FOLD = re.compile(r"<details\b.*?</details>\n*", re.DOTALL)
# Where the next one begins: a capital letter after a space, as names in code have none before them.
_SENTENCES = re.compile(r"(?<=[.:?!]) (?=[A-Z])")
_NUMBER = r"\d+[a-z]?\b"
_LESSONS = re.compile(rf"\blessons? (?P<numbers>{_NUMBER}(?:(?:,| and| or| to)+ {_NUMBER})*)", re.I)
_YOURS = "yours"
_BLOCKS = (ast.For, ast.While, ast.With, ast.If, ast.Try)
# What a lesson's time is rounded to.
_STEP = 5


def without_further_parts(lesson: Lesson, sources: Mapping[str, Source]) -> Lesson:
    """A lesson with no more than its core.

    Raises:
        LessonError: when something in the core needs what is gone.
    """
    blocks: list[Block] = []
    gone = set[str]()
    for block, is_further in in_parts(lesson.blocks):
        if not is_further:
            blocks.append(block)
        elif isinstance(block, Exercise | WrittenExercise):
            gone.add(block.name)
        else:
            for statement in statements_of(_code_of(block, sources)):
                gone |= names_in(statement).binds
    blocks = [
        replace(block, text=TIME.sub(_core_alone, block.text)) if isinstance(block, Prose)
        else block
        for block in blocks
    ]  # fmt: skip
    left_out = {name: False for name in lesson.points if name in gone}
    made = replace(lesson, blocks=tuple(blocks), left_out=left_out)
    _refuse_needed(made, sorted(gone), sources)
    return made


def _core_alone(said: re.Match[str]) -> str:
    return f"{said['before']}{said['core'] or said['all']} minutes"


def leave_out(
    lesson: Lesson, left_out: Mapping[str, bool], file: Path, sources: Mapping[str, Source]
) -> Lesson:
    """A lesson without the exercises that a course does not ask.

    Args:
        lesson: with all its exercises, and valid.
        left_out: those that are not asked, each with whether it is worked out.
        file: where the reference is.
        sources: the exercises in the reference, by name.

    Raises:
        LessonError: when a given cell, or another exercise, needs one that is gone.
    """
    blocks = tuple(_blocks(lesson, left_out, file, sources))
    made = replace(lesson, blocks=blocks, left_out={**lesson.left_out, **left_out})
    _refuse_needed(made, [name for name, is_given in left_out.items() if not is_given], sources)
    return made


def _blocks(
    lesson: Lesson, left_out: Mapping[str, bool], file: Path, sources: Mapping[str, Source]
) -> Iterator[Block]:
    worked = {name for name, is_given in left_out.items() if is_given}
    spared, further = Counter[bool](), lesson.further
    for block in lesson.blocks:
        if isinstance(block, Exercise | WrittenExercise) and block.name in left_out:
            spared[block.name in further] += block.minutes
    not_checked_yet: list[str] = []
    for block in _without_requests(lesson.blocks, left_out):
        match block:
            case Exercise():
                not_checked_yet.append(block.name)
            case Check():
                not_checked_yet.remove(block.name)
        match block:
            case Exercise() if block.name in worked:
                if block.name not in sources:
                    sentence = f"the exercise {block.name} has no solution in {file}"
                    raise lesson.error(block, sentence)
                yield from _worked(sources[block.name], file)
            case Exercise() | WrittenExercise() | Check() if block.name in left_out:
                pass
            case Code():
                yield replace(block, source=_without_yours(block.source, worked))
            case Prose() if not_checked_yet and not_checked_yet[-1] in left_out:
                if text := _FOLD.sub("", block.text).strip():
                    yield replace(block, text=text)
            case Prose():
                yield replace(block, text=TIME.sub(partial(_shorter, spared), block.text))
            case _:
                yield block


def _without_requests(blocks: Sequence[Block], left_out: Mapping[str, bool]) -> Iterator[Block]:
    """The blocks without the sentences that ask, right above it, for an exercise that is gone."""
    for block, after in zip_longest(blocks, blocks[1:]):
        asked = after.name if isinstance(after, Exercise | WrittenExercise) else ""
        if isinstance(block, Prose) and not left_out.get(asked, True):
            before, gap, last = block.text.rstrip().rpartition("\n\n")
            sentences = _SENTENCES.split(last)
            named = [f"`{asked}" in sentence for sentence in sentences]
            kept = sentences[: named.index(True)] if True in named else sentences
            if text := f"{before}{gap}{' '.join(kept)}".rstrip():
                yield replace(block, text=text)
        else:
            yield block


def _shorter(spared: Mapping[bool, int], said: re.Match[str]) -> str:
    """The time that a lesson takes without so many minutes of further exercises and of others."""

    def left(minutes: str, less: int) -> int:
        return max(_STEP, _STEP * round((int(minutes) - less) / _STEP))

    minutes = left(said["all"], spared[True] + spared[False])
    core = left(said["core"], spared[False]) if said["core"] else minutes
    within = f", {core} of them for the core" if core < minutes else ""
    return f"{said['before']}{minutes} minutes{within}"


def pointing_at(lesson: Lesson, left_out: Collection[str], file: Path) -> Iterator[str]:
    """A sentence for each place in a lesson's prose that names an exercise which is not asked.

    Args:
        lesson: as its course has it.
        left_out: the names of what the course leaves out, in this lesson or in another.
        file: where the reference is, which is that of what is worked out here.
    """
    asked = {b.name for b in lesson.blocks if isinstance(b, Exercise | WrittenExercise)}
    names = "|".join(map(re.escape, sorted({*left_out} - asked)))
    pointer = re.compile(rf"`(?P<name>{names})\b")
    for place, found in _in_prose(lesson, pointer, file) if names else ():
        yield (
            f"{place}: the text speaks of `{found['name']}`, which this course does not ask: say "
            "more in a text of your own, if that misleads"
        )


def sections_without(lesson: Lesson, whole: Lesson, file: Path) -> Iterator[str]:
    """A sentence for each section that has lost an exercise, which it may speak of by no name.

    Args:
        lesson: as its course has it.
        whole: as its text has it.
        file: where the reference is, as for `pointing_at`.
    """
    gone: dict[str, list[str]] = {}
    for name, title in whole.sections.items():
        if not lesson.left_out.get(name, True):
            gone.setdefault(title, []).append(f"`{name}`")
    for title, names in gone.items():
        heading = re.compile(rf"^#+ {re.escape(title)}$", re.MULTILINE)
        for place, _ in _in_prose(lesson, heading, file):
            are, them = ("is", "it") if len(names) == 1 else ("are", "them")
            yield (
                f"{place}: {_listed(names)} {are} gone from the section that begins here: "
                f"read it once, for sentences that speak of {them} without a name"
            )


def needing_what_follows(lesson: Lesson, later: Collection[str], file: Path) -> Iterator[str]:
    """A sentence if a lesson says that it needs others which its course has further down.

    Args:
        lesson: as its course has it.
        later: what the lessons behind it are called for short.
        file: where the reference is, as for `pointing_at`.
    """
    needed = sorted({*later}.intersection(re.split(", | to ", lesson.opening.needs)))
    for place, _ in _in_prose(lesson, NEEDS, file) if needed else ():
        yield (
            f"{place}: this lesson needs {_listed(needed)}, which `lessons` has behind it: "
            "have them before it, or say in a text of your own what is needed of them"
        )


def pointing_at_lessons(lesson: Lesson, numbers: Iterable[str], file: Path) -> Iterator[str]:
    """A sentence if a lesson's prose names others that the course does not have.

    Args:
        lesson: as its course has it.
        numbers: what the lessons that there are, and that the course has not, are called for short.
        file: where the reference is, as for `pointing_at`.
    """
    gone, named, places = {*numbers}, set[str](), list[str]()
    for place, found in _in_prose(lesson, _LESSONS, file):
        if missing := gone.intersection(re.findall(_NUMBER, found["numbers"])):
            named |= missing
            places.append(place)
    if not places:
        return
    first, *others = places
    several = f" and in {len(others)} more places" if others else ""
    more = " and in one more place" if len(others) == 1 else several
    lessons = f"{'lesson' if len(named) == 1 else 'lessons'} {_listed(sorted(named))}"
    yield (
        f"{first}: the text speaks here{more} of {lessons}, which this course does not have: say "
        "more in a text of your own, if that misleads"
    )


def _listed(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def _in_prose(
    lesson: Lesson, pointer: re.Pattern[str], file: Path
) -> Iterator[tuple[str, re.Match[str]]]:
    """What is found in a lesson's words, each with its file and line."""
    for block in lesson.blocks:
        if isinstance(block, Prose | WrittenExercise) and lesson.file_of(block) != file:
            text = block.text if isinstance(block, Prose) else block.question
            for found in pointer.finditer(text):
                line = block.line
                if isinstance(block, Prose):
                    line += text[: found.start()].count("\n")
                yield f"{lesson.file_of(block)}:{line}", found


def _worked(source: Source, file: Path) -> Iterator[Block]:
    yield Prose(source.line, _GIVEN.format(name=source.name), file=file)
    lines = (line.replace(f"{BEGIN} {INSTEAD}", "# In place of the lines above:")
             for line in source.text.split("\n"))  # fmt: skip
    text = "\n".join(line for line in lines if not line.strip().startswith((BEGIN, END)))
    yield Code(source.line, text, file=file)


def _without_yours(source: str, worked: Collection[str]) -> str:
    """A given cell that takes what is worked out as it is, and not only if its check passes."""
    calls = [
        node
        for statement in (statements_of(source) if worked and _YOURS in source else ())
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        and node.func.id == _YOURS and node.args
        and isinstance(node.args[0], ast.Name) and node.args[0].id in worked
    ]  # fmt: skip
    # The last one first: what stands before it keeps its place.
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset), reverse=True):
        source = replaced(source, call, ast.unparse(call.args[0]))
    return source


def _refuse_needed(lesson: Lesson, gone: Collection[str], sources: Mapping[str, Source]) -> None:
    made = set[str]()
    for block in lesson.blocks:
        code = _code_of(block, sources)
        for statement in statements_of(code) if any(name in code for name in gone) else ():
            names = names_in(statement)
            # What a loop goes through, or a block makes, it mostly makes before it uses it.
            made |= names.binds if isinstance(statement, _BLOCKS) else set()
            for name in sorted((names.uses - made).intersection(gone)):
                sentence = (
                    f"this needs {name}, which is to be gone: have it, or the part in which it "
                    'stands, "worked" in `leave_out`'
                )
                raise lesson.error(block, sentence)
            made |= names.binds


def _code_of(block: Block, sources: Mapping[str, Source]) -> str:
    if isinstance(block, Code):
        return block.source
    if isinstance(block, Check):
        return block.tests
    if isinstance(block, Exercise) and block.name in sources:
        return sources[block.name].text
    return ""
