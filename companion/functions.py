"""The library's functions for NumPy arrays, for lessons that do not ask you to write them again.

Importing this package stays quick: torch is imported when a module is first trained. The softmax is
torch's where that has been imported already, and NumPy computes it elsewhere: in a browser, which
has no torch, and in a lesson that would otherwise wait for it at its first check.
"""

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from torch import Tensor, nn


def softmax(x: ArrayLike, axis: int = -1) -> np.ndarray:
    """`torch.softmax`, from a NumPy array to a new NumPy array.

    Args:
        x: scores of any shape; float32 stays float32, everything else is computed in float64.
        axis: the axis along which the results sum to 1.

    Returns:
        An array of the shape of `x`; `x` itself is left as it was.

    Raises:
        IndexError: when `x` has no such axis.
    """
    array = np.asarray(x)
    precision = array.dtype if array.dtype == np.float32 else np.dtype(np.float64)
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "softmax"):
        return _softmax_by_logarithms(array, axis).astype(precision)
    # A copy, because torch warns about arrays that can't be written to, and ours often can't.
    scores = torch.from_numpy(np.array(array, dtype=precision))
    return np.asarray(torch.softmax(scores, dim=axis).numpy())


def _softmax_by_logarithms(scores: np.ndarray, axis: int) -> np.ndarray:
    """The softmax in float64, by another way than the one that lesson 00 asks for.

    As torch's it is the same to the last bit where a shift of the scores is exact, and it fails
    alike.
    """
    precise = np.array(scores, dtype=np.float64)
    # As in torch, a single number has an axis to go by.
    axes = max(precise.ndim, 1)
    if not -axes <= axis < axes:
        raise IndexError(
            "Dimension out of range (expected to be in range of "
            f"[{-axes}, {axes - 1}], but got {axis})"
        )
    # NumPy would warn of scores that are infinite, or too far apart to subtract; torch does not.
    with np.errstate(over="ignore", invalid="ignore"):
        precise -= precise.max(axis=axis, keepdims=True, initial=-np.inf)
        logarithms = np.logaddexp.reduce(precise, axis=axis, keepdims=True)
        return np.asarray(np.exp(precise - logarithms))


def fit_by_sgd(
    module: "nn.Module", inputs: "Tensor", targets: "Tensor", steps: int, learning_rate: float
) -> list[float]:
    """Train a module by gradient descent on the mean squared error, all examples in every step.

    Args:
        module: its parameters are changed.
        inputs: what it is called with.
        targets: what it should return, in the shape of its outputs.
        steps: how many times the parameters change.
        learning_rate: how far they go.

    Returns:
        The loss of each step, before the change.
    """
    import torch

    optimizer = torch.optim.SGD(module.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = torch.nn.functional.mse_loss(module(inputs), targets)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(loss.item())
    return losses
