"""Gradients across two processes: what autograd needs to go on through a call made over there.

A result that depends on its arguments or on a module's parameters keeps its graph where it was
made. What arrives here is a tensor whose `backward` asks for the gradients of the arguments; those
of the parameters are summed up over there, as they would be here.

The tensors of a value are counted in the order in which they stand in it, on both sides alike.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from autograder.checks.values.tensors import back_propagate, default_dtype_kept

if TYPE_CHECKING:
    import torch

_MOST_GRAPHS = 256
_MOST_VALUES = 1_000_000
_BATCHED = (
    "many gradients at once, as vectorize=True and is_grads_batched=True ask for, do not come back "
    "through a function that is called in another process: ask for one after the other"
)

Backward = Callable[[Sequence["torch.Tensor"]], Sequence[object]]


def are_tracked() -> bool:
    """Whether what is computed now keeps a graph."""
    torch = sys.modules.get("torch")
    return torch is None or bool(torch.is_grad_enabled())


@contextmanager
def as_there(tracked: bool) -> Iterator[None]:
    """Have what is computed keep no graph, where the caller keeps none, and leave torch's default
    dtype as it was.

    Else it stays as it is: an answer that has switched graphs off for good goes on without.
    """
    torch = sys.modules.get("torch")
    with default_dtype_kept(), nullcontext() if torch is None or tracked else torch.no_grad():
        yield


def tensors_in(value: object) -> Iterator["torch.Tensor"]:
    """The tensors of a value, parameters too, wherever they stand in it."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    left, seen = [value], 0
    # A list may contain itself: it can't be sent, and must not be walked for ever.
    while left and seen < _MOST_VALUES:
        one, seen = left.pop(), seen + 1
        if type(one) in (torch.Tensor, torch.nn.Parameter):
            yield one  # type: ignore[misc]
        elif type(one) in (list, tuple):
            left.extend(reversed(one))  # type: ignore[call-overload]
        elif type(one) in (dict, OrderedDict):
            left.extend(reversed(one.values()))  # type: ignore[attr-defined]


def is_parameter(tensor: "torch.Tensor") -> bool:
    """Whether it is a module's own, and not something that was computed."""
    import torch

    return type(tensor) is torch.nn.Parameter


def computed_in(value: object) -> list["torch.Tensor"]:
    """The tensors of a value through which gradients flow back."""
    return [one for one in tensors_in(value) if one.requires_grad and not is_parameter(one)]


def parameters_in(value: object) -> list["torch.Tensor"]:
    """The parameters of a value."""
    return [one for one in tensors_in(value) if is_parameter(one)]


def with_gradients(value: object, gradients: tuple[object, ...]) -> object:
    """Give parameters the gradients that they have over there."""
    for parameter, gradient in zip(parameters_in(value), gradients, strict=False):
        if type(gradient) is type(parameter.data) and gradient.shape == parameter.shape:
            parameter.grad = gradient.detach().to(parameter.dtype)
    return value


class Graphs:
    """The results whose graphs are kept where they were made; the oldest are forgotten."""

    def __init__(self, most: int = _MOST_GRAPHS) -> None:
        """Keep so many."""
        self._most = most
        self._kept: OrderedDict[int, tuple[list[Any], list[Any]]] = OrderedDict()
        self._number = 0

    def keep(self, value: object, arguments: object) -> int | None:
        """A number for the graph of a result, or None if it has none."""
        results = computed_in(value)
        if not results:
            return None
        leaves = [one for one in tensors_in(arguments) if one.requires_grad]
        self._number += 1
        self._kept[self._number] = results, leaves
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return self._number

    def backward(self, number: int, cotangents: Sequence["torch.Tensor"]) -> list[object]:
        """The gradients of the arguments; those of parameters are added to what they have.

        Raises:
            KeyError: for a graph that is not kept.
            RuntimeError: when autograd refuses.
        """
        results, leaves = self._kept[number]
        for leaf in leaves:
            leaf.grad = None
        pairs = [pair for pair in zip(results, cotangents, strict=True) if pair[0].requires_grad]
        if pairs:
            back_propagate(*zip(*pairs, strict=True), retain_graph=True)
        return [leaf.grad for leaf in leaves]

    def gradients(self, number: int, cotangents: Sequence["torch.Tensor"]) -> list[object]:
        """The gradients of the arguments; nothing else has one afterwards.

        Raises:
            KeyError, ValueError, RuntimeError: as `backward` does.
        """
        import torch

        results, leaves = self._kept[number]
        given = [cotangent for _, cotangent in zip(results, cotangents, strict=True)]
        if not leaves:
            return []
        asked = {"retain_graph": True, "allow_unused": True}
        return [*torch.autograd.grad(results, leaves, given, **asked)]


def tracked_if_asked(arguments: object) -> AbstractContextManager[object]:
    """Have what is computed of these keep a graph, if one of them says that it takes part in one.

    Whoever called an answer without graphs may still be asked for one.
    """
    torch = sys.modules.get("torch")
    is_asked = torch is not None and any(one.requires_grad for one in tensors_in(arguments))
    return torch.enable_grad() if torch is not None and is_asked else nullcontext()


def connect(value: object, arguments: object, backward: Backward) -> object:
    """The same value, its computed tensors made part of the graph on this side.

    Args:
        value: what came back, with tensors that say of themselves that they require a gradient.
        arguments: what the call was given.
        backward: given the gradients of the computed tensors, gives those of the arguments'
            tensors that require one.
    """
    results = computed_in(value)
    if not results:
        return value
    leaves = [one for one in tensors_in(arguments) if one.requires_grad]
    connected = iter(_through(results, leaves, backward))
    return _replace(value, connected)


def _replace(value: object, new: Iterator["torch.Tensor"]) -> object:
    torch: Any = sys.modules["torch"]
    if type(value) is torch.Tensor and value.requires_grad:  # type: ignore[attr-defined]
        return next(new)
    if type(value) in (list, tuple):
        return type(value)(_replace(one, new) for one in value)  # type: ignore[attr-defined, call-arg]
    if type(value) is dict:
        return {key: _replace(one, new) for key, one in value.items()}
    return value


def _through(
    results: list["torch.Tensor"], leaves: list["torch.Tensor"], backward: Backward
) -> tuple["torch.Tensor", ...]:
    import torch
    from torch.autograd.function import once_differentiable

    class Elsewhere(torch.autograd.Function):
        """One call in the other process."""

        @staticmethod
        def forward(ctx: Any, _: "torch.Tensor", *given: "torch.Tensor") -> Any:
            return tuple(result.detach().clone() for result in results)

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, *cotangents: "torch.Tensor") -> Any:
            gradients = backward(_one_by_one(cotangents))
            return (None, *map(_fitting, gradients, leaves))

    # Something that requires a gradient even where only parameters over there do.
    anchor = torch.zeros((), requires_grad=True)
    connected: tuple[torch.Tensor, ...] = Elsewhere.apply(anchor, *leaves)  # type: ignore[no-untyped-call]
    return connected


def _one_by_one(cotangents: Sequence["torch.Tensor"]) -> list["torch.Tensor"]:
    try:
        return [one.detach().clone() for one in cotangents]
    except RuntimeError as error:
        # PyTorch batches them, and would speak of a rule that is missing for one of its functions.
        raise RuntimeError(_BATCHED) from error


def _fitting(gradient: object, leaf: "torch.Tensor") -> "torch.Tensor | None":
    """A gradient that autograd can add to what it has; anything else is none at all."""
    import torch

    if type(gradient) is not torch.Tensor or gradient.shape != leaf.shape:
        return None
    return gradient.detach().to(leaf.dtype) if gradient.dtype.is_floating_point else None
