import math

import pytest
from nbformat.v4 import new_code_cell
from nbgrader.utils import compute_checksum

from autograder.checks.source.cells import (
    checksum,
    grade_id_of,
    has_role,
    is_answered,
    is_exam,
    is_test,
    points_of,
)
from tests.support.samples import make_cell

UNKNOWN = [
    new_code_cell("x = 1"),
    {},
    {"metadata": None},
    {"metadata": []},
    {"metadata": {"nbgrader": None}},
    {"metadata": {"nbgrader": "grade_id"}},
    {"metadata": {"nbgrader": {"grade_id": 3, "points": "many", "grade": None}}},
]


@pytest.mark.parametrize("cell", UNKNOWN)
def test_cell_that_nbgrader_does_not_know(cell: dict[str, object]) -> None:
    assert grade_id_of(cell) == ""
    assert points_of(cell) == 0
    assert not has_role(cell, "solution")
    assert not is_test(cell)


def test_what_is_written_in_code() -> None:
    cell = make_cell("code", "def f(): ...", "f", solution=True)
    assert grade_id_of(cell) == "f"
    assert has_role(cell, "solution")
    assert not is_test(cell)


def test_what_examines() -> None:
    cell = make_cell("code", "check(f)", "f_check", grade=True, points=3)
    assert is_test(cell)
    assert points_of(cell) == 3
    assert not is_exam(cell)


def test_what_draws_its_inputs() -> None:
    source = 'check = hidden_check("exams")\ncheck(f)'
    assert is_exam(make_cell("code", source, "f_check", grade=True, points=3))
    assert not is_exam(make_cell("code", source, "f", solution=True))


@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_what_is_written_and_graded_is_no_test(kind: str) -> None:
    cell = make_cell(kind, "…", "why", solution=True, grade=True, points=2)
    assert has_role(cell, "grade")
    assert not is_test(cell)


def test_text_is_no_test() -> None:
    assert not is_test(make_cell("markdown", "…", "why", grade=True, points=2))


# What JSON can hold where points belong, and is no number of points.
NO_POINTS = [
    10**400, -(10**400), math.inf, -math.inf, math.nan, -3, -0.5, True, False, None, "3", [3], {},
]  # fmt: skip


@pytest.mark.parametrize("points", NO_POINTS, ids=lambda points: str(points)[:9])
def test_what_can_be_no_points_is_none(points: object) -> None:
    """A student's file can say anything, and reading it never fails."""
    cell = make_cell("code", "x = 1", "f", solution=True, grade=True, points=1)
    cell.metadata["nbgrader"]["points"] = points
    assert points_of(cell) == 0
    assert checksum(cell)
    assert is_answered(cell)


@pytest.mark.parametrize("points", [0, 3, 0.5, 1e300])
def test_what_can_be_points_is_as_nbgrader_has_it(points: float) -> None:
    cell = make_cell("code", "x = 1", "f", solution=True, grade=True, points=1)
    cell.metadata["nbgrader"]["points"] = points
    assert points_of(cell) == points
    assert checksum(cell) == compute_checksum(cell)
