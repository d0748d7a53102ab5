"""What the one reader of cells makes of a text, for all who ask."""

import ast

import nbformat
import pytest

from autograder.checks.source.cell_code import (
    MOST_CHARACTERS,
    TooMuch,
    has_magics,
    parsed,
    read,
    statements_of,
)
from autograder.checks.source.written import Written
from tests.support.course import COURSE


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("x = 1\n%time y = 2", "x = 1\ny = 2"),
        ("%%time\nx = 1", "x = 1"),
        ("\n\n%%capture out\n%%time\nx = 1", "x = 1"),
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if a:\n    %time x = 1", "if a:\n    x = 1"),
        ("%%bash\nls", ""),
        ("%%timeit\nx = 1", ""),
    ],
)
def test_python_of_a_cell(source: str, python: str) -> None:
    assert ast.unparse(parsed(source)) == python
    assert has_magics(source)


@pytest.mark.parametrize("source", ["x = ", "x" * (MOST_CHARACTERS + 1), "%a\n" * 31, "(" * 5000])
def test_what_can_not_be_read(source: str) -> None:
    assert statements_of(source) == []
    with pytest.raises(SyntaxError):
        read(source)
    (statement,) = Written([("exercise", source)]).statements if len(source) < 9 else [None]
    assert statement is None or statement.tree is None


def test_too_much_may_hold_anything() -> None:
    with pytest.raises(TooMuch):
        read("x = 1\n" * MOST_CHARACTERS)
    assert has_magics("x = 1\n" * MOST_CHARACTERS)
    assert not has_magics("this is no Python")


def test_lines_are_those_of_the_cell() -> None:
    found = read("\n\n%%time\nx = 1\n%time y = 2")
    assert [one.lineno + found.skipped for one in found.body] == [4, 5]


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_all_who_read_a_lesson_read_the_same(lesson: str) -> None:
    """Those who look for what breaks a rule, and those who look for what a name needs."""
    path = COURSE.source / lesson / f"{lesson}.ipynb"
    if not path.exists():
        pytest.skip("the instructor's notebooks are made by a build")
    cells = [one.source for one in nbformat.read(path, as_version=4).cells]
    for source in (one for one in cells if one.strip()):
        own = [ast.dump(one) for one in statements_of(source)]
        rules = [ast.dump(one.tree) for one in Written([("", source)]).statements if one.tree]
        if not has_magics(source):
            assert own == rules
