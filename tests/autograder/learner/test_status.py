"""The map of a learner's course, from the folder alone."""

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook
from typer.testing import CliRunner

from autograder.checks.progress import FOLDER, MANIFEST, Standing, digest_of
from autograder.checks.source.notebook_file import read_notebook
from autograder.cli import program
from autograder.errors import CheckError, WorkFolderError
from autograder.learner.notebooks.work import copy_lessons, find_work
from autograder.learner.start_page import START, write_start_page
from autograder.learner.status import as_html, as_text, bundle, course_status, in_words, status
from tests.support.course import COURSE, ROOT
from tests.support.hostile import DAMAGES
from tests.support.samples import make_cell

OPENING = """# {number} · Mixing <words>

**You need** {needs}. **It takes** about 40 minutes.
"""
HEAVY = {"torch", "numpy", "nbgrader", "nbformat", "nbconvert", "IPython", "matplotlib"}


def lesson(work: Path, name: str, needs: str, *exercises: str) -> Path:
    folder = work / name
    folder.mkdir(parents=True)
    written = {"format": 3, "exercises": {one: {} for one in exercises}}
    (folder / "checks.json").write_text(json.dumps(written))
    opening = OPENING.format(number=name[:2], needs=needs)
    cells = [new_markdown_cell(opening)]
    cells += [make_cell("code", f"{one} = 1", one, solution=True) for one in exercises]
    nbformat.write(new_notebook(cells=cells), folder / f"{name}.ipynb")
    return folder


def keep(folder: Path, exercise: str, **found: object) -> None:
    path = folder.parent / FOLDER / folder.name / f"{exercise}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Three lessons, in the order of the course, of which the second has been worked on."""
    work = tmp_path / "work"
    lesson(work, "02_mix", "Python and\npatience", "dot", "mix")
    second = lesson(work, "01_share", "lesson 02, and lessons 04 to 06", "share", "own", "last")
    lesson(work, "03_none", "lesson 00b")
    names = ("02_mix", "01_share", "03_none")
    given = {f"{name}/{name}.ipynb": [] for name in names}
    (work / MANIFEST).write_text(json.dumps({"format": 1, "given": given}))
    keep(second, "share", passed=digest_of("share = 1"), passed_at=20.0)
    keep(second, "own", mistake="Sums <down>. Then more.", mistake_at=30.0)
    return work


def test_map_says_what_a_lesson_takes_needs_and_how_far_it_is(work: Path) -> None:
    first, second, third = course_status(work)
    assert [one.folder.name for one in (first, second, third)] == ["02_mix", "01_share", "03_none"]
    assert (first.title, first.time, first.needs) == (
        "02 · Mixing <words>",
        "40",
        "Python and patience",
    )
    assert (second.needs, third.needs) == ("02, 04 to 06", "00b")
    assert (first.done, first.left, second.done, second.left) == (0, 2, 1, 2)
    assert (second.next, second.last_mistake) == ("own", "own: Sums <down>.")
    assert in_words([first, second, third]) == ("1 of 5 exercises done. Next: own in lesson 01.")


def test_next_lesson_is_the_one_after_what_was_finished(work: Path) -> None:
    lessons = course_status(work)
    lessons[1] = replace(lessons[1], exercises=dict.fromkeys("abc", Standing.DONE))
    assert in_words(lessons) == "3 of 5 exercises done. Next: dot in lesson 02."
    lessons[0] = replace(lessons[0], exercises=dict.fromkeys("ab", Standing.NOT_SAVED))
    assert in_words(lessons) == (
        "5 of 5 exercises done; save lesson 02 to keep what has just passed."
    )


def test_core_of_every_lesson_comes_before_what_is_further(work: Path) -> None:
    first, second, third = course_status(work)
    further = {"share", "own"}
    lessons = [first, replace(second, further=further), third]
    assert lessons[1].how_far == "0 of 1 core, 1 of 2 further"
    # Whose last mistake was made in a further part goes on there.
    assert in_words(lessons).endswith("Next: own in lesson 01.")
    lessons[1] = replace(lessons[1], mistaken="")
    assert in_words(lessons).endswith("Next: last in lesson 01.")
    done = {**second.exercises, "last": Standing.DONE}
    lessons[1] = replace(lessons[1], exercises=done)
    assert in_words(lessons).endswith("Next: dot in lesson 02.")
    lessons[0] = replace(first, exercises=dict.fromkeys(first.exercises, Standing.DONE))
    assert in_words(lessons).endswith("Next: own in lesson 01.")


def test_mistake_of_what_has_passed_since_is_not_shown(work: Path) -> None:
    keep(work / "01_share", "own", passed=digest_of("own = 1"), mistake="Sums.", mistake_at=3.0)
    assert course_status(work)[1].last_mistake == ""


def test_page_escapes_and_links_from_where_it_is_shown(work: Path) -> None:
    lessons = course_status(work)
    page = as_html(lessons, work / "01_share")
    assert '<a href="../02_mix/02_mix.ipynb">02 · Mixing &lt;words&gt;</a>' in page
    assert "own: Sums &lt;down&gt;." in page
    assert '<a href="01_share/01_share.ipynb">' in as_html(lessons, work)
    assert "<style" not in page


def test_lesson_that_is_not_begun_opens_at_its_beginning(work: Path) -> None:
    first = course_status(work)[0]
    untouched = replace(first, exercises=dict.fromkeys(first.exercises, Standing.OPEN))
    address = f"{first.folder.name}/{first.folder.name}.ipynb"
    assert f'<a href="{address}">Continue</a>' in as_html([untouched], work)


def test_page_continues_where_the_next_exercise_is_asked(work: Path) -> None:
    """JupyterLab opens a notebook at a cell that its address names."""
    notebook = json.loads((work / "01_share" / "01_share.ipynb").read_text())
    ids = [cell["id"] for cell in notebook["cells"]]
    own = next(
        place
        for place, cell in enumerate(notebook["cells"])
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "own"
    )
    address = f"01_share/01_share.ipynb#cell-id={ids[own - 1]}"
    page = as_html(course_status(work), work)
    assert f'<a href="{address}">Continue</a>' in page
    assert f'<a href="{address}"><code>own</code></a>' in page


def test_page_continues_behind_what_was_done_last(work: Path) -> None:
    """Text that no exercise asks for, and what is further, would be jumped over."""
    keep(work / "01_share", "own", mistake="", mistake_at=0.0)
    second = course_status(work)[1]
    assert (second.next, second.mistaken) == ("own", "")
    cells = json.loads((work / "01_share" / "01_share.ipynb").read_text())["cells"]
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id", "") for cell in cells]
    behind = max(place for place, name in enumerate(names) if name.startswith("share")) + 1
    assert second.reading_on == cells[behind]["id"]
    there = second.cells["last"]
    assert replace(second, behind={}, further={"own"}).reading_on == there


def test_both_forms_tell_the_same(work: Path) -> None:
    data = bundle(work, work)
    text = " ".join(data["text/plain"].split())
    for one in ("1 of 3", "own: Sums", "Next: own in lesson 01.", "02, 04 to 06", "40"):
        assert one in text
    assert text.count("1 of 3") == data["text/html"].count("1 of 3") == 1


def test_last_row_leads_to_what_was_made(work: Path) -> None:
    page = work / "03_none" / "my_page 1.html"
    assert "What you made" not in as_html(course_status(work), work)
    page.write_text("<html><title>Mine &amp;\n<b>, &lt;b&gt;</title>")
    (work / "02_mix" / "other.html").write_text("<title>Not this one</title>")
    (work / "02_mix" / "my_folder.html").mkdir()
    (work / "02_mix" / "my_own.html").write_bytes(b"\xff" * 9999)
    data = bundle(work, work / "01_share")
    last = data["text/html"].rpartition("<tr>")[2]
    assert '<a href="../02_mix/my_own.html">my_own</a>, ' in last
    assert '<a href="../03_none/my_page%201.html">my_page 1</a>' in last
    assert "Not this one" not in data["text/html"]
    page.write_text("<html><title>Mine &amp;\n my &lt;b&gt;</title>")
    assert ">Mine &amp; my &lt;b&gt;</a>" in as_html(course_status(work), work)
    assert [line for line in data["text/plain"].splitlines() if "made" in line] == [
        "What you made: 02_mix/my_own.html",
        "What you made: 03_none/my_page 1.html",
    ]


def test_command_and_function_tell_the_same(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work / "01_share")
    monkeypatch.setenv("COLUMNS", "110")
    status()
    said = capsys.readouterr().out
    result = CliRunner().invoke(program.app, ["status"], catch_exceptions=False)
    assert said.split() == result.output.split()
    assert said == as_text(course_status(work))


@pytest.mark.parametrize("width", ["40", "60", "72", "80", "100"])
def test_narrow_terminal_shows_lessons_and_what_is_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    copy_lessons(COURSE, tmp_path)
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(program.app, ["status"], catch_exceptions=False).output
    assert "…" not in said
    for one in course_status(tmp_path):
        number, begun = one.title.split()[0], one.next[:9]
        (line,) = (line for line in said.splitlines() if line.startswith(f" {number} "))
        assert begun in line
        for part in one.how_far.split(", "):
            assert part in said


@pytest.mark.parametrize("damage", ["{", "", '{"cells": [3]}', '{"exercises": 3}', "[]"])
def test_damaged_files_cost_their_lesson_alone(work: Path, damage: str) -> None:
    for name in ("02_mix.ipynb", "checks.json"):
        (work / "02_mix" / name).write_text(damage)
    first, second, _ = course_status(work)
    assert (first.title, first.time, first.exercises) == ("02_mix", "", {})
    assert second.done == 1
    assert "1 of 3 exercises done" in as_text([first, second])


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    "name",
    [MANIFEST, START, "01_share/01_share.ipynb", "01_share/checks.json",
     f"{FOLDER}/01_share/share.json", f"{FOLDER}/01_share/own.json"],
)  # fmt: skip
def test_folder_of_a_stranger_is_shown_in_no_time(
    work: Path, name: str, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    # nbformat quotes what it refuses, and half a letter ends pytest-xdist's process.
    caplog.set_level(logging.CRITICAL, "traitlets")
    write_start_page(work)
    damage(work / name)

    def too_long(*_: object) -> None:
        raise TimeoutError(name)

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(20)
    try:
        with suppress(WorkFolderError):
            write_start_page(work)
        lessons = course_status(work)
        assert len(as_html(lessons, work)) + len(as_text(lessons)) < 50_000
        with suppress(CheckError):
            read_notebook(work / name)
    finally:
        signal.alarm(0)


def test_folder_without_lessons_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(WorkFolderError, match="`autograder lab`"):
        find_work(tmp_path)


def test_every_lesson_of_the_course_says_what_it_takes(tmp_path: Path) -> None:
    copy_lessons(COURSE, tmp_path)
    lessons = course_status(tmp_path)
    assert [one.folder.name for one in lessons] == COURSE.lessons()
    assert all(one.time and one.needs and one.left and one.title for one in lessons)
    assert all(len(one.needs) < 60 for one in lessons)


def test_command_imports_nothing_heavy(work: Path) -> None:
    code = (
        "import sys; from autograder.cli.learning import status; from pathlib import Path\n"
        f"status(Path({str(work)!r})); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert HEAVY & {*done.stdout.splitlines()[-1].split()} == set()
