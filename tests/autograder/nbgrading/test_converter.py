"""nbgrader's autograde as the course has it: what is graded again, and what a failure leaves."""

import errno
import gc
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbgrader import converters
from nbgrader.apps import NbGraderAPI, api, autogradeapp
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute
from nbgrader.utils import temp_attrs
from traitlets.config import Config

from autograder import configure
from autograder.errors import GradingFailed, SandboxFailed, SettingError
from autograder.grading.grade import Graded, grade
from autograder.grading.jobs import work
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.workers import result_of
from autograder.grading.record import RECORD_SUFFIX, VERSION, draft_of
from autograder.nbgrading import converter
from autograder.nbgrading.all_or_nothing import MAKING
from autograder.nbgrading.configuration import nbgrader_api
from autograder.nbgrading.converter import SafeAutograde, SafeCommand, SubmissionExporter
from autograder.nbgrading.fail_closed import or_nothing_is_done
from autograder.nbgrading.inbox import grade_handed_in
from autograder.nbgrading.preprocessor import GradeSafely, SaveGrades
from autograder.nbgrading.replaced import install
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.attacks.inputs import nested
from tests.support.tiny_course import (
    LESSON,
    answered,
    as_bytes,
    grade_id_of,
    hand_in,
    tiny_course,
)

# nbgrader's own use of SQLAlchemy.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]

WRONG = "def double(x):\n    return 3 * x"
READS = "def double(x):\n    return 2 * x if open('data.txt').read() == '1 2 3' else 0"
LATE, DUE = "2030-01-02 00:00:00 UTC", "2030-01-01 00:00:00 UTC"
ALL, NOTHING = {"double_check": 2.0, "fourfold_check": 3.0}, dict.fromkeys(
    ("double_check", "fourfold_check"), 0.0
)  # fmt: skip


class Class:
    """A course of one tiny lesson, and what its students hand in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = tiny_course(root)
        self.config.LateSubmissionPlugin.penalty_method = "zero"
        self.api: NbGraderAPI = nbgrader_api(self.config)
        path = root / "notebooks" / LESSON / f"{LESSON}.ipynb"
        self.released = nbformat.read(path, as_version=4)

    def answer(self, double: str = "", why: str = "") -> bytes:
        notebook, texts = answered(self.released), {"double": double, "why": why}
        for cell in notebook["cells"]:
            cell["source"] = texts.get(grade_id_of(cell)) or cell["source"]
        return as_bytes(notebook)

    def hand_in(self, student: str, double: str = "", why: str = "") -> Path:
        return hand_in(self.root, student, self.answer(double, why))

    def grade(self, student: str, *, force: bool = False) -> bool:
        return bool(self.api.autograde(LESSON, student, force=force)["success"])

    def graded(self, student: str) -> Path:
        return self.root / "autograded" / student / LESSON

    def record(self, student: str) -> Path:
        return self.graded(student) / f"{LESSON}{RECORD_SUFFIX}"

    def scores(self, student: str) -> dict[str, float | None]:
        with self.api.gradebook as gradebook:
            (notebook,) = gradebook.find_submission(LESSON, student).notebooks
            found = {grade.cell.name: grade.auto_score for grade in notebook.grades}
        return {name: found[name] for name in ALL}

    def give(self, student: str, name: str, points: float | None, extra: float | None) -> None:
        """What formgrader saves of a human's points."""
        with self.api.gradebook as gradebook:
            grade = gradebook.find_grade(name, LESSON, LESSON, student)
            grade.manual_score, grade.extra_credit = points, extra
            grade.needs_manual_grade = False
            gradebook.db.commit()

    def given(self, student: str, name: str) -> tuple[float | None, float | None, bool]:
        """The points and the extra credit that stand, and whether the answer waits."""
        with self.api.gradebook as gradebook:
            grade = gradebook.find_grade(name, LESSON, LESSON, student)
            return grade.manual_score, grade.extra_credit, grade.needs_manual_grade

    def comment(self, student: str, answer: str) -> str | None:
        with self.api.gradebook as gradebook:
            found = gradebook.find_comment(answer, LESSON, LESSON, student).manual_comment
            return None if found is None else str(found)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Class:
    return Class(tmp_path_factory.mktemp("converter"))


def rewrite(course: Class, student: str, double: str = "", why: str = "") -> None:
    path = course.root / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.write_bytes(course.answer(double, why))


@pytest.mark.long
def test_resubmission_is_graded(course: Class) -> None:
    course.hand_in("again", WRONG)
    assert course.grade("again")
    assert course.scores("again") == NOTHING
    rewrite(course, "again")
    assert course.grade("again")
    assert course.scores("again") == ALL


def test_same_again_is_left_alone(course: Class) -> None:
    course.hand_in("same")
    assert course.grade("same")
    (course.graded("same") / "note").write_text("kept")
    assert course.grade("same")
    assert (course.graded("same") / "note").exists()


def test_force_grades_again(course: Class) -> None:
    course.hand_in("forced")
    assert course.grade("forced")
    (course.graded("forced") / "note").write_text("lost")
    assert course.grade("forced", force=True)
    assert not (course.graded("forced") / "note").exists()
    assert course.scores("forced") == ALL


@pytest.mark.parametrize("text", [None, "", "{", "[]", "7", "{}"])
def test_unfinished_is_done_again(course: Class, text: str | None) -> None:
    student = "unfinished-" + "".join(str(ord(one)) for one in str(text))
    course.hand_in(student)
    assert course.grade(student)
    record = course.record(student)
    if text is None:
        record.rename(draft_of(record))
    else:
        record.write_text(text)
    assert course.grade(student)
    assert len(json.loads(record.read_text())["cells"]) == 2
    assert not draft_of(record).exists()


@pytest.mark.long
def test_failure_leaves_the_old_score(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    course.hand_in("failing")
    assert course.grade("failing")
    rewrite(course, "failing", WRONG)

    def broken(*_: object, **__: object) -> None:
        raise SandboxFailed("the sandbox broke")

    with monkeypatch.context() as patched:
        patched.setattr(work, "grade", broken)
        assert not course.grade("failing")
    assert course.scores("failing") == ALL
    assert course.record("failing").exists()
    assert course.grade("failing")
    assert course.scores("failing") == NOTHING


@pytest.mark.long
def test_sandbox_that_fails_once(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    course.hand_in("lucky")
    real, left = grade, [SandboxFailed("once"), SandboxFailed("twice")]
    failed = set[Sandbox]()

    def sometimes(*args: Any, **kwargs: Any) -> object:
        if left:
            failed.update(one for one in (*args, *kwargs.values()) if isinstance(one, Sandbox))
            raise left.pop()
        return real(*args, **kwargs)

    closed, close = [], Sandbox.__exit__

    def closing(box: Sandbox, *error: Any) -> None:
        closed.append(box)
        close(box, *error)

    monkeypatch.setattr(work, "grade", sometimes)
    monkeypatch.setattr(Sandbox, "__exit__", closing)
    assert course.grade("lucky")
    assert course.scores("lucky") == ALL
    assert len(failed) == 2
    assert failed <= {*closed}, "each sandbox that failed is closed"


def test_grading_in_a_server_leaves_its_memory_alone(course: Class) -> None:
    course.hand_in("served")
    before = gc.get_freeze_count()
    assert course.grade("served")
    # What was kept may have been let go of meanwhile.
    assert gc.get_freeze_count() <= before


def test_command_keeps_the_libraries(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[bool] = []
    monkeypatch.setattr(converter, "keep_what_is_there", lambda: kept.append(True))
    course.hand_in("commanded")
    app = SafeCommand(coursedir=course.api.coursedir, parent=course.api)
    with temp_attrs(course.api.coursedir, assignment_id=LESSON, student_id="commanded"):
        app.create_student = True
        app.start()
    assert course.scores("commanded") == ALL
    assert kept
    assert (api.Autograde, autogradeapp.Autograde) == (SafeAutograde, SafeCommand)


def renamed(patched: pytest.MonkeyPatch) -> None:
    patched.delattr(autogradeapp, "Autograde")


def replaced(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(api, "Autograde", object)


def made_elsewhere(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(NbGraderAPI, "autograde", lambda *_: converters.Autograde().start())


def made_by_another(patched: pytest.MonkeyPatch) -> None:
    patched.delattr(autogradeapp.AutogradeApp, "start")


@pytest.mark.parametrize("change", [renamed, replaced, made_elsewhere, made_by_another])
def test_another_nbgrader_grades_nothing(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    change(monkeypatch)
    with (
        pytest.raises(GradingFailed, match="would run student code without a sandbox"),
        or_nothing_is_done(),
    ):
        install()
    with pytest.raises(converters.NbGraderException, match=r"nothing is graded, .*: nbgrader"):
        converters.Autograde().start()
    with or_nothing_is_done():
        pass


def test_broken_settings_grade_nothing(course: Class, tmp_path: Path) -> None:
    """nbgrader's own programs only warn of what its configuration raises."""
    config_file = tmp_path / "nbgrader_config.py"
    (tmp_path / "course.toml").write_text("id = ")
    course.hand_in("waiting")
    with pytest.raises(SettingError):
        configure(Config(), config_file)
    try:
        assert not course.grade("waiting")
        assert not course.graded("waiting").exists()
    finally:
        (tmp_path / "course.toml").unlink()
        configure(Config(), config_file)
    assert course.grade("waiting")
    assert course.scores("waiting") == ALL


def test_sandbox_needs_no_settings() -> None:
    """What is lost with a configuration that fails further down is not the sandbox."""
    converter = SafeAutograde(coursedir=CourseDirectory())
    assert GradeSafely in converter.sanitize_preprocessors
    assert Execute not in [*converter.sanitize_preprocessors, *converter.autograde_preprocessors]
    assert converter.exporter_class is SubmissionExporter


def test_missing_notebook(course: Class) -> None:
    (course.hand_in("empty") / f"{LESSON}.ipynb").unlink()
    assert course.grade("empty")
    assert course.scores("empty") == dict.fromkeys(NOTHING)
    said = json.loads(course.record("empty").read_text())["not_graded"]
    assert said == "there is no notebook in what was handed in"


def test_late_penalty(course: Class) -> None:
    with course.api.gradebook as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=DUE)
    try:
        for student, time in (("late", LATE), ("in-time", "2029-12-31 00:00:00 UTC")):
            (course.hand_in(student) / "timestamp.txt").write_text(time)
            assert course.grade(student)
    finally:
        with course.api.gradebook as gradebook:
            gradebook.update_or_create_assignment(LESSON, duedate=None)
    with course.api.gradebook as gradebook:
        found = {
            student: gradebook.find_submission(LESSON, student).notebooks[0]
            for student in ("late", "in-time")
        }
        assert found["late"].late_submission_penalty == found["late"].score == 5
        assert found["in-time"].late_submission_penalty in (None, 0)


def test_files_of_the_course_win(course: Class) -> None:
    folder = course.hand_in("files", READS)
    (folder / "data.txt").write_text("mine")
    (folder / "extra.txt").write_text("extra")
    (folder / f"{LESSON}{RECORD_SUFFIX}").write_text("my own record")
    assert course.grade("files")
    assert course.scores("files") == ALL
    assert (course.graded("files") / "data.txt").read_text() == "1 2 3"
    assert (course.graded("files") / "extra.txt").read_text() == "extra"
    assert "cells" in json.loads(course.record("files").read_text())


def test_students_files_are_there(course: Class) -> None:
    folder = course.hand_in("own", "def double(x):\n    return int(open('two.txt').read()) * x")
    (folder / "two.txt").write_text("2")
    (folder / "link.txt").symlink_to("/etc/hostname")
    assert course.grade("own")
    assert course.scores("own") == ALL
    assert not (course.graded("own") / "link.txt").exists()
    (remark,) = json.loads(course.record("own").read_text())["remarks"]
    assert remark.startswith("link.txt is left out")


def in_the_way(folder: Path) -> None:
    """Where the course has a file, and a folder."""
    (folder / "images").write_text("mine")
    (folder / "LICENSE").mkdir()
    (folder / "LICENSE" / "x.txt").write_text("mine")


def closed(folder: Path) -> None:
    (folder / "closed.txt").touch()
    (folder / "closed.txt").chmod(0)
    (folder / "shut").mkdir()
    (folder / "shut").chmod(0)


def odd_stamp(folder: Path) -> None:
    (folder / "timestamp.txt").write_text("1" * 400)


@pytest.fixture
def own_files(course: Class) -> Iterator[None]:
    """Files of the course without a dot in their names."""
    source = course.root / "source" / LESSON
    (source / "images").mkdir()
    (source / "images" / "plot.csv").write_text("1")
    (source / "LICENSE").write_text("yes")
    yield
    shutil.rmtree(source / "images")
    (source / "LICENSE").unlink()


@pytest.mark.usefixtures("own_files")
def test_no_old_score_after_a_blank_resubmission(course: Class) -> None:
    folder = course.hand_in("blank")
    (folder / "timestamp.txt").write_text(DUE)
    assert course.grade("blank")
    assert course.scores("blank") == ALL
    rewrite(course, "blank", "def double(x):\n    pass")
    for make in (nested, in_the_way, closed, odd_stamp):
        make(folder)
    assert course.grade("blank")
    assert course.scores("blank") == NOTHING
    remarks = json.loads(course.record("blank").read_text())["remarks"]
    assert remarks[:3] == [
        "timestamp.txt holds no time that can be read: it counts as handed in on time",
        "images is left out: it has the place of a file of the course",
        "LICENSE/x.txt is left out: it has the place of a file of the course",
    ]
    assert (course.graded("blank") / "images" / "plot.csv").read_text() == "1"
    with course.api.gradebook as gradebook:
        assert gradebook.find_submission(LESSON, "blank").timestamp is None


def test_closed_notebook_waits_for_a_human(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox runs as whoever grades, so only the reader is told that it may not."""
    course.hand_in("closed")
    assert course.grade("closed")
    assert course.scores("closed") == ALL
    opens = os.open

    def forbidden(path: Any, *rest: Any, **named: Any) -> int:
        if path == f"{LESSON}.ipynb" and "dir_fd" in named:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opens(path, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", forbidden)
        assert course.grade("closed")
    assert course.scores("closed") == dict.fromkeys(NOTHING)
    said = json.loads(course.record("closed").read_text())["not_graded"]
    assert said.endswith(f"{LESSON}.ipynb is left out: it can't be opened by who grades")
    assert course.grade("closed")
    assert course.scores("closed") == ALL


def test_change_beside_the_notebook_is_graded(course: Class) -> None:
    folder = course.hand_in("helped", "def double(x):\n    return int(open('two.txt').read()) * x")
    (folder / "two.txt").write_text("3")
    assert course.grade("helped")
    assert course.scores("helped") == NOTHING
    (folder / "two.txt").write_text("2")
    assert course.grade("helped")
    assert course.scores("helped") == ALL
    files = json.loads(course.record("helped").read_text())["files"]
    assert files == {"two.txt": hashlib.sha256(b"2").hexdigest()}
    (course.graded("helped") / "note").write_text("kept")
    assert course.grade("helped")
    assert (course.graded("helped") / "note").exists()


def test_change_during_the_grading_is_graded(
    course: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = course.hand_in("hurried", READS.replace("data.txt", "own.txt"))
    (folder / "own.txt").write_text("1 2 3")

    def changing(job: Job) -> Graded:
        graded = result_of(job)
        (folder / "own.txt").write_text("3 2 1")
        return graded

    with monkeypatch.context() as patched:
        patched.setattr(grade_handed_in, "result_of", changing)
        assert course.grade("hurried")
    files = json.loads(course.record("hurried").read_text())["files"]
    assert files == {"own.txt": hashlib.sha256(b"1 2 3").hexdigest()}
    assert course.scores("hurried") == ALL
    assert course.grade("hurried")
    assert course.scores("hurried") == NOTHING


BLANK = "def double(x):\n    raise NotImplementedError"


@pytest.mark.parametrize("why", ["Dunno.", "YOUR ANSWER HERE"])
def test_extra_credit_for_another_answer_is_none_of_this(course: Class, why: str) -> None:
    student = f"extra-{len(why)}"
    course.hand_in(student, why="Brilliant.")
    assert course.grade(student)
    course.give(student, "why", 1, 2)
    course.give(student, "double_check", None, 3)
    assert course.grade(student, force=True)
    assert course.given(student, "why") == (1, 2, False)
    assert course.given(student, "double_check") == (None, 3, False)
    rewrite(course, student, BLANK, why)
    assert course.grade(student)
    assert course.given(student, "why") == (None, None, True)
    assert course.given(student, "double_check") == (None, None, True)
    assert course.given(student, "fourfold_check") == (None, None, False)
    assert course.grade(student, force=True)
    earlier = "(An earlier answer was given {}.)"
    both = [earlier.format(one) for one in ("1 of these points", "2 in extra credit")]
    assert course.comment(student, "why") == "\n".join(both)
    assert course.comment(student, "double") == earlier.format("3 in extra credit")
    with course.api.gradebook as gradebook:
        assert gradebook.find_submission(LESSON, student).score == 0


def answer_elsewhere(course: Class, student: str, place: str, words: str) -> None:
    """The same words in the answer's cell, as far as they are shown, and others elsewhere."""
    shown = "a" * 20_000
    path = course.root / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    notebook = json.loads(course.answer(why=shown + words if place == "cut" else shown))
    if place == "cell":
        notebook["cells"].append({"cell_type": "code", "source": f"# {words}", "metadata": {}})
    if place == "file":
        (path.parent / "own").mkdir(exist_ok=True)
        (path.parent / "own" / "helper.py").write_text(f"# {words}")
    path.write_bytes(as_bytes(notebook))


@pytest.mark.parametrize("is_broken_meanwhile", [False, True])
@pytest.mark.parametrize("place", ["cut", "cell", "file"])
def test_credit_for_an_answer_that_stands_elsewhere_waits(
    course: Class, place: str, is_broken_meanwhile: bool
) -> None:
    student = f"elsewhere-{place}-{is_broken_meanwhile}"
    folder = course.hand_in(student)
    answer_elsewhere(course, student, place, "Brilliant.")
    assert course.grade(student)
    course.give(student, "why", 1, 2)
    course.give(student, "double_check", None, 3)
    assert course.grade(student, force=True)
    assert course.given(student, "why") == (1, 2, False)
    assert course.given(student, "double_check") == (None, 3, False)
    if is_broken_meanwhile:
        (folder / f"{LESSON}.ipynb").write_bytes(b"{")
        assert course.grade(student)
        answer_elsewhere(course, student, place, "Brilliant.")
        assert course.grade(student)
        assert course.given(student, "why") == (1, 2, False)
        (folder / f"{LESSON}.ipynb").write_bytes(b"{")
        assert course.grade(student)
    answer_elsewhere(course, student, place, "No idea...")
    assert course.grade(student)
    # What stands elsewhere may be the answer, or a scratch cell: a human has to see which.
    is_another = place == "cut"
    assert course.given(student, "why") == ((None, None, True) if is_another else (1, 2, True))
    *points, waits = course.given(student, "double_check")
    assert points == [None, 3]
    assert waits or is_another


@pytest.mark.parametrize("is_there", [False, True])
def test_points_stay_final_where_the_lesson_alone_is_mended(course: Class, is_there: bool) -> None:
    """What is given out hangs on the lesson, and so does what a student seems to have added."""
    student = f"mended-{is_there}"
    course.hand_in(student)
    answer_elsewhere(course, student, "cell", "Brilliant.")
    source = course.root / "source" / LESSON / f"{LESSON}.ipynb"
    before = source.read_bytes()
    mended = nbformat.reads(before.decode(), 4)
    mended.cells = [cell for cell in mended.cells if "arange" not in cell.source]
    assert len(mended.cells) < len(nbformat.reads(before.decode(), 4).cells)
    versions = [before, as_bytes(mended)][:: -1 if is_there else 1]
    try:
        for version in versions:
            source.write_bytes(version)
            assert course.api.generate_assignment(LESSON, force=True)["success"]
            assert course.grade(student, force=True)
            if version == versions[0]:
                course.give(student, "why", 1, 2)
                course.give(student, "double_check", None, 3)
        assert course.given(student, "why") == (1, 2, False)
        assert course.given(student, "double_check") == (None, 3, False)
    finally:
        source.write_bytes(before)
        assert course.api.generate_assignment(LESSON, force=True)["success"]


def test_record_that_knows_a_long_answer_as_it_is_shown_waits(course: Class) -> None:
    """An earlier program's knows no more of it; of the same file it is no other answer."""
    course.hand_in("shown")
    answer_elsewhere(course, "shown", "cut", "Brilliant.")
    assert course.grade("shown")
    course.give("shown", "why", 1, 2)
    written = json.loads(course.record("shown").read_text())
    written["answers"]["why"] = hashlib.sha256(b"as shown").hexdigest()
    course.record("shown").write_text(json.dumps(written))
    assert course.grade("shown", force=True)
    assert course.given("shown", "why") == (1, 2, True)


def test_record_that_says_nothing_of_added_cells_stands(course: Class) -> None:
    """It is an earlier program's."""
    course.hand_in("unsaid")
    answer_elsewhere(course, "unsaid", "cell", "Brilliant.")
    assert course.grade("unsaid")
    course.give("unsaid", "why", 1, 2)
    written = json.loads(course.record("unsaid").read_text())
    del written["added"]
    course.record("unsaid").write_text(json.dumps(written))
    answer_elsewhere(course, "unsaid", "cell", "No idea...")
    assert course.grade("unsaid")
    assert course.given("unsaid", "why") == (1, 2, False)


def gone(record: Path) -> None:
    record.unlink()


def damaged(record: Path) -> None:
    record.write_text("{")


def without_answers(record: Path) -> None:
    written = json.loads(record.read_text())
    del written["answers"]
    record.write_text(json.dumps(written))


def with_odd_answers(record: Path) -> None:
    written = json.loads(record.read_text())
    record.write_text(json.dumps({**written, "answers": 7}))


def newer(record: Path) -> None:
    written = json.loads(record.read_text())
    record.write_text(json.dumps({**written, "version": VERSION + 1}))


@pytest.mark.parametrize("change", [gone, damaged, without_answers, with_odd_answers, newer])
def test_points_for_a_text_that_is_not_known_wait(
    course: Class, change: Callable[[Path], None]
) -> None:
    """Nobody knows that it was another one: they stand, and a human looks."""
    student = f"unknown-{change.__name__}"
    course.hand_in(student, why="Brilliant.")
    assert course.grade(student)
    course.give(student, "why", 1, None)
    course.give(student, "double_check", None, 3)
    change(course.record(student))
    for _ in range(2):
        assert course.grade(student, force=True)
        assert course.given(student, "why") == (1, None, True)
        assert course.given(student, "double_check") == (None, 3, True)
    assert course.comment(student, "why") is course.comment(student, "double") is None
    rewrite(course, student, why="Dunno.")
    assert course.grade(student)
    assert course.given(student, "why") == (None, None, True)
    assert course.comment(student, "why") == "(An earlier answer was given 1 of these points.)"


def test_points_for_what_could_not_be_graded_are_none_of_another(course: Class) -> None:
    student = "broken"
    (course.hand_in(student) / f"{LESSON}.ipynb").write_bytes(b"{")
    assert course.grade(student)
    course.give(student, "why", 1, None)
    rewrite(course, student, why="Dunno.")
    assert course.grade(student)
    assert course.given(student, "why") == (None, None, True)
    assert course.comment(student, "why") == "(An earlier answer was given 1 of these points.)"


def break_off(course: Class, student: str, why: str) -> None:
    """Hand in the beginning of a notebook, as a browser's broken upload does."""
    notebook = course.root / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    notebook.write_bytes(course.answer(why=why)[:-40])


def test_points_for_what_breaks_off_are_not_final_for_an_older_text(course: Class) -> None:
    student = "between"
    course.hand_in(student, why="Dunno.")
    assert course.grade(student)
    course.give(student, "why", 0, None)
    break_off(course, student, "Brilliant.")
    assert course.grade(student)
    course.give(student, "why", 1, 5)
    rewrite(course, student, why="Dunno.")
    assert course.grade(student)
    assert course.given(student, "why") == (1, 5, True)


def test_another_text_that_breaks_off_waits_anew(course: Class) -> None:
    student = "twice"
    course.hand_in(student)
    break_off(course, student, "Brilliant.")
    assert course.grade(student)
    course.give(student, "why", 1, None)
    for _ in range(2):
        assert course.grade(student, force=True)
        assert course.given(student, "why") == (1, None, False)
    break_off(course, student, "Another.")
    for is_forced in (False, True):
        assert course.grade(student, force=is_forced)
        assert course.given(student, "why") == (1, None, True)


def test_others_of_which_each_could_be_meant_wait_anew(course: Class) -> None:
    student = "either"
    folder = course.hand_in(student)
    (folder / f"{LESSON}.ipynb").rename(folder / "one.ipynb")
    (folder / "two.ipynb").write_bytes(course.answer(why="Two."))
    assert course.grade(student)
    course.give(student, "why", 1, None)
    assert course.grade(student, force=True)
    assert course.given(student, "why") == (1, None, False)
    (folder / "one.ipynb").write_bytes(course.answer(why="Better."))
    for _ in range(2):
        assert course.grade(student, force=True)
        assert course.given(student, "why") == (1, None, True)


@pytest.mark.parametrize("cell", ["double_check", "why"])
def test_points_meanwhile_are_not_saved(
    course: Class, cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads a text that a grading is about to replace is told to wait."""
    student = f"meanwhile-{cell}"
    course.hand_in(student, why="Text A.")
    assert course.grade(student)
    rewrite(course, student, why="Text B, which nobody has read.")
    add_score, refused = SaveGrades._add_score, []

    def saved_meanwhile(self: SaveGrades, saved: NotebookNode, resources: Any) -> None:
        add_score(self, saved, resources)
        if saved.metadata.nbgrader.grade_id == cell:
            with sqlite3.connect(course.root / "gradebook.db", timeout=0) as tutor:
                try:
                    tutor.execute("UPDATE grade SET manual_score = 1")
                except sqlite3.OperationalError as error:
                    refused.append(str(error))

    monkeypatch.setattr(SaveGrades, "_add_score", saved_meanwhile)
    assert course.grade(student)
    assert refused == ["database is locked"]
    assert course.given(student, "why") == (None, None, True)


def test_newer_record_is_not_graded_over_unasked(course: Class) -> None:
    student = "ahead"
    course.hand_in(student, why="Brilliant.")
    assert course.grade(student)
    course.give(student, "why", 1, None)
    newer(record := course.record(student))
    rewrite(course, student, WRONG, "Dunno.")
    before = record.read_bytes()
    outcome = course.api.autograde(LESSON, student, force=False)
    assert not outcome["success"]
    said = f"the record {record} is of a newer version of this program (form {VERSION + 1}"
    assert said in outcome["log"]
    assert (course.scores(student), course.given(student, "why")) == (ALL, (1, None, False))
    # As a kill leaves it between the last two steps.
    earlier = course.root / "autograded" / MAKING / student / f".{LESSON}.before"
    shutil.copytree(record.parent, earlier)
    (earlier / record.name).write_text("{}")
    assert not course.grade(student)
    assert record.read_bytes() == before


def test_folders_that_are_nobodys(course: Class) -> None:
    odd = course.hand_in("<img src=x onerror=alert(1)>")
    outcome = course.api.autograde(LESSON, "<img*", force=False)
    assert not outcome["success"]
    assert "is not graded: nobody can be called that" in outcome["log"]
    shutil.rmtree(odd.parent)
