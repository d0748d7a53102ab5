"""Who is to be graded, and what is said of folders that are nobody's."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from nbgrader.coursedir import CourseDirectory

from autograder.nbgrading.inbox.handed_in import handed_in
from autograder.nbgrading.inbox.replacing import alone, arriving
from tests.support.anybody import as_anybody

LESSON = "tiny"


@pytest.fixture
def directory() -> Iterator[CourseDirectory]:
    with TemporaryDirectory() as root:
        yield CourseDirectory(root=root)


def submit(directory: CourseDirectory, *students: str) -> None:
    for student in students:
        Path(directory.root, "submitted", student, LESSON).mkdir(parents=True)


def test_students(directory: CourseDirectory) -> None:
    submit(directory, "ada", "ben.b@uni.de", "Zoë")
    Path(directory.root, "submitted", "nothing").mkdir()
    Path(directory.root, "submitted", "file").mkdir()
    Path(directory.root, "submitted", "file", LESSON).touch()
    found, aside = handed_in(directory, LESSON)
    assert set(found) == {"ada", "ben.b@uni.de", "Zoë"}
    assert found["ada"] == directory.format_path("submitted", "ada", LESSON)
    assert aside == []
    assert list(handed_in(directory, LESSON, "ada")[0]) == ["ada"]
    assert handed_in(directory, LESSON, "nobody") == ({}, [])
    assert handed_in(directory, "other") == ({}, [])


def test_names_that_nobody_has(directory: CourseDirectory) -> None:
    odd = ["<img src=x>", "a\nb", "-rf", "a b", "[x]", "x" * 120, "\u0430da", "\uff41da"]
    submit(directory, "ada", *odd)
    found, aside = handed_in(directory, LESSON)
    assert list(found) == ["ada"]
    assert len(aside) == len(odd)
    assert all(one.isprintable() for one in aside)
    assert all("is not graded: nobody can be called that" in one for one in aside)


def replaced_by_half(directory: CourseDirectory, student: str) -> Path:
    """What somebody leaves who is killed between the two renames of `replace`."""
    folder = Path(directory.root, "submitted", student, LESSON)
    (arriving(folder) / "new").touch()
    return folder.rename(folder.with_name(f".{LESSON}.replaced"))


def test_what_a_kill_took_away_is_put_back(directory: CourseDirectory) -> None:
    """Whoever graded or exported next knew nothing of what Ada had handed in."""
    submit(directory, "ada", "ben")
    submitted = Path(directory.root, "submitted")
    replaced_by_half(directory, "ada")
    found, aside = handed_in(directory, LESSON, "ada")
    assert (list(found), aside) == (["ada"], [])
    replaced_by_half(directory, "ada")
    replaced_by_half(directory, "ben")
    with alone(submitted):
        assert {path.name for path in (submitted / "ada").iterdir()} == {
            LESSON,
            f".{LESSON}.arriving",
        }
        assert (submitted / "ben" / LESSON).is_dir()
        # Whoever collects may be between the two renames just now.
        old = replaced_by_half(directory, "ada")
        found, aside = handed_in(directory, LESSON)
    assert (list(found), old.is_dir()) == (["ben"], True)
    assert "tiny is not graded: it is being replaced, or who did that was ended" in aside[0]
    assert handed_in(directory, LESSON)[1] == []


def test_closed_folder_of_a_student(directory: CourseDirectory) -> None:
    """Whether something newer was handed in can't be told, so it is said."""
    submit(directory, "ada", "shut", "closed")
    for name in ("shut", f"closed/{LESSON}"):
        Path(directory.root, "submitted", name).chmod(0)
    with as_anybody(Path(directory.root)):
        found, aside = handed_in(directory, LESSON)
        assert list(found) == ["ada", "closed"]
        (reason,) = aside
        assert reason.endswith("can't be opened by who grades; `chmod -R u+rwX` opens it")
        assert handed_in(directory, LESSON, "shut") == ({}, aside)
        for name in ("shut", f"closed/{LESSON}"):
            Path(directory.root, "submitted", name).chmod(0o700)
