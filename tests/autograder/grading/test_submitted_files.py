"""Which files of a submission are taken: regular ones with plain names, and not too many."""

import errno
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from autograder.grading import submitted_files
from autograder.grading.submitted_files import (
    ALL_BYTES,
    files_in,
    is_own_folder,
    opened,
    read_regular,
)
from tests.support.anybody import as_anybody


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "student" / "lesson").mkdir(parents=True)
    return tmp_path / "student" / "lesson"


def write(folder: Path, *names: str, content: str = "1") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def test_plain_files_are_taken(folder: Path) -> None:
    names = ["lesson.ipynb", "data.csv", "a b (1).txt", "no_suffix", "data/deep/x.npy", "Größe.txt"]
    write(folder, *names)
    taken, left_out = files_in(folder)
    assert sorted(taken) == sorted(names)
    assert taken["data/deep/x.npy"] == folder / "data/deep/x.npy"
    assert left_out == []


def test_empty_and_missing_folders(folder: Path) -> None:
    assert files_in(folder) == ({}, [])
    assert files_in(folder / "nothing") == ({}, [])


BAD_NAMES = [".hidden", "a\nb", "a\tb", "x;y", "$HOME", "a\u202eb", "-" * 151, " x", "a\\b", "a*"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_odd_names_are_left_out(folder: Path, name: str) -> None:
    write(folder, name, "good.txt")
    taken, (reason,) = files_in(folder)
    assert list(taken) == ["good.txt"]
    assert reason.endswith("is left out: its name has characters that are not allowed")
    assert reason.isprintable()


@pytest.mark.parametrize("name", ["a.d", ".hidden", "x;y", "data.csv"])
def test_odd_folders_are_left_out(folder: Path, name: str) -> None:
    write(folder, f"{name}/file.txt", f"good/{name}/file.txt", "good/file.txt")
    taken, left_out = files_in(folder)
    assert list(taken) == ["good/file.txt"]
    assert left_out


def test_name_that_is_no_text(folder: Path) -> None:
    with open(os.path.join(os.fsencode(folder), b"\xff\xfe"), "wb"):
        pass
    taken, (reason,) = files_in(folder)
    assert taken == {}
    reason.encode()


COPIES = [
    *("02 [final], v2.ipynb", "ada's & ben's!.ipynb", "copy/lesson.ipynb", "(1).ipynb"),
    *("Aufgabe 2: Lösung!.ipynb", "A&B #2.ipynb", "a+b, 100%.ipynb", "Lo\u0308sung.ipynb"),
    *("=1+1.ipynb", "-rf.ipynb", "a<b>.ipynb", "課題2.ipynb"),
]
LEAVINGS = [
    *(".ipynb_checkpoints/02.ipynb", "__MACOSX/._02.ipynb", "._02.ipynb", ".DS_Store"),
    *(".git/HEAD", "__pycache__/own.pyc", "Thumbs.db", "data/desktop.ini", "~$notes.docx"),
]


def test_copies_of_notebooks_are_taken_by_most_names(folder: Path) -> None:
    write(folder, *COPIES, "a&b.csv")
    taken, (reason,) = files_in(folder)
    assert sorted(taken) == sorted(COPIES)
    assert reason == "a&b.csv is left out: its name has characters that are not allowed"


def test_what_systems_leave_beside_files_is_nobodys(folder: Path) -> None:
    write(folder, "02.ipynb", *LEAVINGS)
    assert files_in(folder) == ({"02.ipynb": folder / "02.ipynb"}, [])


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def link_to_own(path: Path) -> None:
    write(path.parent, "own.txt")
    path.symlink_to("own.txt")


def broken_link(path: Path) -> None:
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def folder_link(path: Path) -> None:
    path.symlink_to("/etc")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(path.parent)
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


IRREGULAR = [link, link_to_own, broken_link, loop, folder_link, os.mkfifo, listening]


@pytest.mark.parametrize("make", IRREGULAR, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", ["data", "data.ipynb"])
def test_irregular_is_left_out(folder: Path, make, name: str) -> None:
    make(folder / name)
    taken, left_out = files_in(folder)
    assert name not in taken
    assert left_out == [f"{name} is left out: it is not a regular file"]
    assert read_regular(folder / name, 100) == b""


def test_devices_are_not_read() -> None:
    assert read_regular(Path("/dev/zero"), 100) == b""
    assert read_regular(Path("/dev"), 100) == b""


@pytest.mark.parametrize("place", ["student", "student/lesson"])
def test_folder_that_is_a_link(folder: Path, tmp_path: Path, place: str) -> None:
    write(folder, "secret.txt")
    (tmp_path / "real").mkdir()
    (tmp_path / place).rename(tmp_path / "real" / "there")
    (tmp_path / place).symlink_to(tmp_path / "real" / "there")
    assert not is_own_folder(folder)
    taken, (reason,) = files_in(folder)
    assert taken == {}
    assert reason == "lesson is not a folder of its own, but a link: nothing in it is read"


def test_own_folder(folder: Path) -> None:
    assert is_own_folder(folder)


def test_many_files(folder: Path) -> None:
    write(folder, *(f"{n:03}.txt" for n in range(210)))
    taken, left_out = files_in(folder)
    assert len(taken) == 200
    assert left_out[0] == "200.txt is left out: there are too many files"
    assert len(left_out) == 6
    assert left_out[-1] == "5 more files are left out"


def grow(path: Path, size: int) -> None:
    write(path.parent, path.name)
    os.truncate(path, size)


@pytest.mark.parametrize(
    ("name", "most"),
    [("data", submitted_files.FILE_BYTES), ("lesson.ipynb", submitted_files.NOTEBOOK_FILE_BYTES)],
)
def test_large_file(folder: Path, name: str, most: int) -> None:
    grow(folder / name, most)
    assert list(files_in(folder)[0]) == [name]
    grow(folder / name, most + 1)
    assert files_in(folder)[0] == {}


def test_large_files_together(folder: Path) -> None:
    for n in range(4):
        grow(folder / f"{n}", 4)
    grow(folder / "9", 1)
    taken, left_out = files_in(folder, most=13)
    assert list(taken) == ["0", "1", "2", "9"]
    assert left_out == ["3 is left out: it has 0.1 MB, and the other files leave 0.1 MB"]
    grow(folder / "big", ALL_BYTES)
    assert "big" not in files_in(folder)[0]


def test_deep_folders(folder: Path) -> None:
    write(folder, "good.txt")
    here = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
        write(Path(), "deep.txt")
        taken, (reason,) = files_in(folder)
    finally:
        os.chdir(here)
        # Python's own way to delete it would call itself too often.
        subprocess.run(["rm", "-rf", folder / "d"], check=True)
    assert list(taken) == ["good.txt"]
    assert reason.endswith("is left out: it lies too deep in folders")


@pytest.mark.parametrize("name", ["d" * 250, "\U0001d538" * 60])
def test_long_names_of_folders(folder: Path, name: str) -> None:
    """Seventeen of them within each other are more than the kernel takes for a path."""
    write(folder, "good.txt")
    here = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(17):
            os.mkdir(name)
            os.chdir(name)
        write(Path(), "deep.txt")
    finally:
        os.chdir(here)
    taken, (reason,) = files_in(folder)
    assert list(taken) == ["good.txt"]
    assert " is left out: " in reason


def test_too_many_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submitted_files, "_ENTRIES", 50)
    write(folder, "many/.keep", "lesson.ipynb")
    for number in range(50):
        os.mkfifo(folder / "many" / str(number))
    write(folder, "more/x.txt")
    taken, left_out = files_in(folder)
    assert list(taken) == ["lesson.ipynb"]
    assert left_out == [
        f"{name} is left out: there are too many files" for name in ("many", "more")
    ]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with TemporaryDirectory() as root:
        folder = Path(root, "student", "lesson")
        folder.mkdir(parents=True)
        yield folder


def test_what_is_closed_costs_itself(open_folder: Path) -> None:
    write(open_folder, "lesson.ipynb", "data.txt", "kept.txt", "shut/x.txt", "shut/deep/y.txt")
    for name in ("lesson.ipynb", "data.txt", "shut"):
        (open_folder / name).chmod(0)
    with as_anybody(open_folder.parent.parent):
        taken, left_out = files_in(open_folder)
        assert read_regular(open_folder / "lesson.ipynb", 100) == b""
        assert read_regular(open_folder / "shut" / "x.txt", 100) == b""
    assert list(taken) == ["kept.txt"]
    assert left_out == [
        f"{name} is left out: it can't be opened by who grades"
        for name in ("lesson.ipynb", "data.txt", "shut")
    ]


@pytest.mark.parametrize("place", ["student", "student/lesson"])
def test_closed_folder(open_folder: Path, place: str) -> None:
    write(open_folder, "lesson.ipynb")
    root = open_folder.parent.parent
    with as_anybody(root):
        (root / place).chmod(0)
        assert files_in(open_folder) == (
            {},
            ["lesson is left out: it can't be opened by who grades"],
        )
        assert read_regular(open_folder / "lesson.ipynb", 100) == b""
        (root / place).chmod(0o700)


def test_failure_of_ours_is_no_empty_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "lesson.ipynb")

    def broken(*_: object, **__: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "open", broken)
    with pytest.raises(OSError, match="Input/output"):
        read_regular(folder / "lesson.ipynb", 100)
    with pytest.raises(OSError, match="Input/output"):
        files_in(folder)


def test_hard_link_of_anothers_file(folder: Path) -> None:
    write(folder, "own.txt", "linked.txt")
    os.link(folder / "linked.txt", folder.parent / "elsewhere.txt")
    with opened(folder) as submission:
        assert submission.files()[0] == ["linked.txt", "own.txt"]
        submission.owner = -1
        assert submission.files()[0] == ["own.txt"], "whoever grades may have mended a file"
        submission.all_of_one = True
        assert submission.files()[0] == []
        assert submission.read("own.txt", 10) == b""


def test_link_that_comes_between_looking_and_reading(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "linked.txt")
    with opened(folder) as submission:
        monkeypatch.setattr(submission, "why_not", lambda *looked_at: "")
        assert submission.read("linked.txt", 10)
        os.link(folder / "linked.txt", folder.parent / "elsewhere.txt")
        submission.owner = -1
        assert submission.read("linked.txt", 10) == b""


def test_folder_that_becomes_a_link(folder: Path) -> None:
    """Between looking and reading its owner can put a link in its place."""
    write(folder, "data/x.txt", content="mine")
    (folder.parent / "secret").mkdir()
    write(folder.parent / "secret", "x.txt", content="secret")
    with opened(folder) as submission:
        assert submission.files()[0] == ["data/x.txt"]
        assert submission.read("data/x.txt", 10) == b"mine"
        (folder / "data").rename(folder / "before")
        (folder / "data").symlink_to(folder.parent / "secret")
        assert submission.read("data/x.txt", 10) == b""
        folder.rename(folder.parent / "moved")
        folder.symlink_to(folder.parent / "secret")
        assert submission.read("x.txt", 10) == b""
        assert submission.read("before/x.txt", 10) == b"mine"


def test_reading(folder: Path) -> None:
    write(folder, "data", content="12345")
    assert read_regular(folder / "data", 5) == b"12345"
    assert read_regular(folder / "data", 4) == b""
    assert read_regular(folder / "nothing", 4) == b""
    assert read_regular(folder / "data" / "below", 4) == b""
    assert read_regular(folder, 10_000) == b""


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("02_vectors.ipynb", "it is a folder, and a folder's name has no dot"),
        ("mine (1)", "its name has characters that are not allowed"),
    ],
)
def test_folder_that_is_not_entered_says_why(folder: Path, name: str, why: str) -> None:
    (folder / name).mkdir()
    (folder / name / "x.txt").write_text("x")
    _, left_out = files_in(folder)
    assert left_out == [f"{name} is left out: {why}"]
