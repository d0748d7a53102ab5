import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograder.authoring.build.build import build_lesson
from autograder.checks.own_judgement import Point, cell_to_tick
from autograder.checks.source.cells import grade_id_of
from autograder.checks.stopping import VARIABLE, Interrupted
from autograder.course import Course
from autograder.errors import CheckError, CourseNotFound
from autograder.learner.mark import mark
from autograder.learner.marking import lesson_of, mark_notebook
from autograder.learner.marks import summary
from tests.support.own_course import own_course
from tests.support.samples import run_cell
from tests.support.small_course import LESSON, small_course

MATCH = "def match(query, inputs): return inputs @ query"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return small_course(tmp_path_factory.mktemp("small") / "course")


@pytest.fixture(scope="module")
def notebook(course: Course) -> Path:
    """One's own notebook: one exercise wrong beyond its printed examples, one cell deleted."""
    folder = course.root / "own" / LESSON
    folder.mkdir(parents=True)
    built = build_lesson(course, LESSON)
    checks = built.files[course.release_folder(LESSON) / "checks.json"]
    (folder / "checks.json").write_text(checks, encoding="utf-8")
    solved = built.solved()
    cells = {cell.id: cell for cell in solved.cells}
    cells[
        "mix"
    ].source = (
        "def mix(shares, inputs):\n    return shares @ inputs if len(shares) > 2 else inputs[0]"
    )
    solved.cells.remove(cells["shares-of-check"])
    path = folder / f"{LESSON}.ipynb"
    nbformat.write(solved, path)
    return path


def shown_by_mark(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that will be shown, as HTML."""
    shown: list[str] = []
    monkeypatch.setattr(
        "autograder.learner.marking.show", lambda forms: shown.append(forms["text/html"])
    )
    return shown


def test_own_work_is_marked(course: Course, notebook: Path) -> None:
    before = notebook.read_bytes()
    steps: list[tuple[int, int]] = []
    marks = mark_notebook(
        course, notebook, progress=lambda done, cells: steps.append((done, cells))
    )
    by_name = {mark.exercise: mark for mark in marks}
    assert by_name["match"].points == 2
    assert by_name["mix"].points == 0
    assert by_name["mix"].verdict == "wrong"
    assert by_name["shares_of"].verdict.startswith("missing")
    assert by_name["why"].points is None
    assert summary(marks) == "2 of 7 points, and 4 more to be graded by hand"
    assert notebook.read_bytes() == before
    assert steps[-1][0] == steps[-1][1]


def test_ticks_are_read_from_the_saved_notebook(
    course: Course, notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called in a notebook, which knows its own name in VS Code and in JupyterLab."""
    saved = nbformat.read(notebook, as_version=4)
    cell = cell_to_tick("why", (Point(1, "a"), Point(3, "b")))
    cell.source = cell.source.replace("[ ] **3", "[x] **3")
    saved.cells.append(cell)
    for name in (f"{LESSON}-own.ipynb", f"{LESSON}-other.ipynb"):
        nbformat.write(saved, notebook.with_name(name))
        saved.cells.pop()
    shown = shown_by_mark(monkeypatch)
    monkeypatch.chdir(notebook.parent)
    monkeypatch.syspath_prepend(course.root)
    for told, namespace in (
        (f"{notebook.parent}/{LESSON}-own.ipynb", {}),
        ("", {"__vsc_ipynb_file__": f"/elsewhere/{LESSON}-own.ipynb"}),
        (f"{LESSON}-other.ipynb", {}),
        ("missing.ipynb", {}),
        ("", {}),
    ):
        monkeypatch.setenv("JPY_SESSION_NAME", told)
        exec(f"{MATCH}\nfrom autograder import mark; mark()", dict(namespace))
    judged = ["by your own judgement" in table for table in shown]
    assert judged == [True, True, False, False, False]
    assert "3 / 4" in shown[0]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("def mix(x):\n    raise NotImplementedError()", "not answered"),
        ("def mix(x):\n    return x", "missing: run the cell that defines it"),
    ],
)
def test_stub_that_nobody_has_run_is_not_answered(
    course: Course, notebook: Path, monkeypatch: pytest.MonkeyPatch, written: str, said: str
) -> None:
    saved = nbformat.read(notebook, as_version=4)
    (cell,) = (one for one in saved.cells if grade_id_of(one) == "mix")
    cell.source = written
    nbformat.write(saved, notebook)
    shown = shown_by_mark(monkeypatch)
    monkeypatch.chdir(notebook.parent)
    monkeypatch.syspath_prepend(course.root)
    monkeypatch.setenv("JPY_SESSION_NAME", notebook.name)
    exec(f"{MATCH}\nfrom autograder import mark; mark()", {})
    _, _, row = shown[0].partition("<code>mix</code>")
    assert said in row.partition("</tr>")[0]


def test_fresh_kernel_marks_the_saved_notebook(
    course: Course,
    notebook: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where no cell has been run; what is run then does not mark itself once more."""
    saved = nbformat.read(notebook, as_version=4)
    saved.cells.insert(0, new_code_cell("from autograder import mark; mark()"))
    asked = notebook.with_name(f"{LESSON}-asked.ipynb")
    nbformat.write(saved, asked)
    shown = shown_by_mark(monkeypatch)
    monkeypatch.chdir(notebook.parent)
    monkeypatch.syspath_prepend(course.root)
    monkeypatch.setenv("JPY_SESSION_NAME", asked.name)
    exec("from autograder import mark; mark()", {})
    assert "marked as it was saved" in capsys.readouterr().out
    assert "2 of 7 points, and 4 more to be graded by hand" in shown[0]
    assert len(shown) == 1


def call_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """Call `mark` in a lesson's notebook that has run this answer alone."""
    course = own_course(tmp_path)
    folder = course.root / "work" / LESSON
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(course.root)
    namespace: dict[str, object] = {"mark": mark, "numbers": [3, 1, 2]}
    run_cell(answer, namespace)
    run_cell("mark()", namespace)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("def total(numbers): return sum(numbers)", "passed"),
        ("def total(numbers): return 6", "AssertionError"),
        ("def total(numbers): return numbers.gone", "AttributeError: "),
        ("", "missing: run the cell that defines it"),
    ],
)
def test_plain_tests_are_run_where_the_answer_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, said: str
) -> None:
    shown = shown_by_mark(monkeypatch)
    call_mark(tmp_path, monkeypatch, answer)
    _, _, row = shown[0].partition("<code>total</code>")
    assert said in row.partition("</tr>")[0]


def test_marks_are_a_text_where_there_is_no_html(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call_mark(tmp_path, monkeypatch, "def total(numbers): return sum(numbers)")
    said = capsys.readouterr().out
    assert "total" in said
    assert "2 / 2" in said
    assert "<" not in said


ENDLESS = "def total(numbers):\n    while True:\n        pass\n"


def test_exercise_that_does_not_end_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "0.2")
    call_mark(tmp_path, monkeypatch, ENDLESS)
    said = capsys.readouterr().out
    assert re.search(r"total +│ +0 / 2 │ stopped: it ran for too long", said)
    assert "in your code, line 2: while True:" in said


def test_stop_shows_what_was_marked_and_ends_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    presses_stop = ENDLESS.replace("pass", "signal.raise_signal(signal.SIGINT)")
    with pytest.raises(Interrupted) as error:
        call_mark(tmp_path, monkeypatch, f"import signal\n{presses_stop}")
    assert error.value._render_traceback_() == ["KeyboardInterrupt: mark() was stopped"]
    assert re.search(r"total +│ +0 / 2 │ not run: you pressed Stop", capsys.readouterr().out)


@pytest.mark.parametrize(
    "name",
    [
        f"{LESSON}.ipynb",
        f"{LESSON} (newer, 1a2b3c4d).ipynb",
        f"{LESSON}-Copy1.ipynb",
        f"{LESSON}/mine.ipynb",
    ],
)
def test_lesson_is_known_by_name(course: Course, tmp_path: Path, name: str) -> None:
    assert lesson_of(course, tmp_path / name) == LESSON


def test_strange_notebook_is_refused(course: Course, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="belongs to no lesson"):
        mark_notebook(course, tmp_path / "holiday.ipynb")


def test_missing_notebook_is_refused(course: Course, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="does not exist"):
        mark_notebook(course, tmp_path / f"{LESSON}.ipynb")


def test_damaged_notebook_is_refused(course: Course, tmp_path: Path) -> None:
    path = tmp_path / f"{LESSON}.ipynb"
    path.write_text("{")
    with pytest.raises(CheckError, match="is not a notebook"):
        mark_notebook(course, path)


def test_outside_of_a_clone_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseNotFound, match="use the check below each exercise"):
        mark()
