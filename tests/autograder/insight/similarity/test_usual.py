"""What is usual is read from a course's exams and notebooks, and answers from graded ones."""

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_notebook

from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.insight.similarity.answers import read_answers
from autograder.insight.similarity.normal import LONGEST
from autograder.insight.similarity.usual import usual_forms, usual_of
from tests.support.course import COURSE
from tests.support.samples import make_cell

LESSON = "04_causal_attention"
DOUBLE = "def double(x):\n    return 2 * x"


def write(path: Path, source: str) -> None:
    path.parent.mkdir(parents=True)
    cells = [
        make_cell("code", source, "double", solution=True),
        make_cell("code", "assert double(1) == 2", "double_check", grade=True, points=1),
        make_cell("markdown", "Because.", "why", solution=True, grade=True, points=1),
    ]
    nbformat.write(new_notebook(cells=cells), path)


def test_what_is_given_is_not_usual_but_nothing() -> None:
    usual = usual_of("def double(x):", DOUBLE, ["def double(y):\n    return y + y"])
    assert usual.given == {"def f(v0):"}
    assert usual.right == {"return 2 * v0", "return v0 + v0"}
    assert usual.is_right(frozenset({"return v0 + v0"}))
    assert not usual.is_reference(frozenset({"return v0 + v0"}))
    assert usual.is_reference(frozenset({"return 2 * v0"}))


def test_exams_say_what_is_usual() -> None:
    usual = usual_forms(COURSE, LESSON)["causal_mask"]
    assert len(usual.forms) > 4
    assert usual.right
    assert usual.wrong - usual.right


def test_notebooks_say_it_where_there_are_no_exams(tmp_path: Path) -> None:
    write(tmp_path / "source" / "week1" / "week1.ipynb", DOUBLE)
    write(tmp_path / "notebooks" / "week1" / "week1.ipynb", "def double(x):\n    ...")
    usual = usual_forms(Course(tmp_path), "week1")
    assert usual.keys() == {"double"}
    assert usual["double"].given == {"def f(v0):"}
    assert usual["double"].right == {"return 2 * v0"}


def test_what_is_no_unicode_can_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "autograded" / "ada" / "week1" / "week1.ipynb"
    write(path, DOUBLE)
    path.write_text(path.read_text("utf-8").replace("return 2", "return \\ud800"))
    found = read_answers(Course(tmp_path), "week1", ["ada"])
    assert found.sources["ada"]["double"].endswith("return ? * x")


def test_answers_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "autograded"
    write(folder / "ada" / "week1" / "week1.ipynb", DOUBLE)
    write(folder / "ben" / "week1" / "week1.ipynb", "x" * (LONGEST + 1))
    (folder / "cleo" / "week1").mkdir(parents=True)
    (folder / "cleo" / "week1" / "week1.ipynb").write_text(json.dumps({"cells": [{}]}))
    found = read_answers(Course(tmp_path), "week1", ["cleo", "ben", "ada"])
    assert found.sources == {"ada": {"double": DOUBLE}, "ben": {}}
    assert found.too_long == [("ben", "double")]
    assert found.not_read == ["cleo"]


@pytest.mark.parametrize("which", ["source", "notebooks"])
@pytest.mark.parametrize("content", [b"", b'{"cells": [', b"[]", b"\xff"])
def test_lesson_that_is_half_written_is_named(tmp_path: Path, which: str, content: bytes) -> None:
    for folder in ("source", "notebooks"):
        write(tmp_path / folder / "week1" / "week1.ipynb", DOUBLE)
    path = tmp_path / which / "week1" / "week1.ipynb"
    path.write_bytes(content)
    with pytest.raises(GradingFailed, match=f"^{path} can't be read as a notebook"):
        usual_forms(Course(tmp_path), "week1")
    if which == "notebooks":
        with pytest.raises(GradingFailed, match=f"^{path} can't be read as a notebook"):
            read_answers(Course(tmp_path), "week1", ["ada"])
