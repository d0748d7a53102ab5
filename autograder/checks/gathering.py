"""The learner's own parts from all lessons, put to use in one: what passed its check.

The code that is run is the learner's own, in their own kernel, with all that they may do, as if
they had opened the other lessons and run the cells there. It never runs where others' code is
graded: neither while nbgrader grades or validates, nor where tests are executed, which say so by
the same variable; and a student's process in the sandbox has no lesson beside its own.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from nbformat.notebooknode import NotebookNode

from autograder.checks import examples, purpose
from autograder.checks.check import judged
from autograder.checks.defined import define
from autograder.checks.exam.report import Verdict
from autograder.checks.examples import Shipped
from autograder.checks.in_time import SECONDS
from autograder.checks.source.notebook_file import read_notebook
from autograder.checks.source.own_files import beside
from autograder.checks.stopping import Stopping, TimeIsUp, allowed
from autograder.errors import CheckError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Parts = TypeVar("Parts", bound=DataclassInstance)
else:
    Parts = TypeVar("Parts")

_GRADED = "While a notebook is validated or graded, every part is a stand-in."
_ALONE = "There are no other lessons beside this one, so every part is a stand-in."
_SAVED = "A lesson counts as it was saved: save it, then run this cell again."


class State(Enum):
    """What became of a part."""

    YOURS = "yours"
    NOT_WRITTEN = "not written yet"
    NOT_PASSED = "has not passed its check yet"
    UNREADABLE = "can't be read"
    NO_LESSON = "no lesson beside this one has it"


@dataclass(frozen=True)
class Found:
    """One part: its name, the folder of the lesson that it is from, or "", and what became of it.

    `why` says the last in a sentence.
    """

    name: str
    lesson: str
    state: State
    why: str

    @property
    def is_yours(self) -> bool:
        """Whether it is the learner's own."""
        return self.state is State.YOURS


@dataclass(frozen=True)
class Gathered(Generic[Parts]):
    """All parts, the learner's own where they passed their check, and what became of each."""

    parts: Parts
    found: tuple[Found, ...]


def gather(stand_ins: Parts) -> Gathered[Parts]:
    """Your own functions and classes from all lessons, where they have passed their check.

    Each field of `stand_ins` has the name of an exercise. If that is one of this lesson, it is
    taken from this notebook; otherwise it is looked for in the lessons beside this one, as they
    were saved. One line for each says what is used.

    Args:
        stand_ins: an instance of a dataclass, with what is used for what is missing.
    """
    names = [one.name for one in fields(stand_ins)]
    if purpose.VARIABLE in os.environ:
        print(_GRADED)
        return Gathered(stand_ins, tuple(_nowhere(name, _GRADED) for name in names))
    here, unreadable = Path.cwd(), list[str]()
    lessons = [*_this(here, sys._getframe(1).f_globals), *_beside(here, unreadable)]
    own, found = dict[str, Callable[..., Any]](), list[Found]()
    for name in names:
        lesson = next((one for one in lessons if name in one.exercises), None)
        if lesson is None:
            found.append(_nowhere(name, "no lesson beside this one asks for it"))
            continue
        try:
            state, why, answer = _look_up(name, lesson)
        except CheckError as error:
            state, why, answer = State.UNREADABLE, f"{lesson.title} can't be read, see below", None
            unreadable.append(str(error))
        found.append(Found(name, lesson.folder, state, why))
        if answer is not None:
            own[name] = answer
    for line in _told(found, unreadable):
        print(line)
    return Gathered(replace(stand_ins, **own), tuple(found))


@dataclass(frozen=True)
class _Lesson:
    """A lesson by its folder's name and by what it is called, and the answers in its notebook.

    `define` gives the names that an answer is defined with.
    """

    folder: str
    title: str
    exercises: Shipped
    define: Callable[[str], Mapping[str, object]]


def _this(folder: Path, namespace: Mapping[str, object]) -> Iterator[_Lesson]:
    """The lesson whose notebook is running."""
    with suppress(CheckError):
        exercises = examples.of_notebook(folder, [], namespace)
        yield _Lesson(folder.name, "this lesson", exercises, lambda _: namespace)


def _beside(here: Path, unreadable: list[str]) -> Iterator[_Lesson]:
    """The other lessons of the work folder; of those that can't be read, it notes down why."""
    for path in sorted(here.parent.glob(f"*/{examples.FILE}")):
        folder = path.parent.name
        if folder == here.name:
            continue
        try:
            shipped = examples.read(path.parent)
            title = f"lesson {shipped.lesson}"
            yield _Lesson(folder, title, shipped, _defining(path.parent, title))
        except CheckError as error:
            unreadable.append(str(error))


def _defining(folder: Path, title: str) -> Callable[[str], Mapping[str, object]]:
    @cache
    def notebook() -> NotebookNode:
        return read_notebook(folder / f"{folder.name}.ipynb")

    def define_here(exercise: str) -> Mapping[str, object]:
        with beside(folder):
            return define(exercise, notebook(), title)

    return define_here


def _look_up(name: str, lesson: _Lesson) -> tuple[State, str, Callable[..., Any] | None]:
    """What became of a part and why, and the learner's own if it passes its check.

    Raises:
        CheckError: when the lesson can't be read.
    """
    unwritten = State.NOT_WRITTEN, f"not written yet in {lesson.title}", None
    try:
        with Stopping(allowed(SECONDS)):
            namespace = lesson.define(name)
        if name not in namespace:
            return unwritten
        answer: Any = namespace[name]
        _, report, _ = judged(answer, namespace, lesson.exercises)
    except CheckError:
        raise
    except TimeIsUp:
        return State.NOT_PASSED, f"its cell in {lesson.title} ran for too long", None
    except (Exception, SystemExit) as error:
        said = str(error).partition("\n")[0]
        why = f"its cell in {lesson.title} stops with {type(error).__name__}: {said}"
        return State.NOT_PASSED, why, None
    match report.verdict:
        case Verdict.PASSED:
            return State.YOURS, f"yours, from {lesson.title}", answer
        case Verdict.NOT_IMPLEMENTED:
            return unwritten
    return State.NOT_PASSED, f"has not passed its check in {lesson.title} yet", None


def _nowhere(name: str, why: str) -> Found:
    return Found(name, "", State.NO_LESSON, why)


def _told(found: Sequence[Found], unreadable: Sequence[str]) -> Iterator[str]:
    """What is said below the cell."""
    if all(one.state is State.NO_LESSON for one in found) and not unreadable:
        yield _ALONE
        return
    width = max(len(one.name) for one in found)
    for one in found:
        yield f"{one.name:{width}}  {'' if one.is_yours else 'stand-in: '}{one.why}"
    yield from dict.fromkeys(unreadable)
    count = sum(one.is_yours for one in found)
    yield f"{count} of {len(found)} parts are yours."
    if count < len(found):
        yield _SAVED
