"""What the commands hand on; what they do is tested where it is done."""

import errno
import re
import sqlite3
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from rich.console import Console
from sqlalchemy.exc import DatabaseError, OperationalError
from typer.testing import CliRunner

from autograder import whole_file
from autograder.authoring.build import incremental
from autograder.cli import program
from autograder.course import Course
from autograder.demo import demo
from autograder.demo.classroom import Submission
from autograder.errors import GradingFailed, LessonNotFound
from autograder.grading.class_table import StudentResult, as_table
from autograder.insight.survey import survey
from autograder.learner import jupyter
from autograder.nbgrading import try_solution
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.gradebook.transaction import WaitingGradebook
from autograder.site import site
from tests.support.course import COURSE, ROOT
from tests.support.small_course import small_course
from tests.support.tiny_course import LESSON as TINY
from tests.support.tiny_course import hand_in, tiny_course

LESSON = "10_your_gpt"
WHERE = {
    (): [],
    ("--port", "8123", "--no-browser"): ["--no-browser", "--ServerApp.port=8123"],
    ("--ip", "0.0.0.0"): ["--ServerApp.ip=0.0.0.0"],
}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The options of each JupyterLab that is opened; building a lesson for it fails."""
    found: list[list[str]] = []

    def open_one(where: object, *, options: Sequence[str]) -> None:
        found.append(list(options))

    monkeypatch.setattr(jupyter, "open_lab", open_one)
    monkeypatch.setattr(jupyter, "open_course", open_one)
    monkeypatch.setattr(jupyter, "prepare_course", lambda course: None)
    monkeypatch.delattr(incremental, "build")
    monkeypatch.chdir(ROOT)
    return found


def run(*words: str) -> str:
    result = CliRunner().invoke(program.app, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize(("words", "options"), WHERE.items())
def test_where_jupyterlab_can_be_reached(
    opened: list[list[str]],
    tmp_path: Path,
    words: tuple[str, ...],
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("true"))
    says = [run("lab", "--folder", str(tmp_path), *words), run("teach", *words)]
    assert opened == [options, options]
    for output in says:
        assert ("prints its address" in output) == ("--no-browser" in words)


def test_where_there_is_no_browser_none_is_promised(
    opened: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> None:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", nowhere)
    assert "prints its address" in run("lab", "--folder", str(tmp_path))
    assert opened == [["--no-browser"]]


def test_nothing_is_opened(opened: list[list[str]], tmp_path: Path) -> None:
    run("lab", "--folder", str(tmp_path), "--no-open")
    run("teach", "--no-open")
    assert opened == []


def test_teach_names_what_has_changed(
    opened: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental, "changed_lessons", lambda course: [LESSON])
    assert f"{LESSON} has changed since it was built: press Generate" in run("teach")
    assert len(opened) == 1


def test_build_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: object, progress: Callable[[int, int, str], None], **__: object) -> list[Path]:
        progress(2, 15, LESSON)
        return [ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"]

    monkeypatch.setattr(incremental, "build", build)
    monkeypatch.chdir(ROOT)
    said = run("build").splitlines()
    assert said == [f"  2 of 15: making {LESSON}", f"  wrote notebooks/{LESSON}/{LESSON}.ipynb"]


def test_build_takes_lessons_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def build(course: object, lessons: Sequence[str], *, force: bool, **_: object) -> Any:
        asked.append((lessons, force))
        return []

    monkeypatch.setattr(incremental, "build", build)
    monkeypatch.chdir(ROOT)
    assert run("build", LESSON[:2]) == "  nothing has changed\n"
    run("build", "--force")
    assert asked == [([LESSON], False), ([], True)]


@pytest.mark.parametrize(("name", "words"), [("99", "no lesson is"), ("0", "several lessons are")])
def test_unknown_lesson_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(LessonNotFound, match=f"^{words} called '{name}': there are .*{LESSON}"):
        run("build", name)


def test_lesson_that_the_course_leaves_out_is_said_to_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (small_course(tmp_path).source / "02_other.md").touch()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "course.toml").write_text('lessons = ["02"]', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = r"^`lessons` in mine/course\.toml leaves out 01_mixing: there are 02_"
    for command, name in (("grade", "01_mixing"), ("grade", "01"), ("build", "01")):
        with pytest.raises(LessonNotFound, match=said):
            run(command, name)


def test_what_may_mislead_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    course = small_course(tmp_path)
    with course.lesson_file("01_mixing").open("a", encoding="utf-8") as text:
        text.write("\nAs in `match`.\n")
    (tmp_path / "course.toml").write_text('leave_out = ["match"]', encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()", encoding="utf-8")
    monkeypatch.setattr(try_solution, "try_solution", lambda *_: "")
    monkeypatch.chdir(tmp_path)
    assert re.search(r"autograder: .*01_mixing\.md:\d+: the text speaks of `match`", run("build"))


def test_beginning_says_what_to_fill_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = run("new-course", str(tmp_path / "course"))
    assert f"wrote {tmp_path / 'course' / 'source' / 'week1.md'}" in said
    assert 'Fill in what says "Fill in", then run `autograder build` in that folder.' in said
    monkeypatch.chdir(tmp_path / "course")
    said = run("new-exercise", "week", "my_sum")
    assert "wrote mine/week1.md" in said
    assert 'Fill in what says "Fill in", then run `autograder build week1`.' in said


def test_report_knows_who_is_meant_by_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said: list[str] = []

    def write(*asked: Any) -> list[Path]:
        said.extend(map(asked[3], ("obrien", "o'brien")))
        return []

    monkeypatch.setattr(survey, "write_report", write)
    for folder in ("source", "autograded/ada/02_two"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "roster.csv").write_text("id\nada\nobrien\n")
    monkeypatch.chdir(tmp_path)
    run("report")
    assert said[0] == ""
    assert said[1].endswith("if obrien is meant, rename the folder to that")


def test_report_takes_lessons_by_number_and_notebooks_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Sequence[str]] = []

    def write(course: object, lessons: Sequence[str], *_: object) -> list[Path]:
        asked.append(lessons)
        return [tmp_path / "reports" / "page.html"]

    monkeypatch.setattr(survey, "write_report", write)
    for folder in ("source", "autograded/ada/homework"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "source" / "02_two.md").touch()
    monkeypatch.chdir(tmp_path)
    assert "page.html" in run("report", "02")
    run("report", "homework")
    (tmp_path / "autograded" / "ben" / "02_two").mkdir(parents=True)
    run("report")
    assert asked == [["02_two"], ["homework"], ["02_two", "homework"]]


def test_report_on_nothing_says_what_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "source").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GradingFailed, match="nothing is graded yet: autograder grade LESSON"):
        run("report")


@pytest.mark.parametrize(("named", "lesson"), [((), "02_"), (("10",), "10_")])
def test_demo_tells_each_as_it_comes_and_then_what_grade_tells(
    monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...], lesson: str
) -> None:
    graded = [
        StudentResult("ada", 3, 5, to_read=("why",), waiting=2, seconds=0.5),
        StudentResult("eve", 1, 5, found=("f: over the queries", "g: wrong")),
        StudentResult("kim", failure="the disk is full"),
    ]

    def run_demo(course: object, root: Path, lessons: Sequence[str], **_: Any) -> Iterator[Any]:
        assert root == ROOT / "demo"
        for one in graded:
            handed_in = Submission(one.student, "", frozenset(), {})
            yield demo.DemoResult(lessons[0], handed_in, one)

    monkeypatch.setattr(demo, "run_demo", run_demo)
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(program.app, ["demo", *named], catch_exceptions=False)
    name = next(one for one in COURSE.lessons() if one.startswith(lesson))
    console = Console(width=80)
    with console.capture() as table:
        console.print(as_table(graded, name))
    lines, _, rest = result.output.partition("\n\n")
    assert lines.split("\n") == [
        "  ada      3 / 5, 2 wait  no mistake found; the rest waits for you",
        "  eve              1 / 5  f: over the queries; g: wrong",
        "  kim                  –  the disk is full",
    ]
    assert table.get().strip() in rest
    said = " ".join(rest.split())
    assert f"not as expected: kim in {name}: not graded: the disk is full" in said
    assert result.exit_code == 1


@pytest.mark.parametrize(("module", "extra"), [("nbgrader.apps", "grading"), ("torch", "lessons")])
def test_what_is_not_installed_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: str, extra: str
) -> None:
    def app() -> None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(program, "app", app)
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    package = module.partition(".")[0]
    assert capsys.readouterr().err == (
        f"autograder: {package} is not installed, which this needs: in a clone of the course, "
        f"`pip install -c constraints.txt '.[{extra}]'` brings it\n"
    )


def test_a_defect_of_ours_is_no_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def app() -> None:
        raise ModuleNotFoundError("No module named 'autograder.nowhere'", name="autograder.nowhere")

    monkeypatch.setattr(program, "app", app)
    with pytest.raises(ModuleNotFoundError):
        program.main()


@pytest.fixture(scope="module")
def class_of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose gradebook waits for nobody, with one student who has handed in."""
    root = tmp_path_factory.mktemp("held") / "course"
    root.mkdir()
    tiny_course(root)
    usual = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    url = f"sqlite:///{root / 'gradebook.db'}?timeout=0.1"
    (root / "nbgrader_config.py").write_text(
        f'{usual}\nc = get_config()\nc.CourseDirectory.db_url = "{url}"\n'
    )
    (root / "source" / f"{TINY}.md").touch()
    (root / "autograded" / "o'brien" / TINY).mkdir(parents=True)
    hand_in(root, "ada", (root / "notebooks" / TINY / f"{TINY}.ipynb").read_bytes())
    # Whoever opens a gradebook first has it know the course.
    with nbgrader_api(configuration(Course(root), root)).gradebook:
        pass
    (root.parent / "class.csv").write_text("id,last_name\nada,Lovelace\nben,Babbage\n")
    return root


# Each command that opens the gradebook, and what it says where somebody else holds it.
BUSY = "another program is writing to the gradebook"
OPENING = {
    ("roster", "../class.csv"): BUSY,
    ("student", "ada"): BUSY,
    ("student", "ada", "--rename", "eva"): BUSY,
    ("grade", TINY): BUSY,
    ("grade", TINY, "--force", "--dry-run"): BUSY,
}
# Those that look into a roster or a record first, and into a gradebook only for want of it, or into
# one of their own; and those that know of none.
OTHERS = {
    *("report", "demo", "doctor", "collect", "build", "exam", "site", "lite", "new-course"),
    *("new-exercise", "variant", "mark", "lab", "update", "reset", "again", "status", "teach"),
}


def ended(monkeypatch: pytest.MonkeyPatch, *words: str) -> object:
    """How the program ends, as it is called from a terminal."""
    monkeypatch.setattr(sys, "argv", ["autograder", *words])
    with pytest.raises(SystemExit) as end:
        program.main()
    return end.value.code


def kept_in(root: Path) -> tuple[list[str], set[str]]:
    """What must not change: the rows of the gradebook, and the files."""
    with sqlite3.connect(root / "gradebook.db") as database:
        rows = list(database.iterdump())
    return rows, {str(path) for path in root.rglob("*") if "__pycache__" not in path.parts}


def test_every_command_is_known_to_open_the_gradebook_or_not() -> None:
    names = {one.name or one.callback.__name__ for one in program.app.registered_commands}  # type: ignore[union-attr]
    assert {name.replace("_", "-") for name in names} == OTHERS | {words[0] for words in OPENING}


@pytest.mark.parametrize("words", OPENING, ids=" ".join)
def test_gradebook_that_another_program_holds_is_one_sentence(
    class_of_two: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(class_of_two)
    before = kept_in(class_of_two)
    with sqlite3.connect(class_of_two / "gradebook.db") as database:
        database.execute("begin exclusive")
        assert ended(monkeypatch, *words) not in (0, None)
        database.rollback()
    said = capsys.readouterr()
    assert said.err.startswith(f"autograder: {OPENING[words]}")
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert kept_in(class_of_two) == before


def locked(*_: object, **__: object) -> None:
    raise OperationalError("insert", {}, sqlite3.OperationalError("database is locked"))


@pytest.mark.parametrize("lock", ["exclusive", "immediate"])
def test_roster_waits_for_a_gradebook_that_is_written_to(
    class_of_two: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    lock: str,
) -> None:
    """Whoever has begun to write lets others read, and nbgrader logs a traceback of its own."""
    monkeypatch.chdir(class_of_two)
    before = kept_in(class_of_two)
    with sqlite3.connect(class_of_two / "gradebook.db") as database:
        database.execute(f"begin {lock}")
        assert ended(monkeypatch, "roster", "../class.csv") == 2
        database.rollback()
    said = capsys.readouterr()
    assert said.err == f"autograder: {BUSY}: wait until it is done, and try again\n"
    assert said.out == ""
    assert "Traceback" not in caplog.text
    assert kept_in(class_of_two) == before


@pytest.mark.parametrize("when", ["at the second student", "at the end"])
def test_roster_that_is_broken_off_changes_nothing(
    class_of_two: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    when: str,
) -> None:
    monkeypatch.chdir(class_of_two)
    before, usual = kept_in(class_of_two), Gradebook.update_or_create_student
    with monkeypatch.context() as patch:
        if when == "at the end":
            patch.setattr(WaitingGradebook, "keep", locked)
        else:
            patch.setattr(
                Gradebook,
                "update_or_create_student",
                lambda self, name, **more: (locked if name == "ben" else usual)(self, name, **more),
            )
        assert ended(monkeypatch, "roster", "../class.csv") == 2
    assert capsys.readouterr().err == (
        "autograder: another program is writing to the gradebook: wait until it is done, and try "
        "again\n"
    )
    assert kept_in(class_of_two) == before


def test_roster_that_can_not_be_kept_is_one_sentence(
    class_of_two: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.chdir(class_of_two)
    monkeypatch.setattr(whole_file, "write_whole", full)
    assert ended(monkeypatch, "roster", "../class.csv") == 2
    said = capsys.readouterr().err
    kept = class_of_two / "roster.csv"
    assert said == (
        f"autograder: the gradebook knows everybody now, but {kept} can't be written (No space "
        "left on device): put that right, and run the same command again\n"
    )


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (OperationalError("", {}, sqlite3.OperationalError("x")), "can't be used as it is (x): "),
        (DatabaseError("", {}, sqlite3.DatabaseError("x")), "can't be read (x): "),
    ],
)
def test_no_command_ends_in_a_traceback_of_the_gradebook(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failure: Exception,
    says: str,
) -> None:
    def app() -> None:
        raise failure

    monkeypatch.setattr(program, "app", app)
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith(f"autograder: the gradebook {says}")


def test_a_defect_of_ours_is_none_of_the_gradebook(monkeypatch: pytest.MonkeyPatch) -> None:
    def app() -> None:
        raise KeyError("gradebook")

    monkeypatch.setattr(program, "app", app)
    with pytest.raises(KeyError):
        program.main()


@pytest.mark.parametrize("words", [(), ("elsewhere",)])
def test_where_a_site_is_made(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    def make_site(course: object, folder: Path, progress: Callable[[int, int, str], None]) -> Path:
        assert course == COURSE
        progress(0, 1, "making the pages")
        return folder / "index.html"

    monkeypatch.setattr(site, "make_site", make_site)
    monkeypatch.chdir(ROOT)
    folder = Path(*words) if words else ROOT / "build" / "site"
    assert f"made {folder / 'index.html'}" in run("site", *words)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_breaks_lines_where_they_end(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", columns)
    commands = [one.name or one.callback.__name__ for one in program.app.registered_commands]  # type: ignore[union-attr]
    for command in commands:
        said = run(command.replace("_", "-"), "--help").partition("╭")[0]
        for one, other in pairwise(line.strip() for line in said.splitlines()):
            if one and other:
                assert len(one) + 1 + len(other.split()[0]) > columns - 2, (command, one)
