"""Who wrote alike, in the report: what it says, and that nothing of it is live."""

import csv
import io
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_notebook

from autograder.course import Course
from autograder.grading.record import RECORD_SUFFIX
from autograder.insight.similarity.normal import LONGEST
from autograder.insight.survey.survey import write_report
from autograder.insight.survey.tables import alike_as_csv
from tests.support.samples import make_cell
from tests.support.surveyed_class import cell, graded

LESSON = "week1"
HOSTILE = "def {name}(x):\n    note = '</pre><script>alert(1)</script>'\n    return [note, x, 0]"
OTHER = "def {name}(x):\n    return x.sum() / {n}"
EXERCISES = ("scale", "mix", "turn", "fold")


def hand_in(root: Path, student: str, source: str) -> None:
    """A graded notebook, each exercise of which is answered like this, and its record."""
    folder = root / "autograded" / student / LESSON
    folder.mkdir(parents=True)
    cells = [make_cell("code", source.format(name=x), x, solution=True) for x in EXERCISES]
    nbformat.write(new_notebook(cells=cells), folder / f"{LESSON}.ipynb")
    found = [cell(name, "passed", 2.0) for name in EXERCISES]
    record = {"version": 1, "seconds": 1.5, "remarks": [], "cells": found}
    (folder / f"{LESSON}{RECORD_SUFFIX}").write_text(json.dumps(record))


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A class in which dan and eve wrote the same strange thing, and cleo far too much."""
    for number in range(20):
        hand_in(tmp_path, f"s{number:02}", OTHER.format(name="{name}", n=number))
    hand_in(tmp_path, "cleo", "#" * (LONGEST + 1))
    hand_in(tmp_path, "dan", HOSTILE)
    hand_in(tmp_path, "eve", HOSTILE.replace("note", "text"))
    return Course(tmp_path)


def test_pairs_are_in_the_report(course: Course) -> None:
    page, data, _, table = write_report(course, [LESSON])
    text = page.read_text("utf-8")
    assert "1 pair of students has more in common" in text
    assert "never a verdict" in text
    assert "dan, eve" in text
    assert "<mark>    return [note, x, 0]</mark>" in text
    assert "cleo (<code>scale</code>)" in text
    found = json.loads(data.read_text("utf-8"))[LESSON]["alike"]
    assert [pair["students"] for pair in found["pairs"]] == [["dan", "eve"]]
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8"))))
    assert [(row["student"], row["other"], row["exercise"]) for row in rows] == [
        ("dan", "eve", name) for name in EXERCISES
    ]


def test_lines_below_a_form_feed_are_marked_where_they_are(course: Course) -> None:
    for path in course.root.glob("autograded/*/*/*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for one in notebook.cells:
            one.source = f"# a\f\u2028\f\n{one.source}"
        nbformat.write(notebook, path)
    text = write_report(course, [LESSON])[0].read_text("utf-8")
    assert "<mark>    return [note, x, 0]</mark>" in text


def test_a_copy_below_very_many_statements_is_named(course: Course) -> None:
    for student in ("dan", "eve"):
        path = course.root / "autograded" / student / LESSON / f"{LESSON}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        notebook.cells[0].source = "a=0\n" * 200 + notebook.cells[0].source
        nbformat.write(notebook, path)
    page, data, *_ = write_report(course, [LESSON])
    said = "dan (<code>scale</code>), eve (<code>scale</code>)."
    assert said in page.read_text("utf-8")
    alike = json.loads(data.read_text("utf-8"))[LESSON]["alike"]
    assert alike["too_long"][-2:] == [["dan", "scale"], ["eve", "scale"]]
    assert "scale" not in {one["exercise"] for pair in alike["pairs"] for one in pair["common"]}


def test_texts_are_text(course: Course) -> None:
    text = write_report(course, [LESSON])[0].read_text("utf-8")
    assert "<script" not in text
    assert "&lt;/pre&gt;&lt;script&gt;" in text


def test_an_honest_class_is_told_so(tmp_path: Path) -> None:
    text = write_report(graded(tmp_path), [LESSON])[0].read_text("utf-8")
    assert "No two students have more in common than chance explains." in text
    assert alike_as_csv({}).count("\n") == 1


def test_lessons_are_compared_together(course: Course) -> None:
    for folder in (course.root / "autograded").glob(f"*/{LESSON}"):
        other = folder.with_name("week2")
        other.mkdir()
        for path in folder.iterdir():
            (other / path.name.replace(LESSON, "week2")).write_bytes(path.read_bytes())
    page, data, *_ = write_report(course, [LESSON, "week2"])
    assert "<h2>All lessons together</h2>" in page.read_text("utf-8")
    (pair,) = json.loads(data.read_text("utf-8"))["all lessons"]["alike"]["pairs"]
    assert pair["students"] == ["dan", "eve"]
    assert {one["exercise"] for one in pair["common"]} >= {"week1: mix", "week2: mix"}


WORDS = "It cannot say which word came first, since a weighted sum forgets where things stood."
ODD = (
    "def {name}(x):\n    n = 0\n    while n < len(x) - 1 + 1:\n        n = n + 1\n    return n * 2"
)


def add_words(root: Path, student: str, text: str) -> None:
    """An answer to the question `what_it_cannot_do`, in a graded notebook."""
    path = root / "autograded" / student / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    name = "what_it_cannot_do"
    notebook.cells.append(make_cell("markdown", text, name, solution=True, grade=True, points=3))
    nbformat.write(notebook, path)


def test_what_is_the_same_is_named_in_a_small_class(tmp_path: Path) -> None:
    for student, code, words in (
        ("ada", OTHER.replace("{n}", "7"), "It knows nothing of the order of its words."),
        ("lea", ODD, WORDS),
        ("max", re.sub(r"\bn\b", "m", ODD), WORDS.upper().replace(" ", "\n")),
        ("<b>zoe", OTHER.replace("{n}", "9"), WORDS),
    ):
        hand_in(tmp_path, student, code)
        add_words(tmp_path, student, words)
    page, data, *_ = write_report(Course(tmp_path), [LESSON])
    text = page.read_text("utf-8")
    where = "<code>what_it_cannot_do</code>"
    assert f"<b>&lt;b&gt;zoe, lea and max</b>: the same words in {where}</li>" in text
    assert "<b>lea and max</b>: the same code in all 4 exercises that they answered</li>" in text
    assert "never a verdict" in text
    assert "Beyond that, no two students have more in common than chance explains." in text
    alike = json.loads(data.read_text("utf-8"))[LESSON]["alike"]
    assert alike["same"] == [
        {"students": ["lea", "max"], "words": [], "code": sorted(EXERCISES)},
        {"students": ["<b>zoe", "lea", "max"], "words": ["what_it_cannot_do"], "code": []},
    ]


def test_a_lesson_without_code_is_compared(tmp_path: Path) -> None:
    for student in ("lea", "max"):
        hand_in(tmp_path, student, "")
        path = tmp_path / "autograded" / student / LESSON / f"{LESSON}.ipynb"
        nbformat.write(new_notebook(), path)
        add_words(tmp_path, student, WORDS)
    text = write_report(Course(tmp_path), [LESSON])[0].read_text("utf-8")
    assert "<b>lea and max</b>: the same words in <code>what_it_cannot_do</code></li>" in text
    assert "Not compared" not in text


def test_of_very_many_groups_the_first_are_named(tmp_path: Path) -> None:
    for number in range(82):
        hand_in(tmp_path, f"s{number:02}", OTHER.replace("{n}", str(number)))
        add_words(tmp_path, f"s{number:02}", f"{WORDS} {number // 2}")
    text = write_report(Course(tmp_path), [LESSON])[0].read_text("utf-8")
    assert text.count(": the same words in") == 40
    assert "1 more are in the JSON file." in text
