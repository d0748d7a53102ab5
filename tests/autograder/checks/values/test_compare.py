import math

import numpy as np
import pytest
import torch

from autograder.checks.values.compare import Tolerance, differences, identical
from autograder.checks.values.kinds import describe
from autograder.checks.values.precision import TOLERANCES

TIGHT = Tolerance(absolute=1e-9, relative=1e-7)
ZEROS = np.zeros((2, 3))
TENSOR = torch.zeros((2, 3), dtype=torch.float64)


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
        (["the", "sun"], np.array(["the", "sun"])),
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
        ("1", "'1'"),
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
    said, *_ = text(ZEROS, received).split(";")
    assert said == f"expected an array of shape (2, 3), received {described}"


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


@pytest.mark.parametrize(("wrong", "digits"), [(0.540045, "0.540045"), (0.54 + 2e-7, "0.5400002")])
def test_digits_that_tell_apart(wrong, digits):
    assert f"expected 0.54, received {digits}" in text(np.array([0.54]), np.array([wrong]))
    assert text(0.54, wrong) == f"expected 0.54, received {digits}"


def test_whole_numbers_as_such():
    assert text(8, 16) == "expected 8, received 16"
    assert text(8, 10**5000) == "expected 8.0000, received inf"


def test_text_in_place_of_number():
    assert text(0.5, "not one number") == "expected a number, received 'not one number'"


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


def test_more_parts_than_names():
    """As a misconception may return, to which an answer is compared."""
    assert found((1.0, 2.0, 3.0), (1.0, 2.0, 4.0), names=("context", "state")) == [
        ("[2]", "expected 3.0000, received 4.0000")
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
    ((part, said),) = found((ZEROS, 1.0), received, names=("contexts", "scale"))
    assert not part
    assert said.split(";")[0] == f"expected 2 values (contexts, scale), received {described}"


def test_text_is_shown_in_place_of_several_values():
    """It may be what a driver says of an exception."""
    refused = "refused, with a ValueError"
    assert found((1.0, 2.0), refused) == [("", f"expected 2 values, received '{refused}'")]
    ((_, text),) = found({"output": 1.0}, refused)
    assert text.endswith(f"received '{refused}'")


def test_worksheet_with_blanks():
    expected = {"scores": [0.1, 0.2, 0.3], "weights": [0.5, 0.5], "context": [1.0]}
    received = {"scores": [0.1, ..., 0.7], "weights": [0.5, 0.5], "context": ...}
    differing = list(differences(expected, received, TIGHT))
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


@pytest.mark.parametrize(
    ("expected", "received"),
    [
        (TENSOR, TENSOR.clone()),
        (TENSOR, torch.nn.Parameter(TENSOR)),
        (TENSOR, TENSOR.clone().requires_grad_()),
        (torch.tensor([1, 2]), torch.tensor([1, 2])),
        (torch.tensor([True, False]), torch.tensor([True, False])),
        (torch.tensor([-math.inf, math.nan]), torch.tensor([-math.inf, math.nan])),
        (torch.tensor(0.5), torch.tensor(0.5)),
        ({"a": (TENSOR, 1)}, {"a": (TENSOR, 1)}),
        (12, torch.tensor(12)),
        (0.5, torch.tensor(0.5, requires_grad=True)),
        (True, torch.tensor(True)),
        ([0.25, 0.5], torch.tensor([0.25, 0.5])),
        ([0.25, 0.5], [torch.tensor(0.25), 0.5]),
    ],
)
def test_tensors_agree(expected, received):
    assert found(expected, received) == []


@pytest.mark.parametrize(
    ("expected", "received", "sentence"),
    [
        (
            TENSOR,
            ZEROS,
            "expected a tensor of shape (2, 3), received an array of shape (2, 3); that is "
            "NumPy's: PyTorch has its own functions, and `torch.from_numpy` for arrays",
        ),
        (
            ZEROS,
            TENSOR,
            "expected an array of shape (2, 3), received a tensor of shape (2, 3); a tensor is no "
            "NumPy array: `.numpy()` makes one of it",
        ),
        (
            torch.tensor(0.5),
            0.5,
            "expected a tensor of shape (), received a number; return the tensor, not its "
            "`.item()`, through which no gradient flows back",
        ),
        (TENSOR, TENSOR.T, "expected shape (2, 3), received (3, 2)"),
        (TENSOR, TENSOR.to_sparse(), "expected a tensor of shape (2, 3), received a Tensor"),
        (1.0, torch.tensor([1.0]), "expected a number, received a tensor of shape (1,)"),
        (1, torch.tensor(True), "expected a number, received a bool"),
        (True, torch.tensor(1), "expected True or False, received a number"),
        (
            (1.0, 2.0),
            torch.tensor([1.0, 2.0]),
            "expected 2 values, received a tensor of shape (2,); `return` gives several values "
            "with commas between them",
        ),
        (
            TENSOR,
            None,
            "expected a tensor of shape (2, 3), received nothing (None): is there a return at "
            "the end?",
        ),
        (
            TENSOR,
            TENSOR.float(),
            "expected numbers of type float64, received float32; `.float()` makes float32, and so "
            "are new tensors, unless you set another default or say otherwise with dtype=…",
        ),
        (
            TENSOR.float(),
            TENSOR,
            "expected numbers of type float32, received float64; tensors made of NumPy "
            "arrays are float64, and new ones too where you made that torch's default: "
            ".to(x.dtype)",
        ),
        (TENSOR.bfloat16(), TENSOR.half(), "expected numbers of type bfloat16, received float16"),
        (TENSOR, TENSOR.long(), "expected numbers of type float64, received int64"),
        (
            TENSOR,
            TENSOR + torch.tensor([0.0, 0.25, 0.0]),
            "largest difference 0.2500 at [0, 1]: expected 0, received 0.2500",
        ),
        (
            torch.tensor([1.0, 2.0]),
            torch.tensor([math.nan, 2.0]),
            "1 of 2 numbers are NaN, the first at [0]",
        ),
        (
            torch.tensor([True, False]),
            torch.tensor([True, True]),
            "the first wrong entry is at [1]: received True",
        ),
    ],
)
def test_tensors_differ(expected, received, sentence):
    assert text(expected, received) == sentence


def test_part_that_is_missing():
    assert found({"gradient": TENSOR}, {"gradient": None}) == [
        ("gradient", "expected a tensor of shape (2, 3), received nothing (None)")
    ]


def test_generator_is_described():
    generator = torch.Generator().manual_seed(7)
    assert describe(generator) == "a generator seeded with 7"


@pytest.mark.parametrize(
    ("second", "same"),
    [
        (TENSOR.clone(), True),
        (TENSOR.clone().requires_grad_(), True),
        (TENSOR + 1e-300, False),
        (TENSOR.float(), False),
        (TENSOR.T, False),
        (ZEROS, False),
        (0.0, False),
    ],
)
def test_identical_tensors(second, same):
    assert identical(TENSOR, second) is same
    assert identical([TENSOR], [second]) is same


def test_identical_nan_and_half():
    for tensor in (torch.tensor([math.nan]), TENSOR.bfloat16()):
        assert identical(tensor, tensor.clone())


def test_generators_do_not_change():
    used = torch.Generator().manual_seed(7)
    torch.rand(1, generator=used)
    assert identical(torch.Generator().manual_seed(7), used)


NUMBERS = (
    0.0,
    -0.0,
    1.0,
    1.0 + 9e-8,
    1.0 + 1e-6,
    -1.0,
    1e-10,
    1e300,
    math.inf,
    -math.inf,
    math.nan,
)


@pytest.mark.parametrize("tolerance", [*TOLERANCES.values(), Tolerance(0.0)])
def test_one_number_is_allowed_as_in_an_array(tolerance):
    for expected in NUMBERS:
        in_array = tolerance.allows(np.full(len(NUMBERS), expected), np.array(NUMBERS))
        assert [tolerance.allows_number(expected, one) for one in NUMBERS] == in_array.tolist()


def test_tensor_that_a_failed_resize_has_left_is_like_no_other():
    broken = TENSOR.clone()
    with pytest.raises(RuntimeError):
        broken.resize_(2, -1)
    assert not identical(TENSOR, broken)
    assert not identical(broken, TENSOR)
    assert "received a Tensor" in text(TENSOR, broken)
