"""Each family of small changes finds the mistakes that it is there for."""

import ast
from math import inf

import pytest

from autograder.checks.locate.families.arithmetic import RARER
from autograder.checks.locate.families.change import Scope
from autograder.checks.locate.families.statements import FAMILIES as STATEMENTS
from autograder.checks.locate.seen import watching
from tests.support.samples import places_in

TWO_SIZES = """\
def mean_of_rows(x):
    sums, sizes = x, np.ones_like(x)
    sums = sums.sum(axis=1)
    return sums / sizes
"""
WIDTH_FORGOTTEN = """\
def mean_of_rows(x):
    width = x.shape[1]
    return x @ np.ones(len(x.T))
"""
TIE = """\
def mean_of_rows(x):
    width = x.shape[1]
    sums = x @ np.ones(len(x.T))
    means = sums
    return means
"""
TWO_DROPPED = """\
def mean_of_rows(x):
    half, one = x / x.shape[1], np.ones(x.shape[1])
    nothing = np.zeros(len(x))
    return nothing
"""
TURNED = """\
def mean_of_rows(x):
    columns = x.T.reshape(x.shape[1], len(x))
    return np.array([sum(row) / len(row) for row in columns])
"""
LISTED = "def mean_of_rows(x):\n    return [row.mean() for row in x]\n"
WEIGHTS_UNUSED = """\
def mean_of_rows(x):
    import torch

    rows = torch.from_numpy(x)
    alike = torch.zeros(x.shape[1], dtype=torch.float64)
    return rows.numpy()
"""
TYPED = """\
def mean_of_rows(x):
    means = np.arange(len(x))
    for i, row in enumerate(x):
        means[i] = row.mean()
    return means
"""
POWER = "def mean_of_rows(x):\n    return x.sum(axis=1) * 10 ** -np.log10(x.shape[1])\n"

ROOT = """\
def mean_of_rows(x):
    return x.sum(axis=1) / (x.shape[1] * x.shape[1]) ** 1 / 2
"""
SCALED = "def mean_of_rows(x):\n    return x.mean(axis=1) * x.shape[1] ** 0.5\n"
NOTHING = "def mean_of_rows(x):\n    x.mean(axis=1)\n"
NOTHING_BY_SIGN = "def mean_of_rows(x):\n    x.sum(axis=1) / x.shape[1]\n"
KEPT = "def mean_of_rows(x):\n    return np.average(x, axis=1, keepdims=True)\n"


@pytest.mark.parametrize(
    ("text", "line", "about"),
    [
        (ROOT, 2, "brackets"),
        (WIDTH_FORGOTTEN, 3, "a missing step"),
        (TIE, 5, "a missing step"),
        (TWO_DROPPED, 4, "a missing step"),
        (WEIGHTS_UNUSED, 6, "a missing step"),
        (TYPED, 2, "an argument"),
        (TURNED, 2, "a transpose"),
        (LISTED, 2, "a missing step"),
        (POWER.replace("10 **", "0 **"), 2, "a number"),
        (POWER.replace("10 **", "10 *"), 2, "an operator"),
        (SCALED, 2, "a factor"),
        (KEPT, 2, "a Boolean (True or False)"),
        (NOTHING, 2, "a missing `return`"),
        (NOTHING_BY_SIGN, 2, "a missing `return`"),
    ],
)
def test_first_place_is_that_of_the_mistake(text: str, line: int, about: str) -> None:
    first, *_ = places_in(text)
    assert (first.line, first.place().about) == (line, about)


def test_a_line_is_missing_for_something_else() -> None:
    assert (3, "a missing line") in [(one.line, one.place().about) for one in places_in(TWO_SIZES)]


def negations_of(text: str) -> list[str]:
    node = ast.parse(text, mode="eval").body
    (family,) = RARER
    return [ast.unparse(change) for change in family.changes(node, Scope(("a", "b"), (), {}))]


@pytest.mark.parametrize("number", ["a[0] * b[0]", "a[0]", "a - b", "abs(a)", "a.sum()"])
def test_not_is_not_tried_before_a_number(number: str) -> None:
    assert not [change for change in negations_of(number) if change.startswith("not ")]


@pytest.mark.parametrize("test", ["a", "a < b", "a and b", "a & b", "a.all()", "isinstance(a, b)"])
def test_not_is_tried_before_a_test(test: str) -> None:
    assert [change for change in negations_of(test) if change.startswith("not ")]


@pytest.mark.parametrize(
    ("line", "raised"), [("return ValueError('no')", "raise ValueError('no')"), ("return a", None)]
)
def test_an_error_that_is_returned_is_raised(line: str, raised: str | None) -> None:
    body, (*_, family) = ast.parse(line).body, STATEMENTS
    changed = [ast.unparse(block[0]) for _, block in family.changes(body, 0, Scope(("a",), (), {}))]
    assert changed == ([raised] if raised else [])


def test_what_ran_in_right_examples_alone_is_not_looked_at() -> None:
    text = """\
def mean_of_rows(x):
    if len(x) == 2:
        return x.sum(axis=1) / 3
    return x.sum(axis=0) / 3
"""
    assert [one.line for one in places_in(text)] == []
    assert [one.line for one in places_in(text.replace("axis=0) / 3", "axis=1) / 3"))] == [4]


def test_only_so_many_lines_are_noted() -> None:
    def short() -> None:
        pass

    def long() -> int:
        total = 0
        for number in range(30_000):
            total += number
        return total

    with watching(__file__, {}, inf) as ran:
        short()
    first = short.__code__.co_firstlineno
    assert ran.any_of(first, first + 1)
    assert not ran.any_of(1, first - 1)
    with watching(__file__, {}, inf) as ran:
        assert long() == sum(range(30_000))
    assert ran.any_of(1, 1)
