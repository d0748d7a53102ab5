"""What there is about one student is shown, copied, put under another id or removed; none of it is
lost, whatever lies in the folders and wherever it is interrupted.
"""

import csv
import multiprocessing
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from typer.testing import CliRunner

from autograder.cli import program
from autograder.course import Course
from autograder.errors import CourseError, GradingFailed, RosterError
from autograder.nbgrading.all_or_nothing import MAKING, Folder
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.grade_class import grade_class
from autograder.nbgrading.inbox.replacing import alone
from autograder.nbgrading.term import any_files, one_student, student_copy, student_rows
from tests.support.course import ROOT
from tests.support.sample import sample
from tests.support.tiny_course import LESSON, answered, as_bytes, hand_in, tiny_course

# nbgrader's own use of SQLAlchemy.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]

ROSTER = f'id;last_name;extension {LESSON}\r\n"ada";"=Love;lace";2\r\nben;Babbage;\r\n'
FOLDERS = ("submitted", "autograded", "feedback", "records")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ada and ben are graded; ada has points and a comment by hand, extra credit, and feedback."""
    root = tmp_path_factory.mktemp("one") / "course"
    root.mkdir()
    tiny_course(root)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    (root / "source" / f"{LESSON}.md").touch()
    (root / "roster.csv").write_bytes(b"\xef\xbb\xbf" + ROSTER.encode())
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for student in ("ada", "ben"):
        notebook = answered(released)
        notebook["cells"][-1]["source"] = "Because."
        hand_in(root, student, as_bytes(notebook))
    assert [one.failure for one in grade(root, "ada", "ben")] == ["", ""]
    with api(root).gradebook as gradebook:
        given = gradebook.find_grade("why", LESSON, LESSON, "ada")
        given.manual_score, given.extra_credit, given.needs_manual_grade = 0.5, 0.25, False
        gradebook.find_comment("why", LESSON, LESSON, "ada").manual_comment = "Nearly."
        gradebook.find_submission_notebook(LESSON, LESSON, "ada").late_submission_penalty = 0.1
        gradebook.db.commit()
    for path in (f"feedback/ada/{LESSON}/{LESSON}.html", "records/ada/x.json",
                 f"gradescope/{LESSON}/ada/results.json"):  # fmt: skip
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(path)
    (root / "exchange" / root.name / "inbound" / f"ada+{LESSON}+2030-01-01 00:00:00 UTC+x").mkdir(
        parents=True
    )
    return root


@pytest.fixture
def course(graded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    monkeypatch.chdir(root)
    return root


def api(root: Path) -> Any:
    return nbgrader_api(configuration(Course(root), root))


def grade(root: Path, *students: str, force: bool = False) -> list[Any]:
    return [*grade_class(Course(root), LESSON, students, force=force, settings={})]


def run(*words: str) -> str:
    result = CliRunner().invoke(program.app, ["student", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def rows(root: Path) -> list[str]:
    """All that the gradebook says, with whose it is as the one thing that a rename changes."""
    with sqlite3.connect(root / "gradebook.db") as database:
        return sorted(line.replace("'eva'", "'ada'") for line in database.iterdump())


def contents(root: Path, student: str) -> dict[str, bytes]:
    found = {}
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and student in path.relative_to(root).parts:
            found[str(path.relative_to(root)).replace(student, "ada")] = path.read_bytes()
    return found


def names(root: Path, student: str) -> list[str]:
    """Each path in which a student's id stands, but for the roster and the gradebook."""
    found = (path.relative_to(root) for path in root.rglob("*"))
    return [str(path) for path in found if student in path.name.replace("+", ".").split(".")]


def given(root: Path, student: str) -> tuple[Any, ...]:
    with api(root).gradebook as gradebook:
        grade = gradebook.find_grade("why", LESSON, LESSON, student)
        comment = gradebook.find_comment("why", LESSON, LESSON, student)
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, student)
        return (
            grade.manual_score, grade.extra_credit, comment.manual_comment, notebook.score,
            bool(grade.needs_manual_grade),
        )  # fmt: skip


HANDED = (0.5, 0.25, "Nearly.", 5.75, False)


def test_what_there_is_is_shown(course: Path) -> None:
    (course / "grades.csv").touch()
    said = run("ada")
    assert "In the roster: id ada, last_name =Love;lace, extension tiny 2." in said
    assert "5.75 / 6" in said
    assert "graded" in said
    assert f"submitted/ada/{LESSON}/{LESSON}.ipynb" in said
    assert f"gradescope/{LESSON}/ada/results.json  32 bytes" in said
    assert "grades.csv" in said
    assert "waits for you" in run("ben")


def test_who_is_not_graded_is_shown_too(course: Path) -> None:
    hand_in(course, "cem", b"{}")
    said = run("cem")
    assert "In the roster: no." in said
    assert "not graded" in said


def test_copy_has_all_of_it_and_changes_nothing(course: Path) -> None:
    before, files = rows(course), contents(course, "ada")
    said = run("ada", "--copy", "../ada")
    copy = course.parent / "ada"
    assert "All that there is of ada is in ../ada." in said
    assert {name: (copy / name).read_bytes() for name in files} == files
    assert (rows(course), contents(course, "ada")) == (before, files)
    tables = {path.stem: table(path) for path in copy.glob("*.csv")}
    assert tables["roster"] == [
        {"id": "ada", "last_name": "'=Love;lace", f"extension {LESSON}": "2"}
    ]
    assert tables["student"][0]["id"] == "ada"
    (submission,) = tables["submissions"]
    assert (submission["points"], submission["late_penalty"]) == ("5.75", "0.1")
    assert submission["extension_days"] == "2.0"
    (why,) = [row for row in tables["grades"] if row["cell"] == "why"]
    assert (why["manual_score"], why["extra_credit"], why["max_score"]) == ("0.5", "0.25", "1.0")
    assert "Nearly." in [row["manual_comment"] for row in tables["comments"]]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def test_rename_loses_nothing_and_is_graded_on(course: Path) -> None:
    before, files = rows(course), contents(course, "ada")
    assert "ada is eva now." in run("ada", "--rename", "eva")
    assert rows(course) == before
    assert contents(course, "eva") == files
    assert names(course, "ada") == []
    assert f"exchange/course/inbound/eva+{LESSON}+2030-01-01 00:00:00 UTC+x" in names(course, "eva")
    text = ROSTER.replace('"ada";"=Love;lace"', 'eva;"=Love;lace"')
    assert (course / "roster.csv").read_bytes() == b"\xef\xbb\xbf" + text.encode()
    assert given(course, "eva") == HANDED
    for force in (False, True):
        assert [one.failure for one in grade(course, "eva", force=force)] == [""]
        assert given(course, "eva") == HANDED
    with api(course).gradebook as gradebook:
        assert {one.id for one in gradebook.students} == {"eva", "ben"}


def test_who_is_removed_is_copied_and_does_not_come_back(course: Path) -> None:
    (course / "grades.csv").touch()
    files = contents(course, "ada")
    said = run("ada", "--remove", "../ada")
    assert "removed submitted/ada" in said
    assert "removed the row in roster.csv" in said
    assert "removed all rows in the gradebook" in said
    assert "for you to look through: grades.csv." in said
    copy = course.parent / "ada"
    assert {name: (copy / name).read_bytes() for name in files} == files
    assert names(course, "ada") == []
    assert (course / "roster.csv").read_bytes() == b"\xef\xbb\xbf" + ROSTER.replace(
        '"ada";"=Love;lace";2\r\n', ""
    ).encode()
    result = CliRunner().invoke(program.app, ["grade", LESSON], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    with api(course).gradebook as gradebook:
        assert [one.id for one in gradebook.students] == ["ben"]
    with sqlite3.connect(course / "gradebook.db") as database:
        (left,) = database.execute("select count(*) from grade where notebook_id not in "
                                   "(select id from submitted_notebook)").fetchone()  # fmt: skip
    assert left == 0
    assert b"Nearly." not in (course / "gradebook.db").read_bytes()
    with pytest.raises(GradingFailed, match=r"^nothing is there of ada: neither roster\.csv, nor"):
        run("ada")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eve",), "nothing is there of eve: neither roster.csv, nor the gradebook, nor a folder "
         "has that id"),
        (("../ben",), "'../ben' is no id: nobody can be called that"),
        (("../ben", "--rename", "eva"), "'../ben' is no id: "),
        (("a\udcff", "--copy", "../out"), "'a?' is no id: "),
        (("", "--copy", "../out"), "'' is no id: "),
        (("..", "--remove", "../out"), "'..' is no id: "),
        ((".making", "--remove", "../out"), "'.making' is no id: "),
        (("eve", "--rename", "eva"), "nothing is there of eve"),
        (("ada", "--rename", "ben"), "ben is there already, and two students can't be made one: "
         "choose another id"),
        (("ada", "--rename", "ada"), "ada is there already"),
        (("ada", "--rename", "e/va"), "'e/va' is no id: nobody can be called that"),
        (("ada", "--rename", ""), "'' is no id: "),
        (("ada", "--copy", "../taken"), "../taken is there already: name a folder that is yet"),
        (("ada", "--remove", "../taken"), "../taken is there already"),
        (("ada", "--copy", "copies/ada"), "copies/ada would lie in the course, where git finds it"),
    ],
)  # fmt: skip
def test_what_can_not_be_is_one_sentence(course: Path, words: tuple[str, ...], said: str) -> None:
    (course.parent / "taken").mkdir()
    before, files = rows(course), contents(course, "ada")
    with pytest.raises(CourseError) as error:
        run(*words)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)
    assert (rows(course), contents(course, "ada")) == (before, files)
    assert not [*course.glob("submitted/.*")]


@pytest.mark.parametrize("where", ["submitted/eva", "feedback/eva", f"gradescope/{LESSON}/eva",
                                   "roster", "gradebook"])  # fmt: skip
def test_nobody_is_merged_with_another(course: Path, where: str) -> None:
    if where == "roster":
        with (course / "roster.csv").open("a", newline="") as file:
            file.write("eva;;\r\n")
    elif where == "gradebook":
        with api(course).gradebook as gradebook:
            gradebook.add_student("eva")
    else:
        (course / where).mkdir()
    with pytest.raises(GradingFailed, match=r"^eva is there already"):
        run("ada", "--rename", "eva")


def test_one_thing_at_a_time(course: Path) -> None:
    result = CliRunner().invoke(program.app, ["student", "ada", "--copy", "x", "--rename", "eva"])
    assert result.exit_code == 2
    assert "one at a time" in result.output


@pytest.fixture
def odd(course: Path) -> Path:
    """ada's folder has what nobody should open, follow or print as it is."""
    folder = course / "submitted" / "ada" / LESSON
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "etc").symlink_to("/etc")
    (folder / "up").symlink_to(course / "submitted" / "ben")
    os.mkfifo(folder / "pipe")
    (folder / "a\nb\x1b[2J").write_text("x")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe")).write_text("y")
    (folder / "closed").mkdir()
    (folder / "closed" / "to_writing").touch()
    (folder / "closed").chmod(0o500)
    return folder


def test_odd_files_are_named_and_not_opened(course: Path, odd: Path) -> None:
    said = run("ada")
    assert f"submitted/ada/{LESSON}/passwd  a link" in said
    assert f"submitted/ada/{LESSON}/pipe  a pipe" in said
    assert "a?b?[2J" in said
    assert "\x1b" not in said
    said = run("ada", "--copy", "../ada")
    assert f"not copied: submitted/ada/{LESSON}/etc is a link" in said
    copy = course.parent / "ada"
    assert not [path for path in copy.rglob("*") if path.is_symlink() or path.is_fifo()]
    assert not [*copy.rglob("passwd")]
    assert (copy / "submitted" / "ada" / LESSON / "a\nb\x1b[2J").read_text() == "x"
    assert f"submitted/ada/{LESSON}/pipe is a pipe\n" in (copy / "not_copied.txt").read_text()


def test_odd_files_go_along_or_away(course: Path, odd: Path) -> None:
    others = contents(course, "ben")
    run("ada", "--rename", "eva")
    assert (course / "submitted" / "eva" / LESSON / "pipe").is_fifo()
    run("eva", "--remove", "../eva")
    assert names(course, "eva") == []
    assert contents(course, "ben") == others
    assert Path("/etc/passwd").exists()


def test_folder_that_is_a_link_is_taken_for_one(course: Path) -> None:
    elsewhere = course.parent / "elsewhere"
    (course / "submitted" / "ada").rename(elsewhere)
    (course / "submitted" / "ada").symlink_to(elsewhere)
    assert "submitted/ada  a link" in run("ada")
    run("ada", "--remove", "../ada")
    assert not os.path.lexists(course / "submitted" / "ada")
    assert (elsewhere / LESSON / f"{LESSON}.ipynb").exists()


def test_file_that_can_not_be_read_keeps_all(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, files = rows(course), contents(course, "ada")

    def chunks(entry: any_files.Entry) -> Any:
        raise PermissionError(13, "Permission denied", str(entry[0]))

    monkeypatch.setattr(any_files, "_chunks", chunks)
    with pytest.raises(GradingFailed, match=r"^ada/tiny/tiny\.ipynb: Permission denied: mend that"):
        run("ada", "--remove", "../ada")
    assert (rows(course), contents(course, "ada")) == (before, files)
    assert [path.name for path in course.parent.iterdir()] == ["course"]


def test_file_that_fits_nowhere_is_said_before(course: Path) -> None:
    with (course / "submitted" / "ada" / "huge").open("wb") as file:
        file.truncate(1 << 43)
    with pytest.raises(GradingFailed, match=r"^a copy has 8\.79609e\+06 MB, and in .* are free: "):
        run("ada", "--remove", "../ada")


def test_copy_that_is_another_removes_nothing(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_files = any_files.copy_files

    def damaged(place: Path, to: Path) -> list[str]:
        said = copy_files(place, to)
        for path in to.rglob("*.ipynb"):
            path.write_bytes(b"x" * path.stat().st_size)
        return said

    before, files = rows(course), contents(course, "ada")
    monkeypatch.setattr(student_copy, "copy_files", damaged)
    with pytest.raises(
        GradingFailed, match=r"^nothing more is removed, as submitted/ada/tiny/tiny\.ipynb is"
    ):
        run("ada", "--remove", "../ada")
    assert (rows(course), contents(course, "ada")) == (before, files)


class Stopped(BaseException):
    """As of Ctrl-C."""


def stopping_at(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, time: int, *, after: bool
) -> None:
    """End the process at one of the calls of a function: before it has done its part, or after."""
    usual: Callable[..., Any] = getattr(where, name)
    calls = []

    def stop(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        if len(calls) == time and not after:
            raise Stopped
        found = usual(*args, **kwargs)
        if len(calls) == time:
            raise Stopped
        return found

    monkeypatch.setattr(where, name, stop)


STEPS_OF_RENAME = [
    *((one_student, "move", time) for time in range(1, 7)),
    (one_student, "write_whole", 1),
    (one_student, "rename_rows", 1),
    (student_rows, "write_whole", 1),
]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("where", "name", "time"), sample(STEPS_OF_RENAME, 3))
def test_interrupted_rename_is_finished_by_the_same(
    course: Path, monkeypatch: pytest.MonkeyPatch, where: object, name: str, time: int, after: bool
) -> None:
    before, files = rows(course), contents(course, "ada")
    with monkeypatch.context() as patched:
        stopping_at(patched, where, name, time, after=after)
        with pytest.raises(Stopped):
            run("ada", "--rename", "eva")
    if [*course.glob("submitted/.*/to")]:
        for words in (("eva",), ("ada", "--copy", "../ada"), ("ada", "--rename", "kim")):
            with pytest.raises(
                GradingFailed, match=r"^ada was to become eva, which was broken off"
            ):
                run(*words)
    run("ada", "--rename", "eva")
    assert rows(course) == before
    assert contents(course, "eva") == files
    assert names(course, "ada") == []
    assert given(course, "eva") == HANDED
    assert not [*course.glob("submitted/.*"), *course.glob(f"*/{MAKING}")]


@pytest.mark.parametrize("words", [("--rename", "eva"), ("--remove", "../ada")])
def test_killed_command_is_finished_by_the_same(
    course: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    def killed() -> None:
        for name in ("rename_rows", "remove_rows"):
            monkeypatch.setattr(one_student, name, lambda *_: os._exit(9))
        run("ada", *words)

    process = multiprocessing.get_context("fork").Process(target=killed)
    process.start()
    process.join(60)
    assert process.exitcode == 9
    assert names(course, "ada")
    run("ada", *words)
    assert names(course, "ada") == []
    assert words[0] == "--remove" or given(course, "eva") == HANDED


def test_interrupting_is_said(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(one_student, "rename_rows", interrupted)
        result = CliRunner().invoke(program.app, ["student", "ada", "--rename", "eva"])
    assert result.exit_code == 130
    assert "Interrupted: nothing is lost, and the same command goes on." in result.output
    assert "ada is eva now." in run("ada", "--rename", "eva")


def test_what_came_between_is_not_overwritten(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        stopping_at(patched, one_student, "rename_rows", 1, after=True)
        with pytest.raises(Stopped):
            run("ada", "--rename", "eva")
    with api(course).gradebook as gradebook:
        gradebook.add_student("ada")
    new = hand_in(course, "ada", b"{}")
    with pytest.raises(GradingFailed, match=r"submitted/ada and .* are both there: move one"):
        run("ada", "--rename", "eva")
    shutil.move(new.parent, course.parent / "aside")
    run("ada", "--rename", "eva")
    assert given(course, "eva") == HANDED
    with api(course).gradebook as gradebook:
        assert {one.id for one in gradebook.students} == {"eva", "ben"}


STEPS_OF_REMOVAL = [
    *((one_student, "remove_files", time) for time in range(1, 6)),
    *((student_copy, "copy_files", time) for time in (1, 3)),
    (one_student, "write_whole", 1),
    (one_student, "remove_rows", 1),
    (student_rows, "write_whole", 1),
]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("where", "name", "time"), sample(STEPS_OF_REMOVAL, 3))
def test_interrupted_removal_is_finished_by_the_same(
    course: Path, monkeypatch: pytest.MonkeyPatch, where: object, name: str, time: int, after: bool
) -> None:
    files = contents(course, "ada")
    with monkeypatch.context() as patched:
        stopping_at(patched, where, name, time, after=after)
        with pytest.raises(Stopped):
            run("ada", "--remove", "../ada")
    run("ada", "--remove", "../ada")
    copy = course.parent / "ada"
    assert {name: (copy / name).read_bytes() for name in files} == files
    assert "Nearly." in (copy / "comments.csv").read_text()
    assert "ada" in (copy / "roster.csv").read_text()
    assert names(course, "ada") == []
    assert b"ada" not in (course / "roster.csv").read_bytes()
    with api(course).gradebook as gradebook:
        assert [one.id for one in gradebook.students] == ["ben"]


def test_what_is_new_since_the_copy_is_not_removed(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        stopping_at(patched, one_student, "remove_files", 1, after=True)
        with pytest.raises(Stopped):
            run("ada", "--remove", "../ada")
    hand_in(course, "ada", b"{}")
    with pytest.raises(
        GradingFailed, match=r"^nothing more is removed, as submitted/ada/tiny/tiny\.ipynb is"
    ):
        run("ada", "--remove", "../ada")
    run("ada", "--remove", "../ada_2")
    assert names(course, "ada") == []
    assert (course.parent / "ada_2" / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb").exists()


def test_points_given_meanwhile_are_not_removed(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove_files, once = any_files.remove_files, [1]

    def while_somebody_grades(place: Path) -> None:
        remove_files(place)
        if once and once.pop():
            with sqlite3.connect(course / "gradebook.db") as database:
                database.execute("update grade set manual_score = 0.75 where manual_score = 0.5")

    monkeypatch.setattr(one_student, "remove_files", while_somebody_grades)
    with pytest.raises(GradingFailed, match=r"^nothing more is removed, as grades\.csv is not in"):
        run("ada", "--remove", "../ada")
    run("ada", "--remove", "../ada_2")
    assert "0.75" in (course.parent / "ada_2" / "grades.csv").read_text()


@pytest.mark.parametrize("step", ["autograded", "feedback"])
@pytest.mark.parametrize("words", [("--copy", "../x"), ("--rename", "eva"), ("--remove", "../x")])
def test_who_grades_is_not_disturbed(course: Path, step: str, words: tuple[str, str]) -> None:
    root = course.resolve()
    folder = Folder(root / step / "ada" / LESSON, root / step / MAKING / "ada" / LESSON)
    with folder.alone(), pytest.raises(GradingFailed, match=r"^another program is making"):
        run("ada", *words)
    with alone(root / "submitted"), pytest.raises(GradingFailed, match="is collecting into"):
        run("ada", *words)
    run("ada", *words)


def test_broken_grading_goes_along(course: Path) -> None:
    making = course / "autograded" / MAKING / "ada"
    making.mkdir(parents=True)
    (course / "autograded" / "ada" / LESSON).rename(making / f".{LESSON}.before")
    (making / f".{LESSON}.lock").touch()
    run("ada", "--rename", "eva")
    assert [one.failure for one in grade(course, "eva")] == [""]
    assert given(course, "eva") == HANDED
    assert (course / "autograded" / "eva" / LESSON / f"{LESSON}.ipynb").exists()


def test_folder_of_nobody_gets_an_id(course: Path) -> None:
    (course / "submitted" / "ben").rename(course / "submitted" / "o'brien")
    run("o'brien", "--rename", "obrien")
    assert (course / "submitted" / "obrien" / LESSON).is_dir()


@pytest.mark.parametrize("words", [("--rename", "eva"), ("--remove", "../ada")])
def test_exchange_that_is_closed_is_named(
    course: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    inbound = course / "exchange" / "course" / "inbound"
    usual = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: usual(path, mode) and (mode & 2 == 0 or path != inbound)
    )
    said = run("ada", *words)
    assert f": exchange/course/inbound/ada+{LESSON}+2030" in said
    assert [one.name[:4] for one in inbound.iterdir()] == ["ada+"]
    assert not [*course.glob("submitted/.*"), *course.glob("submitted/ada")]


def test_exchange_elsewhere_is_copied_and_emptied(course: Path) -> None:
    with (course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(f'\nc.Exchange.root = "{course.parent / "served"}"\n')
    inbound = course.parent / "served" / "course" / "inbound"
    for student in ("ada", "adam"):
        (inbound / f"{student}+{LESSON}+2030-01-01 00:00:00 UTC").mkdir(parents=True)
        (inbound / f"{student}+{LESSON}+2030-01-01 00:00:00 UTC" / "a.txt").write_text(student)
    run("ada", "--remove", "../ada")
    (copied,) = (course.parent / "ada" / "exchange").glob("ada+*/a.txt")
    assert copied.read_text() == "ada"
    assert [one.name[:5] for one in inbound.iterdir()] == ["adam+"]


def test_as_the_page_says(course: Path) -> None:
    for words in ("ada", "ada --copy ../ada", "ada --rename eva", "eva --remove ../eva"):
        run(*words.split())
    assert {one.name for one in course.parent.iterdir()} == {"course", "ada", "eva"}


def test_busy_gradebook_is_one_sentence(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(
            f'\nc.CourseDirectory.db_url = "sqlite:///{course}/gradebook.db?timeout=0.1"\n'
        )
    before = rows(course)
    with sqlite3.connect(course / "gradebook.db") as database:
        database.execute("begin exclusive")
        with pytest.raises(CourseError) as error:
            run("ada", "--rename", "eva")
        database.rollback()
    assert str(error.value).startswith("another program is writing to the gradebook: wait")
    assert rows(course) == before
    run("ada", "--rename", "eva")


@pytest.mark.parametrize(
    "text", ["id\tlast_name\r\nada\tL\r\nben\tB", "last_name,ID\nL, ada \n\nB,ben\n"]
)
def test_roster_keeps_its_form(course: Path, text: str) -> None:
    for encoding in ("utf-16", "utf-8"):
        (course / "roster.csv").write_bytes(text.encode(encoding))
        roster = student_rows.RosterFile(Course(course))
        assert roster.rename("ada", "eva")
        found = (course / "roster.csv").read_bytes().decode(encoding)
        assert found == text.replace(" ada ", "eva").replace("ada", "eva")
        with pytest.raises(RosterError, match="has a row for eva and one for ben: delete one"):
            student_rows.RosterFile(Course(course)).rename("eva", "ben")
