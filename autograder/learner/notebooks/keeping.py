"""Changing a learner's notebook, with a dated copy of what was there kept beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from autograder.errors import CheckError, WorkFolderError
from autograder.whole_file import write_whole


def name_of_copy(path: Path, now: datetime | None = None) -> Path:
    """A name that no file has yet; without colons, which Windows doesn't allow."""
    dated = f"{path.stem} (kept {now or datetime.now():%Y-%m-%d %H.%M.%S}"
    names = (f"{dated}{more}).ipynb" for more in ("", *(f", {n}" for n in range(2, 1000))))
    return next(free for name in names if not (free := path.with_name(name)).exists())


def replace_and_keep(path: Path, before: bytes, after: bytes, kept: Path) -> None:
    """Write a file anew, unless somebody has just saved it.

    Args:
        path: the file.
        before: what was read from it.
        after: what it is to be.
        kept: where the copy of what was there goes.

    Raises:
        OSError: when one of them can't be written.
        WorkFolderError: when the file is no longer what was read; it stays as it is.
    """
    write_whole(kept, before)
    if path.read_bytes() != before:
        raise WorkFolderError(f"{path} was saved just now: try again.")
    write_whole(path, after)


def in_bytes(text: str) -> bytes:
    """A notebook's JSON as its file has it, to which a learner's outputs may add anything."""
    # For half of a letter there are no bytes but JSON's own sign, which this error handler writes.
    return f"{text}\n".encode("utf-8", "backslashreplace")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Say in one sentence that a notebook holds what can't be read or written.

    Raises:
        CheckError: in place of what no reader of notebooks expects, such as a number too large.
    """
    try:
        yield
    except (ValueError, OverflowError, RecursionError) as error:
        # What stands behind a colon is the file's own text.
        reason = str(error).partition(":")[0] or type(error).__name__
        raise CheckError(f"{path} can't be read or written: {reason[:100]}") from error
