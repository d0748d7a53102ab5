"""By what a job is known again."""

import dataclasses
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import digest_of

CHANGES: dict[str, Any] = {
    "notebook": b"{}",
    "submission": b"",
    "files": {"data.txt": b"another"},
    "remarks": ("handed in late",),
    "course": Path("/elsewhere"),
    "lesson": Path("/elsewhere/source/tiny"),
    "code": "another",
    "engine": "another",
    "seed": 1,
    "exam_seed": 1,
    "beside": True,
}


def test_every_part_has_a_change() -> None:
    assert {field.name for field in dataclasses.fields(Job)} == {*CHANGES, "walls"}


@pytest.mark.long
@pytest.mark.parametrize("part", CHANGES)
def test_another_job_has_another_key(job_of: Callable[[], Job], part: str) -> None:
    job = job_of()
    assert dataclasses.replace(job, **{part: CHANGES[part]}).key != job.key


@pytest.mark.parametrize("part", ["isolation", "limits", "preload", "hidden"])
def test_other_walls_make_another_job(job_of: Callable[[], Job], part: str) -> None:
    job = job_of()
    other: Any = ("math",) if part in ("preload", "hidden") else "other"
    walls = dataclasses.replace(job.walls, **{part: other})
    assert dataclasses.replace(job, walls=walls).key != job.key


def test_other_settings_of_a_course_are_other_code(tmp_path: Path) -> None:
    """They decide what an answer earns, so what was graded before is not kept."""
    before = digest_of(tmp_path, tmp_path, ())
    (tmp_path / "course.toml").write_text("partial_credit = false")
    assert digest_of(tmp_path, tmp_path, ()) != before
    (tmp_path / "course.toml").write_text("late = {per_day = 0.1}")
    assert digest_of(tmp_path, tmp_path, ()) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "course.toml").write_text("partial_credit = false")
    assert digest_of(tmp_path, tmp_path, ()) != before


def test_the_same_job_has_the_same_key(job_of: Callable[[], Job]) -> None:
    assert job_of().key == job_of().key == pickle.loads(pickle.dumps(job_of())).key
