"""The files of a submission: which of them are taken, and which are left where they are.

Taken is what is a regular file, not a link, has a plain name, and is not too large. Nothing else
is opened: not a pipe that nobody writes to, not a device, not a link to a file of the grader's.
"""

import os
import re
import stat
from pathlib import Path

NOTEBOOK_BYTES = 20_000_000
FILE_BYTES = 10_000_000
ALL_BYTES = 100_000_000
_FILES = 200
_NAMED = 5
_DEEPEST = 20
_DEEP = "it lies too deep in folders"
# Folders have no dot in their names, so that none takes the place of a file of the course.
_FOLDER = re.compile(r"[\w-][\w -]{0,99}")
_FILE = re.compile(r"[\w-][\w .()+-]{0,149}")


def files_in(folder: Path, most: int = ALL_BYTES) -> tuple[dict[str, Path], list[str]]:
    """The files that are taken, by their names relative to the folder, and why others are not.

    Args:
        folder: what was handed in.
        most: how many bytes they may have together.
    """
    taken: dict[str, Path] = {}
    left_out: list[str] = []
    if not is_own_folder(folder):
        return {}, [f"{folder.name} is not a folder of its own, but a link: nothing in it is read"]
    for at, folders, names in os.walk(folder):
        # The walk calls itself for each folder within a folder, and must not break on that.
        deep = [] if len(Path(at).relative_to(folder).parts) < _DEEPEST else list(folders)
        folders[:] = [] if deep else sorted(folders)
        left_out += [f"{_shown(Path(at, one), folder)} is left out: {_DEEP}" for one in deep]
        for name in sorted([*names, *(one for one in folders if Path(at, one).is_symlink())]):
            path = Path(at, name)
            reason = _refused(path, folder)
            size = 0 if reason else path.lstat().st_size
            if not reason and (len(taken) == _FILES or size > most):
                reason = "there are too many files, or too large ones"
            if reason:
                left_out.append(f"{_shown(path, folder)} is left out: {reason}")
            else:
                taken[str(path.relative_to(folder))] = path
                most -= size
    more = len(left_out) - _NAMED
    return taken, left_out[:_NAMED] + ([f"{more} more files are left out"] if more > 0 else [])


def is_own_folder(folder: Path) -> bool:
    """Whether neither a submission's folder nor the student's above it is a link."""
    return not folder.is_symlink() and not folder.parent.is_symlink()


def read_regular(path: Path, most: int) -> bytes:
    """A file's content; nothing of it if it is a link, a pipe, a device, or too large."""
    if not _is_regular(path, most):
        return b""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def _refused(path: Path, folder: Path) -> str:
    *folders, name = path.relative_to(folder).parts
    if not all(map(_FOLDER.fullmatch, folders)) or not _FILE.fullmatch(name):
        return "its name has characters that are not allowed"
    if path.suffix == ".ipynb" and folders:
        return "it is not the notebook that was asked for"
    if not _is_regular(path, NOTEBOOK_BYTES if path.suffix == ".ipynb" else FILE_BYTES):
        return "it is not a regular file, or too large"
    return ""


def _is_regular(path: Path, most: int) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= most


def _shown(path: Path, folder: Path) -> str:
    text = str(path.relative_to(folder)).encode("utf-8", "replace").decode()
    return "".join(one if one.isprintable() else "?" for one in text[:80])
