"""Writing a file at once or not at all (an atomic replacement)."""

import errno
import os
import threading
from collections.abc import Mapping
from pathlib import Path

# Windows has no quotas of this kind.
_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whenever we are stopped, the old or the new one is there, whole.

    Args:
        path: the file; its folder is made where there is none.
        content: all of it.
    """
    write_all({path: content})


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write files each of which is there whole, and none of which is unless there is room for all.

    Args:
        contents: all of each, by its path; folders are made where there are none.
    """
    parts = {path: part_of(path) for path in contents}
    try:
        for path, part in parts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                file.write(contents[path])
                file.flush()
                os.fsync(file.fileno())
        for path, part in parts.items():
            os.replace(part, path)
    except BaseException:
        for part in parts.values():
            part.unlink(missing_ok=True)
        raise


def part_of(path: Path) -> Path:
    """The file beside it in which this thread, and no other, makes what it will be."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}.part")


def is_full(error: BaseException) -> bool:
    """Whether an error says that a disk, or somebody's share of it, is full."""
    if not isinstance(error, OSError):
        return False
    # Where a whole folder is copied, what failed is text in a list.
    is_listed = error.errno is None and os.strerror(errno.ENOSPC) in str(error)
    return is_listed or error.errno in _NO_ROOM
