"""Which of the files that were handed in is the notebook to be graded, and what is read of it.

A browser calls a second download `02_vectors (1).ipynb`, people call theirs `my_solution.ipynb`,
and a `print` in a loop makes a notebook of 30 MB: none of that says anything about the answers. So
the notebook is the one that is called as was asked; where that is missing, or nothing in it is
answered, the only other with answers. Of a large one, all but the cells' sources is dropped while
it is read. Where none is left, or two, or what is left breaks off or is another lesson's, a human
has to look: nothing is graded, and no 0 given.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import ijson

from autograder.checks.source.cells import grade_id_of
from autograder.errors import CheckError
from autograder.grading.apart import Tell, apart
from autograder.grading.jobs.work import source_at
from autograder.grading.rebuild import Counted, GivenOut, cells_in
from autograder.grading.submitted_files import (
    NOTEBOOK_BYTES,
    NOTEBOOK_FILE_BYTES,
    SubmittedFolder,
    is_notebook,
    is_own_folder,
    listed,
    megabytes,
    opened,
    raise_if_ours,
    shown,
)
from autograder.nbgrading.inbox.timestamps import NAME as TIMESTAMP

_TOO_MUCH = "takes too much time or memory to be read"
_MANY = 10
_REMEMBERED, _REMEMBERED_BYTES = 16, 2 * NOTEBOOK_BYTES
# What can't be read now may be readable later, on a quieter machine; a run asks sooner than that.
_READ_AGAIN = 60.0
_NAMED = 3
# What is read of a cell; its outputs are most of a large notebook.
_READ = ("id", "cell_type", "metadata", "source")
# Within the braces of the notebook, and within those and the brackets of its cells.
_NOTEBOOK_DEEP, _CELL_DEEP = 1, 2
_CHUNK = 1 << 22


@dataclass(frozen=True)
class HandedIn:
    """What is graded of a submission: its notebook, or nothing yet.

    Attributes:
        content: the notebook as JSON; of a large one without its outputs.
        name: the file, by its name in the folder.
        remarks: what whoever grades should know about the choice.
        why_not: why a human has to look before anything is graded; "" if there is a notebook.
        of: by which the files that could have been meant are known again.
    """

    content: bytes = b""
    name: str = ""
    remarks: tuple[str, ...] = ()
    why_not: str = ""
    of: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of what is read, or of why there is nothing and of what could have been
        meant: by it a record is known.
        """
        return hashlib.sha256(self.content or f"{self.why_not}{self.of}".encode()).hexdigest()


def which_notebook(
    folder: Path, notebook: str, given: GivenOut, others: Collection[str] = ()
) -> HandedIn:
    """The notebook to be graded of all that lies in a folder.

    Args:
        folder: what was handed in.
        notebook: the file that was asked for, such as 02_vectors.ipynb.
        given: what was given out to be answered in it.
        others: files that were asked for as well, as other notebooks, and folders of such.

    Raises:
        OSError: when the folder can't be read for a reason that does not lie in the submission.
    """
    if not is_own_folder(folder):
        return HandedIn(why_not=f"{shown(folder.name)} is a link, and no folder of its own")
    try:
        with opened(folder) as submission:
            choice = _Choice(submission, notebook, given, frozenset(others))
            key = choice.key
            if (known := _made.get(folder)) and known.key == key and known.holds:
                return known.handed_in
            made = choice.made()
            _remember(folder, _Look(key, made, time.monotonic()))
            return made
    except FileNotFoundError:
        return HandedIn(why_not="nothing was handed in")
    except OSError as error:
        raise_if_ours(error)
        return HandedIn(why_not="what was handed in can't be opened by who grades")


def answered_in(folder: Path, given: GivenOut, others: Collection[str]) -> set[str]:
    """Which cells are answered in any notebook of a folder, but for `others`.

    All of them are looked through once, in the time that one look has; what takes more is left.
    """
    try:
        with opened(folder) as submission:
            choice = _Choice(submission, "", given, frozenset(others))
            return {name for names in choice.answered() for name in names}
    except OSError as error:
        raise_if_ours(error)
        return set()


def written_in(folder: Path, given: GivenOut, others: Collection[str]) -> dict[str, str]:
    """The notebooks of a folder with answers, and a digest of all that would be graded of each."""
    try:
        with opened(folder) as submission:
            return _Choice(submission, "", given, frozenset(others)).written()
    except OSError as error:
        raise_if_ours(error)
        return {}


def given_out(notebook: Path) -> GivenOut:
    """What was given out with a lesson; nothing of one that is not built.

    Raises:
        GradingFailed: when the instructor's notebook can't be read.
    """
    return GivenOut.of(source_at(notebook)) if notebook.exists() else GivenOut()


@dataclass(frozen=True)
class _Look:
    """What came of a look, of what, and when."""

    key: object
    handed_in: HandedIn
    time: float

    @property
    def holds(self) -> bool:
        return not self.handed_in.why_not or time.monotonic() < self.time + _READ_AGAIN


# What came of the last looks: a submission that a worker has begun is looked at again before its
# grade is kept, and is the same where no file of it has changed in any way.
_made: dict[Path, _Look] = {}


def _remember(folder: Path, look: _Look) -> None:
    _made.pop(folder, None)
    _made[folder] = look
    while len(_made) > _REMEMBERED or _remembered_bytes() > _REMEMBERED_BYTES:
        del _made[next(iter(_made))]


def _remembered_bytes() -> int:
    return sum(len(look.handed_in.content) for look in _made.values())


class _Choice:
    """One look at a folder that was handed in."""

    def __init__(
        self,
        submission: SubmittedFolder,
        notebook: str,
        given: GivenOut,
        others: frozenset[str],
    ) -> None:
        self._submission, self._notebook = submission, notebook
        self._given, self._others = given, others
        self._files, self._left_out = submission.files()
        self._found = [
            name
            for name in self._files
            if is_notebook(name) and others.isdisjoint((name, name.partition("/")[0]))
        ]

    @property
    def key(self) -> object:
        """All that decides what comes of it, without reading a file."""
        files = [(name, self._submission.stamp(name)) for name in self._found]
        return self._notebook, self._given, self._others, self._left_out, files

    def answered(self) -> Iterator[list[str]]:
        """The cells that are answered in each notebook that can be read in time."""

        def look(tell: Tell) -> None:
            for name in sorted(self._found, key=self._size):
                tell(sorted(self._counted(name).answered))

        return self._apart(look)

    def made(self) -> HandedIn:
        """What comes of it."""
        found = self._found
        if not found:
            others = [name for name in self._files if name != TIMESTAMP]
            only = f", only {_listed(others)}" if others else ""
            return self._none(f"there is no notebook in what was handed in{only}")
        if found == [self._notebook]:
            return self._taken(self._notebook)
        if len(found) > _MANY:
            return self._of_many()
        written = self.written()
        if self._notebook in found and (self._notebook in written or not written):
            return self._taken(self._notebook, *self._not_graded(written))
        if len(set(written.values())) == 1:
            name = next(iter(written))
            return self._taken(name, f"graded is {shown(name)}: {self._why(name)}")
        if written:
            return self._none(f"{_listed(written)} could each be meant: only one can count")
        return self._none(f"in {_listed(found)} no cell of this lesson is answered")

    def _of_many(self) -> HandedIn:
        """What comes of more than are looked into: the one that was asked for, if answered."""
        asked = [name for name in self._found if name == self._notebook]
        if self.written(asked):
            others = [name for name in self._found if name != self._notebook]
            return self._taken(self._notebook, f"not looked into: {_listed(others)}")
        return self._none(f"{len(self._found)} notebooks were handed in: only one can count")

    def _none(self, reason: str) -> HandedIn:
        """Nothing, and what was left out before, which may have been meant."""
        said = [text for text in self._left_out if is_notebook(text.partition(" is left out")[0])]
        of = hashlib.sha256("".join(map(self._known_by, self._found)).encode()).hexdigest()
        return HandedIn(why_not="; ".join([reason, *said]), of=of)

    def _known_by(self, name: str) -> str:
        """The digest of a notebook's bytes, or what else tells it from another."""
        with suppress(OSError):
            if self._size(name) <= NOTEBOOK_BYTES:
                content = self._submission.read(name, NOTEBOOK_BYTES)
                return hashlib.sha256(content).hexdigest()
        return f"{self._submission.stamp(name)}"

    def _not_graded(self, written: Mapping[str, str]) -> list[str]:
        """What is said of other answers beside those in the file that was asked for."""
        own = written.get(self._notebook)
        others = [name for name, digest in written.items() if digest != own]
        return [f"graded is {self._notebook}; not graded: {_listed(others)}"] if others else []

    def _why(self, name: str) -> str:
        if self._notebook in self._found:
            return f"in {self._notebook} nothing is answered"
        return f"there is no {self._notebook}"

    def _taken(self, name: str, *remarks: str) -> HandedIn:
        if (size := self._size(name)) <= NOTEBOOK_BYTES:
            content = self._submission.read(name, NOTEBOOK_BYTES)
            wrong = next(self._apart(lambda tell: tell(self._wrong_with(content))), _TOO_MUCH)
            return (
                self._none(f"{shown(name)} {wrong}") if wrong else HandedIn(content, name, remarks)
            )
        text = next(self._apart(lambda tell: self._tell_sources(tell, name)), None)
        if text is None or len(text) > NOTEBOOK_BYTES:
            return self._none(
                f"{shown(name)} has {megabytes(size)}, and can't be read even without its outputs: "
                f"hand it in again with its outputs cleared, below {megabytes(NOTEBOOK_BYTES)}"
            )
        dropped = f"{shown(name)} has {megabytes(size)}: its outputs were dropped unread"
        return HandedIn(text.encode(), name, (*remarks, dropped))

    def _size(self, name: str) -> int:
        with self._submission.file(name, NOTEBOOK_FILE_BYTES) as file:
            return file.seek(0, os.SEEK_END)

    def _wrong_with(self, content: bytes) -> str:
        """Why nothing in it can be graded, as a browser's broken upload; "" if something can."""
        try:
            names = {grade_id_of(cell) for cell in cells_in(content)}
        except CheckError as error:
            return f"{error}; it has to be handed in again"
        if not self._given.to_write:
            return ""
        if names == {""}:
            return (
                "has cells without the names by which answers are known, as after a program that "
                "drops metadata; it has to be handed in again, in the notebook that was given out"
            )
        if names.isdisjoint(self._given.to_write):
            return "has none of the cells that this lesson asks for; it has to be handed in again"
        return ""

    def _tell_sources(self, tell: Tell, name: str) -> None:
        with self._submission.file(name, NOTEBOOK_FILE_BYTES) as file:
            tell(json.dumps({"cells": list(_cells_in(file))}))

    def written(self, some: Collection[str] | None = None) -> dict[str, str]:
        """Those of some notebooks in which something is answered, and a digest of what counts."""
        names = self._found if some is None else some

        def look(tell: Tell) -> None:
            # What takes all of the time comes last.
            for name in sorted(names, key=self._size):
                if digest := self._digest_of(name):
                    tell([name, digest])

        return dict(self._apart(look))

    def _apart(self, work: Callable[[Tell], None]) -> Iterator[Any]:
        return apart(work, self._submission.descriptor)

    def _digest_of(self, name: str) -> str:
        counted = self._counted(name)
        return counted.digest if counted.answered else ""

    def _counted(self, name: str) -> Counted:
        return Counted.of(self._before_damage(name), self._given)

    def _before_damage(self, name: str) -> Iterator[dict[str, Any]]:
        # What stands before a damage says what it is.
        with suppress(CheckError, ijson.JSONError, UnicodeDecodeError):
            yield from self._cells_of(name)

    def _cells_of(self, name: str) -> Iterator[dict[str, Any]]:
        """The cells of a file: as they are graded, or as far as they can be read.

        Raises:
            CheckError: where the file is no JSON, or breaks off.
        """
        try:
            with self._submission.file(name, NOTEBOOK_FILE_BYTES) as file:
                yield from _cells_in(file)
        except (ijson.JSONError, UnicodeDecodeError):
            # An int of 400 digits is a damage to this reader, and none to the one that grades.
            if self._size(name) > NOTEBOOK_BYTES:
                raise
            yield from cells_in(self._submission.read(name, NOTEBOOK_BYTES))


def _cells_in(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """The cells of a notebook, one after the other, without what nobody reads of them.

    Raises:
        ijson.JSONError: where the file is no JSON, or breaks off.
    """
    cell: ijson.ObjectBuilder | None = None
    depth, part, skipping = 0, "", False
    for event, value in ijson.basic_parse(file, buf_size=_CHUNK, use_float=True):
        depth -= event.startswith("end_")
        if depth == _NOTEBOOK_DEEP and event == "map_key":
            part = value
        elif depth == _CELL_DEEP and event == "start_map" and part == "cells":
            cell, skipping = ijson.ObjectBuilder(), False
        elif depth == _CELL_DEEP + 1 and event == "map_key":
            skipping = value not in _READ
        ends = depth == _CELL_DEEP and event == "end_map"
        depth += event.startswith("start_")
        if cell is not None and (ends or not skipping):
            cell.event(event, value)
        if cell is not None and ends:
            yield cell.value
            cell = None


def _listed(names: Collection[str]) -> str:
    return listed([shown(name) for name in sorted(names)], _NAMED)
