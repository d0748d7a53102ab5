"""The page that shows the course as a map: what each lesson takes, and what it needs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.checks.source.opening import Opening
from autograder.counted import counted
from autograder.course import lesson_number
from autograder.site.download import NOTE
from autograder.site.texts.map_drawing import Box, drawing

_NUMBER = re.compile(r"\b\d\d[a-z]?\b")
_RANGE = re.compile(r"\b(\d\d[a-z]?) to (\d\d[a-z]?)\b")
_HEAD = """\
| lesson | minutes: core + further | needs | exercises | points |
| --- | ---: | --- | ---: | ---: |
"""


@dataclass(frozen=True)
class OnMap:
    """A lesson on the map, and the path of its page, without an ending, from the site's start.

    Of its exercises, `in_words` are no code, and have no check.
    """

    name: str
    page: str
    opening: Opening
    exercises: int
    points: int
    in_words: int = 0

    @property
    def number(self) -> str:
        """What it is called for short."""
        return lesson_number(self.name)

    @property
    def title(self) -> str:
        """Its title, or else its name."""
        return self.opening.title or self.name


def map_page(lessons: Sequence[OnMap], runnable: Mapping[str, str]) -> str:
    """The map in Markdown, to stand at the site's start.

    Args:
        lessons: in the order of the course.
        runnable: the addresses of those that run in the browser, by their names.
    """
    minutes = [one.opening.minutes for one in lessons]
    total = sum(filter(None, minutes))
    hours = f", about {max(1, round(total / 60))} hours in all" if all(minutes) else ""
    if hours and any(one.opening.core for one in lessons):
        core = sum(one.opening.core or one.opening.minutes or 0 for one in lessons)
        hours += f", {max(1, round(core / 60))} of them for the cores of all lessons"
    exercises = sum(one.exercises for one in lessons)
    in_words = sum(one.in_words for one in lessons)
    asked = f"{counted(exercises, 'exercise')}{f' ({in_words} of them in words)' * bool(in_words)}"
    parts = [
        "# The course as a map\n",
        f"{counted(len(lessons), 'lesson')} with {asked}{hours}.",
        drawing([_box(one, lessons) for one in lessons]),
        _HEAD + "".join(_row(one, lessons) for one in lessons),
        *_in_browser(lessons, runnable),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def begin(lessons: Sequence[OnMap], runnable: Mapping[str, str]) -> str:
    """The buttons with which the start page begins, as HTML."""
    found = [
        f'<a class="door needs-server" href="{runnable[one.name]}">'
        f"Try lesson {one.number} in the browser</a>"
        for one in lessons
        if one.name in runnable
    ]
    found.append(
        f'<a class="door" href="{lessons[0].page}.html">Read lesson {lessons[0].number}</a>'
    )
    found.append('<a class="door" href="map.html">The course as a map</a>')
    if runnable:
        found.append(NOTE)
    return f'<div class="doors begin">{" ".join(found)}</div>'


def _box(one: OnMap, lessons: Sequence[OnMap]) -> Box:
    below = f"{one.opening.time} min" if one.opening.time else ""
    needs = frozenset(_needed(one.opening.needs, lessons))
    return Box(one.number, one.title, below, needs, f"{one.page}.html")


def _needed(needs: str, lessons: Sequence[OnMap]) -> Iterator[str]:
    """The numbers of the lessons that a lesson says it needs, with those between two of them."""
    numbers = [one.number for one in lessons]
    for first, last in _RANGE.findall(needs):
        if first in numbers and last in numbers:
            yield from numbers[numbers.index(first) : numbers.index(last) + 1]
    yield from (number for number in _NUMBER.findall(needs) if number in numbers)


def _row(one: OnMap, lessons: Sequence[OnMap]) -> str:
    pages = {other.number: other.page for other in lessons}
    needs = _NUMBER.sub(
        lambda found: f"[{found[0]}]({pages[found[0]]}.ipynb)" if found[0] in pages else found[0],
        one.opening.needs.replace("|", "\\|"),
    )
    title = one.title.replace("|", "\\|")
    first = f"[{title}]({one.page}.ipynb)"
    return f"| {first} | {one.opening.time} | {needs} | {one.exercises} | {one.points} |\n"


def _in_browser(lessons: Sequence[OnMap], runnable: Mapping[str, str]) -> Iterator[str]:
    if found := [one for one in lessons if one.name in runnable]:
        names = ", ".join(f'<a href="{runnable[one.name]}">{one.number}</a>' for one in found)
        yield f'<p class="needs-server">With nothing installed, in the browser: {names}.</p>'
