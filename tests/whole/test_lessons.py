"""The lessons run: solved with all checks green, empty with nothing but "not implemented yet".

Pictures of all figures, in both themes, are kept in artefacts/.
"""

import ast
import inspect
import re
import shutil
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build import build_lesson
from autograder.authoring.lesson.reference import INSTEAD
from autograder.checks.card.as_html import REPORT_MIME
from autograder.checks.exam.exam import exams_of
from autograder.course import lesson_number
from autograder.learner.run_notebook import run
from tests.support import solved_runs
from tests.support.course import COURSE
from tests.support.lab import keep
from tests.support.sample import EVERYTHING, sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LESSONS = COURSE.lessons()
# Each run runs one of them and looks at its figures, another each time: that all have run as they
# are is on record.
SOLVED = sample(LESSONS, 12)
# Of the empty ones one is enough to see that what is unwritten stops nothing; the last two train
# with the library's parts for as long as with one's own.
EMPTY = sample(LESSONS if EVERYTHING else LESSONS[:-2], 12)
# For a machine that has much else to do; what a lesson takes on a quiet one, its text says.
SECONDS_PER_CELL = 600
# A training of minutes says its steps on a line of their own; here it need not learn anything.
STEPS, FEW_STEPS = re.compile(r"^steps = \d+$", re.MULTILINE), "steps = 12"


# Which of its two pictures a figure shows, and whether it is there and fits the page.
FIGURES = """[...document.querySelectorAll(".jp-OutputArea img")].map(image => ({
    alt: image.alt,
    dark: getComputedStyle(image).content.startsWith("url"),
    drawn: image.naturalWidth > 0,
    fits: image.getBoundingClientRect().right <= document.documentElement.clientWidth,
}))"""


@pytest.fixture(scope="module")
def given_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All lessons in a folder of their own, where what they write is nobody's."""
    return shutil.copytree(COURSE.notebooks, tmp_path_factory.mktemp("lessons") / "work")


@cache
def solved_and_run(lesson: str, given_out: Path) -> NotebookNode:
    """A lesson with every solution in it, run once for all tests."""
    solved = shortened(build_lesson(COURSE, lesson).solved())
    return run(solved, given_out / lesson, seconds_per_cell=SECONDS_PER_CELL)


def shortened(notebook: NotebookNode) -> NotebookNode:
    """The notebook with few steps in each training that takes minutes."""
    for cell in notebook.cells:
        cell.source = STEPS.sub(FEW_STEPS, cell.source)
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize("lesson", SOLVED)
def test_solved_lesson_passes(lesson: str, given_out: Path) -> None:
    solved = solved_and_run(lesson, given_out)
    assert errors(solved) == []
    assert states(solved) == dict.fromkeys(exercises(lesson), "passed")
    assert noises(solved) == []
    solved_runs.keep(lesson)


@pytest.mark.skipif(COURSE.own.is_dir(), reason="a course of one's own has lessons of its own")
@pytest.mark.parametrize("lesson", LESSONS)
def test_lesson_has_run_as_it_is(lesson: str) -> None:
    has_run = solved_runs.known().get(lesson) == solved_runs.digest_of_run(lesson)
    assert has_run, f"run it, and commit {solved_runs.RUNS.name}: make lesson L={lesson}"


@pytest.mark.parametrize("lesson", SOLVED)
def test_figures_are_drawn(lesson: str, given_out: Path, browser: "Browser") -> None:
    solved = solved_and_run(lesson, given_out)
    for theme in ("light", "dark"):
        exporter = HTMLExporter(theme=theme, exclude_input=True, exclude_markdown=True)
        text, _ = exporter.from_notebook_node(solved)
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        page.route("http*://**", lambda route: route.abort())
        page.set_content(text, wait_until="load")
        figures = page.evaluate(FIGURES)
        keep(page, f"figures_{lesson_number(lesson)}_{theme}", whole=True)
        page.close()
        assert len(figures) >= 4
        assert [one for one in figures if not one["drawn"] or not one["fits"]] == []
        assert {one["dark"] for one in figures} == {theme == "dark"}


@pytest.mark.long
@pytest.mark.parametrize("lesson", EMPTY)
def test_empty_lesson_stops_nowhere(lesson: str, given_out: Path) -> None:
    path = given_out / lesson / f"{lesson}.ipynb"
    unwritten = nbformat.read(path, as_version=4)
    empty = run(shortened(unwritten), path.parent, seconds_per_cell=SECONDS_PER_CELL)
    assert errors(empty) == []
    found = states(empty)
    written = {name for name, state in found.items() if state != "not implemented yet"}
    assert written <= set(repairs(lesson))
    assert "passed" not in found.values()


@pytest.mark.parametrize("lesson", sample(LESSONS, 3))
def test_every_lesson_has_its_shape(lesson: str) -> None:
    notebook = build_lesson(COURSE, lesson).solved()
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for part in ("After this lesson you can", "You need", "It takes", "Before you run this"):
        assert part in prose
    for heading in ("## The problem", "## What can go wrong", "## Going further"):
        assert heading in prose
    assert repairs(lesson)
    assert any(name.startswith("is_") for name in exercises(lesson))
    hints = len(exercises(lesson))
    assert prose.count("<summary>Hint 1") == prose.count("<summary>Hint 3") == hints
    if not is_a_bridge(lesson):
        assert any(name.endswith("_by_hand") for name in exercises(lesson))
        assert "In your own words" in prose


def is_a_bridge(lesson: str) -> bool:
    """Whether a lesson was put between two others, to teach what they need: 00b."""
    return lesson_number(lesson)[-1].isalpha()


def exercises(lesson: str) -> list[str]:
    return list(exams_of(COURSE.exam_module(lesson)))


def repairs(lesson: str) -> list[str]:
    """Exercises that begin as a broken cell: there is nothing blank in the lines that are given."""
    found = []
    for name, exam in exams_of(COURSE.exam_module(lesson)).items():
        given, replaced, _ = inspect.getsource(exam.reference).partition(
            f"### BEGIN SOLUTION {INSTEAD}"
        )
        if replaced and not has_blanks(textwrap.dedent(given)):
            found.append(name)
    return found


def has_blanks(source: str) -> bool:
    """Whether a learner finds `...` to be replaced; as an index it is not meant to be."""
    tree = ast.parse(source)
    indices = [node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    within = {id(node) for index in indices for node in ast.walk(index)}
    blanks = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value is ... and id(node) not in within
    ]
    return bool(blanks)


def errors(notebook: NotebookNode) -> list[str]:
    return [f"{o.ename}: {o.evalue}" for o in outputs(notebook) if o.output_type == "error"]


def noises(notebook: NotebookNode) -> list[str]:
    return [o.text for o in outputs(notebook) if o.get("name") == "stderr"]


def states(notebook: NotebookNode) -> dict[str, str]:
    reports = [o.get("data", {}).get(REPORT_MIME) for o in outputs(notebook)]
    return {report["exercise"]: report["verdict"] for report in reports if report}


def outputs(notebook: NotebookNode) -> list[NotebookNode]:
    return [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
