"""What exercises about gradients, training and modes are tried with: each makes its own module."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch
from torch import Tensor, nn

from companion.beside import made_beside
from companion.specimens import predictors

_OF = " of "
# By what they compute, so that a card can show it.
_INNER: dict[str, Callable[[Tensor], Tensor]] = {
    "x.sin()": torch.sin,
    "x.tanh()": torch.tanh,
    "x / 2 + 1": lambda x: x / 2 + 1,
}
_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "x.square().sum()": lambda x: x.square().sum(),
    "x.prod()": lambda x: x.prod(),
    "3 * x.sum() - 2": lambda x: 3 * x.sum() - 2,
    "x[0] * x[-1]": lambda x: x[0] * x[-1],
    "torch.softmax(x, dim=0)[0]": lambda x: torch.softmax(x, dim=0)[0],
    "x.pow(3).mean()": lambda x: x.pow(3).mean(),
    "x.exp().sum().log()": lambda x: x.exp().sum().log(),
    "(x.relu() + x.abs()).sum()": lambda x: (x.relu() + x.abs()).sum(),
}
_ASKED_AGAIN = 12
_CALLS = 8
_DROPPED = 0.5


def try_gradient(
    gradient_of: Callable[[Callable[[Tensor], Tensor], Tensor], Any], formula: str, x: Tensor
) -> dict[str, object]:
    """Ask for the gradient of a function at one place, twice.

    Args:
        gradient_of: the function to try, called with a function and a tensor.
        formula: what that function computes of `x`: one of several that are known here, or one of
            another, as "x.prod() of x.sin()".
        x: where the gradient is taken.

    Returns:
        The gradient, the gradient when it is asked for once more, and whether `x` requires
        gradients afterwards.
    """
    function = made_beside(gradient_of, formula_of, formula)
    place = made_beside(gradient_of, copy_of, x)
    first = _copied(gradient_of(function, place))
    again = _copied(gradient_of(function, place))
    return {
        "gradient": first,
        "gradient, asked for again": again,
        "x requires gradients afterwards": place.requires_grad,
    }


def formula_of(name: str) -> Callable[[Tensor], Tensor]:
    """The function that computes a formula."""
    outer, *inner = name.split(_OF)
    functions = [_FUNCTIONS[outer], *map(_INNER.__getitem__, inner)]
    return lambda x: reduce(lambda value, function: function(value), reversed(functions), x)


def copy_of(x: Tensor) -> Tensor:
    """Numbers with which an answer may do what it likes."""
    return x.detach().clone()


def _copied(value: object) -> object:
    """Safe from what is added to it later."""
    return value.detach().clone() if isinstance(value, Tensor) else value


def try_fit(
    fit: Callable[..., Any],
    W: Tensor,
    b: Tensor,
    inputs: Tensor,
    targets: Tensor,
    steps: int,
    learning_rate: float,
    bent: bool = False,
) -> dict[str, object]:
    """Train a linear layer, and look at it afterwards.

    Args:
        fit: the function to try, called with a module and the last four.
        W: the weights that the layer begins with, `(d_in, d_out)`.
        b: its bias, `(d_out,)`.
        inputs: `(examples, d_in)`.
        targets: `(examples, d_out)`.
        steps: how often the parameters are to change.
        learning_rate: how far they go in a step.
        bent: whether a tanh follows the layer.

    Returns:
        What `fit` returns and whether that holds on to graphs, and the layer's parameters
        afterwards.
    """
    module = made_beside(fit, linear_layer, W, b, bent)
    losses = fit(module, inputs, targets, steps, learning_rate)
    parts = losses if isinstance(losses, list | tuple) else [losses]
    return {
        "losses": losses,
        "losses with their graphs": any(getattr(one, "requires_grad", False) for one in parts),
        "W afterwards": module.weight.detach().T.clone(),
        "b afterwards": module.bias.detach().clone(),
    }


def linear_layer(W: Tensor, b: Tensor | None = None, bent: bool = False) -> nn.Linear:
    """A layer that computes `x @ W + b`, or the tanh of it."""
    kind = _Bent if bent else nn.Linear
    layer = kind(W.shape[0], W.shape[1], bias=b is not None, dtype=W.dtype)
    layer.load_state_dict({"weight": W.T} if b is None else {"weight": W.T, "bias": b})
    return layer


class _Bent(nn.Linear):
    """No answer that goes by the layer's numbers alone, and not by a call, computes this."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).tanh()


def try_predict(
    predict: Callable[[nn.Module, Tensor], Any],
    W: Tensor,
    inputs: Tensor,
    training: bool,
    bent: bool = False,
) -> dict[str, object]:
    """Use a module with dropout, several times, and look at what that leaves behind.

    Args:
        predict: the function to try, called with a module and inputs.
        W: the weights of the module, `(d_in, d_out)`.
        inputs: `(examples, d_in)`.
        training: the mode of the module before each call.
        bent: whether the module takes the tanh of what its layers return.

    Returns:
        Whether the outputs are the same in every call, and these, if they are; whether they require
        gradients, and whether a graph was built, be it one that is gone; and the state of module
        and library afterwards.
    """
    module = made_beside(predict, DroppingAndBent if bent else Dropping, W)
    try:
        outputs = [_called(predict, module, inputs, training) for _ in range(_CALLS)]
        enabled_afterwards = made_beside(predict, gradients_are_enabled)
    finally:
        made_beside(predict, enable_gradients)
    alike, graphs, mode = _alike(outputs), [*module.graphs], module.training
    modes = [one.training for one in module.modules()]
    # A module made over there is tried as well: one that never drops would need no `eval()`.
    module.train(True)
    once = module(inputs)
    # Two calls may drop the same numbers by chance.
    never_drops = all(torch.equal(once, module(inputs)) for _ in range(_ASKED_AGAIN))
    if never_drops or not module.graphs[len(graphs) :]:
        raise PredictorMismatch("the module that `predict` was given has been changed")
    return {
        "the same outputs in each call": alike,
        "outputs seen in all calls": outputs[0] if alike else None,
        "outputs require gradients": any(map(_requires_gradients, outputs)),
        "a graph was built": any(graphs),
        "in training mode afterwards": mode,
        "its layers are in the same mode": all(one == mode for one in modes),
        "parameters require gradients afterwards": all(
            parameter.requires_grad for _, parameter in module.named_parameters()
        ),
        "gradients are enabled afterwards": enabled_afterwards,
    }


class PredictorMismatch(Exception):
    """A module is not what it was made as. The message says so."""


def gradients_are_enabled() -> bool:
    """Whether PyTorch builds graphs."""
    return torch.is_grad_enabled()


def enable_gradients() -> None:
    """Have PyTorch build graphs, as it does unless it is told not to."""
    torch.set_grad_enabled(True)


class Dropping(nn.Sequential):
    """A linear layer and a dropout; `graphs` says of each call whether a graph is behind it."""

    def __init__(self, W: Tensor) -> None:
        graphs: list[bool] = []
        super().__init__(linear_layer(W), _Watching(graphs.append), nn.Dropout(_DROPPED))
        self.graphs = graphs


class DroppingAndBent(Dropping):
    """The same, and a tanh, which is none of its layers: it has to be called as a whole."""

    def forward(self, input: Tensor) -> Tensor:
        return torch.tanh(super().forward(input))  # type: ignore[no-untyped-call]


class _Watching(nn.Module):
    """Hands on what it is given, and notes whether a graph is behind it."""

    note: Callable[[bool], None]

    def __init__(self, note: Callable[[bool], None]) -> None:
        super().__init__()
        # A function is not copied with the module, so that a copy notes in the same list.
        self.note = lambda found: note(found)

    def forward(self, x: Tensor) -> Tensor:
        self.note(x.requires_grad)
        return x


def _called(
    predict: Callable[[nn.Module, Tensor], Any], module: nn.Module, inputs: Tensor, training: bool
) -> Any:
    return predict(module.train(training), inputs)


def _requires_gradients(output: object) -> bool:
    return isinstance(output, Tensor) and output.requires_grad


def _alike(outputs: list[Any]) -> bool:
    if not all(isinstance(output, Tensor) for output in outputs):
        return True
    return all(torch.equal(outputs[0], output) for output in outputs)


def try_mode_test(test: Callable[..., Any], predictor: str, training: bool) -> Any:
    """Have a test judge whether a predictor leaves a module's mode as it was.

    Args:
        test: the function to try, called with a predictor, a module and inputs.
        predictor: the name of one of the course's predictors.
        training: the mode of the module when the test is given it.

    Returns:
        What the test says.
    """
    module = made_beside(test, dropping, training)
    # It stays here, so that its name and its lines say nothing to the test.
    return test(getattr(predictors, predictor), module, torch.ones(4, 3))


def dropping(training: bool) -> nn.Module:
    """A layer and a dropout, in a mode."""
    return nn.Sequential(nn.Linear(3, 2), nn.Dropout(_DROPPED)).train(training)
