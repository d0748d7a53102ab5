"""What exercises about positional encodings are tried with, where a plain call says too little."""

from collections.abc import Callable
from typing import Any

import torch


def try_encoding(
    encoding: Callable[[int, int], object], num_positions: int, d_model: int
) -> object:
    """Ask for an encoding, and listen to how it is refused.

    Args:
        encoding: the function to try, called with the two numbers.
        num_positions: how many rows to ask for.
        d_model: how many columns.

    Returns:
        What comes back, or, for a ValueError, a sentence about its message.
    """
    try:
        return encoding(num_positions, d_model)
    except ValueError as error:
        return _refusal(error, d_model)


def try_module(
    module_class: Callable[..., Any], d_model: int, context_length: int, inputs: torch.Tensor
) -> object:
    """Make a module that adds positions, and see what it adds, and of what kind it is.

    Args:
        module_class: called with `d_model` and `context_length` as keywords.
        d_model: features of a token.
        context_length: the largest number of tokens.
        inputs: `(batch, num_tokens, d_model)`.

    Returns:
        What it makes of the inputs, whether they are left as they were, the gradient that comes
        back to them, the names of what the module would train, and the dtype in which its numbers
        come out after it was moved to bfloat16. For a ValueError in the constructor, a sentence
        about its message.
    """
    try:
        module = module_class(d_model=d_model, context_length=context_length)
    except ValueError as error:
        return _refusal(error, d_model)
    module.to(inputs.dtype)
    found = _there_and_back(module, inputs, "inputs")
    trained = [name for name, _ in module.named_parameters()]
    module.to(torch.bfloat16)
    moved = module(inputs.to(torch.bfloat16))
    kind = str(getattr(moved, "dtype", type(moved).__name__)).removeprefix("torch.")
    return {**found, "parameters": trained, "dtype after .to(torch.bfloat16)": kind}


def try_turn(
    turn: Callable[[torch.Tensor, torch.Tensor], object], x: torch.Tensor, positions: torch.Tensor
) -> dict[str, object]:
    """Turn queries or keys, and back-propagate through the turn.

    Args:
        turn: the function to try, called with the other two.
        x: `(..., tokens, head_dim)`.
        positions: `(tokens,)`.

    Returns:
        What comes back, whether x is left as it was, and the gradient that comes back to x.
    """
    return _there_and_back(lambda given: turn(given, positions), x, "x")


def _there_and_back(
    answer: Callable[[torch.Tensor], object], x: torch.Tensor, name: str
) -> dict[str, object]:
    leaf = x.detach().clone().requires_grad_()
    # What is no leaf may be written to, so that an answer that does so is told of it.
    given = leaf.clone()
    output = answer(given)
    kept = torch.equal(given.detach(), x)
    if isinstance(output, torch.Tensor) and output.requires_grad:
        # Weights of the entries that no symmetry cancels, as equal ones would.
        ramp = torch.arange(1, output.numel() + 1, dtype=torch.float64).cos()
        torch.autograd.backward([output], [ramp.reshape(output.shape).to(output.dtype)])
    return {"output": output, f"{name} left as it was": kept, f"gradient for {name}": leaf.grad}


def _refusal(error: ValueError, number: int) -> str:
    names = "names" if str(number) in str(error) else "does not name"
    return f"a ValueError whose message {names} {number}"
