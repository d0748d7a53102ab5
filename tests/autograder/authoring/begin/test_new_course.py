"""A new course builds and grades as it stands."""

from pathlib import Path

import nbformat
import pytest

from autograder.authoring.begin.new_course import new_course
from autograder.authoring.build.build import build_lesson
from autograder.authoring.build.incremental import build
from autograder.course import Course
from autograder.errors import WorkFolderError
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.grade_class import grade_class

LESSON = "week1"


@pytest.mark.long
def test_builds_and_grades_as_it_stands(tmp_path: Path) -> None:
    root = tmp_path / 'my "first" course'
    written = new_course(root)
    assert {path for path in root.rglob("*") if path.is_file()} == {*written}
    course = Course.find(root)
    assert (course.settings.id, course.lessons()) == ("my _first_ course", [LESSON])
    build(course)
    built = build_lesson(course, LESSON)
    text = course.lesson_file(LESSON)
    sentence = '"Fill in" still stands here, and in lines 14, 22, for students to read'
    assert built.warnings == (f"{text}:12: {sentence}",)
    solved = built.solved()
    path = root / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(solved, path)
    # It is tried below, as a submission.
    config = configuration(course, root)
    config.TrySolution.enabled = False
    assert nbgrader_api(config).generate_assignment(LESSON)["success"]
    (graded,) = grade_class(course, LESSON, ["ada"], force=False, settings={})
    assert graded.points == "3 / 3"


def test_every_file_to_fill_in_says_where(tmp_path: Path) -> None:
    written = {path.relative_to(tmp_path): path.read_text("utf-8") for path in new_course(tmp_path)}
    with_marks = {str(name) for name, text in written.items() if "Fill in: " in text}
    named = {"source/week1.md", "solutions/week1.py", "solutions/exams/week1.py", "course.toml"}
    assert with_marks == named
    assert all(f"`{name}`" in written[Path("README.md")] for name in named)


def test_folders_that_a_full_disk_has_left_are_no_course(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    assert new_course(tmp_path)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(WorkFolderError, match="is not empty: name a folder that is not there yet"):
        new_course(tmp_path)
    with pytest.raises(WorkFolderError, match=r"can't be written to \(Not a directory\)"):
        new_course(tmp_path / "mine.txt" / "course")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
