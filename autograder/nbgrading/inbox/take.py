"""What is taken of a submission when it is graded, and by which digests it is known again.

Of the files that `grading.submitted_files` finds fit to be read, those beside the notebook that are
nobody's notebook or record go with it, into the student's process.
"""

import hashlib
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from autograder.grading.record import RECORD_SUFFIX
from autograder.grading.submitted_files import FILE_BYTES, files_in, is_notebook, read_regular
from autograder.nbgrading.inbox.kept_names import kept_name
from autograder.nbgrading.inbox.timestamps import stamp_of


@dataclass(frozen=True)
class Beside:
    """What lies beside a submission's notebook.

    Attributes:
        files: where the files that are taken lie, by name.
        left_out: why others are not, and why the time of handing in can't be told.
        course: where the course's files lie that come into the same folder, by name: what a
            student has called the same is replaced.
    """

    files: dict[str, Path] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    course: dict[str, Path] = field(default_factory=dict)

    def copy_to(self, target: Path) -> None:
        """Put the files where the submission is graded."""
        for name, path in self.files.items():
            copy = target / kept_name(name)
            _make_room(copy, target)
            copy.write_bytes(read_regular(path, FILE_BYTES))

    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file, but for those that the course puts its own in the place of."""
        return {
            name: hashlib.sha256(content).hexdigest()
            for name, content in self._of_the_student.items()
        }

    def contents(self, most: int) -> dict[str, bytes]:
        """What lies beside the notebook when it runs: the course's files, then the student's.

        Args:
            most: how many bytes there is room for; of a file that is larger, nothing.
        """
        contents = {}
        for name, path in sorted(self.course.items()):
            # It may be a link: whose files these are need not be protected from themselves.
            contents[name] = path.read_bytes() if path.stat().st_size <= most else b""
            most -= len(contents[name])
        for name, content in self._of_the_student.items():
            contents[name] = content if len(content) <= most else b""
            most -= len(contents[name])
        return contents

    @cached_property
    def _of_the_student(self) -> dict[str, bytes]:
        # Read once: a file that changes during the grading is not known by what it has become.
        return {
            name: read_regular(path, FILE_BYTES)
            for name, path in sorted(self.files.items())
            if name not in self.course
        }


def beside(folder: Path, course: Mapping[str, Path]) -> Beside:
    """What is taken of a submission, but for its notebooks.

    Args:
        folder: what was handed in.
        course: the course's files, by name, which come into the same folder later.
    """
    taken, left_out = files_in(folder)
    problem = stamp_of(folder).problem
    reasons = [f"{problem}: it counts as handed in on time"] if problem else []
    files = {}
    for name, path in taken.items():
        if is_notebook(name) or name.endswith(RECORD_SUFFIX):
            continue
        if _is_in_the_way(name, course):
            reasons.append(f"{name} is left out: it has the place of a file of the course")
        else:
            files[name] = path
    return Beside(files, (*reasons, *left_out), dict(course))


def _make_room(copy: Path, target: Path) -> None:
    """What an earlier grading has left may be closed to writing, or a folder in a file's place."""
    for above in copy.parents:
        if above == target:
            break
        if above.is_file():
            above.unlink()
    if copy.is_dir():
        shutil.rmtree(copy)
    copy.unlink(missing_ok=True)
    copy.parent.mkdir(parents=True, exist_ok=True)


def _is_in_the_way(name: str, course: Collection[str]) -> bool:
    """Whether a file would have to be a folder, or a folder a file."""
    folders = {str(folder) for folder in PurePosixPath(name).parents}
    return any(own in folders or own.startswith(f"{name}/") for own in course)
