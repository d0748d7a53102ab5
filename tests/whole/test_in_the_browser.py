"""Lessons in a browser, with Pyodide: every answer gets the card that it gets here.

`make test` fetches Pyodide; without it these are skipped. Under Node the exams' own functions are
checked; in Chromium, when everything is tried, the notebooks in which a learner has written them.
"""

import inspect
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.authoring.browser.lite import address, make_lite
from autograder.authoring.build.build import build_lesson
from autograder.checks.card.as_html import REPORT_MIME
from autograder.checks.exam.exam import exams_of
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.demo.classroom import names_above
from autograder.demo.standalone import standing_alone
from autograder.grading.grade import grade
from autograder.learner.front.extension import write_for_a_browser
from autograder.learner.run_notebook import run
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.course import COURSE, ROOT
from tests.support.lab import PATIENCE, menu
from tests.support.processes import eventually
from tests.support.sample import EVERYTHING, sample
from tests.support.served import served
from tools.fetch_pyodide import FOLDER as PYODIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

pytestmark = pytest.mark.skipif(
    not (PYODIDE / "pyodide.mjs").exists(), reason="make lite fetches Pyodide"
)
SUPPORT = ROOT / "tests" / "support"
LESSONS = COURSE.lessons_named(COURSE.settings.browser)
EXERCISES = [name for lesson in LESSONS for name in exams_of(COURSE.exam_module(lesson))]
EXERCISES_OF_LAST = [*exams_of(COURSE.exam_module(LESSONS[-1]))]
# A lesson's wrong answers, all in one notebook, with a slow machine's patience for each.
MINUTES = 10
# NumPy's own integers have 32 bits there, and what is nothing but rounding has other digits.
SAID_OTHERWISE = {r"\bint32\b": "int64", r"-?\d\.\d+e-1[5-9]\b": "0"}
STORE = "lessons of attention"
OPENED = """
    const request = indexedDB.open(store);
    const database = await new Promise((does) => (request.onsuccess = () => does(request.result)));
    const work = database.transaction("files", "readwrite"), files = work.objectStore("files");
"""
# The file as JupyterLite keeps it; nothing where it keeps none.
READ = f"""async ([store, path]) => {{{OPENED}
    const asked = files.get(path);
    await new Promise((does) => (work.oncomplete = does));
    database.close();
    return asked.result?.content ?? null;
}}"""
WRITE = f"""async ([store, path, content]) => {{{OPENED}
    const asked = files.get(path);
    asked.onsuccess = () => files.put({{ ...asked.result, content }}, path);
    await new Promise((does) => (work.oncomplete = does));
    database.close();
}}"""


@pytest.fixture(scope="module")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite") / "lite"
    make_lite(COURSE, folder, PYODIDE, write_for_a_browser)
    return folder


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("node"), reason="Node runs Pyodide here")
def test_every_answer_gets_the_card_that_it_gets_here(lite: Path) -> None:
    job = json.dumps(
        {"folder": str(ROOT), "lessons": LESSONS, "exercises": sample(EXERCISES, share=24)}
    )
    script, pyodide = SUPPORT / "cards_of.py", lite / "static" / "pyodide"
    here = cards([sys.executable, script, job])
    there = cards(["node", SUPPORT / "in_lite.mjs", pyodide, ROOT, script, job])
    assert len(here) > 10
    assert there == here


def cards(command: list[str | Path]) -> dict[str, list[str]]:
    """What is found of each answer, as text and as HTML, by the name of the answer."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return {name: [*map(in_our_words, parts)] for name, parts in sorted(found.items())}


def in_our_words(text: str) -> str:
    for there, here in SAID_OTHERWISE.items():
        text = re.sub(there, here, text)
    return text


@pytest.fixture(scope="module")
def site(lite: Path) -> Iterator[str]:
    with served(lite) as where:
        yield where


@pytest.fixture
def learner(browser: "Browser", site: str) -> Iterator["BrowserContext"]:
    """A browser of somebody's own, which asks nobody but the site."""
    context = browser.new_context(accept_downloads=True, color_scheme="dark")
    others: list[str] = []
    context.on("request", lambda asked: others.append(asked.url))
    yield context
    context.close()
    assert [url for url in others if not url.startswith((site, "data:", "blob:"))] == []


@pytest.mark.skipif(not EVERYTHING, reason="it takes a minute for each lesson")
@pytest.mark.parametrize("lesson", LESSONS)
def test_notebook_is_worked_on_downloaded_and_graded(
    learner: "BrowserContext", site: str, lesson: str
) -> None:
    built = build_lesson(COURSE, lesson)
    notebook = built.solved()
    spoiled, wrong = next(wrong_answers(notebook, lesson))
    for cell in notebook.cells:
        if grade_id_of(cell) == spoiled and has_role(cell, "solution"):
            cell.source = wrong
    page = worked_on(learner, site, lesson, notebook)
    page.goto(site)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download").click()
    assert downloading.value.suggested_filename == f"{lesson}.ipynb"
    content = downloading.value.path().read_bytes()
    reports = [one[REPORT_MIME] for one in shown_in(nbformat.reads(content, as_version=4))]
    assert len(reports) == len(built.exams)
    assert [one["exercise"] for one in reports if one["verdict"] != "passed"] == [spoiled]
    files, preload = {"checks.json": built.checks.encode()}, COURSE.settings.preload
    with Sandbox(Limits(), preload=preload, hidden=[COURSE.root]) as sandbox:
        graded = grade(built.source, content, sandbox, files=files)
    examined = [one for one in graded.verdicts if one.report]
    assert len(examined) == len(built.exams)
    assert [one.report.exercise for one in examined if one.points < one.max_points] == [spoiled]


@pytest.mark.long
def test_who_comes_back_is_told_what_to_run_and_begins_an_exercise_anew(
    learner: "BrowserContext", site: str
) -> None:
    lesson, exercise = LESSONS[-1], EXERCISES_OF_LAST[0]
    page = opened(learner, site, lesson)
    page.locator("body[data-jp-theme-light='false']").wait_for(state="attached")
    given = nbformat.from_dict(saved(page))
    right = {grade_id_of(cell): cell for cell in build_lesson(COURSE, lesson).solved().cells}
    first = next(cell for cell in given.cells if cell.cell_type == "code")
    check = next(cell for cell in given.cells if grade_id_of(cell) == f"{exercise}_check")
    notebook = nbformat.from_dict({**given, "cells": [first, right[exercise], check]})
    page.evaluate(WRITE, [STORE, file_of(page), json.loads(nbformat.writes(notebook))])
    page.reload()
    shown = page.locator(".jp-CodeCell").last
    assert eventually(lambda: asked_to_run(page, shown))
    shown.get_by_text("is not defined in this kernel yet").wait_for()
    shown.get_by_role("button", name="Run the cells above").click()
    shown.get_by_text("passed").first.wait_for()

    page.get_by_role("button", name="Begin anew").click()
    page.locator(".jp-Dialog").get_by_role("button", name="Begin anew").click()
    page.get_by_text(f"{exercise} is as it was given out. What you had is kept").wait_for()
    anew = nbformat.from_dict(saved(page))
    as_given = {grade_id_of(cell): cell.source for cell in given.cells}
    assert [cell.source for cell in anew.cells[1:]] == [as_given[exercise], check.source]
    assert anew.cells[2].outputs == []
    page.goto(site)
    kept = page.locator(".copy", has_text="(kept 20")
    with page.expect_download() as downloading:
        kept.get_by_role("button", name="Download").click()
    content = nbformat.read(downloading.value.path(), as_version=4)
    assert content.cells[1].source == right[exercise].source


@pytest.mark.long
def test_private_window_has_its_checks(browser: "Browser", site: str) -> None:
    """Python is shown no file of the lesson there."""
    lesson, exercise = LESSONS[-1], EXERCISES_OF_LAST[0]
    given = build_lesson(COURSE, lesson).solved()
    names = (exercise, f"{exercise}_check")
    first = next(cell for cell in given.cells if cell.cell_type == "code")
    given.cells = [first, *(one for one in given.cells if grade_id_of(one) in names)]
    with browser.new_context() as context:
        context.add_init_script("delete Navigator.prototype.serviceWorker")
        page = worked_on(context, site, lesson, given)
        (report,) = shown_in(nbformat.from_dict(saved(page)))
    assert report[REPORT_MIME]["verdict"] == "passed"


@pytest.mark.skipif(not EVERYTHING, reason="it takes minutes for each lesson")
@pytest.mark.parametrize("lesson", LESSONS)
def test_wrong_answers_in_cells_get_the_cards_of_here(
    learner: "BrowserContext", site: str, lesson: str, tmp_path: Path
) -> None:
    notebook = build_lesson(COURSE, lesson).solved()
    given = next(cell for cell in notebook.cells if cell.cell_type == "code")
    answers = [*wrong_answers(notebook, lesson)]
    checks = [text for name, source in answers for text in (source, f"check({name})")]
    notebook.cells = [given, *map(new_code_cell, checks)]
    page = worked_on(learner, site, lesson, notebook)
    there = nbformat.reads(json.dumps(saved(page)), as_version=4)
    here = run(notebook, Path(shutil.copytree(COURSE.release_folder(lesson), tmp_path / lesson)))
    assert len(texts_in(here)) == len(answers) > 80
    assert texts_in(there) == texts_in(here)


def wrong_answers(solved: NotebookNode, lesson: str) -> Iterator[tuple[str, str]]:
    """The misconceptions that can stand alone in a cell, each behind its exercise's name."""
    for name, exam in exams_of(COURSE.exam_module(lesson)).items():
        known = names_above(solved, name)
        for wrong in exam.misconceptions.values():
            if not inspect.signature(wrong).parameters:
                # A worksheet: the numbers that it is filled in with are all that there is to it.
                yield name, f"def {name}():\n    return {wrong()!r}"
            elif (source := standing_alone(wrong, name, known)) and "torch." not in source:
                # Some bring along what stands in for companion's own functions, which a learner
                # has from there.
                yield name, source


def worked_on(learner: "BrowserContext", site: str, lesson: str, notebook: NotebookNode) -> "Page":
    """The page of a lesson in which a learner has written this notebook, and run and saved it."""
    page = opened(learner, site, lesson)
    content = json.loads(nbformat.writes(notebook))
    content["cells"].append(new_code_cell("print('the end')"))
    page.evaluate(WRITE, [STORE, file_of(page), content])
    page.reload()
    page.locator(".jp-CodeCell").first.wait_for()
    assert eventually(lambda: begun_by(page))
    deadline = time.monotonic() + 60 * MINUTES
    while not has_ended(saved(page)):
        assert time.monotonic() < deadline
        page.wait_for_timeout(2000)
        page.keyboard.press("Control+s")
    return page


def opened(learner: "BrowserContext", site: str, lesson: str) -> "Page":
    """The page of a lesson, of which the browser keeps a copy."""
    page = learner.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{site}/{address(lesson)}")
    page.locator(".jp-CodeCell").first.wait_for()
    assert eventually(lambda: kept_by(page))
    return page


# What is asked for before all of JupyterLite is there may be lost: a learner asks again.
def kept_by(page: "Page") -> bool:
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1000)
    return saved(page) is not None


def asked_to_run(page: "Page", cell: "Locator") -> bool:
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(2000)
    return re.search(r"\[(\*|\d+)\]", cell.locator(".jp-InputPrompt").inner_text()) is not None


def begun_by(page: "Page") -> bool:
    menu(page, "Run", "Run All Cells")
    page.wait_for_timeout(2000)
    return page.locator(".jp-InputPrompt", has_text="[*]").count() > 0


def has_ended(notebook: dict[str, Any]) -> bool:
    return any("the end" in str(one.get("text")) for one in notebook["cells"][-1]["outputs"])


def file_of(page: "Page") -> str:
    (path,) = parse_qs(urlsplit(page.url).query)["path"]
    return path


def saved(page: "Page") -> Any:
    """The notebook as the browser keeps it."""
    return page.evaluate(READ, [STORE, file_of(page)])


def shown_in(notebook: NotebookNode) -> list[dict[str, Any]]:
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", ())]
    return [one.data for one in outputs if REPORT_MIME in one.get("data", ())]


def texts_in(notebook: NotebookNode) -> list[str]:
    return [in_our_words(one["text/plain"]) for one in shown_in(notebook)]
