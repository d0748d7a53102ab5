"""A student's files, copied and removed whatever they are.

Only regular files are opened. A link is never followed and a pipe never waited for: these are named
in place of being copied.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from autograder.grading.submitted_files import opened, shown

_CHUNK = 1 << 20
# Windows, where nothing is graded, knows neither.
_REGULAR = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_KINDS = {
    stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip
_ANOTHERS = "a second name of somebody else's file"

Entry = tuple[Path, os.stat_result, int]
"""A path that begins with the place's own name, what is there, and the open folder around it."""


def entries(place: Path) -> Iterator[Entry]:
    """All that is no folder at a place or below it."""
    with opened(place.parent, follow=True) as above:
        status = os.stat(place.name, dir_fd=above.descriptor, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            yield Path(place.name), status, above.descriptor
            return
        for at, folders, files, within in os.fwalk(
            place.name, onerror=_raise, dir_fd=above.descriptor
        ):
            for name in sorted((*folders, *files)):
                status = os.stat(name, dir_fd=within, follow_symlinks=False)
                if not stat.S_ISDIR(status.st_mode):
                    yield Path(at, name), status, within


def kind(entry: Entry) -> str:
    """What an entry is that is not copied; "" for a file."""
    _, status, within = entry
    if not stat.S_ISREG(status.st_mode):
        return _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
    is_anothers = status.st_nlink > 1 and status.st_uid != os.fstat(within).st_uid
    return _ANOTHERS if is_anothers else ""


def printed(path: Path) -> str:
    """A path for a message: in one line, with nothing in it that a terminal obeys."""
    return "/".join(map(shown, path.parts))


def size_of(place: Path) -> int:
    """How many bytes would be copied."""
    return sum(one[1].st_size for one in entries(place) if not kind(one))


def copy_files(place: Path, to: Path) -> list[str]:
    """Copy a file, or a folder with all its files, into a folder, and say what is no file."""
    left_out = []
    for entry in entries(place):
        copy = to / entry[0]
        if what := kind(entry):
            left_out.append(f"{printed(entry[0])} is {what}")
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("xb") as file:
            for chunk in _chunks(entry):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    return left_out


def not_copied(place: Path, to: Path) -> Iterator[str]:
    """The files that are not, or not as they are here, in the copy."""
    for entry in entries(place):
        if not kind(entry) and not _is_same(entry, to / entry[0]):
            yield printed(entry[0])


def remove_files(place: Path) -> None:
    """Remove a file, or a folder with all that is in it; of a link, the link itself."""
    if not stat.S_ISDIR(os.lstat(place).st_mode):
        place.unlink()
        return
    for _, _, _, within in os.fwalk(place, onerror=_raise):
        # What was copied with its modes may be closed to its own owner.
        if os.fstat(within).st_uid == os.geteuid():
            os.fchmod(within, stat.S_IRWXU)
    shutil.rmtree(place)


def _chunks(entry: Entry) -> Iterator[bytes]:
    """A file's content, and no more than it had when it was looked at."""
    path, status, within = entry
    try:
        descriptor = os.open(path.name, _REGULAR, dir_fd=within)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    most = status.st_size
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return
        while chunk := file.read(min(_CHUNK, most)):
            most -= len(chunk)
            yield chunk


def _is_same(entry: Entry, copy: Path) -> bool:
    if copy.is_symlink() or not copy.is_file() or copy.stat().st_size != entry[1].st_size:
        return False
    with copy.open("rb") as file:
        kept = hashlib.file_digest(file, "sha256").digest()
    here = hashlib.sha256()
    for chunk in _chunks(entry):
        here.update(chunk)
    return here.digest() == kept


def _raise(error: OSError) -> NoReturn:
    raise error
