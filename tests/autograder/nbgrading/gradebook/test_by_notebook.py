"""Rows that are asked for together are those that nbgrader finds one by one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import event
from traitlets.config import Config

from autograder.nbgrading.gradebook.by_notebook import ByNotebook
from autograder.nbgrading.gradebook.transaction import at_once, opened, transaction
from tests.support.gradebooks import CELLS, add_lessons, gradebook_in, hand_in

# nbgrader's own use of SQLAlchemy.
pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

LESSON = "week1"
OF_LESSON = (LESSON, LESSON)
OF_ADA = (LESSON, LESSON, "ada")
TASK = "draw"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        gradebook.add_task_cell(TASK, *OF_LESSON, max_score=5, cell_type="markdown")
        for name in (*CELLS, TASK):
            gradebook.add_source_cell(name, *OF_LESSON, cell_type="code", source=f"of {name}")
        for student in ("ada", "bob"):
            gradebook.add_student(student)
            hand_in(gradebook, LESSON, student, scale=4, mix=1, why=None)
    return tmp_path


def address(root: Path) -> str:
    return f"sqlite:///{root / 'gradebook.db'}"


@contextmanager
def both(root: Path) -> Iterator[tuple[Gradebook, ByNotebook]]:
    usual = Gradebook(address(root), "course")
    with usual, ByNotebook(address(root), "course") as ours:
        yield usual, ours


def found(gradebook: Gradebook, method: str, *names: str) -> Any:
    try:
        row = getattr(gradebook, method)(*names)
    except MissingEntry as missing:
        return str(missing)
    return type(row).__name__, row.id


@pytest.mark.parametrize(
    ("method", "where"),
    [
        ("find_source_cell", OF_LESSON),
        ("find_graded_cell", OF_LESSON),
        ("find_grade", OF_ADA),
        ("find_comment", OF_ADA),
    ],
)
def test_same_as_one_by_one(root: Path, method: str, where: tuple[str, ...]) -> None:
    with both(root) as (usual, ours):
        for name in (*CELLS, "scale", TASK, "nothing"):
            assert found(ours, method, name, *where) == found(usual, method, name, *where)
        nobody = (*where[:-1], "nobody")
        assert found(ours, method, "why", *nobody) == found(usual, method, "why", *nobody)


def test_cells_are_asked_for_together(root: Path) -> None:
    asked: list[str] = []
    with ByNotebook(address(root), "course") as ours:
        ours.find_grade("why", *OF_ADA)

        def note(*event: Any) -> None:
            asked.append(event[2])

        event.listen(ours.engine, "before_cursor_execute", note)
        grades = [ours.find_grade(name, *OF_ADA) for name in (*CELLS, TASK)]
        assert [grade.max_score for grade in grades] == [*CELLS.values(), 5]
        event.remove(ours.engine, "before_cursor_execute", note)
    assert not asked


def test_what_is_deleted_is_not_found(root: Path) -> None:
    with ByNotebook(address(root), "course") as ours:
        assert ours.find_source_cell("why", *OF_LESSON).source == "of why"
        ours.db.delete(ours.find_source_cell("why", *OF_LESSON))
        ours.db.commit()
        with pytest.raises(MissingEntry):
            ours.find_source_cell("why", *OF_LESSON)
        ours.add_source_cell("why", *OF_LESSON, cell_type="code", source="anew")
        assert ours.find_source_cell("why", *OF_LESSON).source == "anew"


def test_gradebook_that_was_removed_is_made_anew(root: Path) -> None:
    with ByNotebook(address(root), "course") as ours:
        assert ours.find_student("ada")
    (root / "gradebook.db").unlink()
    with closing(sqlite3.connect(root / "gradebook.db")) as database:
        # With it, nbgrader need not ask a program for its number, which takes seconds.
        database.execute("create table alembic_version (version_num varchar(32))")
    with ByNotebook(address(root), "course") as ours:
        assert ours.students == []
        assert ours.add_student("eve").id == "eve"


def test_sums_follow_what_is_written_at_once(root: Path) -> None:
    config = Config({"CourseDirectory": {"root": str(root), "course_id": "course"}})
    directories = CourseDirectory(config=config)
    with transaction(directories) as gradebook:
        submission = gradebook.find_submission(LESSON, "ada")
        before = submission.score
        with at_once():
            for name in ("scale_check", "mix_check"):
                opened(directories.db_url).find_grade(name, *OF_ADA).auto_score = 0.5
                gradebook.db.commit()
        assert (before, submission.score) == (5.0, 1.0)
        with Gradebook(address(root), "course") as others:
            assert others.find_submission(LESSON, "ada").score == before
        gradebook.keep()
    with Gradebook(address(root), "course") as others:
        assert others.find_submission(LESSON, "ada").score == 1.0
        assert others.find_submission(LESSON, "bob").score == before
