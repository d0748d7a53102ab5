"""A learner's way to the door: whatever lies beside the lessons, nothing is built and no git asked.

What a command imports decides how long it takes to the door, so that is what is looked at. Then the
first lesson, in a real browser, from the page that JupyterLab opens with and back to it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from autograder.authoring.build.incremental import RECORD
from autograder.checks.own_judgement import Ticks, exercise_of, ticks_in
from autograder.checks.source.notebook_file import read_notebook
from autograder.errors import CheckError
from autograder.learner.start_page import START
from tests.support.course import COURSE, ROOT, every_exam
from tests.support.lab import (
    PATIENCE,
    choose_dark_theme,
    end_server,
    free_port,
    keep,
    wait_for,
    write_settings,
)
from tests.support.processes import eventually

pytestmark = pytest.mark.slow

LESSONS = COURSE.lessons()
LAB = """
import json, sys
from autograder.cli import main
sys.argv = ["autograder", "lab", "--no-open"]
try:
    main()
except SystemExit as end:
    print(json.dumps([end.code, sorted(sys.modules)]))
"""
HEAVY = {"torch", "numpy", "nbgrader", "nbformat", "nbconvert", "jupytext", "IPython", "sqlalchemy"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a learner has of the course before anything is done, without `.git` as in a zip."""
    root = tmp_path / "course"
    for lesson in LESSONS:
        shutil.copytree(COURSE.release_folder(lesson), root / "notebooks" / lesson)
    (root / "source").mkdir()
    for path in (*COURSE.texts(), ROOT / "nbgrader_config.py", ROOT / "course.toml"):
        shutil.copy(path, root / path.relative_to(ROOT))
    return root


def lab(root: Path, *before: str) -> tuple[int, str, str, set[str]]:
    """Run `autograder lab`: its code, its output, its errors and the modules that it imported.

    A git that is called leaves a file behind.
    """
    git = root.parent / "bin" / "git"
    git.parent.mkdir(exist_ok=True)
    git.write_text(f"#!/bin/sh\ntouch {root.parent}/asked\nexit 1\n")
    git.chmod(0o755)
    path = f"{git.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*before, sys.executable, "-c", LAB],
        cwd=root,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not (root.parent / "asked").exists()
    *said, end = done.stdout.splitlines()
    code, modules = json.loads(end)
    return code, "\n".join(said), done.stderr, set(modules)


def nothing(root: Path) -> None:
    pass


def stray_file(root: Path) -> None:
    (root / "notes.txt").touch()


def stray_text(root: Path) -> None:
    (root / "source" / "my notes.md").write_text("# Notes")


def repository(root: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)


def edited_lesson(root: Path) -> None:
    with (root / "source" / f"{LESSONS[0]}.md").open("a", encoding="utf-8") as text:
        text.write("\nOne more sentence.\n")


def damaged_record(root: Path) -> None:
    (root / RECORD).write_text("{")


@pytest.mark.parametrize(
    "beside", [nothing, stray_file, stray_text, repository, edited_lesson, damaged_record]
)
def test_opens_what_is_there(clone: Path, beside: Callable[[Path], None]) -> None:
    beside(clone)
    code, said, errors, modules = lab(clone)
    assert (code, errors) == (0, "")
    assert f"New in it: {', '.join(LESSONS)}." in said
    assert f"Your notebooks are in {clone / 'work'}." in said
    # Where `autograder` is no command of the terminal's, it is said how to make it one.
    assert ("type first: source " in said) is (shutil.which("autograder") is None)
    assert HEAVY & modules == set()
    assert [name for name in modules if name.startswith("autograder.authoring.lesson")] == []
    for lesson in LESSONS:
        assert (clone / "work" / lesson / f"{lesson}.ipynb").is_file()
    assert not (clone / "source" / LESSONS[0]).exists()


def test_lesson_without_a_notebook_is_named(clone: Path) -> None:
    shutil.rmtree(clone / "notebooks" / LESSONS[3])
    code, said, _, _ = lab(clone)
    assert code == 0
    assert f"New in it: {', '.join([*LESSONS[:3], *LESSONS[4:]])}." in said
    assert f"{LESSONS[3]}.ipynb: not there yet; `autograder build` makes it." in said


@pytest.mark.parametrize("place", ["work", "."])
@pytest.mark.parametrize("filled", [False, True])
def test_folder_that_can_not_be_written_to_is_a_sentence(
    clone: Path, place: str, filled: bool
) -> None:
    (clone / "work").mkdir()
    if filled:
        lab(clone)
    elif place == ".":
        (clone / "work").rmdir()
    closed = str(clone / place)
    # Permissions do not stop root, and a place that is mounted for reading does.
    walls = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", closed, closed]
    code, said, errors, _ = lab(clone, *walls)
    assert (code, said) == (2, "")
    assert errors == (
        f"autograder: {clone / 'work'} can't be used (Read-only file system): put that right, or "
        "choose another folder with `autograder lab --folder FOLDER`.\n"
    )


TOKEN = "of-the-learner"
ANSWER = "def dot_product(a, b):\n    return (a * b).sum()"


@pytest.fixture
def learners_lab(clone: Path, tmp_path: Path) -> Iterator[str]:
    """The address that `autograder lab` opens in a clone where one answer is written and saved."""
    lab(clone)
    path = clone / "work" / LESSONS[0] / f"{LESSONS[0]}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "dot_product":
            cell.source = ANSWER
    nbformat.write(notebook, path)
    home, port = tmp_path / "home", free_port()
    write_settings(home / "SETTINGS", "notebook-extension/tracker", {"windowingMode": "none"})
    places = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    places |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "SETTINGS"), "JUPYTER_TOKEN": TOKEN}
    command = [sys.executable, "-m", "autograder.cli", "lab", "--no-browser", "--port", str(port)]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=clone,
            env={**os.environ, **places, "PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(address, process, home / "log")
            yield address
        finally:
            end_server(process)


SELECTED = ".jp-NotebookPanel:visible .jp-Cell.jp-mod-active"


def run_cell_with(page: Page, text: str) -> None:
    cell = page.locator(".jp-NotebookPanel:visible .jp-CodeCell", has_text=text).first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


@pytest.mark.long
def test_from_the_start_page_to_a_passed_check_and_back(
    learners_lab: str, browser: Browser, tmp_path: Path
) -> None:
    expect.set_options(timeout=PATIENCE)
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{learners_lab}/?token={TOKEN}")
    course_map = page.locator(".jp-NotebookPanel:visible .jp-OutputArea-output", has_text="minutes")
    expect(page.locator(".jp-NotebookPanel:visible h1")).to_contain_text("Your course")
    expect(course_map.locator("tr")).to_have_count(1 + len(LESSONS))
    everything = f"{len(every_exam())} exercises done"
    expect(course_map).to_contain_text(f"0 of {everything}. Next: dot_product in lesson 00.")
    keep(page, "start_light")
    listed = page.request.get(f"{learners_lab}/api/contents/{LESSONS[0]}").json()["content"]
    assert [one["name"] for one in listed] == [f"{LESSONS[0]}.ipynb"]

    # Of a lesson that is not begun, that is its beginning.
    assert "cell-id" not in (
        course_map.locator("a", has_text="Continue").get_attribute("href") or ""
    )
    course_map.locator("td a", has_text="dot_product").first.press("Enter")
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    # An arrow key leads on from there.
    expect(page.locator(SELECTED)).to_contain_text("Exercise · dot_product")
    expect(page.locator(SELECTED)).to_be_focused()
    run_cell_with(page, "check(dot_product)")
    output = page.locator(".jp-NotebookPanel:visible .jp-OutputArea-output")
    expect(output.first).to_contain_text("check is not defined in this kernel yet: run the cells")
    told = page.locator(".jp-toastContainer", has_text="dot_product was judged as it was last run")
    expect(told).to_have_count(0)
    page.locator(".jp-NotebookPanel:visible .jp-CodeCell").first.locator(".cm-content").click()
    page.locator(".jp-OutputArea-output button", has_text="Run the cells above").click()
    card = page.locator(".jp-NotebookPanel:visible .ag-card", has_text="dot_product: passed")
    expect(card).to_contain_text("1 of 4 core, 0 of 5 further done; next: matmul_as_dot_products.")
    card.scroll_into_view_if_needed()
    keep(page, "check_how_far")
    expect(told).to_have_count(0)
    answer = page.locator(".jp-NotebookPanel:visible .jp-CodeCell", has_text="def dot_product(")
    answer.first.locator(".cm-content").click()
    page.keyboard.type("x")
    run_cell_with(page, "check(dot_product)")
    expect(told).to_be_visible()
    expect(card).to_be_visible()

    # The map is up to date without a word of the learner's: for who comes back to its tab, and for
    # who comes back to the server.
    page.get_by_role("tab", name=START).click()
    expect(course_map.filter(has_text=f"1 of {everything}")).to_have_count(1)
    page.goto(f"{learners_lab}/lab/tree/{START}")
    page.reload()
    expect(course_map.filter(has_text=f"1 of {everything}")).to_have_count(1)
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    expect(course_map.locator("tr", has_text="00 · Foundations")).to_contain_text("1 of 4")
    choose_dark_theme(page)
    expect(page.locator("#jupyterlab-splash")).to_have_count(0)
    keep(page, "start_dark")
    expect(page.locator("#jp-left-stack")).to_be_visible()
    page.set_viewport_size({"width": 480, "height": 900})
    page.reload()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    expect(page.locator("#jp-left-stack")).to_be_hidden()
    keep(page, "start_narrow")
    # A learner who reads the terminal meets no warning about what is as it should be.
    log = (tmp_path / "home" / "log").read_text(encoding="utf-8")
    assert [word for word in ("TCP", "websocket_ping", "[I ") if word in log] == []


@pytest.mark.long
def test_ticks_a_guess_and_an_exercise_begun_anew(
    learners_lab: str, browser: Browser, clone: Path
) -> None:
    expect.set_options(timeout=PATIENCE)
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(PATIENCE)
    lesson = "02_dot_product_self_attention"
    page.goto(f"{learners_lab}/lab/tree/{lesson}/{lesson}.ipynb?token={TOKEN}")
    fold = page.locator(
        ".jp-NotebookPanel:visible .jp-MarkdownCell details", has_text="Look through"
    )
    fold.locator("summary").click()
    boxes = fold.locator("input")
    first, second, third, fourth = (boxes.nth(place) for place in range(4))
    first.click()
    third.focus()
    page.keyboard.press("Space")
    second.click()
    second.click()
    page.keyboard.press("Control+S")
    path = clone / "work" / lesson / f"{lesson}.ipynb"

    def saved() -> bool:
        with suppress(CheckError):  # in the midst of being written
            cells = read_notebook(path).cells
            ticks = [ticks_in(cell) for cell in cells if exercise_of(cell)]
            return ticks == [Ticks(ticked=2, listed=4, worth=2)]
        return False

    assert eventually(saved)
    # The cell has been drawn anew since.
    for box, state in ((first, True), (second, False), (third, True), (fourth, False)):
        expect(box).to_be_visible()
        expect(box).to_be_checked(checked=state)
    expect(first).to_have_accessible_name(re.compile("The scores are symmetric"))

    guess = page.locator(".jp-NotebookPanel:visible .jp-MarkdownCell", has_text="Your guess").first
    guess.dblclick()
    page.keyboard.type(" about")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.keyboard.type(" 3")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".autograder-guess")).to_have_text("Your guess: about 3")

    exercise = "attention_weights"
    stub = page.locator(".jp-NotebookPanel:visible .jp-CodeCell", has_text=f"def {exercise}(").first
    stub.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.type("mine")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("begin anew")
    page.keyboard.press("Enter")
    expect(page.locator(".jp-Dialog")).to_contain_text(f"Begin {exercise} anew?")
    page.keyboard.press("Enter")
    expect(page.locator(SELECTED)).to_contain_text(f"def {exercise}(")
    expect(page.locator(SELECTED)).to_be_focused()
    (kept,) = path.parent.glob("*kept*")
    assert "mine" in [cell.source for cell in read_notebook(kept).cells]
    # All else is as it was.
    expect(page.locator(".autograder-guess")).to_have_text("Your guess: about 3")
    assert saved()
