import json
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import companion
from autograder.checks.drivers.run_module import run_module
from autograder.checks.values.as_json import (
    find,
    from_json,
    outcome_from_json,
    outcome_to_json,
    to_json,
)
from autograder.checks.values.outcome import Outcome, Raised
from autograder.errors import ExamError

DTYPES = ("float64", "float32", "float16", "int64", "uint8", "bool", "<U3")
FUNCTIONS = (companion.softmax, companion.rope)

simple = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(FUNCTIONS)
)
any_array = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
)
values = st.recursive(
    simple | any_array,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text() | st.sampled_from(["array", "shape"]), inner, max_size=4),
    ),
    max_leaves=8,
)


def through_json(value: object) -> Any:
    return from_json(json.loads(json.dumps(to_json(value), allow_nan=False)))


def seen(value: object) -> object:
    """A value such that `==` sees types, every digit, signs of zeros and NaNs."""
    if isinstance(value, np.ndarray):
        return type(value), value.dtype, value.shape, repr(value.tolist())
    if isinstance(value, list | tuple):
        return type(value), [seen(entry) for entry in value]
    if isinstance(value, dict):
        return {key: seen(entry) for key, entry in value.items()}
    return type(value), repr(value)


@given(values)
@settings(max_examples=200, deadline=None)
def test_round_trip(value):
    assert seen(through_json(value)) == seen(value)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "-0.0", "5e-324"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_unusual_floats(number, dtype):
    number = float(number)
    array = np.array([[number, 1.0]], dtype=dtype)
    assert seen(through_json([number, array])) == seen([number, array])


@pytest.mark.parametrize(
    "scalar",
    [np.float64(0.1), np.float32(0.1), np.int64(-3), np.True_, np.str_("a"), np.float32("nan")],
)
def test_scalar_becomes_plain(scalar):
    assert seen(through_json(scalar)) == seen(scalar.item())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_function_by_name(function):
    assert to_json(function) == {"function": f"companion:{function.__name__}"}
    assert through_json(function) is function


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({1, 2}, "set"),
        (1j, "complex"),
        (b"bytes", "bytes"),
        (..., "ellipsis"),
        (np.exp, "ufunc"),
        (Outcome, "type"),
        (Outcome(1), "Outcome"),
        (iter([1]), "list_iterator"),
        (np.array([1j]), "complex"),
        ([1, ({"a": {1}},)], "set"),
    ],
)
def test_what_cannot_be_shipped(value, kind):
    with pytest.raises(ExamError, match=f"^a printed example can't hold a {kind}$"):
        to_json(value)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(),
        Outcome((1.5, [2])),
        Outcome({"value": 1}, changed=("weights", "values")),
        Outcome(raised=Raised("ValueError", "3 heads do not divide 8")),
        Outcome(raised=Raised("ValueError", ""), changed=("weights",)),
    ],
)
def test_outcomes(outcome):
    written = json.dumps(outcome_to_json(outcome))
    assert outcome_from_json(json.loads(written)) == outcome


def test_line_of_code_stays_here():
    outcome = Outcome(raised=Raised("ValueError", "no", "line 3: return secret"))
    assert "secret" not in json.dumps(outcome_to_json(outcome))


class Mixer:
    def mix(self):
        return self


def nested():
    def inner():
        return 1

    return inner


def renamed():
    return 1


shadowed, renamed = renamed, None  # type: ignore[assignment]


@pytest.mark.parametrize("function", [lambda: 1, Mixer.mix, nested(), shadowed])
def test_function_nobody_can_import(function):
    with pytest.raises(ExamError, match=r"can't hold the function .*: .* would not find tests:"):
        to_json([function])


@pytest.mark.parametrize("key", [1, None, (1, 2)])
def test_key_that_is_no_string(key):
    with pytest.raises(ExamError) as error:
        to_json({"a": 1, key: 2})
    assert str(error.value) == f"a printed example can't hold a dict with the key {key!r}"


NOT_OFFERED = (
    "no_such_module:f", "companion:no_such_function", "companion:os", "companion:trials",
    "companion:__getattr__", "companion:YOUR_JOURNEY", "companion.trials.training_trials:nn",
    "companion.trials.training_trials:_no", "os:system", "posix:system", "builtins:eval",
    "subprocess:run", "statistics:fmean", "numpy:save", "torch:load", "autograder:hidden_check",
    "autograder:gather", "autograder:mark", "autograder:configure", "autograder.cli:main",
    "autograder.nbgrading.all_or_nothing:remove", "autograder.checks.hidden:hidden_check",
    "autograder.checks.values.as_json:importlib", "beside:f", ":f", ".beside:f",
)  # fmt: skip


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_function_that_is_not_offered(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside.py").write_text("raise SystemExit('imported')\ndef f(): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImportError, match=f"^{name} is no function that "):
        from_json({"function": name})
    assert "beside" not in sys.modules


def test_function_of_ours_in_a_module() -> None:
    assert find("autograder:run_module") is run_module
    assert find(f"{run_module.__module__}:run_module") is run_module
    assert find("companion.functions:softmax") is companion.softmax


def test_module_of_the_course_once_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lesson imports it in its first cell; before that, nothing of it runs."""
    module = ModuleType("of_a_course")
    module.__file__ = str(tmp_path / "of_a_course.py")
    exec("from os import system\nfrom statistics import fmean\ndef driver(): pass", vars(module))
    with pytest.raises(ImportError):
        find("of_a_course:driver")
    monkeypatch.setitem(sys.modules, "of_a_course", module)
    assert find("of_a_course:driver") is module.driver
    for name in ("system", "fmean"):
        with pytest.raises(ImportError):
            find(f"of_a_course:{name}")


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "int64", "bool"])
def test_tensors(dtype):
    tensor = torch.tensor([[0.1, -2.0, 0.0]]).to(getattr(torch, dtype))
    assert to_json(tensor)["dtype"] == dtype
    back = through_json(tensor)
    assert (type(back), back.dtype) == (torch.Tensor, tensor.dtype)
    assert torch.equal(back, tensor)


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 1, 2)])
def test_shapes_of_tensors(shape):
    assert through_json(torch.ones(shape)).shape == shape


def test_tensor_in_json():
    assert to_json(torch.tensor([[0.5, -math.inf]], dtype=torch.float64)) == {
        "tensor": [0.5, {"number": "-inf"}],
        "shape": [1, 2],
        "dtype": "float64",
    }


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -0.0, 5e-324])
def test_unusual_floats_in_tensors(number):
    tensor = torch.tensor([number, 1.0], dtype=torch.float64)
    assert repr(through_json(tensor).tolist()) == repr(tensor.tolist())


def test_tensors_that_remember_gradients():
    given = torch.ones(2, requires_grad=True)
    assert through_json(given).requires_grad
    assert through_json(torch.nn.Parameter(torch.ones(2))).requires_grad
    assert not through_json(2 * given).requires_grad


def test_complex_tensor_cannot_be_shipped():
    with pytest.raises(ExamError, match="can't hold a complex"):
        to_json(torch.ones(2, dtype=torch.complex64))


def test_generator_by_its_seed():
    generator = torch.Generator().manual_seed(7)
    torch.rand(5, generator=generator)
    assert to_json({"g": generator}) == {"dict": {"g": {"generator": 7}}}
    expected = torch.rand(3, generator=torch.Generator().manual_seed(7))
    assert torch.equal(torch.rand(3, generator=through_json(generator)), expected)
