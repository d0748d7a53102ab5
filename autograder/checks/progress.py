"""What a learner has done so far, kept in the folder that `autograder lab` has made for them.

An exercise is done when the cell that the lesson's notebook has for it is, as saved, the one whose
answer passed its check last; only spaces at the ends of lines may differ. So a changed answer is
open again, an undone change is not, and a copy of the folder says the same as the folder. Until the
notebook is saved after a check, what counts is the answer that the check has seen in the kernel.
What an answer calls in other cells is not part of it, and one that fails without having changed,
because of what it calls, is open again.

Each exercise has a small file of its own, so that two tabs, or two kernels, never write the same
one unless they check the same exercise; then the later check is the one that counts. Nothing is
kept where a notebook is graded or validated, nor in a folder that `autograder lab` has not made.
"""

import hashlib
import inspect
import json
import linecache
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path
from time import time
from types import CodeType
from typing import Any

from autograder.checks import purpose
from autograder.checks.source.cells import further_in, grade_id_of, has_role, source_of
from autograder.checks.source.opening import cells_in
from autograder.whole_file import write_whole

# By this file a learner's folder is known; it says what has been given out.
MANIFEST = ".lessons.json"
FOLDER = ".progress"


@dataclass(frozen=True)
class Remembered:
    """What the checks of one exercise have found.

    `passed` is the digest of the answer that passed last, and `mistake` the hint that was given
    last; each with its time.
    """

    passed: str = ""
    passed_at: float = 0.0
    mistake: str = ""
    mistake_at: float = 0.0


class Standing(Enum):
    """How far an exercise is."""

    DONE = "done"
    NOT_SAVED = "done, but the notebook has not been saved since"
    OPEN = "open"


def remember(
    lesson: Path, exercise: str, answer: object, *, passed: bool, mistake: str = ""
) -> bool:
    """Keep what a check has found, and say whether this is a folder where that is done.

    Args:
        lesson: the folder of the notebook.
        exercise: its name.
        answer: the function or class that was checked.
        passed: whether it passed.
        mistake: the hint that was given, if any.
    """
    if not _is_learners(lesson) or not exercise.isidentifier():
        return False
    before, now, answered = recall(lesson, exercise), time(), digest_of(text_of(answer))
    if passed and not answered:
        return False  # made by other code, such as exec: it could not be known again
    found = before
    if passed:
        found = replace(before, passed=answered, passed_at=now)
    elif before.passed == answered:
        found = replace(before, passed="")
    if mistake:
        found = replace(found, mistake=mistake, mistake_at=now)
    if found == before:
        return True
    try:
        write_whole(_file(lesson, exercise), f"{json.dumps(asdict(found))}\n".encode())
    except OSError:
        return False
    return True


def recall(lesson: Path, exercise: str) -> Remembered:
    """What is remembered of an exercise; nothing where that can't be read."""
    path = _file(lesson, exercise)
    with suppress(OSError, ValueError, TypeError, RecursionError):
        # Nobody waits for a pipe, or reads a device to its end.
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        written = Remembered(**json.loads(text))
        texts, times = (written.passed, written.mistake), (written.passed_at, written.mistake_at)
        if all(isinstance(one, str) for one in texts) and all(
            isinstance(one, int | float) for one in times
        ):
            return written
    return Remembered()


def standings(
    lesson: Path, exercises: Iterable[str], cells: Iterable[Mapping[str, Any]] | None = None
) -> dict[str, Standing]:
    """How far each of a lesson's exercises is, by its notebook as it was saved.

    Args:
        lesson: the folder of the notebook.
        exercises: their names.
        cells: the notebook's, where they have been read already.
    """
    path = _notebook(lesson)
    answers = answers_in(cells_in(path) if cells is None else cells)
    saved_at = path.stat().st_mtime if path.exists() else 0.0
    return {
        name: _standing(recall(lesson, name), answers.get(name), saved_at) for name in exercises
    }


def _notebook(lesson: Path) -> Path:
    return lesson / f"{lesson.name}.ipynb"


def _standing(kept: Remembered, answer: str | None, saved_at: float) -> Standing:
    if not kept.passed:
        return Standing.OPEN
    if answer is not None and digest_of(answer) == kept.passed:
        return Standing.DONE
    return Standing.NOT_SAVED if kept.passed_at > saved_at else Standing.OPEN


def next_of(found: Mapping[str, Standing], after: str = "", further: Collection[str] = ()) -> str:
    """The exercise to go on with: the first open one from here on, or from the beginning.

    Whoever does the core goes on with the core, as long as something of it is open; whoever does
    further parts goes on in the order of the lesson.
    """
    names = [*found]
    start = names.index(after) if after in found else 0
    ahead = [name for name in (*names[start:], *names[:start]) if found[name] is Standing.OPEN]
    if after not in further:
        ahead.sort(key=lambda name: name in further)
    return ahead[0] if ahead else ""


def in_words(lesson: Path, exercises: Iterable[str], current: str, *, passed: bool) -> str:
    """How far a lesson is, in a line, for whoever has just checked an exercise of it."""
    cells = cells_in(_notebook(lesson))
    found, further = standings(lesson, exercises, cells), further_in(cells)
    if not passed:
        # What is saved may be an answer that has passed; the one that stands there has not.
        found[current] = Standing.OPEN
    following = next_of(found, current, further)
    return f"{how_far(found, further)} done{f'; next: {following}' if following else ''}."


def how_far(found: Mapping[str, Standing], further: Collection[str]) -> str:
    """How many exercises are done, of how many; those of further parts by themselves."""
    parts = in_parts(found, further)
    core, more = (f"{len(part) - part.count(Standing.OPEN)} of {len(part)}" for part in parts)
    if not parts[1]:
        return core
    return f"{core} core, {more} further" if parts[0] else f"{more} further"


def in_parts(
    found: Mapping[str, Standing], further: Collection[str]
) -> tuple[list[Standing], list[Standing]]:
    """How far the exercises of the core are, and how far those of further parts."""
    core = [one for name, one in found.items() if name not in further]
    return core, [one for name, one in found.items() if name in further]


def answers_in(cells: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The text of each answer in a notebook, by its cells."""
    answers = (cell for cell in cells if has_role(cell, "solution"))
    return {grade_id_of(one): source_of(one) for one in answers}


def digest_of(text: str) -> str:
    """By which an answer's text is known again; empty for no text."""
    lines = [line.rstrip() for line in _as_run(text).strip().splitlines()]
    # A notebook may hold half of a letter, for which there are no bytes.
    content = "\n".join(lines).encode("utf-8", "backslashreplace")
    return hashlib.sha256(content).hexdigest() if lines else ""


def _as_run(text: str) -> str:
    """The text of a cell as Python runs it, which has no `%timeit`."""
    if not any(line.lstrip().startswith(("%", "!")) for line in text.splitlines()):
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    with suppress(SyntaxError):
        return TransformerManager().transform_cell(text)
    return text


def text_of(answer: object) -> str:
    """The whole cell that a function or class was defined in, or nothing if it is not to be had."""
    parts = [answer, *(vars(answer).values() if isinstance(answer, type) else ())]
    for lines in map(linecache.getlines, _files(parts)):
        if lines:
            return "".join(lines)
    return ""


def _files(parts: Sequence[Any]) -> Iterable[str]:
    for part in parts:
        # A decorator such as torch.no_grad() has a file of its own.
        with suppress(ValueError):
            part = inspect.unwrap(part)
        code = getattr(part, "__code__", None)
        if isinstance(code, CodeType):
            yield code.co_filename


def _is_learners(lesson: Path) -> bool:
    return purpose.VARIABLE not in os.environ and (lesson.parent / MANIFEST).is_file()


def _file(lesson: Path, exercise: str) -> Path:
    return lesson.parent / FOLDER / lesson.name / f"{exercise}.json"
