"""A driver for exams of stacks: layers and normalisations made of matrices, there and back."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from companion.beside import made_beside
from companion.trials.back_propagation import send_back
from companion.trials.other_ways import is_same, laid_apart

Function = Callable[[torch.Tensor], torch.Tensor]
Stack = Callable[[torch.Tensor, Sequence[Function], Sequence[Function]], Any]


_WRITTEN = (
    "under torch.no_grad(), as models are evaluated, your code writes to its argument x, which the "
    "caller may still need: make a new tensor of each sum"
)


class StreamMismatch(Exception):
    """A stack writes to its input. The message says so to its learner."""


def try_stream(
    stack: Stack, x: torch.Tensor, matrices: Sequence[torch.Tensor], gains: Sequence[torch.Tensor]
) -> dict[str, Any]:
    """Give a stack its input, layers and normalisations, and back-propagate through it.

    Args:
        stack: called with the input, a list of layers and a list of normalisations.
        x: what goes in, (batch, tokens, d_model).
        matrices: one for each layer, (d_model, d_model). Every second layer, from the first on,
            mixes the tokens as well, each with those before it, as attention does.
        gains: one for each normalisation, (d_model,): it divides by the root mean square, and
            multiplies by this.

    Returns:
        "output", and "gradient for x" and "gradient for layer 1" and so on: of a fixed weighted sum
        of what came out, None where there is none. "output" is what comes out with gradients, or
        what does without them or where x is laid out otherwise, if it differs.

    Raises:
        StreamMismatch: when the input is changed.
    """
    given, plain = x.detach().clone().requires_grad_(), x.detach().clone()
    layers = [made_beside(stack, Layer, weight, n % 2 == 0) for n, weight in enumerate(matrices)]
    norms = [made_beside(stack, Norm, gain) for gain in gains]
    output = stack(given, layers, norms)
    send_back(output)
    with torch.no_grad():
        others = [stack(one, layers, norms) for one in (plain, made_beside(stack, laid_apart, x))]
    if not torch.equal(plain, x):
        raise StreamMismatch(_WRITTEN)
    unlike = [one for one in others if not is_same(output, one)]
    found = {"output": unlike[0] if unlike else output, "gradient for x": given.grad}
    return found | {
        f"gradient for layer {n}": layer.weight.grad for n, layer in enumerate(layers, start=1)
    }


class Layer(nn.Module):
    """A matrix and a tanh; it may mix the tokens, each with those before it."""

    def __init__(self, weight: torch.Tensor, mixes: bool) -> None:
        super().__init__()
        self.weight, self.mixes = nn.Parameter(weight.detach().clone()), mixes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.mixes:
            counts = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)
            x = x.cumsum(dim=-2) / counts[:, None]
        return torch.tanh(x @ self.weight)


class Norm(nn.Module):
    """Divides by the root mean square, and multiplies by a gain."""

    def __init__(self, gain: torch.Tensor) -> None:
        super().__init__()
        self.gain = gain

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-5) * self.gain
