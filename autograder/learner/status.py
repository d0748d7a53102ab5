"""The map of a learner's course: what each lesson takes and needs, what is done, what is next.

It is read from the learner's folder alone, so it is the same in a notebook, on a server without a
browser, and with no clone of the course around it.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import islice, pairwise, takewhile
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from autograder.checks.progress import (
    Remembered,
    Standing,
    how_far,
    in_parts,
    next_of,
    recall,
    standings,
)
from autograder.checks.source.cells import further_in, grade_id_of, has_role
from autograder.checks.source.opening import cells_in, opening_in
from autograder.course import lesson_number
from autograder.learner.due import Passed, due
from autograder.learner.notebooks.work import find_work, lesson_folders
from autograder.learner.showing import WIDTH, show, table_as_text

if TYPE_CHECKING:
    from rich.table import Table

_CODE = re.compile(r"`([^`]+)`")
_SENTENCE = re.compile(r"(?<=[.?!])\s")
_HEADINGS = ("lesson", "minutes: core + further", "needs", "done", "next")
# How many characters wide a terminal is that has room for these as well.
_FROM = {"needs": WIDTH, _HEADINGS[1]: 100}
# And from where on what is done, and the longest name, have room in one line.
_IN_A_LINE = 80
_MISTAKE = "the last mistake"
_MADE = "What you made"
# What a lesson has its learner make: a page that is called so, beside its notebook.
_PAGES = "my_*.html"
_PAGE_TITLE = re.compile(r"<title>([^<]+)</title>")
# Where the title of a page is looked for.
_BEGINNING = 4000
_CELL = "text-align:left"
_LONGEST = 1000
# Of pages that a lesson has had made, so many are listed.
_MOST_PAGES = 100


@dataclass(frozen=True)
class LessonStatus:
    """One lesson: what it says of itself, and how far it is.

    `time` are its minutes, of the core and of what is further, and `further` the exercises of that.
    `needs` are the lessons that it names, or else what it needs in its own words. `mistake` is the
    hint that was given last for an exercise that is still open, `mistaken` that exercise, and
    `touched` the time of the last check that said something new. `cells` are the ids of the cells
    that ask for its exercises, `behind` of those that follow their checks, and `passed` the
    exercises that are done.
    """

    folder: Path
    title: str
    time: str
    needs: str
    exercises: dict[str, Standing]
    further: Collection[str] = ()
    mistaken: str = ""
    mistake: str = ""
    touched: float = 0.0
    cells: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    passed: Sequence[Passed] = ()

    @property
    def done(self) -> int:
        """How many exercises have passed."""
        return sum(one is not Standing.OPEN for one in self.exercises.values())

    @property
    def left(self) -> int:
        """How many have not."""
        return len(self.exercises) - self.done

    @property
    def next(self) -> str:
        """The exercise to go on with, or nothing when all have passed."""
        return next_of(self.exercises, self.mistaken, self.further)

    @property
    def reading_on(self) -> str:
        """The id of the cell to go on at: behind the last thing done before the next exercise.

        Between them may lie text, and exercises that are further. Who has not begun wants the
        lesson's beginning, and not its first exercise; who has made a mistake, that exercise.
        """
        if not self.done:
            return ""
        there = self.cells.get(self.next, "")
        if self.next == self.mistaken:
            return there
        before = takewhile(lambda name: name != self.next, self.exercises)
        done = [name for name in before if self.exercises[name] is not Standing.OPEN]
        return self.behind.get(done[-1], there) if done else there

    @property
    def parts(self) -> tuple[list[Standing], list[Standing]]:
        """How far the exercises of the core are, and how far the further ones."""
        return in_parts(self.exercises, self.further)

    @property
    def how_far(self) -> str:
        """Exercises done, of how many."""
        return how_far(self.exercises, self.further) if self.exercises else ""

    @property
    def last_mistake(self) -> str:
        """The exercise, and the first sentence of the hint."""
        return f"{self.mistaken}: {_SENTENCE.split(self.mistake)[0]}" if self.mistake else ""


def status() -> None:
    """Show the map of the course: what is done in each lesson, what is left, and what is next.

    Raises:
        WorkFolderError: when no lessons have been copied to where this is called.
    """
    show(bundle(find_work(), Path.cwd()))


def bundle(folder: Path, here: Path) -> dict[str, str]:
    """The map in both forms that a notebook may show.

    Args:
        folder: the learner's.
        here: where the notebook lies, from which links lead to lessons.
    """
    lessons = course_status(folder)
    return {"text/html": as_html(lessons, here), "text/plain": as_text(lessons)}


def course_status(folder: Path) -> list[LessonStatus]:
    """How far each lesson in a learner's folder is, in the order of the course."""
    return [_of_lesson(lesson) for lesson in lesson_folders(folder)]


def _of_lesson(folder: Path) -> LessonStatus:
    cells = cells_in(folder / f"{folder.name}.ipynb")
    opening = opening_in(cells)
    exercises = standings(folder, _exercises(folder), cells)
    kept = {name: recall(folder, name) for name in exercises}
    mistaken = _mistaken(exercises, kept)
    return LessonStatus(
        folder,
        _short(opening.title) or folder.name,
        opening.time,
        _short(opening.needs),
        exercises,
        further_in(cells),
        mistaken,
        _short(kept[mistaken].mistake) if mistaken else "",
        max([0.0, *(max(one.passed_at, one.mistake_at) for one in kept.values())]),
        {
            grade_id_of(one): str(above.get("id", ""))
            for above, one in pairwise(cells)
            if has_role(one, "solution")
        },
        {
            grade_id_of(one).removesuffix("_check"): str(below.get("id", ""))
            for one, below in pairwise(cells)
            if grade_id_of(one)
        },
        [
            Passed(folder, name, kept[name].passed_at)
            for name, standing in exercises.items()
            if standing is not Standing.OPEN
        ],
    )


def _short(text: str) -> str:
    """A title or a hint as it fits into a table, and nearly all are written."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _mistaken(exercises: dict[str, Standing], kept: dict[str, Remembered]) -> str:
    named = [name for name in exercises if exercises[name] is Standing.OPEN and kept[name].mistake]
    return max(named, key=lambda name: kept[name].mistake_at, default="")


def _exercises(folder: Path) -> list[str]:
    """The names of a lesson's exercises, in their order; none where nobody says them."""
    path = folder / "checks.json"
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        written = json.loads(path.read_text(encoding="utf-8") if path.is_file() else "")
        return [str(name) for name in written["exercises"]]
    return []


def going_on(lessons: Sequence[LessonStatus]) -> LessonStatus | None:
    """The lesson to go on with: that of the last check, or else the next with work left.

    The cores of all lessons come first, unless the last mistake was made in a further part.
    """
    if not lessons:
        return None
    last = max(range(len(lessons)), key=lambda place: lessons[place].touched)
    ahead = [*lessons[last:], *lessons[:last]]
    if ahead[0].mistaken and ahead[0].mistaken in ahead[0].further:
        return ahead[0]
    with_core = (one for one in ahead if Standing.OPEN in one.parts[0])
    return next(with_core, None) or next((one for one in ahead if one.left), None)


def in_words(lessons: Sequence[LessonStatus]) -> str:
    """How far the course is and what is next, in a sentence or two."""
    done, left = sum(one.done for one in lessons), sum(one.left for one in lessons)
    following = going_on(lessons)
    said = f"{done} of {done + left} exercises done"
    if unsaved := [one for one in lessons if Standing.NOT_SAVED in one.exercises.values()]:
        names = ", ".join(lesson_number(one.folder.name) for one in unsaved)
        said += f"; save lesson {names} to keep what has just passed"
    if not following:
        return f"{said}."
    return f"{said}. Next: {following.next} in lesson {lesson_number(following.folder.name)}."


def _made(lessons: Sequence[LessonStatus]) -> dict[Path, str]:
    """The pages that lessons have had their learner make, with their titles."""
    found = (path for one in lessons for path in sorted(one.folder.glob(_PAGES)))
    pages = islice(found, _MOST_PAGES)
    return {path: _title_of(path) for path in pages if path.is_file()}


def _title_of(page: Path) -> str:
    with suppress(OSError), page.open(encoding="utf-8", errors="replace") as file:
        if found := _PAGE_TITLE.search(file.read(_BEGINNING)):
            return " ".join(unescape(found[1]).split()) or page.stem
    return page.stem


def once_more(lessons: Sequence[LessonStatus]) -> Passed | None:
    """The exercise to do again from memory, if one is due."""
    return due(passed for one in lessons for passed in one.passed)


def _offer(lessons: Sequence[LessonStatus]) -> list[str]:
    """What is due, in a line, and nothing where nothing is."""
    found = once_more(lessons)
    if not found:
        return []
    number = lesson_number(found.lesson.name)
    return [f"From memory: {found.exercise} of lesson {number} once more, by `autograder again`."]


def as_table(lessons: Sequence[LessonStatus], width: int = WIDTH) -> "Table":
    """The map as a table for a terminal of so many characters: the narrower, the less of it."""
    from rich.box import SIMPLE
    from rich.table import Table

    from autograder.checks.card.terminal import as_written

    mistakes = [f"In {one.last_mistake}" for one in lessons if one.mistake]
    made = [f"{_MADE}: {one.parent.name}/{one.name}" for one in _made(lessons)]
    below = "\n".join([in_words(lessons), *mistakes, *_offer(lessons), *made])
    table = Table(box=SIMPLE, pad_edge=False, caption_justify="left", caption_style="")
    table.caption = as_written(below)
    shown = [heading for heading in _HEADINGS if width >= _FROM.get(heading, 0)]
    for heading in shown:
        right = heading in _HEADINGS[1::2]
        table.add_column(
            heading,
            justify="right" if right else "left",
            no_wrap=right or (heading == "next" and width >= _IN_A_LINE),
            overflow="fold",
            min_width=17 if heading == "lesson" and width >= _IN_A_LINE else None,
        )
    for one in lessons:
        style = "green" if one.exercises and not one.left else None
        row = dict(zip(_HEADINGS, _row(one), strict=False))
        if width < _IN_A_LINE:
            row["done"] = row["done"].replace(", ", ",\n")
        table.add_row(*(as_written(row[heading]) for heading in shown), style=style)
    return table


def _row(one: LessonStatus) -> tuple[str, ...]:
    following = one.next if one.left else "all done" if one.exercises else ""
    return one.title, one.time, one.needs, one.how_far, following, one.last_mistake


def as_text(lessons: Sequence[LessonStatus]) -> str:
    """The map as plain text."""
    return table_as_text(as_table(lessons))


def as_html(lessons: Sequence[LessonStatus], here: Path) -> str:
    """The map for a notebook in the folder `here`; all that is a learner's own is escaped.

    It has no style sheet, which JupyterLab takes out of a notebook that it has not seen run.
    """
    named = any(one.mistake for one in lessons)
    headings = (*_HEADINGS, _MISTAKE) if named else _HEADINGS
    head = "".join(f'<th style="{_CELL}">{heading}</th>' for heading in headings)
    rows = "".join(_row_as_html(one, here, named=named) for one in lessons)
    links = ", ".join(
        f'<a href="{_to(path, here)}">{escape(title)}</a>' for path, title in _made(lessons).items()
    )
    if links:
        rows += f'<tr><td colspan="{len(headings)}" style="{_CELL}">{_MADE}: {links}</td></tr>'
    said = escape(in_words(lessons))
    if following := going_on(lessons):
        said += f' <a href="{_address(following, here, following.reading_on)}">Continue</a>'
    offered = "".join(
        _CODE.sub(r"<code>\1</code>", f"<p>{escape(one)}</p>") for one in _offer(lessons)
    )
    return f"<p><b>{said}</b></p><table><tr>{head}</tr>{rows}</table>{offered}"


def _dots(part: Collection[Standing]) -> str:
    left = sum(one is Standing.OPEN for one in part)
    return f'<span style="color:#2c9a4b">{"●" * (len(part) - left)}</span>{"○" * left}'


def _address(one: LessonStatus, here: Path, cell: str = "") -> str:
    """The link from the folder `here` to a lesson, or to one of its cells."""
    address = _to(one.folder / f"{one.folder.name}.ipynb", here)
    return f"{address}#cell-id={quote(cell)}" if cell else address


def _to(path: Path, here: Path) -> str:
    return quote(Path(relpath(path, here)).as_posix())


def _row_as_html(one: LessonStatus, here: Path, *, named: bool) -> str:
    title, minutes, needs, how_far, following, mistake = map(escape, _row(one))
    dots = " · ".join(_dots(part) for part in one.parts if part)
    if one.left:
        there = _address(one, here, one.cells.get(one.next, ""))
        following = f'<a href="{there}"><code>{following}</code></a>'
    lesson = f'<a href="{_address(one, here)}">{title}</a>'
    cells = (
        lesson, minutes, needs, f"{how_far}<br>{dots}", following,
        *([mistake] if named else []),
    )  # fmt: skip
    return "<tr>" + "".join(f'<td style="{_CELL}">{one}</td>' for one in cells) + "</tr>"
