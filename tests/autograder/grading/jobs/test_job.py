"""By what a job is known again."""

import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.grading.jobs import own_code
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import digest_of, engine_digest

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
    lesson = tmp_path / "source" / "tiny"
    before = digest_of(tmp_path, lesson, ())
    (tmp_path / "course.toml").write_text("partial_credit = false")
    assert digest_of(tmp_path, lesson, ()) != before
    (tmp_path / "course.toml").write_text("late = {per_day = 0.1}")
    assert digest_of(tmp_path, lesson, ()) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "course.toml").write_text("partial_credit = false")
    assert digest_of(tmp_path, lesson, ()) != before


def test_only_what_a_lesson_imports_is_its_code(tmp_path: Path) -> None:
    """An exam of another lesson can be mended while this one's grades stay as they are."""

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    lesson = tmp_path / "source" / "tiny"
    for package in ("solutions", "solutions/exams"):
        write(f"{package}/__init__.py", "")
    write("solutions/tiny.py", "def double(x):\n    return 2 * x\n")
    write("solutions/exams/shared.py", "NUMBER = 2\n")
    write("solutions/exams/tiny.py", "from solutions.exams.shared import NUMBER\n")
    write("solutions/exams/other.py", "NUMBER = 1\n")
    imports = ["check = hidden_check(\n", '"solutions.exams.tiny")\n']
    write("source/tiny/tiny.ipynb", json.dumps({"cells": [{"source": imports}]}))
    write("source/tiny/stray.ipynb", "no notebook")
    before = digest_of(tmp_path, lesson, ())
    write("solutions/exams/other.py", "NUMBER = 22\n")
    assert digest_of(tmp_path, lesson, ()) == before
    write("solutions/exams/shared.py", "NUMBER = 3\n")
    assert digest_of(tmp_path, lesson, ()) != before
    for name in ("solutions/__init__.py", "solutions/exams/__init__.py", "solutions/numbers.csv"):
        before = digest_of(tmp_path, lesson, ())
        write(name, "NUMBER = 4\n")
        assert digest_of(tmp_path, lesson, ()) != before, name
    before = digest_of(tmp_path, lesson, ())
    write("solutions/exams/proofs.json", "{}")
    assert digest_of(tmp_path, lesson, ()) == before
    # What is imported by a name that is made is not known before it runs.
    write("solutions/exams/shared.py", "from importlib import import_module\n")
    before = digest_of(tmp_path, lesson, ())
    write("solutions/tiny.py", "def double(x):\n    return 3 * x\n")
    assert digest_of(tmp_path, lesson, ()) != before
    write("solutions/exams/shared.py", "NUMBER = 3\n")
    for made in ('f"solutions.exams.{one}"', '"solutions.exams." + one', '"solutions.%s" % one'):
        write("source/tiny/tiny.ipynb", json.dumps({"cells": [{"source": [made]}]}))
        before = digest_of(tmp_path, lesson, ())
        write("solutions/exams/other.py", f"NUMBER = {len(made)}{len(before)}\n" + made)
        assert digest_of(tmp_path, lesson, ()) != before, made


def test_the_same_job_has_the_same_key(job_of: Callable[[], Job]) -> None:
    assert job_of().key == job_of().key == pickle.loads(pickle.dumps(job_of())).key


def test_another_python_is_another_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random numbers, messages and what is allowed at all may differ from one to the next."""
    here, another = engine_digest(), SimpleNamespace(major=3, minor=99)
    engine_digest.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(own_code, "sys", SimpleNamespace(version_info=another))
        assert engine_digest() != here
    engine_digest.cache_clear()
    assert engine_digest() == here
