"""Imports that work for the author of a course and would fail for its students."""

import sys

import pytest

from autograder.own_modules import out_of_reach


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course's folder, on the path as it is where the course is built."""
    root, beside, elsewhere = (tmp_path / name for name in ("course", "lesson", "installed"))
    for folder in (root / "package", root / "solutions", beside, elsewhere):
        folder.mkdir(parents=True)
    for path in (
        *(root / "helper.py", root / "package" / "__init__.py", root / "solutions" / "__init__.py"),
        *(root / "near.py", beside / "near.py", root / "both.py", elsewhere / "both.py"),
    ):
        path.touch()
    monkeypatch.setattr(sys, "path", [str(root), *sys.path, str(elsewhere)])
    return root


def found(course, source, preload=("numpy",)):
    return list(out_of_reach(source, course, preload, course.parent / "lesson"))


@pytest.mark.parametrize(
    ("source", "line", "name"),
    [
        ("import helper", 1, "helper"),
        ("import math\n\nfrom helper import x", 3, "helper"),
        ("import package.part as part", 1, "package"),
        ("def f():\n    import helper", 2, "helper"),
    ],
)
def test_module_of_the_course(course, source, line, name):
    (one,) = found(course, source)
    assert one == (
        line,
        f"students' code sees nothing of the course's folder and can't import {name}: "
        f'add "{name}" to preload in {course / "course.toml"}',
    )


def test_reference(course):
    ((line, sentence),) = found(course, "from solutions.week1 import mean")
    assert (line, sentence.split(":")[0]) == (1, "students never get solutions")


@pytest.mark.parametrize(
    "source", ["import numpy", "import near", "import both", "from . import helper", "import gone"]
)
def test_what_students_have_or_nobody(course, source):
    assert found(course, source) == []


@pytest.mark.parametrize("entry", ["helper", "helper.*", "helper.part"])
def test_what_is_preloaded(course, entry):
    assert found(course, "import helper", [entry]) == []
