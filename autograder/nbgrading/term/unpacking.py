"""One file out of a zip, read within the bounds that the zip itself names."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

_CHUNK = 1 << 20


class Damaged(Exception):
    """A file of the zip that can't be read: damaged, encrypted, or larger than it says."""


def unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> int:
    """Write a file, whole or not at all, and say how many bytes it has.

    Raises:
        Damaged: when it can't be read.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as copy:
        try:
            return sum(map(copy.write, _content(archive, entry)))
        except BaseException:
            path.unlink()
            raise


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """A file, piece by piece, and no more of it than the zip says that it has.

    Raises:
        Damaged: when it can't be read.
    """
    most = entry.file_size
    try:
        with archive.open(entry) as file:
            while chunk := file.read(min(_CHUNK, most + 1)):
                most -= len(chunk)
                if most < 0:
                    raise Damaged
                yield chunk
    except Exception as error:
        # Each way of packing has errors of its own, and zipfile has those of odd names and places.
        raise Damaged from error
