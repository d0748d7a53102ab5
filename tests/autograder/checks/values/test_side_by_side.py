"""Tables of two values: what is shown of them, and what never is."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from autograder.checks.values.compare import differences
from autograder.checks.values.comparison import Comparison, Row, Table, comparison_from
from autograder.checks.values.precision import TOLERANCES
from autograder.checks.values.side_by_side import Axes, comparisons, shapes

TOLERANCE = TOLERANCES["float64"]
WHOLE = np.arange(6.0).reshape(2, 3)


def compared(
    expected: object,
    received: object,
    axes: Axes | None = None,
    names: tuple[str, ...] = (),
    *,
    reveal: bool = True,
) -> tuple[Comparison, ...]:
    found = list(differences(expected, received, TOLERANCE, names))
    return comparisons(found, axes or {}, TOLERANCE, reveal=reveal)


def changed(array: np.ndarray, at: tuple[int, ...], by: float = 10.0) -> np.ndarray:
    made = array.copy()
    made[at] += by
    return made


def test_matrix_is_two_tables() -> None:
    (one,) = compared(WHOLE, changed(WHOLE, (1, 2)), {"": [("queries", "keys")]})
    heads, axes = ("0", "1", "2"), ("queries", "keys")
    first = Row("0", ("0", "1", "2"))
    assert one.tables == (
        Table("expected", heads, (first, Row("1", ("3", "4", "5"))), axes),
        Table("received", heads, (first, Row("1", ("3", "4", "15"), (2,))), axes),
    )
    assert (one.details, one.where, one.instead) == ((0,), "", False)


def test_vector_is_one_table() -> None:
    vector = np.array([0.5, 0.25])
    (one,) = compared(torch.tensor(vector), torch.tensor(changed(vector, (0,))))
    rows = (Row("expected", ("0.5000", "0.2500")), Row("received", ("10.5000", "0.2500"), (0,)))
    assert one.tables == (Table("", ("0", "1"), rows),)


def test_slice_with_the_largest_difference() -> None:
    heads = np.zeros((2, 3, 2, 2))
    wrong = changed(changed(heads, (0, 0, 0, 0), 1), (1, 2, 0, 1), -5)
    (one,) = compared(heads, wrong, {"": [("batch", "heads", "queries", "keys")]})
    assert one.where == "in [1, 2], that is, batch 1, head 2"
    assert one.tables[1].rows == (Row("0", ("0", "-5"), (1,)), Row("1", ("0", "0")))
    (unnamed,) = compared(heads, wrong)
    assert unnamed.where == "in [1, 2]"
    (counted,) = compared(heads, wrong, {"": [("batch", "num_kv_heads", "queries", "keys")]})
    assert counted.where == "in [1, 2], that is, batch 1, key/value head 2"
    (product,) = compared(heads, wrong, {"": [("num_queries", "h · n", "queries", "keys")]})
    assert product.where == "in [1, 2], that is, query 1, entry 2 along h · n"
    (partly,) = compared(heads, wrong, {"": [("...", "queries", "keys")]})
    assert (partly.where, partly.tables[0].axes) == ("in [1, 2]", ("queries", "keys"))


@pytest.mark.parametrize(
    ("place", "heads"),
    [(0, "0 1 2 3 4 …"), (10, "… 8 9 10 11 12 …"), (19, "… 15 16 17 18 19")],
)
def test_window_around_the_largest_difference(place: int, heads: str) -> None:
    wide = np.zeros((20, 20))
    (one,) = compared(wide, changed(wide, (place, place)))
    assert one.tables[0].columns == tuple(heads.split())
    assert [row.label for row in one.tables[1].rows] == heads.split()
    assert [row.wrong for row in one.tables[1].rows].count(()) == len(one.tables[1].rows) - 1


def test_zero_has_no_sign() -> None:
    (one,) = compared(np.array([-0.0, 0.5]), np.array([-0.0, 0.25]))
    assert [row.entries[0] for row in one.tables[0].rows] == ["0", "0"]


@pytest.mark.parametrize(
    ("expected", "received", "texts"),
    [
        (0.16, 0.16 + 1e-12, ("0.1600", "0.1600")),
        (0.1600482, 0.1600491, ("0.1600", "0.1600")),
        (0.160049, 0.16005001, ("0.1600", "0.1601")),
        (1.0, 1 - 1e-9, ("1.0000", "1.0000")),
        (0.0, -3e-17, ("0", "0")),
        (-0.41615, -0.4161468, ("-0.41615", "-0.41615")),
        (np.inf, np.inf, ("inf", "inf")),
    ],
)
def test_what_counts_as_right_is_shown_as_it_came_back(
    expected: float, received: float, texts: tuple[str, str]
) -> None:
    (found,) = compared(np.array([expected, 0.5]), np.array([received, 9.0]))
    assert tuple(row.entries[0] for row in found.tables[0].rows) == texts
    assert not any(0 in row.wrong for row in found.tables[0].rows)


def test_dust_beside_whole_numbers_is_not_shown() -> None:
    (found,) = compared(np.array([0.0, 1.0, 2.0]), np.array([3e-17, 1 - 1e-16, 5.0]))
    assert [row.entries for row in found.tables[0].rows] == [("0", "1", "2"), ("0", "1", "5")]


def test_near_numbers_have_digits_enough() -> None:
    (one,) = compared(np.array([0.5, 1.0]), np.array([0.50001, 1.0]))
    assert [row.entries[0] for row in one.tables[0].rows] == ["0.5", "0.50001"]


@pytest.mark.parametrize(
    ("expected", "received", "shown"),
    [
        ([1.0, 2.0], [np.nan, 2.0], "nan"),
        ([1.0, 2.0], [np.inf, 2.0], "inf"),
        ([-np.inf, 2.0], [-1e300, 2.0], "-1e+300"),
        ([True, False], [False, False], "False"),
        ([1, 2], [10**9, 2], "1000000000"),
    ],
)
def test_odd_numbers(expected: object, received: object, shown: str) -> None:
    (one,) = compared(np.array(expected), np.array(received))
    assert one.tables[0].rows[1] == Row("received", (shown, one.tables[0].rows[0].entries[1]), (0,))


@pytest.mark.parametrize(
    "received",
    [
        None, "text", 3, ..., np.array(3.0), np.array([]), np.array([{}, []], dtype=object),
        np.array([1j, 2.0]), np.array(["a", "b"]), [np.nan], {"a": 1}, np.ones((1,) * 30),
        np.zeros((0, 3)),
    ],
)  # fmt: skip
def test_nothing_raises(received: object) -> None:
    for expected in (np.ones(2), 3.0, {"a": 1.0, "b": 2.0}, np.array([]), (np.ones(2), 1.0)):
        for one in (*compared(expected, received), *compared(expected, received, reveal=False)):
            assert comparison_from(json.loads(json.dumps(asdict(one)))) == one


def test_shapes_side_by_side() -> None:
    (one,) = compared(np.ones((3, 3)), np.ones((3, 2)), {"": [("tokens", "d_in")]})
    rows = Row("expected (3, 3)", ("3", "3")), Row("received (3, 2)", ("3", "2"), (1,))
    assert one.tables == (Table("shape", ("tokens", "d_in"), rows),)
    assert one.instead


def test_shape_that_lacks_an_axis() -> None:
    found = list(differences((np.ones((4, 3)),), (np.ones(3),), TOLERANCE, ("scores",)))
    (one,) = shapes(found, {"scores": [("tokens", "d_in")]})
    rows = Row("expected (4, 3)", ("4", "3")), Row("received (3,)", ("–", "3"), (0,))
    assert one.tables == (Table("shape of scores", ("tokens", "d_in"), rows),)


def test_axes_are_counted_as_numpy_counts_those_of_both_shapes() -> None:
    """What is axis 1 of one is axis 0 of the other, and the last one of both."""
    (one,) = compared(np.ones(6), np.ones((6, 3)), {"": [("tokens",)]})
    assert one.tables[0].columns == ("axis -2", "axis -1")
    (one,) = compared(np.ones((2, 3)), np.ones((2, 4)))
    assert one.tables[0].columns == ("axis 0", "axis 1")


def test_shapes_alone_show_no_numbers() -> None:
    assert shapes(list(differences(WHOLE, WHOLE + 1, TOLERANCE)), {}) == ()


def test_numbers_by_their_names() -> None:
    right, wrong = {"a": 2, "b": [1.0, 4.0]}, {"a": 3, "b": [1.5, 4.0]}
    (one,) = compared(right, wrong)
    rows = Row("a", ("2", "3"), (1,)), Row("b[0]", ("1.0000", "1.5000"), (1,))
    assert one == Comparison((0, 1), (Table("", ("expected", "received"), rows),), instead=True)


def test_worksheet_keeps_its_numbers() -> None:
    right, wrong = {"a": [2.125, 3.5], "x": WHOLE}, {"a": [9.0, 8.0], "x": WHOLE + 1}
    (one,) = compared(right, wrong, reveal=False)
    assert one.tables == (
        Table("", ("received",), (Row("a[0]", ("9",), (0,)), Row("a[1]", ("8",), (0,)))),
    )


def test_many_are_cut_short() -> None:
    (one,) = compared({"a": [1.0] * 9}, {"a": [2.0] * 9})
    assert one.tables[0].rows[-1] == Row("and 3 more", ("…", "…"))
    parts = compared((WHOLE,) * 4, (WHOLE + 1,) * 4)
    assert [one.details for one in parts] == [(0,), (1,)]


def test_plain_text() -> None:
    (one,) = compared(WHOLE, changed(WHOLE, (1, 2)), {"": [("queries", "keys")]})
    assert one.lines() == [
        "expected (queries, keys)",
        "   0   1   2",
        "0  0   1   2",
        "1  3   4   5",
        "received (queries, keys)",
        "    0    1    2",
        "0   0    1    2",
        "1   3    4   15 ✗",
    ]
