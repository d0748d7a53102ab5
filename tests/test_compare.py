import math

import numpy as np
import pytest

from autograder.compare import TOLERANCES, Tolerance, describe, differences, identical

TIGHT = TOLERANCES["float64"]
ZEROS = np.zeros((2, 3))


class Agreeable(np.ndarray):
    """An array that says yes to whatever it is compared with."""

    def __array_function__(self, func, types, args, kwargs):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return True


def found(expected, received, *, names=(), tolerance=TIGHT) -> list[tuple[str, str]]:
    return [(d.part, d.text) for d in differences(expected, received, tolerance, names)]


def text(expected, received, *, tolerance=TIGHT) -> str:
    ((part, sentence),) = found(expected, received, tolerance=tolerance)
    assert part == ""
    return sentence


@pytest.mark.parametrize(
    ("expected", "received"),
    [
        (3, 3.0),
        (3, np.int64(3)),
        (0.5, np.float32(0.5)),
        (0.5, np.array(0.5)),
        (np.array(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (0.1, 0.1 + 1e-10),
        (math.inf, math.inf),
        (math.nan, math.nan),
        (True, np.True_),
        (False, False),
        (None, None),
        ("dot", "dot"),
        (np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)),
        (np.array([True, False]), np.array([True, False])),
        (np.array([-np.inf, np.nan, 1.0]), np.array([-np.inf, np.nan, 1.0])),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        ((1.0, ZEROS), (1.0, ZEROS)),
        ({"a": [1.0, 2.0], "b": 3}, {"b": 3, "a": [1.0, 2.0]}),
        ([0.25, 0.5], np.array([0.25, 0.5])),
        ([0.25, 0.5], (0.25, 0.5)),
    ],
)
def test_agreement(expected, received):
    assert found(expected, received) == []


@pytest.mark.parametrize("received", [True, False, np.True_, np.array(True)])
def test_bool_is_no_number(received):
    assert text(1, received).startswith("expected a number, received ")


@pytest.mark.parametrize("received", [1, 1.0, np.int64(1), "True", None, np.array([True])])
def test_number_is_no_bool(received):
    assert text(True, received).startswith("expected True or False, received ")


def test_other_truth():
    assert text(True, np.False_) == "expected True, received False"


@pytest.mark.parametrize(
    ("received", "described"),
    [
        (np.zeros(1), "an array of shape (1,)"),
        ([1.0], "a list of 1"),
        ("1", "a str"),
        (1j, "a complex"),
        (None, "nothing (None): is there a return at the end?"),
    ],
)
def test_not_a_number(received, described):
    assert text(1.0, received) == f"expected a number, received {described}"


@pytest.mark.parametrize(
    ("received", "described"),
    [
        ([[0.0] * 3] * 2, "a list of 2"),
        (((0.0,) * 3,) * 2, "a tuple of 2"),
        (0.0, "a number"),
        ({}, "a dict"),
        (None, "nothing (None): is there a return at the end?"),
    ],
)
def test_not_an_array(received, described):
    assert text(ZEROS, received) == f"expected an array of shape (2, 3), received {described}"


def test_subclass_is_no_array():
    assert found(ZEROS, ZEROS.view(Agreeable))
    assert found(ZEROS, np.ma.array(ZEROS, mask=True))


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 3, 1), (1, 2, 3)])
def test_shape_comes_first(shape):
    received = np.ones(shape, dtype="float32")
    assert text(ZEROS, received) == f"expected shape (2, 3), received {shape}"


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex128", "object"])
def test_dtype_before_values(dtype):
    received = np.ones((2, 3), dtype=dtype)
    assert text(ZEROS, received) == f"expected numbers of type float64, received {dtype}"


def test_largest_difference():
    received = np.array([[0.0, 0.1, 0.0], [0.3, 0.0, -0.25]])
    assert text(ZEROS, received) == (
        "largest difference 0.3000 at [1, 0]: expected 0, received 0.3000"
    )


def test_largest_that_matters():
    expected, received = np.array([1e6, 0.0]), np.array([1e6 + 0.05, 0.01])
    assert "0.0100 at [1]" in text(expected, received)


def test_whole_numbers_differ():
    assert "at [2]: expected 2.0000, received 7.0000" in text(np.arange(3), np.array([0, 1, 7]))


def test_infinite_difference():
    received = np.array([[0.0, 0.5, 0.0], [0.0, np.inf, 0.0]])
    assert text(ZEROS, received).startswith("largest difference inf at [1, 1]")


def test_infinities_that_agree():
    expected, received = np.array([-np.inf, 1.0, np.inf]), np.array([-np.inf, 1.5, np.inf])
    assert text(expected, received).startswith("largest difference 0.5000 at [1]")


def test_nan_sentence():
    received = np.array([[0.0, 0.0, np.nan], [9.0, np.nan, 0.0]])
    assert text(ZEROS, received) == "2 of 6 numbers are NaN, the first at [0, 2]"


def test_nan_where_it_should_not():
    sentence = text(np.array([np.nan, 1.0, 2.0]), np.array([np.nan, 1.0, np.nan]))
    assert sentence.endswith("the first at [2]")


def test_number_in_place_of_nan():
    assert "at [1]: expected nan, received 1.0000" in text(np.array([1.0, np.nan]), np.ones(2))


@pytest.mark.parametrize(
    ("expected", "received", "sentence"),
    [
        (0.5, 0.75, "expected 0.5000, received 0.7500"),
        (2e-7, 5e-7, "expected 2e-07, received 5e-07"),
        (123456.0, -1.0, "expected 1.235e+05, received -1.0000"),
        (1.0, math.nan, "expected 1.0000, received nan"),
    ],
)
def test_other_number(expected, received, sentence):
    assert text(expected, received) == sentence


def test_relative_to_expected():
    loose = Tolerance(absolute=0.5, relative=0.1)
    assert found(11.55, 10.0, tolerance=loose) == []
    assert found(10.0, 11.55, tolerance=loose)


def test_float32_has_more_room():
    off = np.array([1.0 + 3e-5, 0.0])
    near = np.array([1.0, 0.0])
    assert found(near, off, tolerance=TOLERANCES["float64"])
    assert found(near, off, tolerance=TOLERANCES["float32"]) == []


def test_parts_by_name():
    expected = (np.zeros((3, 2)), np.ones((3, 3)))
    received = (np.zeros((3, 2)), np.ones((3, 2)))
    assert found(expected, received, names=("contexts", "weights")) == [
        ("weights", "expected shape (3, 3), received (3, 2)")
    ]


def test_parts_without_names():
    assert found((1.0, (2.0, 3.0)), (1.0, (2.0, 4.0))) == [
        ("[1][1]", "expected 3.0000, received 4.0000")
    ]


@pytest.mark.parametrize(
    ("received", "described"),
    [
        (np.zeros((1, 2)), "an array of shape (1, 2)"),
        ((1.0, 2.0, 3.0), "a tuple of 3"),
        (1.0, "a number"),
        (np.array(1.0), "an array of shape ()"),
        (None, "nothing (None): is there a return at the end?"),
    ],
)
def test_number_of_parts(received, described):
    assert found((ZEROS, 1.0), received, names=("contexts", "scale")) == [
        ("", f"expected 2 values (contexts, scale), received {described}")
    ]


def test_worksheet_with_blanks():
    expected = {"scores": [0.1, 0.2, 0.3], "weights": [0.5, 0.5], "context": [1.0]}
    received = {"scores": [0.1, ..., 0.7], "weights": [0.5, 0.5], "context": ...}
    differing = differences(expected, received, TIGHT)
    assert [(d.part, d.blank) for d in differing] == [
        ("scores[1]", True),
        ("scores[2]", False),
        ("context", True),
    ]


@pytest.mark.parametrize(
    "received", [{"scores": [1.0]}, {"scores": [1.0], "weight": [1.0]}, [1.0, 1.0], None]
)
def test_worksheet_of_other_lines(received):
    sentence = text({"scores": [1.0], "weights": [1.0]}, received)
    if isinstance(received, dict):
        assert sentence.startswith("the keys are not as given; missing: 'weights'")
        assert ("unknown: 'weight'" in sentence) == ("weight" in received)
    else:
        assert sentence.startswith("expected a dict with the keys 'scores', 'weights', received ")


def test_blank_alone():
    (blank,) = differences(ZEROS, ..., TIGHT)
    assert (blank.part, blank.text, blank.blank) == ("", "still blank", True)


def test_other_kind_of_nothing():
    assert text(None, 0.5) == "expected None, received a number"


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (np.float32(1), "a number"),
        (np.zeros((4, 2)), "an array of shape (4, 2)"),
        ((1, 2), "a tuple of 2"),
        (True, "a bool"),
        (print, "a builtin_function_or_method"),
    ],
)
def test_description(value, described):
    assert describe(value) == described


@pytest.mark.parametrize(
    "value",
    [1, "a", None, print, np.array([1.0, np.nan]), np.array(["a"]), [ZEROS, (1, ZEROS)]],
)
def test_identical_to_itself(value):
    assert identical(value, value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 1.0),
        (ZEROS, ZEROS + 1e-300),
        (ZEROS, ZEROS.astype("float32")),
        (ZEROS, ZEROS.T),
        (np.array([1.0, np.nan]), np.array([1.0, 1.0])),
        ([ZEROS], [ZEROS, ZEROS]),
        ([ZEROS, 1], [ZEROS, 2]),
        (ZEROS, ZEROS.tolist()),
        (ZEROS.tolist(), ZEROS),
        (0.0, np.zeros(1)),
    ],
)
def test_not_identical(first, second):
    assert not identical(first, second)


def test_complex_is_no_number():
    assert "expected a number" in text(1.0, np.complex128(1 + 5j))


def test_huge_number_is_described():
    assert text(1.0, 10**400).endswith("received inf")


def test_subclass_is_named():
    assert text(np.ones(2), np.ma.array(np.ones(2))).endswith("received a MaskedArray")


def test_wrong_truths_are_shown():
    assert text(np.array([True, False]), np.array([True, True])).endswith("at [1]: received True")


def test_dicts_of_arrays_are_compared():
    assert identical({"W": np.ones(2)}, {"W": np.ones(2)})
    assert not identical({"W": np.ones(2)}, {"W": np.zeros(2)})
