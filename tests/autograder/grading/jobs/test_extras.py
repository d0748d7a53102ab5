"""What only some lessons need is known when they are graded again."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.grading.jobs.extras import load_known, noted
from autograder.grading.jobs.job import Job
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox

JobOf = Callable[[], Job]


@pytest.fixture
def job(job_of: JobOf, tmp_path: Path) -> Job:
    """A job of a course of which nothing is kept."""
    return dataclasses.replace(job_of(), course=tmp_path)


@pytest.mark.long
def test_what_a_lesson_came_to_need_is_loaded_before_the_next_grading(job: Job) -> None:
    with Sandbox(Limits(), preload=("math",)) as first:
        load_known(job, first)
        assert not first.has_extras
        with noted(job, first):
            first.load_extras()
    other = dataclasses.replace(job, notebook=b"{}")
    with Sandbox(Limits(), preload=("math",)) as second:
        load_known(other, second)
        assert not second.has_extras
        load_known(job, second)
        assert second.has_extras


def test_a_lesson_that_came_after_one_that_needed_them_is_not_taken_to_need_them(job: Job) -> None:
    with Sandbox(Limits(), preload=("math",)) as sandbox:
        sandbox.load_extras()
        with noted(job, sandbox):
            sandbox.load_extras()
    with Sandbox(Limits(), preload=("math",)) as sandbox:
        load_known(job, sandbox)
        assert not sandbox.has_extras


def test_a_course_in_which_nothing_can_be_written_is_graded_all_the_same(job: Job) -> None:
    (job.course / "cache").write_text("not a folder")
    with Sandbox(Limits(), preload=("math",)) as sandbox, noted(job, sandbox):
        sandbox.load_extras()
    assert (job.course / "cache").is_file()
