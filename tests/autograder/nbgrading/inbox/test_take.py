"""What is taken of a submission when it is graded, and how a change of it is noticed."""

from pathlib import Path

from jupyter_client.manager import start_new_kernel

from autograder.nbgrading.inbox.take import beside
from tests.support.hostile import hostile_folder, printed, what_ran
from tests.support.processes import BACKSTOP

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
        "link is left out: it is not a regular file",
    )


def test_copying(tmp_path: Path) -> None:
    folder, target = tmp_path / "folder", tmp_path / "target"
    write(folder, "helper.csv", "own/x.csv", "plan.txt", content="new")
    write(target, "helper.csv", "own", "plan.txt/x.csv", content="old")
    (target / "helper.csv").chmod(0o444)
    taken = beside(folder, {})
    taken.copy_to(target)
    names = ("helper.csv", "own/x.csv", "plan.txt")
    assert {(target / name).read_text() for name in names} == {"new"}


def test_long_names_leave_room_for_an_ending(tmp_path: Path) -> None:
    """A letter can take four bytes, and a name with too many for its ending could not be kept."""
    submission, graded = tmp_path / "submission", tmp_path / "graded"
    submission.mkdir()
    graded.mkdir()
    for name in ("\u4e00" * 79 + ".py", "\u4e00" * 84 + ".p", "\U0001d538" * 63):
        (submission / name).write_text(name)
    taken = beside(submission, {})
    taken.copy_to(graded)
    assert [path.name for path in graded.iterdir()] == ["\u4e00" * 79 + ".py.txt"]
    assert all(reason.endswith("its name is too long") for reason in taken.left_out)
    assert len(taken.left_out) == 2


def test_what_could_run_is_copied_as_text(tmp_path: Path) -> None:
    """A kernel that is started beside the graded notebook would import it."""
    folder, target = tmp_path / "folder", tmp_path / "target"
    names = ("ipykernel_launcher.py", "numpy/__init__.py", "matplotlibrc", "x.so")
    write(folder, *names)
    taken = beside(folder, {})
    taken.copy_to(target)
    copies = [path.relative_to(target) for path in target.rglob("*") if path.is_file()]
    assert sorted(map(str, copies)) == [
        "ipykernel_launcher.py.txt", "matplotlibrc_.txt", "numpy/__init__.py.txt", "x.so.txt",
    ]  # fmt: skip
    assert sorted(taken.contents(100)) == sorted(taken.digests()) == sorted(names)


def test_no_kernel_runs_what_was_copied(tmp_path: Path) -> None:
    """Not even one that is started as Jupyter does, with modules beside the notebook first."""
    beside(hostile_folder(tmp_path), {}).copy_to(tmp_path / "target")
    kernel, client = start_new_kernel(cwd=str(tmp_path / "target"), startup_timeout=BACKSTOP)
    try:
        assert printed(client, "import json, numpy, nbgrader; print(numpy.ones(2).sum())") == "2.0"
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert len(list((tmp_path / "target").iterdir())) > 10
    assert what_ran(tmp_path) == []


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


def test_digests_are_of_what_was_given(tmp_path: Path) -> None:
    """Whatever becomes of a file meanwhile, and where there is no room for it either."""
    write(tmp_path, "a.txt", "b.txt", content="12345")
    before = beside(tmp_path, {}).digests()
    taken = beside(tmp_path, {})
    assert taken.contents(5) == {"a.txt": b"12345", "b.txt": b""}
    write(tmp_path, "a.txt", "b.txt", content="6")
    assert taken.digests() == before != beside(tmp_path, {}).digests()


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
