"""Collecting what was downloaded from a learning platform, for `nbgrader zip_collect`."""

import os
import re
from pathlib import Path
from typing import Any

from nbgrader.plugins.zipcollect import FileNameCollectorPlugin
from nbgrader.utils import unzip
from traitlets import Dict

from autograder.grading.submitted_files import opened, raise_if_ours, shown
from autograder.nbgrading.inbox.student_ids import NOBODY, is_student_id
from autograder.nbgrading.inbox.timestamps import time_in


def unpacked_once(source: str, target: str, *, tree: bool = False, **how: Any) -> None:
    """Unpack what the platform has packed, and not what students have.

    18 kB of zips within a zip are 2 GB.
    """
    del tree
    unzip(source, target, tree=False, **how)


class SafeCollector(FileNameCollectorPlugin):  # type: ignore[misc]
    """Reads of a file's name whose it is; a name that can't be read costs itself.

    nbgrader's own takes any text of the name for a student or a path, and gives up on the class
    where one time can't be read, or tells two files of a student apart.
    """

    _is_timed: "Dict[tuple[str, str], bool]" = Dict(
        help="Whether its name held a time, of each student's file that is taken."
    )

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """What the name says, or None if the file is skipped."""
        found = super().collect(submitted_file)
        if found is None:
            return None
        name = shown(os.path.basename(submitted_file))
        reason = _why_not(submitted_file, found) or self._why_doubtful(submitted_file, found)
        if reason:
            self.log.warning("%s is set aside: %s", name, reason)
            return None
        stamp = found.get("timestamp")
        is_timed = stamp is not None and time_in(stamp) is not None
        # By this nbgrader knows a file.
        file = found["student_id"], os.path.splitext(found["file_id"])[0] + _end(submitted_file)
        if file in self._is_timed and not (is_timed and self._is_timed[file]):
            self.log.warning(
                "%s is set aside: %s has another %s, and the names do not tell which is newer",
                name,
                *map(shown, file),
            )
            return None
        self._is_timed[file] = is_timed
        if stamp is not None and not is_timed:
            self.log.warning(
                "%s is taken without a time: its name holds none that can be read", name
            )
            del found["timestamp"]
        return dict(found)

    def _why_doubtful(self, path: str, found: dict[str, str]) -> str:
        """Why a name may be another student's, or of another time; "" if it says both once."""
        named = re.match(self.named_regexp, path)
        if named is None:
            return ""
        start, end = named.span("student_id")
        # Up to here it is what the zip is called, and the course.
        above = len(os.path.dirname(path))
        # Somebody else may stand before who was found, where the file's name begins earlier; or
        # behind, where who was found is a part of what somebody is called.
        file = path[max(named.start("file_id"), end) :]
        others = [(path[:cut] + file, cut) for cut in range(above + 1, start + 1)]
        others.append((path[:start] + "\0" * (end - start) + path[end:], len(path)))
        for other, most in others:
            again = re.match(self.named_regexp, other)
            first, last = again.span("student_id") if again else (-1, -1)
            if again and above < first != start and last <= most:
                return (
                    f"it says twice who hands in, {shown(again['student_id'])} and "
                    f"{shown(found['student_id'])}, and a student has chosen a part of it: collect "
                    "by `autograder collect --zip`, or let the pattern begin with .*/ and all that "
                    "the platform writes before the student"
                )
        if other := self._another_time(path, named, above):
            return (
                f"it says twice when it was handed in, {shown(found['timestamp'])} and "
                f"{shown(other)}, and a student has chosen a part of it: collect by `autograder "
                "collect --zip`, or let the pattern have all that the platform writes around the "
                "time"
            )
        return ""

    def _another_time(self, path: str, named: re.Match[str], above: int) -> str:
        """The time that a name has if what was found is none; "" if it has no other."""
        if not named.groupdict().get("timestamp"):
            return ""
        start, end = named.span("timestamp")
        # A pattern that takes one of these for a part of a time seldom takes the other.
        for mask in "\0_":
            again = re.match(self.named_regexp, path[:start] + mask * (end - start) + path[end:])
            if not again or again.span("student_id") != named.span("student_id"):
                continue
            other = again["timestamp"] or ""
            if again.start("timestamp") > above and time_in(other) is not None:
                return other
        return ""


def _end(path: str) -> str:
    return os.path.splitext(path)[1]


def _why_not(path: str, found: dict[str, str]) -> str:
    if not is_student_id(found.get("student_id") or ""):
        return NOBODY
    parts = (found.get("file_id") or "").split("/")
    if not all(parts) or {".", ".."} & set(parts):
        return "its name leads elsewhere"
    try:
        with opened(Path(path).parent, follow=True) as folder:
            return folder.refusal(Path(path).name)
    except OSError as error:
        raise_if_ours(error)
        return "it can't be opened by who collects"
