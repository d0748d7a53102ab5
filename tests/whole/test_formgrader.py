"""Formgrader in a real browser: its button grades safely, and nothing of a student's runs there."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbgrader.apps import NbGraderAPI
from playwright.sync_api import Browser, Page, Response, expect

from autograder.authoring.build.build import build_lesson
from autograder.authoring.lesson.reading import read_lesson
from autograder.grading.record import RECORD_SUFFIX
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.pages.asked import SHOWN_TEXT
from tests.support.course import COURSE, ROOT
from tests.support.injections import (
    Listener,
    answers,
    assert_nothing_ran,
    displayed,
    hostile,
    listening,
    quiet_page,
    written,
)
from tests.support.lab import PATIENCE, keep, taught_course
from tests.support.processes import eventually
from tests.support.sample import sample

expect.set_options(timeout=PATIENCE)

LESSON = "02_dot_product_self_attention"
POINTS = sum(read_lesson(COURSE.lesson_file(LESSON)).points.values())
HONEST, HOSTILE = "ada", "mallory"
HOSTILE_NAME = "<img src=x onerror=window.__hit='name'>"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with listening() as notes:
        yield notes


@dataclass(frozen=True)
class Classroom:
    """A copy of the course with a class of two, and the server at it."""

    root: Path
    api: NbGraderAPI
    address: str

    @property
    def formgrader(self) -> str:
        return f"{self.address}/formgrader"

    def graded(self, student: str) -> Path:
        return self.root / "autograded" / student / LESSON / f"{LESSON}.ipynb"

    def record(self, student: str) -> dict[str, Any]:
        path = self.graded(student).with_name(f"{LESSON}{RECORD_SUFFIX}")
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return record


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[Classroom]:
    root = tmp_path_factory.mktemp("taught") / "course"
    for folder in ("autograder", "companion", "solutions"):
        shutil.copytree(ROOT / folder, root / folder)
    for name in ("nbgrader_config.py", "course.toml"):
        shutil.copy(ROOT / name, root)
    built = build_lesson(COURSE, LESSON)
    for path, text in built.files.items():
        copy = root / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8", newline="\n")
    api = nbgrader_api(configuration(COURSE, root))
    assert api.generate_assignment(LESSON)["success"]
    hand_in(root, HONEST, built.solved())
    hand_in(root, HOSTILE, hostile(listener.address, built.solved()), HOSTILE_NAME)
    with taught_course(root) as address:
        yield Classroom(root, api, address)


def hand_in(root: Path, student: str, notebook: NotebookNode, name: str = LESSON) -> None:
    folder = root / "submitted" / student / LESSON
    shutil.copytree(root / "notebooks" / LESSON, folder)
    (folder / f"{LESSON}.ipynb").unlink()
    nbformat.write(notebook, folder / f"{name}.ipynb")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with quiet_page(browser) as page:
        yield page


def press(page: Page, classroom: Classroom, student: str, button: str) -> None:
    """Press a button in a student's row of formgrader's list, and wait for its success."""
    page.goto(f"{classroom.formgrader}/manage_submissions/{LESSON}")
    row(page, student).locator(f".{button} a").click()
    dialog = page.locator("#success-modal, #error-modal")
    expect(dialog).to_contain_text("Successfully", timeout=PATIENCE)
    dialog.get_by_text("OK").or_(dialog.get_by_text("Close")).last.click()


def row(page: Page, student: str) -> Any:
    return page.locator("tr", has=page.locator(f"td.student-id:text-is('{student}')"))


def submission_page(classroom: Classroom, student: str) -> str:
    with classroom.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, student).notebooks
        return f"{classroom.formgrader}/submissions/{notebook.id}"


def test_injections_would_run(page: Page, listener: Listener) -> None:
    """The same injections, on a page that does nothing against them."""
    texts = [text for name, text in written(listener.address).items() if name != "refresh"]
    listener.pages["/raw"] = "\n".join(texts).encode()
    page.goto(f"{listener.address}/raw")
    wanted = {"script", "onerror", "srcdoc", "style", "svg", "details"}
    page.wait_for_function("window.__hit")
    assert eventually(
        lambda: wanted <= {path.strip("/") for path in listener.asked},
        wait=lambda: page.wait_for_timeout(20),
    )
    listener.asked.clear()


def test_twenty_injections() -> None:
    assert len(written("x")) + len(displayed("x")) + len(answers("x")) >= 20


@pytest.mark.parametrize("student", [HONEST, HOSTILE])
def test_button_grades_safely(classroom: Classroom, page: Page, student: str) -> None:
    press(page, classroom, student, "autograde")
    record = classroom.record(student)
    assert record["isolation"].startswith("isolation full")
    lost = [cell["grade_id"] for cell in record["cells"] if cell["verdict"] != "passed"]
    assert bool(lost) == (student == HOSTILE)
    earned = sum(cell["points"] for cell in record["cells"])
    expect(row(page, student).locator(".score")).to_have_text(f"{earned:g} / {POINTS}")
    status = row(page, student).locator(".status")
    expect(status.locator(".label")).to_have_text("needs manual grading")
    noticed = f"graded is {HOSTILE_NAME}.ipynb: there is no {LESSON}.ipynb" * (student == HOSTILE)
    expect(status).to_contain_text(noticed)
    keep(page, f"formgrader_{student}")
    page.goto(f"{classroom.formgrader}/gradebook/{LESSON}/{LESSON}")
    expect(page.locator("#main-table")).to_contain_text(noticed)
    keep(page, f"formgrader_by_hand_{student}")


@pytest.mark.long
@pytest.mark.parametrize("command", sample([("nbgrader", "autograde"), ("autograder", "grade")], 2))
def test_all_ways_of_grading_agree(
    classroom: Classroom, page: Page, command: tuple[str, str]
) -> None:
    """The commands give what the button has given: the same scores, the same records."""
    for student in (HONEST, HOSTILE):
        if not classroom.graded(student).exists():
            press(page, classroom, student, "autograde")
    by_button = [outcome(classroom, student) for student in (HONEST, HOSTILE)]
    times = [graded.stat().st_mtime_ns for graded in map(classroom.graded, (HONEST, HOSTILE))]
    program = str(Path(sys.executable).with_name(command[0]))
    done = subprocess.run(
        [program, command[1], LESSON, "--force"],
        cwd=classroom.root, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for student, time in zip((HONEST, HOSTILE), times, strict=True):
        assert classroom.graded(student).stat().st_mtime_ns > time
    assert [outcome(classroom, student) for student in (HONEST, HOSTILE)] == by_button


def outcome(classroom: Classroom, student: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A student's scores in the gradebook, and the record but for how long it took."""
    record = classroom.record(student)
    cells = [{name: cell[name] for name in cell if name != "seconds"} for cell in record["cells"]]
    with classroom.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, student).notebooks
        scores = {grade.name: grade.auto_score for grade in notebook.grades}
    return scores, {**record, "cells": cells, "seconds": None, "time": None}


def test_nothing_runs_in_formgrader(classroom: Classroom, page: Page, listener: Listener) -> None:
    page.goto(submission_page(classroom, HOSTILE))
    expect(page.locator("#notebook-container").first).to_contain_text("window.__hit")
    assert_nothing_ran(page, listener)
    page.locator(".text_cell_render", has_text="window.__hit").first.scroll_into_view_if_needed()
    keep(page, "formgrader_injections")


def test_nothing_runs_in_feedback(classroom: Classroom, page: Page, listener: Listener) -> None:
    press(page, classroom, HOSTILE, "generate-feedback")
    path = classroom.root / "feedback" / HOSTILE / LESSON / f"{LESSON}.html"
    listener.pages["/feedback"] = path.read_bytes()
    page.goto(f"{listener.address}/feedback")
    expect(page.locator("#notebook-container").first).to_contain_text("window.__hit")
    assert_nothing_ran(page, listener)
    for taste in ("light", "dark"):
        page.emulate_media(color_scheme=taste)
        keep(page, f"feedback_{taste}")
    # With all of it opened, nothing stands beyond the page's edge.
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    keep(page, "feedback_opened", whole=True)


@pytest.mark.long
def test_teaching_begins_in_formgrader(classroom: Classroom, page: Page) -> None:
    page.goto(f"{classroom.address}/lab")
    formgrader = page.frame_locator("iframe[src*='/formgrader']")
    expect(formgrader.get_by_text("Manage Assignments").first).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("button", name="Begin anew")).to_have_count(0)


@pytest.mark.long
def test_manual_grade_survives(classroom: Classroom, page: Page) -> None:
    press(page, classroom, HONEST, "autograde")
    page.goto(submission_page(classroom, HONEST))
    score = page.locator(".nbgrader_cell", has=page.locator(".text_cell_render")).locator(
        "input.score"
    )
    # What is typed before formgrader has read the scores and comments is overwritten by them.
    page.wait_for_load_state("networkidle")
    with page.expect_response(lambda answer: is_saved(answer, "grade")):
        score.first.fill("1")
        score.first.blur()
    comment = page.locator("textarea.comment").first
    with page.expect_response(lambda answer: is_saved(answer, "comment")) as saved:
        comment.fill("A comment by hand")
        comment.blur()
    shown = page.locator(f"meta[name='{SHOWN_TEXT}']").get_attribute("content")
    assert saved.value.request.header_value(SHOWN_TEXT) == shown
    assert saved.value.request.post_data_json["seen"] == {"manual_comment": None}
    before = by_hand(classroom)
    assert before
    keep(page, "formgrader_by_hand")
    press(page, classroom, HONEST, "autograde")
    assert by_hand(classroom) == before


def is_saved(answer: Response, what: str) -> bool:
    """Whether formgrader's server has answered that it saved a grade or a comment."""
    return answer.request.method == "PUT" and f"/api/{what}/" in answer.url


def by_hand(classroom: Classroom) -> dict[str, object]:
    """What an instructor gave: scores and comments, by cell."""
    with classroom.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, HONEST).notebooks
        grades = {g.name: g.manual_score for g in notebook.grades if g.manual_score is not None}
        comments = {c.name: c.manual_comment for c in notebook.comments if c.manual_comment}
    assert list(grades.values()) == [1]
    assert list(comments.values()) == ["A comment by hand"]
    return {**grades, **{f"comment of {name}": text for name, text in comments.items()}}
