"""Writing a file at once or not at all (an atomic replacement)."""

import os
import threading
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whenever we are stopped, the old or the new one is there, whole.

    Args:
        path: the file; its folder is made where there is none.
        content: all of it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def part_of(path: Path) -> Path:
    """The file beside it in which this thread, and no other, makes what it will be."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}.part")
