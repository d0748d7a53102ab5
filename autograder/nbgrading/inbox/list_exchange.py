"""Listing an exchange, for `nbgrader list` and the server extensions."""

import os
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.exchange.default import ExchangeList

from autograder.grading.submitted_files import (
    SubmittedFolder,
    is_notebook,
    is_plain,
    megabytes,
    opened,
    raise_if_ours,
    shown,
)
from autograder.nbgrading.inbox.arrivals import arrivals, report, why_anothers
from autograder.nbgrading.inbox.collect import SafeCollect
from autograder.nbgrading.inbox.secret import SECRET, SECRET_BYTES, secret_in

_MOST_WITHOUT_SECRET = 10_000_000
_MOST_FILES = 1000


class SafeList(ExchangeList):  # type: ignore[misc]
    """Lists what can be a submission, and says what can't.

    nbgrader's own gives up where one name can't be read, and reads the files of every submission:
    it waits for a pipe among them, follows a link, and compares each submission with all others.
    """

    def init_dest(self) -> None:
        """Find what there is, and set aside what is no submission."""
        super().init_dest()
        self.assignments: list[str]
        if self.inbound or self.cached:
            found, self._aside = arrivals(map(Path, self.assignments))
            self._arrivals = {str(one.path): one for one in found}
            self.assignments = [*self._arrivals]

    def parse_assignments(self) -> list[dict[str, Any]]:
        """What nbgrader says of each student's lesson, which it reads off copies of its own."""
        if not (self.inbound or self.cached):
            released: list[dict[str, Any]] = super().parse_assignments()
            return released
        listed: list[dict[str, Any]] = []
        kept: list[str] = []
        for _, group in groupby(sorted(self.assignments, key=_whose), _whose):
            self._room = _MOST_WITHOUT_SECRET
            with TemporaryDirectory() as copies:
                real = {str(copy): one for one in group if (copy := self._copied(one, copies))}
                self.assignments = [*real]
                listed += [_where_it_lies(one, real) for one in super().parse_assignments()]
            kept += real.values()
        self.assignments = kept
        report(self._aside, self.log)
        return listed

    def _copied(self, path: str, copies: str) -> Path | None:
        """A copy of what nbgrader reads of a submission; None where that can't be read."""
        arrival = self._arrivals[path]
        copy = Path(copies, arrival.path.relative_to(self.root if self.inbound else self.cache))
        copy.mkdir(parents=True)
        try:
            with opened(arrival.path) as folder:
                reason = why_anothers(arrival, folder) if self._owners_count else ""
                reason = reason or self._copy(folder, copy)
        except OSError as error:
            raise_if_ours(error)
            reason = "it can't be opened by who lists"
        if reason:
            self._aside.append(f"{shown(arrival.path.name)} is set aside: {reason}")
        return None if reason else copy

    @cached_property
    def _owners_count(self) -> bool:
        """Whether a folder in the exchange belongs to its student, as collecting asks too."""
        collect = SafeCollect(
            coursedir=self.coursedir, authenticator=self.authenticator, parent=self.parent
        )
        return bool(self.inbound and collect.check_owner)

    def _copy(self, folder: SubmittedFolder, copy: Path) -> str:
        """Copy what nbgrader reads, and say why it can't be; "" if it can."""
        with os.scandir(folder.descriptor) as entries:
            names = sorted(one.name for one in islice(entries, _MOST_FILES + 1))
        if len(names) > _MOST_FILES:
            return f"it has more than {_MOST_FILES} files"
        notebooks = [name for name in names if is_notebook(name) and is_plain(name)]
        for name in notebooks:
            if reason := folder.refusal(name):
                return f"{shown(name)} can't be read: {reason}"
        if not notebooks:
            return "there is no notebook in it"
        if SECRET in names:
            (copy / SECRET).write_bytes(folder.read(SECRET, SECRET_BYTES))
            for name in notebooks:
                (copy / name).touch()
            return "" if secret_in(copy) else f"{SECRET} holds no secret"
        # nbgrader makes up for it by reading the notebooks.
        size = sum(os.stat(name, dir_fd=folder.descriptor).st_size for name in notebooks)
        self._room -= size
        if self._room < 0:
            return f"it has no {SECRET}, and {megabytes(size)} of notebooks"
        for name in notebooks:
            (copy / name).write_bytes(folder.read(name, _MOST_WITHOUT_SECRET))
        return ""


def _whose(path: str) -> tuple[str, ...]:
    """The course, the student and the lesson of a submission."""
    student, lesson, *_ = Path(path).name.split("+")
    return str(Path(path).parent), student, lesson


def _where_it_lies(listed: dict[str, Any], real: dict[str, str]) -> dict[str, Any]:
    """What nbgrader says of copies, said of what they are copies of."""
    for submission in listed["submissions"]:
        copy = submission["path"]
        submission["path"] = real[copy]
        for notebook in submission["notebooks"]:
            notebook["path"] = os.path.join(real[copy], os.path.basename(notebook["path"]))
    return listed
