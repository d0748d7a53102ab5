"""A driver for exams of stacks: layers and normalisations made of matrices, there and back."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

Function = Callable[[torch.Tensor], torch.Tensor]
Stack = Callable[[torch.Tensor, Sequence[Function], Sequence[Function]], Any]


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
        of what came out, None where there is none.
    """
    given = x.detach().clone().requires_grad_()
    weights = [matrix.detach().clone().requires_grad_() for matrix in matrices]
    layers = [_layer(weight, mixes=n % 2 == 0) for n, weight in enumerate(weights)]
    output = stack(given, layers, [_norm(gain) for gain in gains])
    if isinstance(output, torch.Tensor) and output.requires_grad:
        ramp = torch.arange(1, output.numel() + 1, dtype=output.dtype).cos()
        torch.autograd.backward([output], [ramp.reshape(output.shape)])
    found = {"output": output, "gradient for x": given.grad}
    return found | {
        f"gradient for layer {n}": weight.grad for n, weight in enumerate(weights, start=1)
    }


def _layer(weight: torch.Tensor, *, mixes: bool) -> Function:
    def layer(x: torch.Tensor) -> torch.Tensor:
        if mixes:
            counts = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)
            x = x.cumsum(dim=-2) / counts[:, None]
        return torch.tanh(x @ weight)

    return layer


def _norm(gain: torch.Tensor) -> Function:
    def norm(x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-5) * gain

    return norm
