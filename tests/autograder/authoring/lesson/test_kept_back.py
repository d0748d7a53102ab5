"""What is seen of a figure's description in the cell that draws it."""

import ast
from pathlib import Path

import pytest

from autograder.authoring.lesson.kept_back import kept_back
from autograder.authoring.lesson.lesson import Code, Lesson, Prose
from autograder.authoring.lesson.reading import read_lesson
from autograder.checks.described import keys_of
from tests.support.course import COURSE

IMPORT = "from autograder import check"
CELL = """bars(
    {"größe": [1.0]},
    alt="Two bars – the first "
    "is taller.",
)
heatmap(f(x, 1), alt="One map."); lines(y, alt="A line.", size=(1, 2))
orders(alt="Two."); first(alt="One, two.", size=(3, 4))
draw(alt=text)
print("alt=\\"no call\\"")"""
KEPT = """bars(
    {"größe": [1.0]},
)
heatmap(f(x, 1)); lines(y, size=(1, 2))
orders(); first(size=(3, 4))
draw(alt=text)
print("alt=\\"no call\\"")"""


def lesson(*sources: str) -> Lesson:
    return Lesson(Path("tiny.md"), (*(Code(1, one) for one in sources), Prose(9, 'alt="text"')))


def cells(read: Lesson) -> list[str]:
    return [block.source for block in read.blocks if isinstance(block, Code)]


def figures(cell: str, descriptions: dict[str, str]) -> dict[str, str]:
    """What is known of the figures of a cell, by the function that draws each."""
    found = keys_of(ast.parse(cell))
    return {ast.unparse(one.func): descriptions[key] for one, key in found if key in descriptions}


def test_descriptions_are_kept_back() -> None:
    read, descriptions = kept_back(lesson(IMPORT, CELL))
    assert cells(read) == [IMPORT, KEPT]
    assert read.blocks[-1] == Prose(9, 'alt="text"')
    assert figures(KEPT, descriptions) == {
        "bars": "Two bars – the first is taller.",
        "heatmap": "One map.",
        "lines": "A line.",
        "orders": "Two.",
        "first": "One, two.",
    }


def test_layout_and_comments_of_a_cell_make_no_difference() -> None:
    _, descriptions = kept_back(lesson(IMPORT, CELL))
    other = KEPT.replace("; ", "\n").replace("bars(\n    ", "# Mine.\nbars(")
    assert figures(other, descriptions) == figures(KEPT, descriptions)


def test_cell_that_does_something_else_has_no_descriptions() -> None:
    _, descriptions = kept_back(lesson(IMPORT, CELL))
    assert figures(KEPT.replace("[1.0]", "[2.0]"), descriptions) == {}
    assert figures("x = 2\n" + KEPT, descriptions) == {}


def test_lesson_that_uses_nothing_of_the_engine_stays_as_it_is() -> None:
    whole = lesson("from gallery import check", CELL)
    assert kept_back(whole) == (whole, {})


def test_equal_calls_of_two_cells_have_descriptions_of_their_own() -> None:
    first, second = 'x = 1\nheatmap(x, alt="One.")', 'x = 2\nheatmap(x, alt="Two.")'
    read, descriptions = kept_back(lesson(IMPORT, first, second))
    told = [figures(cell, descriptions) for cell in cells(read)[1:]]
    assert told == [{"heatmap": "One."}, {"heatmap": "Two."}]


@pytest.mark.parametrize("name", COURSE.lessons())
def test_no_lesson_of_the_course_shows_a_description(name: str) -> None:
    whole = read_lesson(COURSE.lesson_file(name))
    read, descriptions = kept_back(whole)
    written = "\n".join(cells(whole)).count("alt=")
    assert written == len(descriptions) + "\n".join(cells(read)).count("alt=") > 0
    assert "\n".join(cells(read)).count('alt="') == 0
