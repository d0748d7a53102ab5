"""A lesson as one course has it: with what its folder `mine` adds, and what its course.toml says.

Whoever takes over a course's lessons edits none of their files, so that a later version of them can
be merged.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import TypeVar

from autograder.authoring.lesson.left_out import (
    leave_out,
    needing_what_follows,
    pointing_at,
    pointing_at_lessons,
    sections_without,
    without_further_parts,
)
from autograder.authoring.lesson.lesson import Block, Check, Lesson, WrittenExercise, validate
from autograder.authoring.lesson.own_text import with_own_text
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import read_reference
from autograder.checks.source.cells import FURTHER
from autograder.course import Course, is_called, lesson_number
from autograder.settings import GONE, WORKED, setting_error

Value = TypeVar("Value")

_EXERCISE = re.compile(r"^`{3,}\{exercise\}[ \t]*(\w+)", re.MULTILINE)
# In the front matter of a retake's text.
_RETAKE_OF = re.compile(r"^retake_of: *(\S+)", re.MULTILINE)
# What stands above marks whose points this can't put in others' place, so that it is read first.
_SCALED = (
    "These marks are for {before} points; here the answer is worth {now}, so give the same shares "
    "of that."
)
_SCALED_BELOW = (
    "The first {listed} marks are for the {now} points that the answer is worth here. What is said "
    "behind them is for {before} points: give the same shares of {now}."
)
# What a marking scheme gives: "half a point", "2 points"; and one point, where a verb says so.
_GIVEN = re.compile(
    r"\b(?P<half>half a point)\b"
    r"|(?<![\d.,/])(?P<number>\d{1,3}(?:\.5)?) points?\b"
    r"|(?P<verb>\b(?:gives?|gets?|earns?|costs?) )(?:a|one) point\b",
    re.IGNORECASE,
)
# And what is no amount, or none whatever the answer is worth: "the third point:", "no point".
_NO_AMOUNT = re.compile(
    r"\b(?:no|the|this|that|each|first|second|third|fourth|fifth|sixth|last) points?\b",
    re.IGNORECASE,
)
# What else may be an amount: "a quarter of a point", "3 for a reason", "a reason (2)".
_UNCLEAR = re.compile(
    r"points?\b|^[\s*+-]*(?:\d|(?:half|one|two|three|four|five|six)\b)"
    r"|[(\[+=:/−-] *\d|\d *(?:[)\]%½]|pts?\b|marks?\b|p\b|$)|[½¼¾]",
    re.IGNORECASE | re.MULTILINE,
)


def course_lesson(course: Course, name: str) -> Lesson:
    """One of a course's lessons, as the course has it.

    Args:
        course: where it is.
        name: its full name.

    Raises:
        LessonError: naming the file and the line, for a text that is not as it should be.
        SettingError: naming the line, for a setting about an exercise that can't be.
    """
    lesson = read_lesson(course.lesson_file(name))
    settings, own = course.settings, course.own_text(name)
    changes = (own, settings.points, settings.leave_out, settings.core, settings.further)
    if not any(changes):
        return lesson
    if own:
        lesson = with_own_text(lesson, own)
    points = _about(course, name, "points", settings.points)
    lesson = replace(
        lesson,
        blocks=tuple(_worth(course, points, one) for one in lesson.blocks),
        counted=_about(course, name, "core", dict.fromkeys(settings.core, False))
        | _about(course, name, "further", dict.fromkeys(settings.further, True)),
    )
    validate(lesson)
    return _without(course, lesson)


def refuse_unmeant(course: Course) -> None:
    """See that whatever the settings say of an exercise is about one that there is.

    Raises:
        SettingError: naming the line, for an exercise that no lesson has, or that several have.
    """
    settings, lessons = course.settings, course.lessons()
    parts, named = _parts_and_exercises(course)
    about = {"points": settings.points, "leave_out": named}
    about |= {"core": dict.fromkeys(settings.core), "further": dict.fromkeys(settings.further)}
    for lesson in lessons[:1]:
        _form_of_further_parts(course, lesson, parts)
        for setting, entries in about.items():
            _about(course, lesson, setting, entries)


def _without(course: Course, lesson: Lesson) -> Lesson:
    """A lesson without what its course leaves out."""
    parts, named = _parts_and_exercises(course)
    form = _form_of_further_parts(course, lesson.name, parts)
    left_out = _about(course, lesson.name, "leave_out", named)
    if not (form or left_out):
        return lesson
    file = course.reference_file(lesson.name)
    sources = read_reference(file)
    if form == GONE:
        lesson = without_further_parts(lesson, sources)
        if lost := [one for one in lesson.left_out if not lesson.counted.get(one, True)]:
            sentence = f"core: {lost[0]} stands in a part that leave_out has gone"
            raise setting_error(course.root, "core", sentence, lost[0])
    there = lesson.points.keys()
    forms = dict.fromkeys(lesson.further & there, form) if form else {}
    forms |= {one: own for one, own in left_out.items() if one in there}
    is_given = {one: form == WORKED for one, form in forms.items()}
    return leave_out(lesson, is_given, file, sources)


def _parts_and_exercises(course: Course) -> tuple[dict[str, str], dict[str, str]]:
    """What is left out: further parts, and exercises by their names."""
    entries = course.settings.leave_out.items()
    return {one: form for one, form in entries if _is_part(one)}, {
        one: form for one, form in entries if not _is_part(one)
    }


def _is_part(entry: str) -> bool:
    return entry.rpartition("/")[2] == FURTHER


def _form_of_further_parts(course: Course, lesson: str, parts: Mapping[str, str]) -> str:
    """What becomes of a lesson's further parts; "" if they stay. The nearest entry counts."""
    for entry in parts:
        within = entry.rpartition("/")[0]
        if not any(_is_meant(one, within) for one in course.lessons()):
            sentence = f"leave_out: {entry!r} names none of the course's lessons"
            raise setting_error(course.root, "leave_out", sentence, entry)
    ours = (form for entry, form in parts.items() if is_called(lesson, entry.rpartition("/")[0]))
    return next(ours, parts.get(FURTHER, ""))


def warnings_of(course: Course, lesson: Lesson) -> Iterator[str]:
    """What a lecturer may want to read again in a lesson of which something is left out."""
    entries = (one for one in course.settings.leave_out if not _is_part(one))
    names = {*(entry.rpartition("/")[2] for entry in entries), *lesson.left_out}
    file = course.reference_file(lesson.name)
    yield from pointing_at(lesson, names, file)
    if not all(lesson.left_out.values()):
        yield from sections_without(lesson, read_lesson(lesson.path), file)
    lessons = course.lessons()
    later = lessons[lessons.index(lesson.name) + 1 :] if lesson.name in lessons else []
    yield from needing_what_follows(lesson, [*map(lesson_number, later)], file)
    yield from pointing_at_lessons(lesson, map(lesson_number, course.lessons_not_chosen()), file)


def retake_of(course: Course, lesson: str) -> str:
    """The lesson of which one is a retake, as its text says; "" of any other."""
    text = course.lesson_file(lesson).read_text(encoding="utf-8")
    front = text.split("\n---\n", 1)[0]
    found = _RETAKE_OF.search(front)
    return found[1] if found else ""


def _about(
    course: Course, lesson: str, setting: str, entries: Mapping[str, Value]
) -> dict[str, Value]:
    """What a setting says of a lesson's exercises, by their names.

    An entry is such a name, or the lesson's and the exercise's: "02/context_vector". Either is
    about a lesson and its retakes, of which one that names the retake itself says more.
    """
    # A retake that is being made is none of the chosen lessons yet.
    lessons = [*dict.fromkeys([*course.lessons(), lesson])] if entries else []
    exercises = {one: _called_in(course.lesson_file(one)) for one in lessons}
    asked = {entry.rpartition("/")[2] for entry in entries}
    firsts = {one: retake_of(course, one) for one, names in exercises.items() if names & asked}
    found: dict[str, Value] = {}

    def nearness(entry: str) -> int:
        """What names a lesson goes before what names the one that it is a retake of."""
        named = entry.rpartition("/")[0]
        return 1 + _is_meant(lesson, named) if named else 0

    for entry in sorted(entries, key=nearness):
        within, _, exercise = entry.rpartition("/")
        having = [
            one
            for one, names in exercises.items()
            if exercise in names and (_is_meant(one, within) or _is_meant(firsts[one], within))
        ]
        first = [one for one in having if firsts[one] not in having]
        if len(first) != 1:
            wrong = _why_none(course, entry)
            if having:
                named = " or ".join(f'"{lesson_number(one)}/{exercise}"' for one in first)
                wrong = f"several lessons have an exercise {exercise}: write {named}"
            raise setting_error(course.root, setting, f"{setting}: {wrong}", entry)
        if lesson in having:
            found[exercise] = entries[entry]
    return found


def _why_none(course: Course, entry: str) -> str:
    """What is wrong with an entry that means no exercise of the chosen lessons."""
    within, _, exercise = entry.rpartition("/")
    for lesson in course.lessons():
        own = course.own_text(lesson)
        if own and _is_meant(lesson, within) and exercise in _called_in(own):
            return f"{exercise} is an exercise of your own: say it in {own}, where it stands"
    for lesson in sorted(course.lessons_not_chosen()):
        if _is_meant(lesson, within) and exercise in _called_in(course.lesson_file(lesson)):
            return f"{exercise} is in {lesson}, which is none of the lessons that `lessons` names"
    lessons = {
        name: lesson_number(lesson)
        for lesson in course.lessons()
        for name in _called_in(course.lesson_file(lesson))
    }
    near = get_close_matches(exercise, sorted(lessons), 1)
    meant = f"; did you mean {lessons[near[0]]}/{near[0]}?" if near else ""
    return f"no exercise of the course's lessons is called {entry!r}{meant}"


def _is_meant(lesson: str, within: str) -> bool:
    return not within or is_called(lesson, within)


def _called_in(text: Path) -> set[str]:
    """The names of the exercises in a text, found without reading all of that."""
    return {*_EXERCISE.findall(text.read_text(encoding="utf-8"))}


def _worth(course: Course, points: Mapping[str, int], block: Block) -> Block:
    """A block with the points that the course gives for it."""
    if not isinstance(block, Check | WrittenExercise) or block.name not in points:
        return block
    now, before = points[block.name], block.points
    if isinstance(block, Check) or now == before:
        return replace(block, points=now)
    step = before // gcd(*(one.worth for one in block.to_tick)) if block.to_tick else 1
    if now % step:
        listed = ", ".join(str(one.worth) for one in block.to_tick)
        sentence = (
            f"points: {block.name} is marked by a list of points ({listed}), of which {now} can't "
            f"be shared out in whole numbers: choose a multiple of {step}"
        )
        raise setting_error(course.root, "points", sentence, block.name)
    shared = tuple(replace(one, worth=one.worth * now // before) for one in block.to_tick)
    return replace(_with_scheme(block, now), points=now, to_tick=shared)


def _with_scheme(block: WrittenExercise, now: int) -> WrittenExercise:
    """An exercise with the marking scheme of an answer that is worth `now`."""
    scheme = scaled(block.marking_scheme, Fraction(now, block.points))
    # What names no amount, and has no list above it, may share the points out in other words.
    if scheme is not None and (block.to_tick or scheme != block.marking_scheme):
        return replace(block, marking_scheme=scheme)
    said = _SCALED_BELOW if block.to_tick else _SCALED
    listed = len(block.to_tick)
    return replace(block, scale=said.format(before=block.points, now=now, listed=listed))


def scaled(scheme: str, factor: Fraction) -> str | None:
    """A marking scheme with other amounts; None if not all that it says of points is understood."""
    rest = _NO_AMOUNT.sub("…", _GIVEN.sub("…", scheme))
    amounts = [_amount(found) * factor for found in _GIVEN.finditer(scheme)]
    if _UNCLEAR.search(rest) or any(4 % one.denominator for one in amounts):
        return None
    each = iter(amounts)
    return _GIVEN.sub(lambda found: (found["verb"] or "") + _in_words(next(each)), scheme)


def _amount(found: re.Match[str]) -> Fraction:
    if found["half"]:
        return Fraction(1, 2)
    return Fraction(found["number"] or 1)


def _in_words(points: Fraction) -> str:
    known = {Fraction(1, 4): "a quarter of a point", Fraction(1, 2): "half a point"}
    return known.get(points) or f"{float(points):g} point{'s' * (points != 1)}"
