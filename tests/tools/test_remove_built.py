"""`make clean` in source/."""

from pathlib import Path

import nbformat

from autograder.authoring.lesson.built import signed
from tests.support.small_course import LESSON, small_course
from tests.support.tiny_course import tiny_notebook
from tools.remove_built import remove_built


def test_edits_and_own_lessons_stay(tmp_path: Path) -> None:
    course = small_course(tmp_path)
    folder, own = course.source / LESSON, course.source / "own_lesson"
    for place in (folder, own):
        place.mkdir()
        nbformat.write(signed(tiny_notebook()), place / f"{place.name}.ipynb")
        (place / "checks.json").write_text("{}")
    (folder / "data.csv").write_text("1,2")
    assert remove_built(course) == []
    assert [path.name for path in folder.iterdir()] == ["data.csv"]
    assert len(list(own.iterdir())) == 2
    edited = tiny_notebook()
    nbformat.write(edited, folder / f"{LESSON}.ipynb")
    assert remove_built(course) == [folder / f"{LESSON}.ipynb"]
    assert (folder / f"{LESSON}.ipynb").exists()
