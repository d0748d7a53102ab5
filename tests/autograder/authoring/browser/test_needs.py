"""What lessons need in a browser is read from their imports."""

from pathlib import Path

import pytest

from autograder.authoring.browser.needs import needs_of
from autograder.authoring.browser.pyodide import NotForBrowsers, Pyodide
from autograder.course import Course
from tests.support.course import COURSE
from tests.support.like_pyodide import like_pyodide


@pytest.fixture
def pyodide(tmp_path: Path) -> Pyodide:
    return Pyodide(like_pyodide(tmp_path / "pyodide"))


def test_lessons_that_are_given_out_need_what_they_import(pyodide: Pyodide) -> None:
    lessons = COURSE.lessons_named(COURSE.settings.browser)
    needs = needs_of(COURSE, lessons, pyodide)
    assert needs.packages == ("matplotlib", "numpy")
    assert needs.own.keys() == {"autograder", "companion"}
    # The weights of models that no such lesson asks for; a lesson that does keeps them.
    assert {path.parent.name for path in needs.idle} == {"models", "reader", "transformer"}


def test_lesson_that_no_browser_can_run_is_refused(pyodide: Pyodide) -> None:
    lessons = COURSE.lessons_named(["04"])
    with pytest.raises(NotForBrowsers, match="lesson 04 imports torch, which no browser has"):
        needs_of(COURSE, lessons, pyodide)


def test_lesson_that_has_not_been_built(pyodide: Pyodide, tmp_path: Path) -> None:
    with pytest.raises(NotForBrowsers, match="is not there yet: run `autograder build week1`"):
        needs_of(Course(tmp_path), ["week1"], pyodide)


def test_module_of_the_course_comes_along(pyodide: Pyodide, tmp_path: Path) -> None:
    folder = tmp_path / "notebooks" / "week1"
    folder.mkdir(parents=True)
    code = r'{"cell_type": "code", "source": "import pandas, statistics\nimport sample_data"}'
    (folder / "week1.ipynb").write_text(f'{{"cells": [{code}]}}')
    (tmp_path / "sample_data.py").touch()
    (tmp_path / "course.toml").write_text('preload = ["numpy", "sample_data"]')
    needs = needs_of(Course(tmp_path), ["week1"], pyodide)
    assert needs.packages == ("pandas",)
    assert needs.own["sample_data"] == tmp_path / "sample_data.py"
