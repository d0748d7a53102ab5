"""Collecting what was downloaded from a learning platform, for `nbgrader zip_collect`."""

import os
from pathlib import Path
from typing import Any

from nbgrader.plugins.zipcollect import FileNameCollectorPlugin
from nbgrader.utils import unzip

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
    where one time can't be read.
    """

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """What the name says, or None if the file is skipped."""
        found = super().collect(submitted_file)
        if found is None:
            return None
        if reason := _why_not(submitted_file, found):
            self.log.warning("%s is set aside: %s", shown(os.path.basename(submitted_file)), reason)
            return None
        if found.get("timestamp") and time_in(found["timestamp"]) is None:
            self.log.warning(
                "%s is taken without a time: its name holds none that can be read",
                shown(os.path.basename(submitted_file)),
            )
            del found["timestamp"]
        return dict(found)


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
