"""The call that was made, as its learner would write it."""

import numpy as np
import torch

from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.arguments import (
    call_of,
    in_words,
    input_names,
    loose,
    one_by_one,
    with_input_names,
)

WORDS = np.arange(20.0).reshape(10, 2)
MADE = {
    "settings": {"d_in": 3, "sizes": [1, 2]},
    "weights": {"W_query": torch.ones(3, 2)},
    "inputs": (torch.ones(2, 3),),
    "training": False,
    "calls": 8,
}


def test_call_of_a_function() -> None:
    arguments = {"x": WORDS, "test": np.sum, "k": 2, "name": "a" * 99}
    assert call_of("mix", arguments, None) == "mix(x, sum, k=2, name)"
    assert list(loose(arguments, None)) == ["x", "name"]
    assert call_of("worksheet", {}, None) == ""


def test_call_of_a_class() -> None:
    assert call_of("Head", MADE, run_module) == "Head(d_in=3, sizes)(inputs)"
    assert in_words(loose(MADE, run_module)) == (
        "sizes = [1, 2], W_query = [[1., 1.], [1., 1.], [1., 1.]], "
        "inputs = [[1., 1., 1.], [1., 1., 1.]], calls = 8"
    )
    two = {**MADE, "inputs": (torch.ones(2), None)}
    assert call_of("Head", two, run_module) == "Head(d_in=3, sizes)(inputs[0], inputs[1])"
    names = ("query", "keys", "padding")
    assert call_of("Head", two, run_module, names) == "Head(d_in=3, sizes)(query, keys)"
    assert list(loose(two, run_module, names)) == ["sizes", "W_query", "query", "keys", "calls"]
    assert with_input_names("gradient for inputs[1]", two, names) == "gradient for keys"
    assert with_input_names("gradient for inputs[1]", two, ()) == "gradient for inputs[1]"
    assert with_input_names("gradient for inputs[0]", MADE, ()) == "gradient for inputs"


def test_names_of_several_inputs() -> None:
    class Reader(torch.nn.Module):
        def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
            return query @ keys

    class Alone(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x

    assert input_names(run_module, Reader) == ("query", "keys")
    assert input_names(run_module, Alone) == input_names(None, Reader) == ()
    assert input_names(run_module, np.dot) == ()


def test_call_by_another_driver() -> None:
    assert call_of("turn", {"x": WORDS}, lambda turn, x: turn(2 * x)) == ""


def test_numbers_of_larger_arrays() -> None:
    assert one_by_one({"x": WORDS}, whole=False) == (("x", "of shape (10, 2)"),)
    ((_, text),) = one_by_one({"x": WORDS}, whole=True)
    assert text.startswith("of shape (10, 2)\n[[ 0.,  1.],\n")
    assert one_by_one({"x": np.ones(999)}, whole=True) == (("x", "of shape (999,)"),)
