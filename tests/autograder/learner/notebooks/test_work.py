import json
import os
from pathlib import Path

import pytest

from autograder.checks.progress import MANIFEST
from autograder.course import Course
from autograder.errors import WorkFolderError
from autograder.learner.notebooks.work import Change, copy_lessons

LESSON = "02_dot_product"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"


@pytest.fixture
def course(tmp_path):
    course = Course(tmp_path.resolve() / "course")
    course.source.mkdir(parents=True)
    course.lesson_file(LESSON).touch()
    release(course, "first")
    return course


@pytest.fixture
def mine(course):
    return course.root / "work" / NOTEBOOK


def release(course: Course, text: str, name: str = NOTEBOOK) -> None:
    path = course.notebooks / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def changes(course: Course) -> list[Change]:
    return [copied.change for copied in copy_lessons(course)]


def notebooks(mine: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in mine.parent.glob("*.ipynb")}


def test_first_copy(course, mine):
    assert changes(course) == [Change.NEW]
    assert notebooks(mine) == {mine.name: "first"}


def test_second_copy_changes_nothing(course, mine):
    copy_lessons(course)
    before = {path: path.stat().st_mtime_ns for path in mine.parents[1].rglob("*")}
    assert changes(course) == [Change.NONE]
    assert {path: path.stat().st_mtime_ns for path in mine.parents[1].rglob("*")} == before


def test_what_is_no_file_is_said(course, mine):
    copy_lessons(course)
    mine.unlink()
    os.mkfifo(mine)
    with pytest.raises(WorkFolderError, match=r"can't be used \(it is no file\): put that right"):
        copy_lessons(course)


def test_own_work_stays(course, mine):
    copy_lessons(course)
    mine.write_text("my work")
    assert changes(course) == [Change.NONE]
    assert notebooks(mine) == {mine.name: "my work"}


def test_untouched_copy_is_replaced(course, mine):
    copy_lessons(course)
    release(course, "second")
    assert changes(course) == [Change.REPLACED]
    assert notebooks(mine) == {mine.name: "second"}


def test_lesson_goes_back(course, mine):
    copy_lessons(course)
    for text in ("second", "first"):
        release(course, text)
        assert changes(course) == [Change.REPLACED]
        assert notebooks(mine) == {mine.name: text}


def test_newer_lesson_comes_beside(course, mine):
    copy_lessons(course)
    mine.write_text("my work")
    release(course, "second")
    (copied,) = copy_lessons(course)
    assert copied.change is Change.BESIDE
    assert notebooks(mine) == {mine.name: "my work", copied.path.name: "second"}
    assert str(copied).startswith(f"{LESSON}/{LESSON} (newer, ")
    kept, why = str(copied).splitlines()
    assert kept.endswith("your notebook is kept; the newer lesson lies beside it.")
    assert why.endswith(f"{mine} is not a notebook: Notebook does not appear to be JSON.")


def test_each_newer_lesson_has_its_place(course, mine):
    copy_lessons(course)
    mine.write_text("my work")
    for text in ("second", "third"):
        release(course, text)
        copy_lessons(course)
    assert sorted(notebooks(mine).values()) == ["my work", "second", "third"]


def test_newer_lesson_is_offered_once(course, mine):
    copy_lessons(course)
    mine.write_text("my work")
    release(course, "second")
    (copied,) = copy_lessons(course)
    copied.path.write_text("more of my work")
    assert changes(course) == [Change.NONE]
    assert copied.path.read_text() == "more of my work"
    copied.path.unlink()
    assert changes(course) == [Change.NONE]
    assert not copied.path.exists()


def test_deleted_notebook_comes_again(course, mine):
    copy_lessons(course)
    mine.unlink()
    assert changes(course) == [Change.NEW]
    assert notebooks(mine) == {mine.name: "first"}


@pytest.mark.parametrize(
    "manifest", [None, "", "{", "[]", "null", '{"format": 2, "given": 7}', '{"format": 2}', b"\xff"]
)
def test_nothing_lost_without_manifest(course, mine, manifest):
    copy_lessons(course)
    path = course.root / "work" / MANIFEST
    if manifest is None:
        path.unlink()
    else:
        path.write_bytes(manifest if isinstance(manifest, bytes) else manifest.encode())
    mine.write_text("my work")
    release(course, "second")
    assert changes(course) == [Change.BESIDE]
    assert sorted(notebooks(mine).values()) == ["my work", "second"]


def test_work_in_newer_lesson_without_manifest(course, mine):
    copy_lessons(course)
    mine.write_text("my work")
    release(course, "second")
    (copied,) = copy_lessons(course)
    copied.path.write_text("more of my work")
    (course.root / "work" / MANIFEST).unlink()
    assert changes(course) == [Change.NONE]
    assert sorted(notebooks(mine).values()) == ["more of my work", "my work"]


def test_untouched_without_manifest_is_known_again(course, mine):
    copy_lessons(course)
    (course.root / "work" / MANIFEST).unlink()
    assert changes(course) == [Change.NONE]
    release(course, "second")
    assert changes(course) == [Change.REPLACED]


def test_data_is_refreshed(course, mine):
    release(course, "old", f"{LESSON}/checks.json")
    copy_lessons(course)
    mine.with_name("checks.json").write_text("damaged")
    mine.with_name("notes.txt").write_text("mine")
    release(course, "new", f"{LESSON}/checks.json")
    release(course, "words", f"{LESSON}/data/words.txt")
    copy_lessons(course)
    assert mine.with_name("checks.json").read_text() == "new"
    assert (mine.parent / "data" / "words.txt").read_text() == "words"
    assert mine.with_name("notes.txt").read_text() == "mine"


def test_leftovers_are_not_copied(course, mine):
    release(course, "old", f"{LESSON}/.ipynb_checkpoints/{LESSON}-checkpoint.ipynb")
    copy_lessons(course)
    assert not (mine.parent / ".ipynb_checkpoints").exists()


def test_stopped_while_replacing(course, mine, monkeypatch):
    copy_lessons(course)
    release(course, "second")

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stop)
        with pytest.raises(KeyboardInterrupt):
            copy_lessons(course)
    assert [path.name for path in mine.parent.iterdir()] == [mine.name]
    assert mine.read_text() == "first"
    assert changes(course) == [Change.REPLACED]


def test_stopped_before_manifest(course, mine, monkeypatch):
    replace = os.replace

    def stop(source, target):
        if Path(target).name == MANIFEST:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stop)
        with pytest.raises(KeyboardInterrupt):
            copy_lessons(course)
    assert changes(course) == [Change.NONE]
    release(course, "second")
    assert changes(course) == [Change.REPLACED]


def test_manifest_can_be_read_by_people(course):
    copy_lessons(course)
    written = json.loads((course.root / "work" / MANIFEST).read_text())
    assert list(written["given"]) == [NOTEBOOK]


def test_folder_of_choice(course, tmp_path):
    folder = tmp_path / "some where" / "else"
    (copied,) = copy_lessons(course, folder)
    assert copied.path == folder.resolve() / NOTEBOOK
    assert not (course.root / "work").exists()


@pytest.mark.parametrize("theirs", [".", "notebooks", "source/mine", "solutions"])
def test_folder_of_the_course(course, theirs):
    with pytest.raises(WorkFolderError, match="belongs to the course"):
        copy_lessons(course, course.root / theirs)


def test_folder_is_a_file(course, tmp_path):
    (tmp_path / "taken").touch()
    with pytest.raises(WorkFolderError, match="choose another"):
        copy_lessons(course, tmp_path / "taken")


def test_lesson_not_built(course):
    course.lesson_file("03_not_yet").touch()
    first, second = copy_lessons(course)
    assert first.change is Change.NEW
    assert str(second) == "03_not_yet/03_not_yet.ipynb: not there yet; `autograder build` makes it."


@pytest.mark.parametrize("name", ["my notes", "two", "README"])
def test_notes_among_the_texts_stop_nothing(course, name):
    (course.source / f"{name}.md").touch()
    (course.source / "01_two.md").touch()
    assert Change.NEW in changes(course)


@pytest.mark.parametrize("taken", [LESSON, f"{LESSON}/checks.json", NOTEBOOK, MANIFEST])
def test_something_else_in_the_way(course, mine, taken):
    """A file where a folder goes, or a folder where a file goes: one sentence."""
    release(course, "{}", f"{LESSON}/checks.json")
    path = course.root / "work" / taken
    path.parent.mkdir(parents=True)
    if taken == LESSON:
        path.touch()
    else:
        (path / "mine").mkdir(parents=True)
    with pytest.raises(WorkFolderError, match=r"can't be used \(.*\): put that right, or choose"):
        copy_lessons(course)
    assert path.is_file() or (path / "mine").is_dir()
