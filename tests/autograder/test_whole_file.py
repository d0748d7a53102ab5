"""A file is there whole or as it was, and of several all or none."""

import errno
import os
from pathlib import Path

import pytest

from autograder.whole_file import part_of, write_all, write_whole


def test_there_is_room_for_all_or_none_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, new = tmp_path / "before.md", tmp_path / "folder" / "new.py"
    write_whole(before, b"1")

    def full(file: int) -> None:
        if os.readlink(f"/proc/self/fd/{file}") == str(part_of(new)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            write_all({before: b"2", new: b"3"})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [before]
    assert before.read_bytes() == b"1"
    write_all({before: b"2", new: b"3"})
    assert (before.read_bytes(), new.read_bytes()) == (b"2", b"3")
