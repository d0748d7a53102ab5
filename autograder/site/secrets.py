"""Whether a page shows what only the instructor has: a solution, a mark scheme, a hidden test.

Pages are searched as they are read: the text alone, however it is coloured or laid out. What
students are given anyway, such as the broken lines of a cell to repair, is no secret.
"""

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from autograder.authoring.build.build import Built
from autograder.authoring.build.matching import backings_of
from autograder.authoring.lesson.lesson import Check, WrittenExercise
from autograder.authoring.lesson.reference import words
from autograder.checks.exam.exam import Exam
from autograder.site.errors import SiteError

# Shorter texts are everybody's.
_SHORTEST = 40
_NOT_READ = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_NO_LETTER = re.compile(r"[\W_]+")
_PARTS = re.compile(r"[\n$]")
_HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n(?P<text>.*?)### END HIDDEN TESTS", re.DOTALL)


@dataclass(frozen=True)
class Secret:
    """What may not be on a page: what it is, and its text, squeezed as that of a page is.

    Of prose, a page has other marks than its author has written: letters and digits are compared.
    """

    what: str
    text: str
    is_prose: bool


@dataclass(frozen=True)
class _Squeezed:
    """A text without its spaces, and without anything but letters and digits."""

    code: str
    prose: str

    @classmethod
    def of(cls, text: str) -> "_Squeezed":
        return cls(words(text), _NO_LETTER.sub("", text))

    def __contains__(self, secret: Secret) -> bool:
        return secret.text in (self.prose if secret.is_prose else self.code)


def secrets_of(lessons: Iterable[Built]) -> list[Secret]:
    """All that the pages of a course may not show."""
    lessons = [*lessons]
    given = _Squeezed.of("".join(cell.source for built in lessons for cell in built.student.cells))
    found = [Secret(what, words(code), False) for built in lessons for what, code in _code(built)]
    found += [
        # One paragraph of an answer is a secret as well; a formula is set, and not compared.
        Secret(what, _NO_LETTER.sub("", part), True)
        for built in lessons
        for what, text in _prose(built)
        for part in _PARTS.split(text)
    ]
    return [one for one in found if len(one.text) >= _SHORTEST and one not in given]


def refuse_secrets(pages: Iterable[tuple[Path, str]], secrets: Iterable[Secret]) -> None:
    """Refuse pages, by their files, that show a secret.

    Raises:
        SiteError: naming the first page that does, and what it shows.
    """
    secrets = [*secrets]
    for path, page in pages:
        read = _Squeezed.of(unescape(_NOT_READ.sub("", page)))
        for one in secrets:
            if one in read:
                raise SiteError(
                    f"{path} would show {one.what}: take it out of the text that the page is made "
                    "of"
                )


def _code(built: Built) -> Iterator[tuple[str, str]]:
    for backing in backings_of(built.course, built.lesson.name):
        for name, source in backing.sources.items():
            yield f"the solution of {name}", "".join(source.solution)
            for part in source.solutions:
                yield f"a part of the solution of {name}", "".join(part.lines)
    for name, exam in built.exams.items():
        for mistake in exam.misconceptions:
            for code in _code_of(exam, mistake):
                yield f"the code of {mistake}, a misconception of {name}", code
    for block in built.lesson.blocks:
        if isinstance(block, Check):
            for found in _HIDDEN.finditer(block.tests):
                yield f"the hidden tests of {block.name}", found["text"]


def _prose(built: Built) -> Iterator[tuple[str, str]]:
    for block in built.lesson.blocks:
        if isinstance(block, WrittenExercise):
            yield f"the model answer of {block.name}", block.model_answer
            yield f"the marking scheme of {block.name}", block.marking_scheme


def _code_of(exam: Exam, mistake: str) -> Iterator[str]:
    """The code of a misconception, if it is written out and no family has made it."""
    wrong = exam.misconceptions[mistake]
    module = sys.modules.get(getattr(wrong, "__module__", ""))
    if module and module.__file__:
        for name in {mistake, getattr(wrong, "__name__", mistake)}:
            yield from _defined_in(module.__file__).get(name, ())


@functools.cache
def _defined_in(file: str) -> Mapping[str, list[str]]:
    """The bodies of all functions and classes in a file, by their names.

    Docstrings are left out: that of a misconception is the hint, which learners read.
    """
    text = Path(file).read_text(encoding="utf-8")
    lines, found = text.split("\n"), dict[str, list[str]]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            code = node.body[1:] if ast.get_docstring(node) else node.body
            if code:
                body = "\n".join(lines[code[0].lineno - 1 : node.end_lineno])
                found.setdefault(node.name, []).append(body)
    return found
