"""The list of what the lessons call things: `docs/glossary.md`.

A lesson sets a term in bold where it introduces it, in running text below its first section's
heading. Bold that is a label ("**Before you run this:**") or a whole sentence is no term, and what
is met again or only stressed stands in italics. So authors write nothing for the glossary alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING

from jupytext.myst import get_parser

from autograder.authoring.lesson.lesson import Lesson, Prose, anchor
from autograder.authoring.lesson.reading import read_lesson
from autograder.course import Course
from autograder.errors import LessonError

if TYPE_CHECKING:
    from markdown_it.token import Token

FILE = Path("docs") / "glossary.md"

_INTRODUCTION = """\
# Glossary

<!-- made by `autograder build` from the lessons; do not edit it by hand -->

Each term stands here with the sentence that introduces it, and with the section where it stands.
"""
_MOST_WORDS = 4
_TITLE, _SECTION, _PARAGRAPH = "h1", "h2", "p"
_BOLD = re.compile(r"\*\*(?P<term>[^*]+?)\*\*")
# Stars and full stops in code and formulas are neither bold nor the end of a sentence.
_OPAQUE = re.compile(r"(`+).+?\1|\$\$.+?\$\$|\$[^$]+\$|\]\([^)\s]*\)", re.DOTALL)
_FORMULA = re.compile(r"\$\$(?P<text>[^$]+)\$\$[.,]?")
_END = re.compile(r"[.?!][)\"*]*\s+(?=[^a-z])")
_ENDED = re.compile(r"[.?!][)\"*]*$")
# A sentence that begins like this one can't be read without the one before.
_POINTS_BACK = re.compile(
    r"(?:This|That|These|Those|It|Its|They|Their|All|What remains|For (?:this|that)"
    r"|[^.]* therefore)\b"
)


@dataclass(frozen=True)
class Term:
    """One term, where a lesson introduces it. `said` is the sentence, or two, that does."""

    name: str
    said: str
    lesson: str
    title: str
    heading: str
    path: Path
    line: int


def glossary(course: Course) -> str:
    """The text of `docs/glossary.md`; the same lessons give the same text.

    Raises:
        LessonError: for a term that is introduced twice.
    """
    terms = [
        term
        for name in course.lessons()
        for term in terms_of(read_lesson(course.lesson_file(name)))
    ]
    _refuse_twice(terms)
    parts = [_INTRODUCTION]
    for letter, entries in groupby(sorted(terms, key=_in_order), key=lambda term: _initial(term)):
        parts += [f"\n## {letter}\n\n", *(_entry(course, term) for term in entries)]
    return "".join(parts)


def terms_of(lesson: Lesson) -> Iterator[Term]:
    """The terms that a lesson introduces, in their order."""
    markdown = get_parser()
    title, heading = lesson.name, ""
    for block in lesson.blocks:
        if not isinstance(block, Prose):
            continue
        for kind, text, below, offset in _texts(markdown.parse(block.text)):
            if kind == _TITLE:
                title = text
            elif kind == _SECTION or (kind != _PARAGRAPH and heading):
                heading = text
            elif kind == _PARAGRAPH and heading:
                for name, said, more in _introduced(text, below):
                    line = block.line + offset + more
                    yield Term(name, said, lesson.name, title, heading, lesson.path, line)


def _texts(tokens: Sequence["Token"]) -> Iterator[tuple[str, str, str, int]]:
    """Headings and paragraphs, each with what it is, the text below it and its first line."""
    found = [
        (around.tag, token.content, token.map[0] if token.map else 0)
        for around, token in pairwise(tokens)
        if token.type == "inline" and around.type in ("heading_open", "paragraph_open")
    ]
    for (kind, text, line), (_, below, _) in pairwise([*found, ("", "", 0)]):
        yield kind, text, below, line


def _introduced(paragraph: str, below: str) -> Iterator[tuple[str, str, int]]:
    """Each term in a paragraph, what is said of it, and in which of its lines it stands.

    A formula below the paragraph belongs to the sentence that announces it.
    """
    masked = _OPAQUE.sub(lambda found: "x" * len(found[0]), paragraph)
    starts = [0, *(end.end() for end in _END.finditer(masked))]
    ends = [*starts[1:], len(paragraph)]
    for bold in _BOLD.finditer(masked):
        name = paragraph[slice(*bold.span("term"))]
        if name[-1] in ".:?!," or len(name.split()) > _MOST_WORDS:
            continue
        first = last = max(n for n, start in enumerate(starts) if start <= bold.start())
        if bold.start() == starts[last] and name[1:] == name[1:].lower():
            name = name.lower()
        while first and _POINTS_BACK.match(masked, starts[first]):
            first -= 1
        said = _BOLD.sub(r"\g<term>", paragraph[starts[first] : ends[last]].rstrip())
        formula = _FORMULA.fullmatch(below)
        if formula and ends[last] == len(paragraph) and not _ENDED.search(said):
            # Some readers of Markdown eat the narrow space of a formula within a line.
            said += f" ${formula['text'].strip()}$".replace(r"\,", r"\ ")
        yield name, _closed(" ".join(said.split())), paragraph.count("\n", 0, bold.start())


def _closed(said: str) -> str:
    """A sentence that announced what does not follow here ends with a full stop."""
    return said if _ENDED.search(said) else f"{said.removesuffix(':')}."


def _refuse_twice(terms: Iterable[Term]) -> None:
    first: dict[str, Term] = {}
    for term in terms:
        # A key and keys are one term.
        known = first.setdefault(term.name.lower().removesuffix("s"), term)
        if known is not term:
            raise LessonError(
                term.path,
                term.line,
                f"the term {term.name} is in bold here and in {known.path.name}, line "
                f"{known.line}: set it in italics where it is met again",
            )


def _in_order(term: Term) -> tuple[str, str]:
    return term.name.strip("`").lower(), term.name


def _initial(term: Term) -> str:
    return term.name.strip("`")[0].upper()


def _entry(course: Course, term: Term) -> str:
    notebook = course.release_folder(term.lesson) / f"{term.lesson}.ipynb"
    path = Path(relpath(notebook, (course.root / FILE).parent)).as_posix()
    place = f"[{term.heading}]({path}#{anchor(term.heading)}) in {term.title}"
    return f"- **{term.name}**: {term.said} ({place})\n"
