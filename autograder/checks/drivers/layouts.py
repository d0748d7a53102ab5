"""Is an answer right wherever a tensor's numbers lie? Asked of functions and modules.

Tensors that come from a `transpose`, a slice or an `expand` share memory with others, and their
numbers do not lie one after the other. Most of PyTorch does not mind; `view` does.

Where the answer is in another process, these drivers are at work there, because numbers arrive one
after the other. So what they say is that process's word, and no more than this aspect hangs on it.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from autograder.checks.drivers.run_module import run_module
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.tensors import is_tensor

if TYPE_CHECKING:
    import torch

TRANSPOSED = "with transposed tensors"
EXPANDED = "with expanded tensors"
# A vector alone has no axes that could lie in another order.
_FEWEST_AXES = 2
_STOPPED = (
    "Your code is right for contiguous tensors and stops at others, such as those that "
    "`transpose`, `expand` and slices return. `view` can't merge their axes, and nothing can be "
    "written into an expanded one: use `reshape`, and compute new tensors."
)
_OTHERS = (
    "What you return is right for contiguous tensors and wrong for others, such as those that "
    "`transpose`, `expand` and slices return. Look for what reads or writes memory in its order, "
    "such as `as_strided` and `data_ptr`."
)


def transposed(answer: Callable[..., Any], *given: object) -> object:
    """Call an answer with the same tensors, transposed and cut out of wider ones in memory."""
    return answer(*(_each(_apart, value) for value in given))


def module_with_transposed(
    module_class: Callable[..., Any], settings: Mapping[str, object], *others: Any
) -> dict[str, Any]:
    """As `run_module`, of a module that is called with the same inputs, so laid out."""

    def made(**settings: object) -> Any:
        module = module_class(**settings)
        module.register_forward_pre_hook(lambda _, given: _each(_apart, given))
        return module

    return run_module(made, settings, *others)


def expanded(answer: Callable[..., Any], *given: object) -> object:
    """Call an answer with the first of each tensor's entries in place of all, as `expand` does."""
    return answer(*(_each(_spread, value) for value in given))


def has_axes(value: object) -> bool:
    """Whether a value is, or has in it, a tensor that can lie otherwise in memory."""
    if isinstance(value, list | tuple):
        return any(map(has_axes, value))
    return is_tensor(value) and value.ndim >= _FEWEST_AXES and value.numel() > 1


def is_finite(value: object) -> bool:
    """Whether all that a call returns are numbers that can be compared."""
    if isinstance(value, list | tuple):
        return all(map(is_finite, value))
    return not is_tensor(value) or bool(value.isfinite().all())


def is_told_apart(value: object) -> bool:
    """Whether what a call returns shows by its numbers in which layout an answer was right.

    A verdict does not: of one that is wrong for another reason, it may be the same.
    """
    return type(value) is not bool and is_finite(value)


def what_stops(expected: object, found: Outcome) -> str:
    """A sentence for whoever is wrong for tensors in another layout, and for no others.

    Args:
        expected: what a right answer returns.
        found: what theirs has done.
    """
    return _STOPPED if found.raised else _OTHERS


def _each(lay: "Callable[[torch.Tensor], torch.Tensor]", value: object) -> object:
    if type(value) is list or type(value) is tuple:
        return type(value)(_each(lay, one) for one in value)
    return lay(value) if is_tensor(value) and value.ndim >= _FEWEST_AXES else value


def _apart(value: "torch.Tensor") -> "torch.Tensor":
    """The same tensor as a slice of one whose axes but the last lie in the other order."""
    import torch

    *others, last = range(value.ndim)
    order = (*reversed(others), last)
    wide = torch.cat([value, value], dim=-1).permute(order).contiguous().permute(order)
    return wide[..., : value.shape[-1]]


def _spread(value: "torch.Tensor") -> "torch.Tensor":
    return value[:1].expand_as(value) if value.is_floating_point() and len(value) else value
