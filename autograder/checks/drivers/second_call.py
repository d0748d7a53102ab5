"""Is a module right in its second call too? Asked of every module that `run_module` drives.

What a module makes in its first call and keeps, such as a mask, fits inputs of that size alone.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

from autograder.checks.drivers.back_propagation import is_floating
from autograder.checks.drivers.run_module import run_after
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.tensors import is_tensor

if TYPE_CHECKING:
    import torch

WORDS = "after a call with a shorter input"
_KEPT = (
    "Your module is right when it is called for the first time, and wrong after a call with a "
    "shorter input: it keeps something of that call, such as a mask or positions of its size. Make "
    "what hangs on the size of the inputs anew in each call."
)


def after_a_shorter(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: "Mapping[str, torch.Tensor]",
    inputs: tuple[object, ...],
    *others: Any,
) -> dict[str, Any]:
    """As `run_module`, of a module that has been called with the first rows of the inputs alone."""
    return run_after(_shorter(inputs), module_class, settings, weights, inputs, *others)


def can_be_shorter(arguments: Collection[object]) -> bool:
    """Whether a module is called once, not in training, with inputs that have rows to spare."""
    _, _, inputs, *others = arguments
    training, calls, _ = (*others, False, 1, ())[:3]
    floating = [value for value in cast("tuple[Any, ...]", inputs) if is_floating(value)]
    axes = {value.ndim for value in floating}
    rows = [value.shape[-2] for value in floating if value.ndim > 1]
    return not training and calls == 1 and len(axes) == 1 and bool(rows) and min(rows) > 1


def what_is_kept(expected: object, found: Outcome) -> str:
    """A sentence for whoever is wrong in a second call, and in no first one.

    Args:
        expected: what a right answer returns.
        found: what theirs has done.
    """
    return _KEPT


def _shorter(inputs: tuple[Any, ...]) -> tuple[object, ...]:
    """All rows but the last: those of vectors, and what is true or false of each."""
    return tuple(
        value[..., :-1, :] if is_floating(value) else value[..., :-1] if is_tensor(value) else value
        for value in inputs
    )
