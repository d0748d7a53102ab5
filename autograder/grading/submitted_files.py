"""The files of a submission: which of them are taken, and which are left where they are.

Taken is what is a regular file, not a link, has a plain name, and is not too large. Nothing else
is opened: not a pipe that nobody writes to, not a device, not a link to a file of the grader's.

A folder is opened once, and all within it is reached from there, folder by folder: while it is
read, its owner may put links in the place of folders.
"""

import errno
import io
import math
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO

# Of a file, as it is handed in, and of what is read of it when its outputs are dropped.
NOTEBOOK_FILE_BYTES = 100_000_000
NOTEBOOK_BYTES = 20_000_000
FILE_BYTES = 10_000_000
ALL_BYTES = 100_000_000
MOST_FILES = 200
# What is looked at, taken or not; a name is counted, not read.
_ENTRIES = 5000
_NAMED = 5
_DEEPEST = 20
_PATH_BYTES = 1000
# Windows, where nothing is graded, knows none of these.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDERS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_FILES_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
_DEEP = "it lies too deep in folders"
_ODD = "its name has characters that are not allowed"
_LONG = "its name is too long"
TOO_MANY = "there are too many files"
_IRREGULAR = "it is not a regular file"
_FOLDER_WITH_DOT = "it is a folder, and a folder's name has no dot"
_ANOTHERS = "it belongs to somebody else"
_CLOSED = "it can't be opened by who grades"
# Folders have no dot in their names, so that none takes the place of a file of the course.
_FOLDER = re.compile(r"[\w-][\w -]{0,99}")
_FILE = re.compile(r"[\w-][\w .()+-]{0,149}")
# People and systems write all kinds of things into the names of copies, and by its name a notebook
# is only shown. What begins with a dot is what a system keeps beside files.
_NOTEBOOK_LETTERS = 150
# What programs and systems leave beside files, of which nobody has to be told.
_LEAVINGS = {
    ".ipynb_checkpoints", "__pycache__", "__MACOSX", ".DS_Store", ".git", ".idea", ".vscode",
    "Thumbs.db", "desktop.ini",
}  # fmt: skip
# A resource fork of macOS, and who has a document of Office open.
_LEFT_BEGINS = ("._", "~$")
_NOTEBOOK_ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json")
# A file system takes 255 in a name, and a file may be kept with another ending behind its own.
NAME_BYTES = 240
# What the maker of a folder can bring about. Any other error is a failure on our side.
_MADE_SO = {
    errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR,
    errno.ENXIO, errno.EISDIR,
    # A lease, which keeps others from opening a file; a file taken away from a server that others
    # read it from; a folder whose key nobody else has.
    errno.EAGAIN, errno.ESTALE, getattr(errno, "ENOKEY", errno.EACCES),
}  # fmt: skip


def files_in(folder: Path, most: int = ALL_BYTES) -> tuple[dict[str, Path], list[str]]:
    """The files that are taken, by their names relative to the folder, and why others are not.

    Args:
        folder: what was handed in.
        most: how many bytes they may have together.
    """
    if not is_own_folder(folder):
        return {}, [f"{folder.name} is not a folder of its own, but a link: nothing in it is read"]
    try:
        with opened(folder) as submission:
            taken, left_out = submission.files(most)
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        raise_if_ours(error)
        return {}, [f"{folder.name} is left out: {_CLOSED}"]
    return {name: folder / name for name in taken}, left_out


def is_own_folder(folder: Path) -> bool:
    """Whether neither a submission's folder nor the student's above it is a link."""
    return not os.path.islink(folder) and not os.path.islink(folder.parent)


def read_regular(path: Path, most: int) -> bytes:
    """A file's content; nothing of it if it is a link, a pipe, a device, closed, or too large."""
    try:
        with opened(path.parent, follow=True) as folder:
            return folder.read(path.name, most)
    except OSError as error:
        raise_if_ours(error)
        return b""


class SubmittedFolder:
    """A folder that was handed in, while it is open."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.owner = os.fstat(descriptor).st_uid
        self.all_of_one = False
        """Whether every file must belong to whom the folder belongs to.

        Where students can write to the folder, another's file in it is a hard link; what was
        collected may be edited by whoever grades, and only a file that has a second name counts.
        """

    def files(self, most: int = ALL_BYTES) -> tuple[list[str], list[str]]:
        """The names of the files that are taken, and why others are not."""
        walk = _Walk(self, most)
        walk.visit(self.descriptor, ())
        return walk.taken, walk.reasons()

    def read(self, name: str, most: int) -> bytes:
        """A file's content; nothing of it where it would not be taken.

        Raises:
            OSError: when it can't be read for a reason that does not lie in the submission.
        """
        with self.file(name, most) as file:
            return file.read(most)

    @contextmanager
    def file(self, name: str, most: int) -> Iterator[IO[bytes]]:
        """A file, to be read piece by piece; an empty one where it would not be taken.

        Raises:
            OSError: when it can't be read for a reason that does not lie in the submission.
        """
        with ExitStack() as stack:
            try:
                file = self._file(stack, name, most)
            except OSError as error:
                raise_if_ours(error)
                file = io.BytesIO()
            yield file

    def _file(self, stack: ExitStack, name: str, most: int) -> IO[bytes]:
        *folders, name = PurePosixPath(name).parts
        at = self.descriptor
        for one in folders:
            at = stack.enter_context(_open(one, _FOLDERS, at))
        if not self.why_not(at, name, most):
            descriptor = stack.enter_context(_open(name, _FILES_ONLY, at))
            # Another file may have taken its name by now.
            if not self._unfit(os.fstat(descriptor), most):
                return stack.enter_context(open(descriptor, "rb", closefd=False))
        return io.BytesIO()

    def stamp(self, name: str) -> tuple[int, int, int]:
        """Which file has a name, when it last changed in any way, and its size.

        Raises:
            OSError: when it can't be looked at.
        """
        return stamp(os.stat(name, dir_fd=self.descriptor))

    def is_missing(self, name: str) -> bool:
        """Whether nothing in the folder has this name, be it a file or something else."""
        try:
            os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return True
        return False

    def refusal(self, name: str) -> str:
        """Why a notebook that is there would not be taken; "" if it would, or is missing."""
        if self.is_missing(name):
            return ""
        return self.why_not(self.descriptor, name, NOTEBOOK_FILE_BYTES)

    def why_not(self, at: int, name: str, most: int) -> str:
        """Why a file within the open folder `at` is not taken; "" if it is."""
        try:
            status = os.stat(name, dir_fd=at, follow_symlinks=False)
            if reason := self._unfit(status, most):
                return reason
            with _open(name, _FILES_ONLY, at):
                return ""
        except OSError as error:
            raise_if_ours(error)
            return _CLOSED

    def _unfit(self, status: os.stat_result, most: int) -> str:
        """Why a file like this, in this folder, is not taken; "" if it is."""
        anothers = status.st_uid != self.owner and (self.all_of_one or status.st_nlink > 1)
        return _unfit(status, most) or (_ANOTHERS if anothers else "")


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    """Which file it is, when that last changed in any way (no clock of a program's own), and its
    size: what has another of these is another file, or says something else.
    """
    return status.st_ino, status.st_ctime_ns, status.st_size


@contextmanager
def opened(folder: Path, *, follow: bool = False) -> Iterator[SubmittedFolder]:
    """A folder, opened once; a link to one only if it may be followed."""
    flags = _FOLDERS & ~_NO_LINK if follow else _FOLDERS
    with _open(folder, flags) as descriptor:
        yield SubmittedFolder(descriptor)


class _Walk:
    """A look at all that lies in a folder: files first, then folders, each in order."""

    def __init__(self, folder: SubmittedFolder, most: int) -> None:
        self._folder, self._left, self._seen = folder, most, 0
        self.taken: list[str] = []
        self._left_out: list[str] = []
        self._more = 0

    def reasons(self) -> list[str]:
        more = [f"{self._more} more files are left out"] if self._more else []
        return [*self._left_out, *more]

    def visit(self, descriptor: int, above: tuple[str, ...]) -> None:
        names = self._names(descriptor)
        if self._seen > _ENTRIES:
            return self._leave_out("/".join(above) or "all that is in it", TOO_MANY)
        names = [name for name in names if not is_leaving(name)]
        folders = [name for name in names if _is_folder(name, descriptor)]
        # Notebooks first: there is room for them, and what is wrong with one is said first.
        files = sorted(set(names) - set(folders), key=lambda name: (not is_notebook(name), name))
        for name in files:
            self._take(descriptor, above, name)
        for name in sorted(folders):
            self._enter(descriptor, above, name)
        return None

    def _names(self, descriptor: int) -> list[str]:
        with os.scandir(descriptor) as entries:
            room = max(0, _ENTRIES - self._seen)
            names = [entry.name for entry in islice(entries, room + 1)]
        self._seen += len(names)
        return names

    def _take(self, descriptor: int, above: tuple[str, ...], name: str) -> None:
        path = "/".join((*above, name))
        most = most_of(name)
        reason = _misnamed(name) or self._folder.why_not(descriptor, name, most)
        size = 0 if reason else os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_size
        if not reason and len(self.taken) == MOST_FILES:
            reason = TOO_MANY
        reason = reason or too_large_together(size, self._left)
        if reason:
            self._leave_out(path, reason)
        else:
            self.taken.append(path)
            self._left -= size

    def _enter(self, descriptor: int, above: tuple[str, ...], name: str) -> None:
        path = "/".join((*above, name))
        if reason := _misnamed_folder(name):
            return self._leave_out(path, reason)
        if len(above) + 1 > _DEEPEST or len(os.fsencode(path)) > _PATH_BYTES:
            return self._leave_out(path, _DEEP)
        try:
            with _open(name, _FOLDERS, descriptor) as within:
                self.visit(within, (*above, name))
        except OSError as error:
            raise_if_ours(error)
            self._leave_out(path, _CLOSED)
        return None

    def _leave_out(self, path: str, reason: str) -> None:
        if len(self._left_out) < _NAMED:
            self._left_out.append(f"{shown(path)} is left out: {reason}")
        else:
            self._more += 1


def listed(names: Sequence[str], most: int) -> str:
    """Names as a sentence has them: the first of them, and how many more there are."""
    more = len(names) - most
    *some, last = [*names[:most], *([f"{more} more"] if more > 0 else [])]
    return f"{', '.join(some)} and {last}" if some else last


def shown(name: str) -> str:
    """A name of a student's for a message: bounded, and nothing in it but what can be printed."""
    text = name[:80].encode("utf-8", "replace").decode()
    return "".join(one if one.isprintable() else "?" for one in text)


def _misnamed(name: str) -> str:
    if is_notebook(name):
        odd = name.startswith(".") or not name.isprintable() or len(name) > _NOTEBOOK_LETTERS
    else:
        odd = not _FILE.fullmatch(name)
    return _ODD if odd else _too_long(name)


def _misnamed_folder(name: str) -> str:
    if _FOLDER.fullmatch(name):
        return _too_long(name)
    return _FOLDER_WITH_DOT if _FOLDER.fullmatch(name.replace(".", "")) else _ODD


def _too_long(name: str) -> str:
    return _LONG if len(os.fsencode(name)) > NAME_BYTES else ""


def is_plain(path: str) -> bool:
    """Whether a file with this path would be taken, as far as its names decide.

    It can be made here too: no name in it is longer than a file system takes.
    """
    *above, name = path.split("/")
    deep = len(above) > _DEEPEST or len(os.fsencode(path)) > _PATH_BYTES
    return not deep and not any(map(_misnamed_folder, above)) and not _misnamed(name)


def is_leaving(path: str) -> bool:
    """Whether a file, or a folder above it, is what a program or a system leaves beside files."""
    return any(one in _LEAVINGS or one.startswith(_LEFT_BEGINS) for one in path.split("/"))


def is_notebook(name: str) -> bool:
    """Whether a file is called as a notebook; some browsers put an ending of theirs behind it."""
    return name.lower().endswith(_NOTEBOOK_ENDINGS)


def most_of(name: str) -> int:
    """How many bytes a file of this name may have."""
    return NOTEBOOK_FILE_BYTES if is_notebook(name) else FILE_BYTES


def _unfit(status: os.stat_result, most: int) -> str:
    if not stat.S_ISREG(status.st_mode):
        return _IRREGULAR
    return too_large(status.st_size, most)


def too_large(size: int, most: int) -> str:
    """Why a file of so many bytes is not taken; "" if it is."""
    return f"it has {megabytes(size)}, and {megabytes(most)} are the most" if size > most else ""


def too_large_together(size: int, left: int) -> str:
    """Why a file is not taken, beside the others, where so many bytes are left; "" if it is."""
    if size <= left:
        return ""
    return f"it has {megabytes(size)}, and the other files leave {megabytes(left)}"


def megabytes(size: int) -> str:
    """A number of bytes for a reader, who is never told that 20,000,001 are 20 MB."""
    return f"{math.ceil(size / 100_000) / 10:g} MB"


def _is_folder(name: str, descriptor: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
    except OSError as error:
        raise_if_ours(error)
        return False


@contextmanager
def _open(path: str | Path, flags: int, at: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, flags, dir_fd=at)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def raise_if_ours(error: OSError) -> None:
    """Raise an error again that does not lie in how a submission's files are made."""
    if error.errno not in _MADE_SO:
        raise error


def files_beside(folder: Path, most: int) -> dict[str, bytes]:
    """What lies beside the instructor's notebook, for a process in which its cells run."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".ipynb" and path.stat().st_size <= most:
            found[str(path.relative_to(folder))] = path.read_bytes()
            most -= path.stat().st_size
    return found
