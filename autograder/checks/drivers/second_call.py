"""Is a module right in a later call too? Asked of every module that `run_module` drives.

What a module makes in its first call and keeps, such as a mask or a product of its weights, fits
inputs of that size, or these weights, alone.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

from autograder.checks.drivers.back_propagation import is_floating
from autograder.checks.drivers.run_module import SHARED, WRITES, run_module
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.tensors import is_tensor

if TYPE_CHECKING:
    import torch

WORDS = "after calls with other inputs and weights"
_MORE_THAN_SETTINGS = 100
IN_TRAINING = f"{WORDS}, in training"
_WRITTEN = (
    "Where no gradients are asked for, your code writes to what it is called with, which whoever "
    "calls it may need again. Leave that as it is, and compute a new tensor: `+=`, `x[...] = ` and "
    "methods that end in `_` write in place."
)
_KEPT = (
    "Your module is right when it is called for the first time, and wrong after calls with other "
    "inputs and weights, beside another module of its class: it keeps something of a call, such as "
    "a mask or positions of its size, or a product of the weights, or its settings stand on the "
    "class. Make what hangs on inputs or weights anew in each call, and keep settings on `self`."
)
_SHARED = (
    "Your class is right for a single module, and two modules of it have the same weights, so what "
    "trains or loads one of them changes the other. Make all layers and parameters anew in "
    "`__init__`, for each module its own."
)


def after_others(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: "Mapping[str, torch.Tensor]",
    inputs: tuple[object, ...],
    training: bool = False,
    calls: int = 1,
    buffer: tuple[int, ...] = (),
) -> dict[str, Any]:
    """As `run_module`, of a module that has been called before: with the first rows of the inputs
    alone, where they have rows to spare, and with as many other numbers.
    """
    # The shorter ones first, as a module may keep the size of its very first call.
    before = [*([_shorter(inputs)] if _have_rows_to_spare(inputs) else []), _negated(inputs)]
    return run_module(module_class, settings, weights, inputs, training, calls, buffer, before)


def is_called_once(arguments: Collection[object], *, in_training: bool = False) -> bool:
    """Whether a module is called once, and not in training, or else in training."""
    _, _, _, *others = arguments
    training, calls, _ = (*others, False, 1, ())[:3]
    return bool(training) is in_training and calls == 1


def how_much_could_be_kept(arguments: Collection[Any]) -> int:
    """How much of its earlier calls a module may keep: of their size, if that differs, and of each
    setting.
    """
    settings, _, inputs, *_ = arguments
    return _MORE_THAN_SETTINGS * _have_rows_to_spare(inputs) + len(settings)


def what_is_kept(expected: object, found: Outcome) -> str:
    """A sentence for whoever is wrong in a later call, and in no first one.

    Args:
        expected: what a right answer returns.
        found: what theirs has done.
    """
    is_shared = found.raised and found.raised.message == SHARED
    return said_of_writing(found) or (_SHARED if is_shared else _KEPT)


def said_of_writing(found: Outcome) -> str:
    """A sentence for whoever writes to inputs of which no gradients are asked; nothing of others.

    PyTorch itself refuses it where there are gradients.
    """
    is_written = found.changed or (found.raised and found.raised.message == WRITES)
    return _WRITTEN if is_written else ""


def _have_rows_to_spare(inputs: tuple[object, ...]) -> bool:
    floating = [cast("torch.Tensor", value) for value in inputs if is_floating(value)]
    axes = {value.ndim for value in floating}
    rows = [value.shape[-2] for value in floating if value.ndim > 1]
    return len(axes) == 1 and bool(rows) and min(rows) > 1


def _negated(inputs: tuple[Any, ...]) -> tuple[object, ...]:
    """As large ones: what is true or false of each stays, and so do tokens."""
    return tuple(-value.detach() if is_floating(value) else value for value in inputs)


def _shorter(inputs: tuple[Any, ...]) -> tuple[object, ...]:
    """All rows but the last: those of vectors, and what is true or false of each."""
    return tuple(_without_last(value) if is_tensor(value) else value for value in inputs)


def _without_last(value: "torch.Tensor") -> "torch.Tensor":
    # Contiguous, as all inputs are: whether others will do is asked elsewhere.
    return (value[..., :-1, :] if is_floating(value) else value[..., :-1]).contiguous()
