"""A lesson's own solution is tried in the sandbox when the lesson is built."""

from pathlib import Path

import pytest

from autograder.authoring.build.build import Built, build_lesson
from autograder.checks.source.cells import grade_id_of
from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.nbgrading.configuration import configuration
from autograder.nbgrading.try_solution import try_solution
from tests.support.small_course import LESSON, small_course


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return small_course(tmp_path)


@pytest.fixture
def built(course: Course) -> Built:
    return build_lesson(course, LESSON)


def test_right_solution_passes(course: Course, built: Built) -> None:
    assert tried(course, built) == ""


def test_wrong_solution_is_named_with_its_test(course: Course, built: Built) -> None:
    for cell in built.source.cells:
        if grade_id_of(cell) == "match":
            cell.source = "def match(one, other):\n    return 7.0"
    with pytest.raises(GradingFailed, match=rf"the solution in {LESSON} .*\(match_check: "):
        tried(course, built)


def test_cell_that_fails_is_named_for_the_name_that_it_does_not_define(
    course: Course, built: Built
) -> None:
    for cell in built.source.cells:
        if grade_id_of(cell) == "match":
            cell.source = "def match(one: npp.ndarray, other):\n    return 7.0"
    because = "because the cell of match ends in NameError: name 'npp' is not defined"
    with pytest.raises(GradingFailed, match=f"name 'match' is not defined, {because};?"):
        tried(course, built)


def test_without_a_sandbox_it_is_said(
    course: Course, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert f"The solution of {LESSON} was not tried: " in tried(course, built)


def tried(course: Course, built: Built) -> str:
    config = configuration(course, course.root)
    return try_solution(config, LESSON, built.source, course.source / LESSON)
