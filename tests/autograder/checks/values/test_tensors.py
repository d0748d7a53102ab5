import subprocess
import sys

import numpy as np
import pytest
import torch

from autograder.checks.values.tensors import (
    another_like,
    as_array,
    cast,
    dtype_name,
    fresh_generators,
    holds_tensors,
    is_generator,
    is_tensor,
    seeded,
)

ONES = torch.ones(2, 3)


class Agreeable(torch.Tensor):
    """A tensor that might say yes to whatever it is compared with."""


@pytest.mark.parametrize("value", [ONES, torch.nn.Parameter(ONES), torch.tensor(True), ONES.T])
def test_tensors(value):
    assert is_tensor(value)


@pytest.mark.parametrize(
    "value",
    [
        np.ones(2),
        1.0,
        None,
        torch.Tensor,
        ONES.as_subclass(Agreeable),
        ONES.to_sparse(),
        torch.ones(2, device="meta"),
    ],
)
def test_no_tensors(value):
    assert not is_tensor(value)


def test_generators():
    assert is_generator(torch.Generator())
    assert not is_generator(np.random.default_rng(0))


def test_torch_stays_away():
    code = (
        "import sys, autograder.checks.hidden, autograder.checks.drivers.run_module\n"
        "from autograder.checks.values.outcome import observe\n"
        "observe(abs, {'x': [1]})\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex64"])
def test_numbers(dtype):
    tensor = torch.tensor([[0, 1, 1]]).to(getattr(torch, dtype))
    assert dtype_name(tensor) == dtype
    assert as_array(tensor).dtype.name == dtype
    assert as_array(tensor).tolist() == [[0, 1, 1]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(dtype):
    tensor = torch.tensor([0.5, -2.0], dtype=getattr(torch, dtype))
    assert dtype_name(tensor) == dtype
    assert as_array(tensor).tolist() == [0.5, -2.0]


def test_numbers_without_gradients():
    weights = torch.ones(2, requires_grad=True)
    assert as_array(2 * weights).tolist() == [2, 2]
    assert as_array(torch.ones(2, dtype=torch.complex64).conj()).tolist() == [1, 1]


def test_cast():
    given = torch.ones(2, requires_grad=True)
    made = cast(given, "float64")
    assert (made.dtype, made.requires_grad, made.is_leaf) == (torch.float64, True, True)
    assert type(made) is torch.Tensor


def test_cast_owns_its_memory():
    made = cast(ONES, "float32")
    made += 1
    assert ONES.max() == 1


@pytest.mark.parametrize("requires_grad", [True, False])
def test_parameter_stays_one(requires_grad):
    made = cast(torch.nn.Parameter(ONES, requires_grad), "float64")
    assert type(made) is torch.nn.Parameter
    assert (made.dtype, made.requires_grad) == (torch.float64, requires_grad)


def test_fresh_generators():
    first, second = torch.Generator().manual_seed(7), torch.Generator().manual_seed(8)
    torch.rand(3, generator=first)
    pairs = list(fresh_generators({"a": [1, first], "b": (second, {"c": ONES})}))
    assert [old for old, _ in pairs] == [first, second]
    assert [new.initial_seed() for _, new in pairs] == [7, 8]
    expected = torch.rand(3, generator=torch.Generator().manual_seed(7))
    assert torch.equal(torch.rand(3, generator=pairs[0][1]), expected)


@pytest.mark.parametrize("value", [ONES, [ONES], (1, {"a": [ONES]})])
def test_holds_tensors(value):
    assert holds_tensors(value)


@pytest.mark.parametrize("value", [np.ones(2), [np.ones(2)], {}, "tensor", None])
def test_holds_no_tensors(value):
    assert not holds_tensors(value)


def test_same_random_numbers():
    with seeded():
        first = torch.rand(3)
    torch.rand(5)
    with seeded():
        assert torch.equal(torch.rand(3), first)


def test_random_numbers_go_on():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    with pytest.raises(RuntimeError), seeded():
        torch.rand(7) @ torch.rand(8)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, False),
        (np.array([1.0, 2.0]), np.array([2.0, 1.0])),
        (np.array([[[1, 2], [3, 4]]]), np.array([[[3, 4], [1, 2]]])),
        (torch.tensor([True, False, False]), torch.tensor([False, False, True])),
        (torch.tensor([[1.0], [2.0]]).bfloat16(), torch.tensor([[2.0], [1.0]]).bfloat16()),
    ],
)
def test_another_value_for_the_same_place(value, other):
    found = another_like(value)
    assert type(found) is type(value)
    assert (found == other) if isinstance(value, bool) else bool((found == other).all())
    assert getattr(found, "dtype", None) == getattr(value, "dtype", None)


@pytest.mark.parametrize(
    "value",
    [3, 0.5, "text", None, ["a", "b"], np.array([1, 2]), np.ones((1, 1)), torch.eye(2) > 0],
)
def test_no_other_value_is_sure_to_fit(value):
    assert another_like(value) is None
