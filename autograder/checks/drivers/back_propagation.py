"""Do gradients come back through an answer? Asked of every function that they could come through.

A function between parameters and a loss that leaves PyTorch's graph on its way returns the right
numbers, and what stands before it is never trained.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from autograder.checks.values.as_json import made_where
from autograder.checks.values.parts import gradient_for
from autograder.checks.values.tensors import back_propagate, is_function, is_tensor

if TYPE_CHECKING:
    import torch

WORDS = "with back-propagation"
_OUTPUT = "output"
_CUT = (
    "What you return is right, but no gradient comes back through it to {}, so what stands before "
    "this function could not be trained. `.detach()`, `.item()`, `.tolist()`, NumPy, "
    "`torch.no_grad()` and a new `torch.tensor(…)` all leave PyTorch's graph: compute with the "
    "tensors that you are given."
)
_STOPPED = (
    "Your function is right for plain tensors and stops at tensors that require gradients, as all "
    "do that come from a model. NumPy, and writing into parts of a tensor, are what mostly stops "
    "there: compute new tensors from the ones that you are given."
)
_OTHERS = (
    "What you return is right, but the gradients that come back through it are not: a part of the "
    "computation is cut off from PyTorch's graph, or is taken back again. Look for `.detach()`, "
    "`torch.no_grad()`, `.data` and NumPy."
)
_NAN = (
    "What you return is right, but NaN comes back through it as a gradient, and a model that has "
    "had one step with that never learns again. A softmax or logarithm of a row that is all −∞ "
    "does so, or an exponential that overflows, even where its result is replaced afterwards: "
    "replace what goes in."
)


def with_gradients(
    names: Sequence[str], answer: Callable[..., Any], *given: object
) -> dict[str, object]:
    """Call an answer with tensors that require gradients, and back-propagate through it.

    Args:
        names: of the arguments.
        answer: the function to try.
        given: its arguments.

    Returns:
        "output", what it returns, and "gradient for scores" for each floating-point tensor that
        it is given: of a fixed weighted sum of all floating outputs, or None where there is none.
    """
    leaves: list[Any] = [
        made_where(answer, value) if is_function(value) else leaf_of(value) for value in given
    ]
    # What is no leaf may be written to: an answer that does so is told of that, by another case.
    output = answer(*(leaf.clone() if is_floating(leaf) else leaf for leaf in leaves))
    send_back(output)
    named = zip(names, leaves, strict=False)
    gradients = {gradient_for(name): leaf.grad for name, leaf in named if is_floating(leaf)}
    return {_OUTPUT: output, **gradients}


def come_back(value: object) -> bool:
    """Whether gradients come back in what `with_gradients` found, and all of them are numbers."""
    import torch

    if not isinstance(value, dict):
        return False
    gradients = [found for name, found in value.items() if name != _OUTPUT and found is not None]
    return bool(gradients) and all(bool(torch.isfinite(one).all()) for one in gradients)


def what_is_cut_off(expected: Mapping[str, object], received: object) -> str:
    """A sentence for whoever gets the gradients wrong, and nothing else.

    Args:
        expected: what `with_gradients` finds of a right answer.
        received: what it finds of theirs; None where it ended in an exception.
    """
    if not isinstance(received, dict):
        return _STOPPED
    gone = [
        f"`{name.removeprefix(gradient_for(''))}`"
        for name, gradient in expected.items()
        if gradient is not None and received.get(name) is None
    ]
    if any(is_tensor(one) and bool(one.isnan().any()) for one in received.values()):
        return _NAN
    first, last = ", ".join(gone[:-1]), "".join(gone[-1:])
    return _CUT.format(f"{first} and {last}" if first else last) if gone else _OTHERS


def leaf_of(value: object) -> Any:
    """An argument that remembers its gradient, where it can have one."""
    if not is_tensor(value):
        return value
    return value.detach().clone().requires_grad_(value.is_floating_point())


def is_floating(value: object) -> bool:
    """Whether this is a tensor that can have a gradient."""
    return is_tensor(value) and bool(value.is_floating_point())


def send_back(output: object) -> None:
    """Back-propagate a fixed weighted sum of all floating-point tensors in an output."""
    outputs = [value for value in _tensors(output) if value.requires_grad]
    if outputs:
        back_propagate(outputs, [_cotangent(value) for value in outputs])


def _tensors(output: object) -> "Iterator[torch.Tensor]":
    if isinstance(output, list | tuple):
        for entry in output:
            yield from _tensors(entry)
    elif is_floating(output):
        yield cast("torch.Tensor", output)


def _cotangent(output: "torch.Tensor") -> "torch.Tensor":
    """Weights of an output's entries that no symmetry cancels, as equal ones would."""
    import torch

    ramp = torch.arange(1, output.numel() + 1, dtype=torch.float64).cos()
    return ramp.reshape(output.shape).to(output.dtype)
