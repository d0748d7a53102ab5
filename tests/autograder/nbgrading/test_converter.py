"""nbgrader's autograde as the course has it: what is graded again, and what a failure leaves."""

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader import converters
from nbgrader.apps import NbGraderAPI, api, autogradeapp
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute
from nbgrader.utils import temp_attrs
from traitlets.config import Config

from autograder.errors import GradingFailed, SandboxFailed, SettingError
from autograder.grading.grade import grade
from autograder.grading.record import RECORD_SUFFIX, draft_of
from autograder.nbgrading import converter, preprocessor
from autograder.nbgrading.configuration import configure, nbgrader_api
from autograder.nbgrading.converter import (
    SafeAutograde,
    SafeCommand,
    SubmissionExporter,
    install,
    or_nothing_is_graded,
)
from autograder.nbgrading.preprocessor import GradeSafely
from autograder.sandbox.sandbox import Sandbox
from tests.support.tiny_course import LESSON, answered, as_bytes, hand_in, tiny_course

# nbgrader's own use of SQLAlchemy.
pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

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

    def answer(self, double: str = "") -> bytes:
        notebook = answered(self.released)
        for cell in notebook["cells"]:
            if double and cell["metadata"].get("nbgrader", {}).get("grade_id") == "double":
                cell["source"] = double
        return as_bytes(notebook)

    def hand_in(self, student: str, double: str = "") -> Path:
        return hand_in(self.root, student, self.answer(double))

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


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Class:
    return Class(tmp_path_factory.mktemp("converter"))


def rewrite(course: Class, student: str, double: str = "") -> None:
    path = course.root / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.write_bytes(course.answer(double))


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


def test_failure_leaves_the_old_score(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    course.hand_in("failing")
    assert course.grade("failing")
    rewrite(course, "failing", WRONG)

    def broken(*_: object, **__: object) -> None:
        raise SandboxFailed("the sandbox broke")

    with monkeypatch.context() as patched:
        patched.setattr(preprocessor, "grade", broken)
        assert not course.grade("failing")
    assert course.scores("failing") == ALL
    assert course.record("failing").exists()
    assert course.grade("failing")
    assert course.scores("failing") == NOTHING


def test_sandbox_that_fails_once(course: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    course.hand_in("lucky")
    real, left = grade, [SandboxFailed("once"), SandboxFailed("twice")]

    def sometimes(*args: Any, **kwargs: Any) -> object:
        if left:
            raise left.pop()
        return real(*args, **kwargs)

    closed, close = [], Sandbox.__exit__

    def closing(box: Sandbox, *error: Any) -> None:
        closed.append(box)
        close(box, *error)

    monkeypatch.setattr(preprocessor, "grade", sometimes)
    monkeypatch.setattr(Sandbox, "__exit__", closing)
    assert course.grade("lucky")
    assert course.scores("lucky") == ALL
    assert len(set(closed)) == 2, "each sandbox that failed is closed"


def test_grading_in_a_server_leaves_its_memory_alone(course: Class) -> None:
    course.hand_in("served")
    before = gc.get_freeze_count()
    assert course.grade("served")
    assert gc.get_freeze_count() == before


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
    monkeypatch.setattr(converters.Autograde, "start", converters.Autograde.start)
    change(monkeypatch)
    with (
        pytest.raises(GradingFailed, match="would run student code without a sandbox"),
        or_nothing_is_graded(),
    ):
        install()
    with pytest.raises(converters.NbGraderException, match="nothing is graded: nbgrader"):
        converters.Autograde().start()


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
    assert course.scores("empty") == NOTHING
    assert "not a notebook" in json.loads(course.record("empty").read_text())["remarks"][0]


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
