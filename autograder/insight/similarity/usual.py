"""What everybody may write: the lines that are given, and the usual ways, right and wrong.

An exam says which ways are usual: the reference, the accepted styles and the misconceptions. A
course of ordinary notebooks has the reference alone.
"""

import inspect
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from autograder.checks.exam.exam import exams_of
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.course import Course
from autograder.errors import ReferenceNotFound
from autograder.grading.jobs.work import unreadable
from autograder.insight.similarity.normal import normal_lines


@dataclass(frozen=True)
class Usual:
    """The usual lines of an exercise, in their normal form.

    `given` stand in the student's notebook, `right` in the reference or an accepted style, and
    `wrong` in a known misconception. `forms` are all lines of an answer but the given ones: first
    the reference's, then those of the accepted styles.
    """

    given: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()
    wrong: frozenset[str] = frozenset()
    forms: tuple[frozenset[str], ...] = ()

    def is_right(self, form: frozenset[str]) -> bool:
        """Whether an answer is one of the usual right ones, or less."""
        return any(form <= one for one in self.forms)

    def is_reference(self, form: frozenset[str]) -> bool:
        """Whether an answer is the instructor's own, or less."""
        return any(form <= one for one in self.forms[:1])


def usual_of(
    given: str, reference: str, accepted: Iterable[str] = (), wrong: Iterable[str] = ()
) -> Usual:
    """The usual lines of an exercise, from these sources."""
    known = _lines(given)
    forms = tuple(_lines(one) - known for one in (reference, *accepted))
    return Usual(
        known, frozenset().union(*forms), frozenset().union(*map(_lines, wrong)), forms
    )  # fmt: skip


def usual_forms(course: Course, lesson: str) -> dict[str, Usual]:
    """The usual lines of each exercise of a lesson, as far as the course says what they are."""
    built, released = (
        folder / f"{lesson}.ipynb"
        for folder in (course.source / lesson, course.release_folder(lesson))
    )
    must_be_whole(built, released)
    references, given = solution_cells(built), solution_cells(released)
    try:
        modules = course.exam_modules(lesson)
        exams = {name: exam for one in modules for name, exam in exams_of(one).items()}
    except ReferenceNotFound:
        exams = {}
    return {
        name: usual_of(
            given.get(name, ""),
            references.get(name, ""),
            map(_source, exams[name].accepted.values()) if name in exams else (),
            map(_source, exams[name].misconceptions.values()) if name in exams else (),
        )
        for name in {*references, *given, *exams}
    }


def must_be_whole(*notebooks: Path) -> None:
    """See that the instructor's notebooks, as far as they are there, can be read.

    Raises:
        GradingFailed: naming one of which only half has been written.
    """
    for path in notebooks:
        try:
            _cells_of(path)
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(path, error) from error


def solution_cells(path: Path) -> dict[str, str]:
    """The code that is a student's, by the name of its exercise; nothing where there is no file."""
    return answers_of(path)[0]


def answers_of(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What a student has written, as code and in words; nothing where there is no file."""
    cells = [cell for cell in _cells_of(path) if has_role(cell, "solution")]
    code, words = (
        {grade_id_of(cell): _text_of(cell) for cell in cells if cell["cell_type"] == kind}
        for kind in ("code", "markdown")
    )
    return code, words


def prose_of(path: Path) -> str:
    """The words of a notebook; none where there is no file."""
    texts = (_text_of(cell) for cell in _cells_of(path) if cell["cell_type"] == "markdown")
    return "\n\n".join(texts)


def _cells_of(path: Path) -> list[Any]:
    try:
        cells: list[Any] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except FileNotFoundError:
        return []
    return cells


def _text_of(cell: Mapping[str, Any]) -> str:
    # What is no Unicode could not be written to a page.
    return "".join(cell["source"]).encode(errors="replace").decode()


def _lines(source: str) -> frozenset[str]:
    return frozenset(line.text for line in normal_lines(source))


def _source(answer: Callable[..., object]) -> str:
    """The source of an answer, with that of the helpers and bases that it has in its module."""
    found = dict.fromkeys(_with_helpers(answer, set()))
    return "\n".join(found)


def _with_helpers(answer: object, seen: set[object]) -> Iterator[str]:
    if not isinstance(answer, type | FunctionType) or answer in seen:
        return
    seen.add(answer)
    try:
        yield textwrap.dedent(inspect.getsource(answer))
    except (OSError, TypeError):
        return
    functions = [answer] if isinstance(answer, FunctionType) else [*_methods(answer)]
    for base in getattr(answer, "__bases__", ()):
        if base.__module__ == answer.__module__:
            yield from _with_helpers(base, seen)
    for function in functions:
        for name in _names(function.__code__):
            helper = function.__globals__.get(name)
            if getattr(helper, "__module__", None) == answer.__module__:
                yield from _with_helpers(helper, seen)


def _methods(kind: type) -> Iterator[FunctionType]:
    members: Mapping[str, object] = vars(kind)
    return (one for one in members.values() if isinstance(one, FunctionType))


def _names(code: CodeType) -> set[str]:
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names, *(name for one in inner for name in _names(one))}
