"""What is taken of a submission when it is graded, and how a change of it is noticed."""

from pathlib import Path

from autograder.nbgrading.inbox.take import beside

COURSE = {name: Path("course", name) for name in ("data.txt", "images/plot.csv", "LICENSE")}


def write(folder: Path, *names: str, content: str = "1") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def test_files_beside_the_notebook(tmp_path: Path) -> None:
    write(tmp_path, "tiny.ipynb", "other.ipynb", "tiny.verdicts.json", "helper.py", "own/x.csv")
    write(tmp_path, "data.txt", "images/mine.csv")
    taken = beside(tmp_path, COURSE)
    assert sorted(taken.files) == ["data.txt", "helper.py", "images/mine.csv", "own/x.csv"]
    assert taken.left_out == ()


def test_what_is_in_the_way_of_the_course(tmp_path: Path) -> None:
    """Copying the course's files would fail, and with it the grading."""
    write(tmp_path, "images", "LICENSE/x.txt", "good.txt")
    taken = beside(tmp_path, COURSE)
    assert list(taken.files) == ["good.txt"]
    assert taken.left_out == (
        "images is left out: it has the place of a file of the course",
        "LICENSE/x.txt is left out: it has the place of a file of the course",
    )


def test_time_that_cannot_be_told(tmp_path: Path) -> None:
    write(tmp_path, "timestamp.txt", content="1" * 400)
    (tmp_path / "link").symlink_to("/etc/hostname")
    assert beside(tmp_path, {}).left_out == (
        "timestamp.txt holds no time that can be read: it counts as handed in on time",
        "link is left out: it is not a regular file, or too large",
    )


def test_copying(tmp_path: Path) -> None:
    folder, target = tmp_path / "folder", tmp_path / "target"
    write(folder, "helper.py", "own/x.csv", content="new")
    write(target, "helper.py", "own", "plan/x.csv", content="old")
    write(folder, "plan", content="new")
    (target / "helper.py").chmod(0o444)
    taken = beside(folder, {})
    taken.copy_to(target)
    assert {(target / name).read_text() for name in ("helper.py", "own/x.csv", "plan")} == {"new"}


def test_digests_notice_every_change(tmp_path: Path) -> None:
    write(tmp_path, "tiny.ipynb", "helper.py", "data.txt")
    before = beside(tmp_path, COURSE).digests()
    assert list(before) == ["helper.py"]
    write(tmp_path, "tiny.ipynb", "data.txt", content="2")
    assert beside(tmp_path, COURSE).digests() == before
    write(tmp_path, "helper.py", content="2")
    changed = beside(tmp_path, COURSE).digests()
    assert changed != before
    write(tmp_path, "more.py")
    assert beside(tmp_path, COURSE).digests() != changed
    (tmp_path / "more.py").unlink()
    assert beside(tmp_path, COURSE).digests() == changed


def test_contents_are_the_courses_first(tmp_path: Path) -> None:
    course, student = tmp_path / "course", tmp_path / "student"
    write(course, "data.txt", "linked.txt", content="course")
    (course / "link.txt").symlink_to(course / "linked.txt")
    write(student, "data.txt", "mine.txt", content="student")
    given = {name: course / name for name in ("data.txt", "link.txt")}
    taken = beside(student, given)
    whole = {"data.txt": b"course", "link.txt": b"course", "mine.txt": b"student"}
    assert taken.contents(100) == whole
    assert list(taken.contents(100)) == list(whole)
    assert taken.contents(15) == {**whole, "mine.txt": b""}
