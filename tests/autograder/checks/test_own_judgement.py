"""The points of a good answer in words: written by an author, ticked by a learner, read again."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.checks.own_judgement import (
    Point,
    Ticks,
    cell_to_tick,
    exercise_of,
    list_of,
    read_points,
    ticks_in,
)

TEXT = "- 1 point: it says rows\n- 2 points: it says that\n  they sum to 1"
POINTS = (Point(1, "it says rows"), Point(2, "it says that they sum to 1"))


def test_points_are_read() -> None:
    assert read_points(TEXT) == POINTS
    assert read_points(TEXT.replace("\n-", "\n\n-")) == POINTS
    assert list_of(POINTS) == TEXT.replace("\n  ", " ")


@pytest.mark.parametrize(
    "text",
    [
        "words",
        "- 1: rows",
        "- half a point: rows",
        "- 1 point:",
        f"{TEXT}\nwords",
        f"words\n{TEXT}",
    ],
)
def test_what_is_no_point_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has a line that is no point"):
        read_points(text)


def test_nothing_is_ticked_at_first() -> None:
    cell = cell_to_tick("why", POINTS)
    assert exercise_of(cell) == "why"
    assert ticks_in(cell) == Ticks(0, 2, 0)
    assert "nbgrader" not in cell.metadata


@pytest.mark.parametrize("tick", ["[x]", "[X]", "[ x]", "[x ]", "[✓]", "[ok]"])
def test_ticks_are_read(tick: str) -> None:
    cell = cell_to_tick("why", POINTS)
    cell.source = cell.source.replace("[ ] **2", f"{tick} **2")
    assert ticks_in(cell) == Ticks(1, 2, 2)
    cell.source = cell.source.replace("[ ] **1", f"{tick} **1").replace("\n- ", "\n  * ")
    assert ticks_in(cell) == Ticks(2, 2, 3)


@pytest.mark.parametrize("text", ["- [] **1 point:** a", "- [  ] 1 point: a", "- x **1 point:** a"])
def test_what_is_no_tick(text: str) -> None:
    assert ticks_in(new_markdown_cell(text)).ticked == 0


@pytest.mark.parametrize(
    "cell",
    [
        {},
        new_code_cell("x"),
        {"metadata": None},
        {"metadata": {"autograder": "why"}},
        {"metadata": {"autograder": {"points_of": ["why"]}}},
    ],
)
def test_other_cells_have_no_points(cell: dict[str, object]) -> None:
    assert exercise_of(cell) == ""
    assert ticks_in(cell) == Ticks(0, 0, 0)
