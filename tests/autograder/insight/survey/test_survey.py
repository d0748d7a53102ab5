"""A report on a graded class: what it says, and in which forms."""

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbformat.v4 import new_notebook

from autograder.checks.exam.report import Verdict
from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.grading.record import RECORD_SUFFIX, answers_in
from autograder.insight.survey import findings
from autograder.insight.survey.classwork import Classwork, Result, read_classwork
from autograder.insight.survey.figures import distribution
from autograder.insight.survey.page import page
from autograder.insight.survey.survey import write_report
from autograder.insight.survey.tables import as_csv, as_json
from autograder.nbgrading.inbox.student_ids import refusal
from tests.support.samples import make_cell
from tests.support.surveyed_class import HINT, LESSON, add_record, cell, graded

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def work(tmp_path: Path) -> Classwork:
    return read_classwork(graded(tmp_path), LESSON)


def test_a_class_is_read_from_its_records(work: Classwork) -> None:
    assert work.exercises == {"scale": 2.0, "mix": 2.0}
    assert work.students == ["ada", "ben", "cleo", "dan", "eve"]
    assert work.points == {"ada": 4.0, "ben": 1.0, "cleo": 0.0, "dan": 0.0, "eve": 0.0}
    assert work.out_of == 4.0
    assert work.not_graded == {"finn": ""}
    assert work.by_place["dan", "mix"].place == "the axis of the sum"


def test_folder_that_nobody_can_be_called_says_so(tmp_path: Path) -> None:
    course = graded(tmp_path)
    (course.root / "submitted" / "o'brien" / LESSON).mkdir(parents=True)
    found = read_classwork(course, LESSON, refusal).not_graded
    assert found.keys() == {"finn", "o'brien"}
    assert found["o'brien"].endswith("for example to o_brien")


def test_a_record_of_an_earlier_version_has_no_places(tmp_path: Path) -> None:
    course = graded(tmp_path)
    path = course.root / "autograded" / "dan" / LESSON / f"{LESSON}{RECORD_SUFFIX}"
    path.write_text(path.read_text().replace('"places"', '"other"'))
    assert read_classwork(course, LESSON).by_place["dan", "mix"].place == ""


def test_what_was_noticed_is_told(tmp_path: Path) -> None:
    course, words = graded(tmp_path), "the notebook was called <b>mine</b>.ipynb"
    add_record(course, "gus", [cell("mix", "passed")], remarks=[words])
    add_record(course, "hal", [], remarks=[words], not_graded="two notebooks are there")
    work = read_classwork(course, LESSON)
    assert work.noticed == {"gus": [words], "hal": [words]}
    shown = page([work], {})
    assert "Noticed of 2 submissions" in shown
    assert "gus: the notebook was called &lt;b&gt;mine" in shown
    assert json.loads(as_json([work], {}))[LESSON]["noticed"] == work.noticed


def test_what_was_solved_and_tried(work: Classwork) -> None:
    scale, mix = findings.exercises_of(work)
    assert (scale.solved, scale.tried, scale.mean) == (1, 4, 0.2)
    assert (mix.solved, mix.tried, mix.mean) == (1, 5, 0.3)
    assert scale.separation is None
    assert [one.name for one in findings.to_teach_again(work)] == ["mix", "scale"]


def test_code_that_is_as_it_was_given_out_is_not_tried(tmp_path: Path) -> None:
    """A repair that nobody has begun is nothing to teach again, and its mistake is nobody's."""
    course = graded(tmp_path)
    broken = make_cell("code", "def mend(x): return x + 1", "mend", solution=True)
    release = course.release_folder(LESSON)
    release.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[broken]), release / f"{LESSON}.ipynb")
    found = cell("mend", "wrong", misconception="one_more", hint="One too many.")
    for student, answers in {
        "gus": answers_in(new_notebook(cells=[broken])),
        "hal": answers_in(new_notebook(cells=[broken])),
        "ina": {"mend": "another"},
    }.items():
        add_record(course, student, [found], answers=answers)
    work = read_classwork(course, LESSON)
    (mend,) = (one for one in findings.exercises_of(work) if one.name == "mend")
    assert (mend.tried, mend.solved) == (1, 0)
    assert "mend" not in [one.name for one in findings.to_teach_again(work)]
    mistakes = [one for one in findings.misconceptions_of(work) if one.exercise == "mend"]
    assert [one.students for one in mistakes] == [["ina"]]


def test_mistakes_are_ranked(work: Classwork) -> None:
    (most,) = findings.misconceptions_of(work)
    assert (most.exercise, most.words, most.students) == ("scale", HINT, ["ben", "cleo"])
    (place,) = findings.places_of(work)
    assert (place.exercise, place.words, place.students) == ("mix", "the axis of the sum", ["dan"])
    (stop,) = findings.exceptions_of(work)
    assert (stop.exercise, stop.words, stop.students) == ("mix", "NameError: <x>", ["eve"])
    assert [one.student for one in findings.unexplained(work)] == ["ben"]
    assert [one.student for one in findings.not_ended(work)] == ["cleo"]
    assert [one.student for one in findings.not_gradable(work)] == ["eve"]


def test_exceptions_are_ranked_by_what_they_say(tmp_path: Path) -> None:
    course = graded(tmp_path)
    for student in ("ada", "finn", "gus"):
        told = "KeyError: 'k'" if student == "gus" else "NameError: name 'math' is not defined"
        cells = [cell("scale", "exception", message="scale: stopped", exception=told)]
        add_record(course, student, cells)
    work = read_classwork(course, LESSON)
    most, *_ = findings.exceptions_of(work)
    assert (most.exercise, most.students) == ("scale", ["ada", "finn"])
    assert most.words == "NameError: name 'math' is not defined"
    assert findings.made_twice(findings.exceptions_of(work)) == [most]
    text = page([work], {})
    assert "2 students in <code>scale</code> were stopped by an exception: NameError" in text
    report = json.loads(as_json([work], {}))[LESSON]
    assert report["exceptions"][0]["students"] == ["ada", "finn"]


def earned(shares: dict[str, list[float]]) -> Classwork:
    """A class by the share of its points that each exercise gave each student."""
    results = [
        Result(f"s{n}", name, Verdict.PASSED if share == 1 else Verdict.WRONG, share, 1.0)
        for name, column in shares.items()
        for n, share in enumerate(column)
    ]
    return Classwork(LESSON, results, {f"s{n}": 1.0 for n in range(len(shares["a"]))})


def test_an_exercise_separates_as_the_others_do() -> None:
    half = [1.0] * 5 + [0.0] * 5
    columns = {"a": half, "b": half, "c": half, "against": half[::-1], "all": [1.0] * 10}
    found = {one.name: one for one in findings.exercises_of(earned(columns))}
    assert found["a"].separation == pytest.approx(1.0)
    assert {name: one.separates for name, one in found.items()} == {
        "a": "well", "b": "well", "c": "well", "against": "hardly", "all": "–",
    }  # fmt: skip


def test_few_students_separate_nothing() -> None:
    (found, _) = findings.exercises_of(earned({"a": [1.0, 0.0], "b": [1.0, 0.0]}))
    assert found.separation is None


def test_the_page_says_what_was_found(work: Classwork) -> None:
    text = page([work], {})
    for words in (HINT, "the axis of the sum", "NameError: &lt;x&gt;", "finn", "1 of the 4 who"):
        assert words in text
    assert "<script" not in text
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert 'aria-label="How many students earned how many points: 3 with 0 to' in text


def test_rows_of_the_page_count_who_is_in_them(work: Classwork) -> None:
    """The figure that a row of mistakes begins with is that of the names at its end."""
    rows = re.findall(
        r'<tr><td class="number">(\d+)</td>.*?<td class="soft who">(.*?)</td></tr>',
        page([work], {}),
    )
    assert [int(count) for count, _ in rows] == [len(who.split(", ")) for _, who in rows]
    listed = [
        *findings.misconceptions_of(work), *findings.places_of(work), *findings.exceptions_of(work)
    ]  # fmt: skip
    assert sorted(int(count) for count, _ in rows) == sorted(len(one.students) for one in listed)


def test_names_are_text(tmp_path: Path) -> None:
    course = graded(tmp_path)
    folder = course.root / "autograded"
    (folder / "ada").rename(folder / "<b>ada")
    text = page([read_classwork(course, LESSON)], {})
    assert "<b>ada" not in text
    assert "&lt;b&gt;ada" in text


def test_several_lessons_are_compared(tmp_path: Path) -> None:
    works = [read_classwork(graded(tmp_path, one), one) for one in ("01_one", "02_two")]
    text = page(works, {})
    assert "From lesson to lesson" in text
    assert "The middle of the class: 0 % in 01_one, 0 % in 02_two" in text


def test_tables_hold_the_same(work: Classwork) -> None:
    report = json.loads(as_json([work], {}))[LESSON]
    assert report["students"]["ben"] == {"points": 1.0, "seconds": 1.5}
    assert report["misconceptions"][0]["students"] == ["ben", "cleo"]
    rows = list(csv.DictReader(io.StringIO(as_csv([work]))))
    assert len(rows) == 10
    assert rows[2]["student"] == "ben"
    assert (rows[2]["verdict"], rows[2]["hint"]) == ("wrong", HINT)


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    course = graded(tmp_path)
    folder = course.root / "autograded"
    (folder / "ada").rename(folder / '=cmd()|"A1", b')
    rows = list(csv.DictReader(io.StringIO(as_csv([read_classwork(course, LESSON)]))))
    assert {row["student"] for row in rows} >= {'\'=cmd()|"A1", b'}


def test_files_are_written(tmp_path: Path) -> None:
    course = graded(tmp_path)
    files = write_report(course, [LESSON])
    assert [path.relative_to(tmp_path).as_posix() for path in files] == [
        f"reports/{LESSON}.html", f"reports/{LESSON}.json", f"reports/{LESSON}.csv",
        f"reports/{LESSON}_alike.csv",
    ]  # fmt: skip
    assert all(path.read_text(encoding="utf-8") for path in files)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(GradingFailed, match="`autograder grade week1` does it"):
        write_report(Course(tmp_path), [LESSON])
    course = graded(tmp_path)
    path = course.root / "autograded" / "dan" / LESSON / f"{LESSON}{RECORD_SUFFIX}"
    path.write_text('{"cells": [{}]}')
    with pytest.raises(GradingFailed, match="--force"):
        write_report(course, [LESSON])


@pytest.mark.filterwarnings("error")
def test_lesson_of_questions_alone_has_a_picture() -> None:
    assert "2 with 0 to " in distribution([0.0, 0.0], out_of=0.0)


@pytest.mark.parametrize("width", [320, 800])
def test_nothing_stands_beyond_the_edge(width: int, tmp_path: Path, browser: "Browser") -> None:
    """Tables wider than the window are scrolled in their place, also by keyboard."""
    course = graded(tmp_path)
    long = "simple_self_attention_batch_of_sentences"
    add_record(course, "gus", [cell(long, "wrong", misconception="axis", hint=HINT)])
    (path, *_) = write_report(course, [LESSON])
    shown = browser.new_page(viewport={"width": width, "height": 900})
    shown.goto(path.as_uri())
    shown.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    wide = (
        "[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth)"
    )
    assert shown.evaluate(f"{wide}.every(one => one.tabIndex === 0 && one.ariaLabel)")
    shown.close()
