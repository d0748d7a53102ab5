"""What the drivers of lesson 00b see of an answer."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from companion import fit_by_sgd
from companion.trials.training_trials import try_fit, try_gradient, try_mode_test, try_predict

W = torch.tensor([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
INPUTS = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0], [0.0, 1.0, -3.0], [2.0, 2.0, 1.0]])


def test_gradient_is_asked_for_twice() -> None:
    def piling(function: Any, x: Tensor) -> Any:
        torch.autograd.backward(function(x.requires_grad_()))
        return x.grad

    x = torch.tensor([1.0, -3.0])
    seen = try_gradient(piling, "x.square().sum()", x)
    torch.testing.assert_close(seen["gradient"], torch.tensor([2.0, -6.0]))
    torch.testing.assert_close(seen["gradient, asked for again"], torch.tensor([4.0, -12.0]))
    assert seen["x requires gradients afterwards"] is True
    assert not x.requires_grad


def test_fit_is_given_a_layer() -> None:
    bias = torch.tensor([0.5, -0.5])
    seen = try_fit(fit_by_sgd, W, bias, INPUTS, INPUTS @ W + bias, 2, 0.1)
    assert seen["losses"] == pytest.approx([0, 0], abs=1e-9)
    torch.testing.assert_close(seen["W afterwards"], W)
    torch.testing.assert_close(seen["b afterwards"], bias)


@pytest.mark.parametrize("training", [True, False])
def test_traces_of_a_plain_call(training: bool) -> None:
    seen = try_predict(lambda module, inputs: module(inputs), W, INPUTS, training)
    assert seen["the same outputs in each call"] is (not training)
    assert seen["outputs require gradients"] is seen["a graph was built"] is True
    assert seen["in training mode afterwards"] is training


def test_traces_of_a_careless_one() -> None:
    def careless(module: nn.Module, inputs: Tensor) -> Any:
        torch.set_grad_enabled(False)
        return module.eval().requires_grad_(False)(inputs)

    seen = try_predict(careless, W, INPUTS, True)
    torch.testing.assert_close(seen["outputs seen in all calls"], INPUTS @ W)
    assert [*seen.values()][2:] == [False, False, False, True, False, False]
    assert torch.is_grad_enabled()


def test_layers_left_in_another_mode_are_noticed() -> None:
    def outer_alone(module: nn.Module, inputs: Tensor) -> Any:
        outputs = module.eval()(inputs).detach()
        module.training = True
        return outputs

    seen = try_predict(outer_alone, W, INPUTS, True)
    assert seen["in training mode afterwards"] is True
    assert seen["its layers are in the same mode"] is False


def test_graph_that_is_gone_is_noticed() -> None:
    seen = try_predict(lambda module, inputs: module.eval()(inputs).detach(), W, INPUTS, False)
    assert seen["outputs require gradients"] is False
    assert seen["a graph was built"] is True


@pytest.mark.parametrize("training", [True, False])
def test_mode_test_is_given_a_predictor(training: bool) -> None:
    def told(predictor: Any, module: nn.Module, inputs: Tensor) -> tuple[str, bool, object]:
        return predictor.__name__, module.training, predictor(module, inputs).shape

    assert try_mode_test(told, "switches_once", training) == ("switches_once", training, (4, 2))
