"""Changing a learner's notebook, with a dated copy of what was there kept beside it."""

from datetime import datetime
from pathlib import Path

from autograder.errors import WorkFolderError
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
