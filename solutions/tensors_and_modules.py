"""Lesson 00b: a bridge to PyTorch, from tensors to modules that learn."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def pairwise_differences(queries: Tensor, keys: Tensor) -> Tensor:
    """Subtract every key from every query, by broadcasting.

    Args:
        queries: (queries, d).
        keys: (keys, d).

    Returns:
        Query i minus key j, feature by feature, (queries, keys, d), in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return queries[:, None] - keys
    ### END SOLUTION


def weighted_sums(weights: Tensor, values: Tensor) -> Tensor:
    """Mix the values of each sentence of a batch, once for every query.

    Args:
        weights: one row of weights per query, (batch, queries, keys). They need not sum to 1.
        values: one value per key, (batch, keys, d_v).

    Returns:
        For each query, the sum of the values of its sentence, each times its weight,
        (batch, queries, d_v), in the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return torch.einsum("bqk,bkd->bqd", weights, values)
    ### END SOLUTION


def gradient_of(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Let PyTorch compute the gradient of a function.

    Args:
        function: takes a tensor of the same shape as `x` and returns one number, as a tensor
            without axes.
        x: the point at which to take the gradient, a tensor of any shape. Leave it as it is, so
            that the next call gives the same gradient again.

    Returns:
        The derivative of the number with respect to each entry of `x`, in its shape and dtype.
    """
    ### BEGIN SOLUTION
    place = x.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(function(place), place)
    return gradient
    ### END SOLUTION


class Affine(nn.Module):
    """A trainable affine map: multiply by a matrix, then add a bias.

    Call it with inputs of shape (..., d_in). It returns x W + b, (..., d_out).

    Args:
        d_in: the number of input features.
        d_out: the number of output features.

    Its two parameters are `W`, (d_in, d_out), and `b`, (d_out,). How you initialise them is up to
    you; random numbers are usual for `W`, and zeros for `b`.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W = nn.Parameter(torch.randn(d_in, d_out))
        self.b = nn.Parameter(torch.zeros(d_out))
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Map the inputs."""
        ### BEGIN SOLUTION
        return x @ self.W + self.b
        ### END SOLUTION


class RepairedNetwork(nn.Module):
    """Two linear layers with a ReLU between them, and a trainable factor for each output.

    Call it with inputs of shape (..., d_in). It returns (..., d_out). All its numbers are
    parameters of the module, in `layers` and in `scale`.

    Args:
        d_in: the number of input features.
        d_hidden: the number of features between the two layers.
        d_out: the number of output features.
    """

    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        self.layers: Any = [nn.Linear(d_in, d_hidden), nn.Linear(d_hidden, d_out)]
        self.scale = torch.ones(d_out)
        ### BEGIN SOLUTION (replaces the lines above)
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d_in, d_hidden), nn.Linear(d_hidden, d_out)])
        self.scale = nn.Parameter(torch.ones(d_out))
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Compute the outputs."""
        hidden = torch.relu(self.layers[0](x))
        return self.layers[1](hidden) * self.scale


def fit(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """Train a module by gradient descent, so that its outputs come close to the targets.

    Args:
        module: is called on all the inputs at once in every step. Its parameters are changed.
        inputs: (examples, d_in).
        targets: what the module should return for them, (examples, d_out).
        steps: the number of times that all the parameters are updated.
        learning_rate: the `lr` of `torch.optim.SGD`.

    Returns:
        The loss of each step, as numbers: the mean squared error, before that step's update.
    """
    ### BEGIN SOLUTION
    optimizer = torch.optim.SGD(module.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = functional.mse_loss(module(inputs), targets)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION


def predict(module: nn.Module, inputs: Tensor) -> Tensor:
    """Use a module without training it: in evaluation mode, and without building a graph.

    Args:
        module: may be in training or in evaluation mode, and is in the same mode afterwards.
        inputs: what to call the module with.

    Returns:
        The outputs of the module in evaluation mode.
    """
    ### BEGIN SOLUTION
    was_training = module.training
    module.eval()
    with torch.no_grad():
        outputs = module(inputs)
    module.train(was_training)
    return outputs
    ### END SOLUTION


def is_mode_kept(
    predict: Callable[[nn.Module, Tensor], Any], module: nn.Module, inputs: Tensor
) -> bool:
    """Test whether a function like `predict` leaves a module in the mode it was in before.

    Args:
        predict: the function to test, called as `predict(module, inputs)`.
        module: the module to try it on. You may change its mode.
        inputs: inputs on which the module can be called.

    Returns:
        True if a module in training mode stays in training mode, and one in evaluation mode stays
        in evaluation mode.
    """
    ### BEGIN SOLUTION
    for mode in (True, False):
        module.train(mode)
        predict(module, inputs)
        if module.training != mode:
            return False
    return True
    ### END SOLUTION
