"""Generate for a lesson that students have handed in: whatever happens, nothing is lost."""

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import ComputeChecksums

from autograder.course import Course
from autograder.nbgrading.all_or_nothing import MAKING
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.generate import KeepGrades
from autograder.nbgrading.grade_class import reason_of
from autograder.nbgrading.gradebook.transaction import WaitingGradebook
from tests.support.course import ROOT
from tests.support.samples import FRONT_MATTER, make_cell
from tests.support.tiny_course import LESSON, grade_id_of, tiny_course

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

POINTS = {"double_check": 2.0, "fourfold_check": 3.0, "why": 1.0}


class Lesson:
    """A lesson that ada has a score in, entered as a grading enters it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = tiny_course(root)
        self.source = root / "source" / LESSON / f"{LESSON}.ipynb"
        self.release = root / "notebooks" / LESSON
        with self.api.gradebook as gradebook:
            gradebook.add_student("ada")
            gradebook.add_submission(LESSON, "ada")
            for name, points in POINTS.items():
                grade = gradebook.find_grade(name, LESSON, LESSON, "ada")
                grade.manual_score = points if name == "why" else None
                grade.auto_score = None if name == "why" else points
            gradebook.db.commit()

    @property
    def api(self) -> NbGraderAPI:
        return nbgrader_api(self.config)

    def change(self, edit: Callable[[Any], None]) -> None:
        notebook = nbformat.read(self.source, as_version=4)
        edit(notebook)
        nbformat.write(notebook, self.source)

    def generate(self) -> str:
        """What formgrader's button does; what failed, or nothing."""
        outcome = self.api.generate_assignment(LESSON)
        return "" if outcome["success"] else reason_of(outcome)

    def scores(self) -> dict[str, float | None]:
        with self.api.gradebook as gradebook:
            (notebook,) = gradebook.find_submission(LESSON, "ada").notebooks
            return {grade.name: grade.score for grade in notebook.grades}

    def state(self) -> tuple[dict[str, bytes], list[str]]:
        files = {path.name: path.read_bytes() for path in sorted(self.release.iterdir())}
        with sqlite3.connect(self.root / "gradebook.db") as database:
            return files, list(database.iterdump())


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Lesson(tmp_path_factory.mktemp("generated") / "course").root


@pytest.fixture
def lesson(generated: Path, tmp_path: Path) -> Lesson:
    lesson = object.__new__(Lesson)
    lesson.root = shutil.copytree(generated, tmp_path / "course")
    lesson.config = configuration(Course(ROOT), lesson.root)
    lesson.config.GradeSafely.preload = ["numpy"]
    lesson.config.TrySolution.enabled = False
    lesson.source = lesson.root / "source" / LESSON / f"{LESSON}.ipynb"
    lesson.release = lesson.root / "notebooks" / LESSON
    return lesson


def add(notebook: Any) -> None:
    task = make_cell("markdown", "Do as you like.", "project")
    task.metadata.nbgrader.update(task=True, points=5)
    notebook.cells += [
        make_cell("code", "### BEGIN SOLUTION\npass\n### END SOLUTION", "triple", solution=True),
        make_cell("code", "assert triple(3) == 9", "triple_check", grade=True, points=4),
        task,
    ]


def solve(notebook: Any) -> None:
    (answer,) = (cell for cell in notebook.cells if grade_id_of(cell) == "triple")
    answer.source = "### BEGIN SOLUTION\ndef triple(x): return 3 * x\n### END SOLUTION"


def drop(notebook: Any) -> None:
    notebook.cells = [cell for cell in notebook.cells if "fourfold" not in cell.source]


def unclosed(notebook: Any) -> None:
    notebook.cells[2].source = "### BEGIN HIDDEN TESTS\nassert double(3) == 6"


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def locked(*_: Any, **__: Any) -> None:
    from sqlalchemy.exc import OperationalError

    raise OperationalError("commit", {}, sqlite3.OperationalError("database is locked"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (None, "no end"),
        ((ComputeChecksums, "preprocess_cell", full), "the disk is full"),
        ((shutil, "copy", full), "the disk is full"),
        ((WaitingGradebook, "keep", locked), "another program is writing to the gradebook"),
        ((KeepGrades, "preprocess", locked), "another program is writing to the gradebook"),
    ],
)
def test_failure_leaves_the_old_one(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch, broken: Any, said: str
) -> None:
    before = lesson.state()
    lesson.change(add)
    if broken is None:
        lesson.change(unclosed)
    with monkeypatch.context() as patched:
        if broken is not None:
            patched.setattr(*broken)
        assert said in lesson.generate() or broken is None
    assert lesson.state() == before
    assert not (lesson.root / "notebooks" / MAKING).exists()


@pytest.mark.long
def test_gradebook_knows_when_a_lesson_is_due(tmp_path: Path) -> None:
    """At once, and not only when somebody has been graded."""
    lesson = Lesson(tmp_path)
    lesson.config.Deadlines.due = {LESSON: "2030-01-01 00:00:00"}
    assert not lesson.generate()
    with lesson.api.gradebook as gradebook:
        assert str(gradebook.find_assignment(LESSON).duedate) == "2030-01-01 00:00:00"


def test_new_exercise(lesson: Lesson) -> None:
    lesson.change(add)
    assert lesson.generate() == ""
    assert lesson.scores() == {**POINTS, "triple_check": 0, "project": 0}
    with lesson.api.gradebook as gradebook:
        submission = gradebook.find_submission(LESSON, "ada")
        assert (submission.score, submission.max_score) == (6, 15)
        commented = {comment.name for comment in submission.notebooks[0].comments}
        assert commented == {"double", "fourfold", "why", "triple", "project"}
    assert "triple_check" in (lesson.release / f"{LESSON}.ipynb").read_text()
    assert not (lesson.root / "notebooks" / MAKING).exists()


def test_points_are_taken_only_if_asked_for(lesson: Lesson) -> None:
    lesson.change(drop)
    before = lesson.state()
    said = lesson.generate()
    assert "fourfold_check is gone from tiny, and ada earned 3 points in it" in said
    assert "--KeepGrades.drop=True" in said
    assert lesson.state() == before
    lesson.config.KeepGrades.drop = True
    assert lesson.generate() == ""
    assert lesson.scores() == {"double_check": 2, "why": 1}


def test_exercise_in_which_nobody_earned_anything_may_go(lesson: Lesson) -> None:
    with lesson.api.gradebook as gradebook:
        gradebook.find_grade("fourfold_check", LESSON, LESSON, "ada").auto_score = 0
        gradebook.db.commit()
    lesson.change(drop)
    assert lesson.generate() == ""
    assert lesson.scores() == {"double_check": 2, "why": 1}


def test_other_points(lesson: Lesson) -> None:
    def change(notebook: Any) -> None:
        notebook.cells[2].metadata.nbgrader.points = 7

    lesson.change(change)
    assert lesson.generate() == ""
    assert lesson.scores() == POINTS
    with lesson.api.gradebook as gradebook:
        assert gradebook.find_submission(LESSON, "ada").max_score == 11


def test_what_is_there_stays_without_force(lesson: Lesson) -> None:
    before = lesson.state()
    lesson.change(add)
    assert lesson.api.generate_assignment(LESSON, force=False)["success"]
    assert lesson.state() == before


def test_how_a_name_begins_is_enough(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("")
    (tmp_path / "source").mkdir()
    for name in ("01_first", "01b_second"):
        (tmp_path / "source" / f"{name}.md").write_text(f"{FRONT_MATTER}# A lesson\n")
    api = nbgrader_api(configuration(Course(ROOT), tmp_path))
    assert "solutions/first.py is missing" in reason_of(api.generate_assignment("01"))
    said = reason_of(api.generate_assignment("02"))
    assert "no lesson is called '02': there are 01_first, 01b_second" in said


@pytest.mark.long
def test_gradebook_learns_of_what_is_there(lesson: Lesson) -> None:
    """A clone brings the students' notebooks, and no gradebook."""
    (lesson.root / "gradebook.db").unlink()
    assert lesson.api.generate_assignment(LESSON, force=False)["success"]
    with lesson.api.gradebook as gradebook:
        assert gradebook.find_assignment(LESSON).max_score == sum(POINTS.values())


def test_solution_that_does_not_pass_is_said(lesson: Lesson) -> None:
    lesson.config.TrySolution.enabled = True
    lesson.change(add)
    before = lesson.state()
    said = lesson.generate()
    assert "the solution in tiny does not pass its own tests here (triple_check: name" in said
    assert "the tag `beside`" in said
    assert lesson.state() == before
    lesson.change(solve)
    assert lesson.generate() == ""
