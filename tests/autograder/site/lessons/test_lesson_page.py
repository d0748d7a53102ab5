"""A lesson as a page: what students begin with, what given cells show, and one card to come."""

import re
from itertools import pairwise

import pytest
from nbformat.v4 import new_output

from autograder.authoring.build.build import Built, build_lesson
from autograder.authoring.lesson.guesses import LINE
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.site.lessons.lesson_page import lesson_page
from autograder.site.lessons.outputs import worksheets_in
from autograder.site.lessons.to_come import Foretaste, foretaste
from tests.support.course import COURSE
from tests.support.sample import sample


@pytest.fixture(scope="module")
def shown(built: Built) -> Foretaste:
    found = foretaste(built.exams, worksheets_in(built.exams))
    assert found
    return found


def test_the_card_names_a_mistake_and_shows_no_code(shown: Foretaste) -> None:
    assert shown.exercise == "match"
    assert "These are products. Add them up for each word." in shown.html
    assert "inputs * query" not in shown.html


def test_a_worksheet_has_no_card(built: Built) -> None:
    only = {"by_hand": built.exams["by_hand"]}
    assert foretaste(only, worksheets_in(only)) is None


def test_a_page_is_the_students_notebook_with_outputs(built: Built, shown: Foretaste) -> None:
    given = next(cell.id for cell in built.student.cells if cell.cell_type == "code")
    output = new_output("stream", text="so")
    page = lesson_page(built.student, {given: [output]}, shown, "<nav></nav>")
    having = {cell.id: cell.outputs for cell in page.cells if cell.get("outputs")}
    assert having == {
        given: [output],
        "match-check": [new_output("display_data", {"text/html": shown.html})],
    }
    for cell, student in zip(page.cells[1:], built.student.cells[1:], strict=True):
        assert cell.source.removeprefix("{.exercise-card}\n") == student.source
    assert page.cells[0].source.startswith("# 01 · Mixing\n\n<nav></nav>")
    assert not any(cell.get("outputs") for cell in built.student.cells)


def test_what_an_output_says_of_another_lesson_leads_to_its_page(built: Built) -> None:
    given = next(cell.id for cell in built.student.cells if cell.cell_type == "code")
    html = '<a href="../02_x/02_x.ipynb">x</a> <a href="../02_x/02_x.ipynb#y">y</a>'
    html += '<a href="https://a.org/02_x/02_x.ipynb">z</a>'
    output = new_output("display_data", {"text/html": html})
    page = lesson_page(built.student, {given: [output]}, None, "")
    (shown,) = [one for cell in page.cells for one in cell.get("outputs", ())]
    assert shown.data["text/html"] == html.replace("02_x.ipynb", "02_x.html", 2)


@pytest.mark.parametrize("lesson", sample(COURSE.lessons()))
def test_every_exercise_has_its_card(lesson: str) -> None:
    built = build_lesson(COURSE, lesson)
    page = lesson_page(built.student, {}, None, "")
    cards = [
        re.match(r"\{\.exercise-card\}\n\*\*.+?\*\* · `(\w+)` · \d+ points?", cell.source)
        for cell in page.cells
        if cell.source.startswith("{.exercise-card}")
    ]
    assert [card[1] for card in cards if card] == [*built.lesson.points]
    assert any(cell.source == LINE for cell in built.student.cells)
    assert not any(cell.source == LINE for cell in page.cells)


@pytest.mark.parametrize("lesson", sample(COURSE.lessons()))
def test_what_is_to_be_guessed_is_folded(lesson: str) -> None:
    student = build_lesson(COURSE, lesson).student
    asked = [one.id for line, one in pairwise(student.cells) if line.source == LINE]
    page = lesson_page(student, {}, None, "")
    folded = [one.id for one in page.cells if "hide-output" in one.metadata.get("tags", ())]
    assert asked
    assert folded == asked
    assert not any("hide-output" in one.metadata.get("tags", ()) for one in student.cells)


@pytest.mark.parametrize("lesson", sample(COURSE.lessons()))
def test_every_lesson_shows_what_a_check_says(lesson: str) -> None:
    built = build_lesson(COURSE, lesson)
    found = foretaste(built.exams, worksheets_in(built.exams))
    assert found
    hints = built.exams[found.exercise].hints.values()
    assert "Hint:" in found.html
    assert any(
        re.sub(r"\W", "", hint)[:20] in re.sub(r"<.*?>|\W", "", found.html) for hint in hints
    )


def test_no_solution_has_a_place_for_outputs(built: Built, shown: Foretaste) -> None:
    page = lesson_page(built.student, {}, shown, "")
    written = [cell for cell in page.cells if has_role(cell, "solution")]
    assert {grade_id_of(cell) for cell in written} == built.lesson.points.keys()
    assert not any(cell.get("outputs") for cell in written)
