"""What a submission has earned stands until a grading of it has come to its end, however that is
begun and whatever goes wrong; and one sentence says what did.
"""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.utils import capture_log, temp_attrs

from autograder.course import Course
from autograder.errors import CourseError, GradingFailed, SandboxFailed
from autograder.grading.jobs import sandboxes, work
from autograder.grading.record import RECORD_SUFFIX
from autograder.nbgrading import all_or_nothing, preprocessor
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.converter import SafeCommand
from autograder.nbgrading.grade_class import grade_class, reason_of
from autograder.nbgrading.gradebook.transaction import WaitingGradebook
from autograder.student.sandbox import bubblewrap
from tests.support.course import ROOT
from tests.support.sample import sample
from tests.support.samples import make_cell
from tests.support.tiny_course import LESSON, answered, as_bytes, hand_in, tiny_course

# nbgrader's own use of SQLAlchemy.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]

EARNED = 5.0
CONFIG = """
c = get_config()
c.CourseDirectory.db_url = "sqlite:///{root}/gradebook.db?timeout=0.1"
c.LateSubmissionPlugin.penalty_method = "zero"
"""


class Class:
    """A course of one tiny lesson: ada has earned all points of tests, and handed in anew."""

    def __init__(self, root: Path) -> None:
        self.root = root
        tiny_course(root)
        usual = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
        (root / "nbgrader_config.py").write_text(usual + CONFIG.format(root=root))
        self.source = root / "source" / LESSON / f"{LESSON}.ipynb"
        released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
        self.answer = as_bytes(answered(released))
        self.submission = hand_in(root, "ada", self.answer) / f"{LESSON}.ipynb"
        self.submission.with_name("timestamp.txt").write_text("2030-01-01 00:00:00 UTC")
        self.graded = root / "autograded" / "ada" / LESSON
        self.making = root / "autograded" / all_or_nothing.MAKING
        self.course = Course(root)

    @property
    def api(self) -> NbGraderAPI:
        return nbgrader_api(configuration(self.course, self.root))

    @property
    def gradebook(self) -> Path:
        return self.root / "gradebook.db"

    def score(self) -> float | None:
        with sqlite3.connect(self.gradebook) as database:
            found = database.execute(
                "select sum(grade.auto_score) from grade join submitted_notebook on "
                "grade.notebook_id = submitted_notebook.id join submitted_assignment on "
                "submitted_notebook.assignment_id = submitted_assignment.id "
                "where submitted_assignment.student_id = 'ada'"
            ).fetchone()
        return found[0] if found else None

    def state(self) -> dict[str, Any]:
        """All that a failure must not change: the folder of what was graded, and the gradebook."""
        files = {path.name: path.read_bytes() for path in sorted(self.graded.iterdir())}
        return {"files": files, "gradebook": dump(self.gradebook)}

    def command(self, *, force: bool = True) -> str:
        """`autograder grade`; what failed, or nothing."""
        try:
            (result,) = grade_class(self.course, LESSON, ["ada"], force=force, settings={})
        except CourseError as error:
            return str(error)
        return result.failure

    def button(self, *, force: bool = True) -> str:
        """formgrader's button."""
        outcome = self.api.autograde(LESSON, "ada", force=force)
        return "" if outcome["success"] else reason_of(outcome)

    def nbgrader_autograde(self, *, force: bool = True) -> str:
        """`nbgrader autograde`."""
        api = self.api
        with temp_attrs(api.coursedir, assignment_id=LESSON, student_id="ada"):
            app = SafeCommand(coursedir=api.coursedir, parent=api)
            app.force, app.create_student = force, True
            outcome = capture_log(app)
        return "" if outcome["success"] else reason_of(outcome)

    @property
    def ways(self) -> tuple[Callable[..., str], ...]:
        return self.command, self.button, self.nbgrader_autograde


def dump(gradebook: Path) -> list[str]:
    with sqlite3.connect(gradebook) as database:
        return list(database.iterdump())


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Class:
    course = Class(tmp_path_factory.mktemp("kept"))
    assert course.command() == ""
    assert course.score() == EARNED
    course.submission.write_bytes(course.answer.replace(b"return 2 * x", b"return 3 * x"))
    return course


@dataclass(frozen=True)
class Way:
    """One way in which a grading fails on our side, and a part of what is said of it."""

    name: str
    breaks: Callable[[Class, pytest.MonkeyPatch], AbstractContextManager[None]]
    said: str


WAYS: list[Way] = []


def way(name: str, said: str) -> Callable[[Callable[..., Iterator[None]]], None]:
    def keep(function: Callable[..., Iterator[None]]) -> None:
        WAYS.append(Way(name, contextmanager(function), said))

    return keep


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


@contextmanager
def rewritten(course: Class, change: Callable[[Any], None]) -> Iterator[None]:
    before = course.source.read_bytes()
    notebook = nbformat.reads(before.decode(), as_version=4)
    change(notebook)
    nbformat.write(notebook, course.source)
    try:
        yield
    finally:
        course.source.write_bytes(before)


@way("an exercise is new in source/", "triple_check (4 points) is new")
def exercise_added(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    cells = [
        make_cell("code", "def triple(x):\n    return 3 * x", "triple", solution=True),
        make_cell("code", "assert triple(3) == 9", "triple_check", grade=True, points=4),
    ]
    with rewritten(course, lambda notebook: notebook.cells.extend(cells)):
        yield


@way("an exercise is gone from source/", "fourfold_check (3 points) is gone")
def exercise_dropped(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    def drop(notebook: Any) -> None:
        notebook.cells = [cell for cell in notebook.cells if "fourfold" not in cell.source]

    with rewritten(course, drop):
        yield


@way("an exercise has a new name", "quadruple_check (3 points) is new, fourfold_check (3 points)")
def exercise_renamed(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    def rename(notebook: Any) -> None:
        notebook.cells[5].metadata.nbgrader.grade_id = "quadruple_check"

    with rewritten(course, rename):
        yield


@way("an exercise has other points", "double_check counts 1 and no longer 2")
def points_changed(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    def change(notebook: Any) -> None:
        notebook.cells[2].metadata.nbgrader.points = 1

    with rewritten(course, change):
        yield


@way("an answer is now graded by hand", "double (2 points) is new")
def graded_by_hand(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    def change(notebook: Any) -> None:
        notebook.cells[1].metadata.nbgrader.update(grade=True, points=2)

    with rewritten(course, change):
        yield


@way("the lesson has a new name", "tiny.ipynb is missing")
def lesson_renamed(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    folder = course.source.parent
    elsewhere = folder.rename(folder.with_name("small"))
    try:
        yield
    finally:
        elsewhere.rename(folder)


@way("the notebook in source/ is half-written", "can't be read as a notebook")
def source_half_written(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    whole = course.source.read_bytes()
    course.source.write_bytes(whole[: len(whole) // 2])
    try:
        yield
    finally:
        course.source.write_bytes(whole)


@way("bubblewrap is missing", "is not installed: install it")
def no_walls(_: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    patched.setattr(sandboxes, "_open", {})
    patched.setattr(bubblewrap, "program", lambda: None)
    yield


@way("the sandbox breaks, and again", "the sandbox broke")
def sandbox_breaks(_: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    patched.setattr(sandboxes, "the_sandbox", raising(SandboxFailed("the sandbox broke")))
    patched.setattr(sandboxes, "close_sandboxes", lambda: None)
    yield


@way("the grader's memory is used up", "the grader ran out of memory")
def no_memory(_: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    patched.setattr(work, "grade", raising(MemoryError()))
    yield


@way("a defect of ours", "ZeroDivisionError: by zero; the log has all of it")
def defect(_: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    patched.setattr(preprocessor, "draft_of", raising(ZeroDivisionError("by zero")))
    yield


@way("the disk is full before the tests run", "the disk is full (No space left on device)")
def disk_full(_: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    patched.setattr(shutil, "copy", raising(full))
    yield


@way("the disk is full when the scores are there", "the disk is full")
def disk_full_late(_: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    full = sqlite3.OperationalError("database or disk is full")
    patched.setattr(WaitingGradebook, "keep", raising(wrapped(full)))
    yield


@way("autograded/ can't be written to", "Permission denied")
def folder_read_only(course: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    rename = os.rename

    def refuse(source: Any, target: Any) -> None:
        if Path(target) == course.graded and Path(source).name == LESSON:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        rename(source, target)

    patched.setattr(os, "rename", refuse)
    yield


@way("another program writes to the gradebook", "another program is writing to the gradebook")
def gradebook_locked(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    database = sqlite3.connect(course.gradebook, isolation_level=None)
    database.execute("begin immediate")
    try:
        yield
    finally:
        database.close()


@way("the gradebook is of another nbgrader", "run `nbgrader db upgrade`")
def gradebook_of_another(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    with sqlite3.connect(course.gradebook) as database:
        database.execute(
            "alter table submitted_notebook rename column late_submission_penalty to penalty"
        )
    try:
        yield
    finally:
        with sqlite3.connect(course.gradebook) as database:
            database.execute(
                "alter table submitted_notebook rename column penalty to late_submission_penalty"
            )


@way("the gradebook is damaged", "put back a copy of gradebook.db")
def gradebook_damaged(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    whole = course.gradebook.read_bytes()
    course.gradebook.write_bytes(b"not a database, " * 100)
    try:
        yield
    finally:
        course.gradebook.write_bytes(whole)


@way("two graders at once", "another program is making")
def two_graders(course: Class, _: pytest.MonkeyPatch) -> Iterator[None]:
    lock = course.making / "ada" / f".{LESSON}.lock"
    lock.parent.mkdir(parents=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    shutil.rmtree(course.making)


@way("the penalty for being late fails", "ZeroDivisionError")
def penalty_fails(course: Class, patched: pytest.MonkeyPatch) -> Iterator[None]:
    patched.setattr(LateSubmissionPlugin, "late_submission_penalty", raising(ZeroDivisionError()))
    with sqlite3.connect(course.gradebook) as database:
        database.execute("update assignment set duedate = '2020-01-01 00:00:00'")
    try:
        yield
    finally:
        with sqlite3.connect(course.gradebook) as database:
            database.execute("update assignment set duedate = null")


def wrapped(error: sqlite3.OperationalError) -> Exception:
    from sqlalchemy.exc import OperationalError

    return OperationalError("commit", {}, error)


@pytest.mark.parametrize("way", sample(WAYS, 3), ids=lambda way: way.name)
def test_failure_changes_nothing(course: Class, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    before = course.state()
    with monkeypatch.context() as patched, ExitStack() as broken:
        broken.enter_context(way.breaks(course, patched))
        said = [grade(force=True) for grade in course.ways]
    assert [way.said in sentence for sentence in said] == [True] * 3, said
    assert not any("\n" in sentence for sentence in said)
    assert course.state() == before
    assert not course.making.exists()
    assert course.score() == EARNED


def test_interrupted(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    before = course.state()
    monkeypatch.setattr(work, "grade", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        course.command()
    assert "KeyboardInterrupt" in course.button()
    assert course.state() == before
    assert not course.making.exists()


def test_the_table_tells_them_all() -> None:
    page = (ROOT / "docs" / "security_appendix.md").read_text(encoding="utf-8")
    found = page.split("<!-- failures: begin -->")[1].split("<!-- failures: end -->")[0]
    stands = " | ".join([f"{EARNED:g} → {EARNED:g}"] * 3)
    assert [line for line in found.splitlines() if line.startswith("| ")][1:] == [
        f"| {way.name} | {way.said} | {stands} |" for way in WAYS
    ]


def test_after_all_of_them(course: Class) -> None:
    """Nothing of all this is in the way when it is mended: the new submission counts."""
    assert [grade(force=False) for grade in course.ways] == ["", "", ""]
    assert course.score() == 0


# Right for what the tests ask at first.
NARROW = b"return 2 * x if hasattr(x, 'shape') or x in (3, -1) else 0"


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    """A course whose test asks a module of the course's own, and one beside the notebook."""
    with pytest.MonkeyPatch.context() as patch:
        # Other tests of this process may have imported this course's own.
        for name in [one for one in sys.modules if one.partition(".")[0] == "solutions"]:
            patch.delitem(sys.modules, name)
        course = Class(tmp_path_factory.mktemp("examined"))
        asks(course, positive=3, negative=-1)
        notebook = nbformat.read(course.source, as_version=4)
        notebook.cells[2].source = (
            "from solutions.asked import POSITIVE\nfrom beside_tiny import NEGATIVE\n"
            "assert double(POSITIVE) == 2 * POSITIVE\nassert double(NEGATIVE) == 2 * NEGATIVE"
        )
        nbformat.write(notebook, course.source)
        assert course.api.generate_assignment(LESSON)["success"]
        course.answer = course.answer.replace(b"return 2 * x", NARROW)
        course.submission.write_bytes(course.answer)
        # Whichever tests of this file are drawn, each finds a submission that has been graded.
        assert course.button() == ""
        yield course


def asks(course: Class, positive: object, negative: int) -> None:
    path = course.root / "solutions" / "asked.py"
    path.parent.mkdir(exist_ok=True)
    (path.parent / "__init__.py").touch()
    path.write_text(f"POSITIVE = {positive}\n")
    (course.source.parent / "beside_tiny.py").write_text(f"NEGATIVE = {negative}\n")


def record_of(course: Class) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((course.graded / f"{LESSON}{RECORD_SUFFIX}").read_text())
    for part in (record, *record["cells"]):
        del part["seconds"]
    del record["time"]
    return record


@pytest.mark.long
def test_button_and_command_agree_after_a_change(examined: Class) -> None:
    assert examined.button() == ""
    assert examined.score() == EARNED
    first = record_of(examined)
    # As many bytes, and in the same second: Python itself would take it for the same.
    asks(examined, 4, -1)
    assert examined.button() == ""
    assert examined.score() == EARNED - 2
    by_button = record_of(examined)
    assert by_button["code"] != first["code"]
    program = [sys.executable, "-m", "autograder.cli", "grade", LESSON, "--force"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(program, cwd=examined.root, env=environment, check=True, capture_output=True)
    assert examined.score() == EARNED - 2
    assert record_of(examined) == by_button
    asks(examined, 3, -3)
    assert examined.button() == ""
    assert examined.score() == EARNED - 2
    asks(examined, 3, -1)
    assert examined.button() == ""
    assert record_of(examined) == first


@pytest.mark.long
def test_what_can_no_longer_be_graded_keeps_its_score(examined: Class) -> None:
    """An exam that the instructor's own solution fails is a failure on our side."""
    assert examined.button() == ""
    asks(examined, None, -1)
    try:
        assert examined.button() == ""
        assert record_of(examined)["cells"][0]["verdict"] == "not_gradable"
        assert examined.score() == EARNED
        with examined.api.gradebook as gradebook:
            grade = gradebook.find_grade("double_check", LESSON, LESSON, "ada")
            assert grade.needs_manual_grade
    finally:
        asks(examined, 3, -1)
    assert examined.button() == ""
    assert examined.score() == EARNED


@pytest.mark.long
def test_clock_that_goes_backwards(examined: Class) -> None:
    """What is newer is known by what it says: the notebook in source/, and the submission."""
    with rewritten(examined, lambda one: one.cells[2].update(source="assert double(4) == 8")):
        os.utime(examined.source, (0, 0))
        assert examined.button() == ""
        assert examined.score() == EARNED - 2
    os.utime(examined.source, (0, 0))
    examined.submission.write_bytes(examined.answer + b"\n")
    examined.submission.with_name("timestamp.txt").write_text("2001-01-01 00:00:00 UTC")
    assert examined.command(force=False) == ""
    assert examined.score() == EARNED


def test_never_generated(examined: Class) -> None:
    """One sentence says what to do, in each of the three ways."""
    before = dump(examined.gradebook)
    shutil.copytree(examined.source.parent, examined.root / "source" / "new")
    hand_in(examined.root, "ben", examined.answer).parent.joinpath(LESSON).rename(
        examined.root / "submitted" / "ben" / "new"
    )
    with pytest.raises(GradingFailed, match="nbgrader does not know new yet: choose Generate in"):
        list(grade_class(examined.course, "new", ["ben"], force=True, settings={}))
    outcome = examined.api.autograde("new", "ben")
    assert "nbgrader does not know new yet" in reason_of(outcome)
    assert dump(examined.gradebook) == before


def test_other_settings_than_at_the_start(examined: Class) -> None:
    before = examined.state()
    (examined.root / "course.toml").write_text('preload = ["numpy", "json"]\n')
    try:
        assert "has changed since this program was started" in examined.button()
    finally:
        (examined.root / "course.toml").unlink()
    assert examined.state() == before
    assert examined.button() == ""


def test_gradebook_put_back_from_a_copy(examined: Class) -> None:
    """What is in the folder says that it was graded; what is in the gradebook says otherwise."""
    with sqlite3.connect(examined.gradebook) as database:
        database.execute("update grade set auto_score = null")
    assert examined.command(force=False) == ""
    assert examined.score() == EARNED
    with examined.api.gradebook as gradebook:
        gradebook.remove_student("ada")
    assert examined.button(force=False) == ""
    assert examined.score() == EARNED


class Killed(BaseException):
    """Nothing runs after it: what would tidy up is killed as well."""


@pytest.mark.parametrize("moment", range(1, 5))
def test_killed_between_two_writes(
    examined: Class, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    wrong = examined.answer.replace(NARROW, b"return 3 * x")
    assert examined.button() == ""
    examined.submission.write_bytes(wrong)
    left = moment

    def or_killed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return function(*args, **kwargs)

        return call

    try:
        with monkeypatch.context() as patched:
            for place, name in (
                (os, "rename"),
                (os, "replace"),
                (WaitingGradebook, "keep"),
                (all_or_nothing, "remove"),
            ):
                patched.setattr(place, name, or_killed(getattr(place, name)))
            with suppress(Killed):
                examined.nbgrader_autograde()
        assert examined.score() in (EARNED, 0.0)
        assert examined.command(force=False) == ""
        assert examined.score() == 0
        assert record_of(examined)["submission"] == hashlib.sha256(wrong).hexdigest()
    finally:
        examined.submission.write_bytes(examined.answer)
        assert examined.command(force=False) == ""
        assert examined.score() == EARNED
