"""What the engine knows of PyTorch's values: tensors and generators.

torch is not imported to find out: where it has not been, no value is a tensor, and a lesson without
it does not wait for it.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

if TYPE_CHECKING:
    import torch

SEED = 0
# In what torch says in place of a MemoryError.
NO_MEMORY = "DefaultCPUAllocator: "


def is_tensor(value: Any) -> "TypeGuard[torch.Tensor]":
    """Whether this is a tensor with numbers: a `torch.Tensor` or an `nn.Parameter` and no other.

    A `resize_` that fails leaves one with a length below 0, of which nothing can be read.
    """
    torch = _torch()
    return (
        torch is not None
        and type(value) in (torch.Tensor, torch.nn.Parameter)
        and value.layout is torch.strided
        and not (value.is_meta or value.is_nested or value.is_quantized)
        and min(value.shape, default=0) >= 0
    )


def is_function(value: object) -> "TypeGuard[Callable[..., Any]]":
    """Whether this is something to be called, among the arguments of a function."""
    return callable(value) and not is_tensor(value)


def is_generator(value: object) -> "TypeGuard[torch.Generator]":
    """Whether this is a source of random numbers that a function is given."""
    torch = _torch()
    return torch is not None and isinstance(value, torch.Generator)


def as_array(tensor: "torch.Tensor") -> np.ndarray:
    """A tensor's numbers, without its gradients; half precision becomes single."""
    numbers = tensor.detach().cpu().resolve_conj().resolve_neg()
    # NumPy has no bfloat16.
    if numbers.is_floating_point() and numbers.element_size() < 4:
        numbers = numbers.float()
    return numbers.numpy()


def table_of(value: Any) -> np.ndarray | None:
    """An array or a tensor of True and False, such as a mask; None of anything else."""
    array = as_array(value) if is_tensor(value) else value
    is_table = isinstance(array, np.ndarray) and array.ndim > 0 and array.dtype == bool
    return array if is_table else None


def dtype_name(tensor: "torch.Tensor") -> str:
    """A dtype as NumPy calls it: float64, not torch.float64."""
    return str(tensor.dtype).removeprefix("torch.")


def cast(tensor: "torch.Tensor", dtype: str) -> "torch.Tensor":
    """A tensor of another dtype and its own memory; a parameter stays one."""
    torch = _torch()
    made: Any = tensor.detach().to(getattr(torch, dtype), copy=True)
    if type(tensor) is torch.nn.Parameter:
        made = torch.nn.Parameter(made)
    made.requires_grad_(tensor.requires_grad)
    return made  # type: ignore[no-any-return]


def fresh_generators(value: object) -> "Iterator[tuple[torch.Generator, torch.Generator]]":
    """Each generator in lists, tuples and dicts, with a new one of the same seed."""
    if is_generator(value):
        yield value, type(value)(value.device).manual_seed(value.initial_seed())
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from fresh_generators(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from fresh_generators(entry)


def holds_tensors(value: object) -> bool:
    """Whether a list, tuple or dict has a tensor in it, at any depth."""
    if isinstance(value, dict):
        return any(map(holds_tensors, value.values()))
    if isinstance(value, list | tuple):
        return any(map(holds_tensors, value))
    return is_tensor(value)


def another_like(value: Any) -> Any:
    """Another value for the same place: of an array or a tensor, the same with the entries of its
    first longer axis in reverse; of True, False. None where there is none.

    One list of whole numbers may have to be sorted, as positions are, of counts one may have to
    divide another, and in a square mask every token may have to see itself: they have no other.
    """
    if type(value) is bool:
        return not value
    tensor = value if is_tensor(value) else None
    array = value if tensor is None else as_array(tensor)
    if not isinstance(array, np.ndarray):
        return None
    axis = next((axis for axis, size in enumerate(array.shape) if size > 1), None)
    is_sorted = array.ndim == 1 and array.dtype.kind not in "fb"
    is_square_mask = array.dtype == bool and array.ndim > 1 and array.shape[-1] == array.shape[-2]
    if axis is None or is_sorted or is_square_mask:
        return None
    return np.flip(array, axis).copy() if tensor is None else tensor.detach().flip(axis)


@contextmanager
def seeded() -> Iterator[None]:
    """Have torch's own random numbers be the same each time, and leave no trace in them, nor in
    its settings.
    """
    torch = _torch()
    if torch is None:
        yield
        return
    before, gradients = torch.get_rng_state(), torch.is_grad_enabled()
    torch.default_generator.manual_seed(SEED)
    try:
        with default_dtype_kept():
            yield
    finally:
        torch.set_rng_state(before)
        torch.set_grad_enabled(gradients)


@contextmanager
def default_dtype_kept() -> Iterator[None]:
    """Have torch's default dtype be afterwards what it was before."""
    torch = _torch()
    before = torch and torch.get_default_dtype()
    try:
        yield
    finally:
        if torch is not None:
            torch.set_default_dtype(before)


def seed_torch(seed: int) -> None:
    """Have torch's own random numbers begin with this, where torch is."""
    if (torch := _torch()) is not None:
        torch.default_generator.manual_seed(seed)


def settings_of_torch() -> dict[str, object]:
    """What torch computes with, by its name: nothing where it is not."""
    torch = _torch()
    if torch is None:
        return {}
    return {
        "default dtype": torch.get_default_dtype(),
        "gradients": torch.is_grad_enabled(),
        "seed": torch.initial_seed(),
    }


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Have torch use one thread: on tiny tensors, many wait for each other more than they work."""
    torch = _torch()
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _torch() -> Any:
    """The module, where somebody has imported it to the end."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "nn") else None


def back_propagate(
    outputs: "Sequence[torch.Tensor]",
    cotangents: "Sequence[torch.Tensor]",
    *,
    retain_graph: bool = False,
) -> None:
    """Back-propagate through several outputs at once, given the gradient of each.

    torch does so itself, and for that imports a library for symbolic mathematics, which takes it a
    third of its own time. From a number without a given gradient it begins at once.
    """
    import torch

    class Weighted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *_: "torch.Tensor") -> Any:
            return torch.zeros(())

        @staticmethod
        def backward(ctx: Any, *_: "torch.Tensor") -> Any:
            return tuple(cotangents)

    number: torch.Tensor = Weighted.apply(*outputs)  # type: ignore[no-untyped-call]
    number.backward(retain_graph=retain_graph)  # type: ignore[no-untyped-call]


def has_floating(value: object) -> bool:
    """Whether there are floating-point arrays or tensors in a value."""
    if type(value) is list or type(value) is tuple:
        return any(map(has_floating, value))
    if type(value) is dict:
        return any(map(has_floating, value.values()))
    if is_tensor(value):
        return value.is_floating_point()
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def cast_all(value: object, dtype: str) -> object:
    """A value with all floating-point arrays and tensors in it cast to a dtype."""
    if type(value) is list:
        return [cast_all(entry, dtype) for entry in value]
    # A named tuple can't be made anew from its entries alone.
    if type(value) is tuple:
        return tuple(cast_all(entry, dtype) for entry in value)
    if type(value) is dict:
        return {key: cast_all(entry, dtype) for key, entry in value.items()}
    if is_tensor(value) and value.is_floating_point():
        return cast(value, dtype)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(dtype)
    return value
