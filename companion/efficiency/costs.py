"""What a call costs: seconds, the bytes that live at once, and the bytes kept for training."""

import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from companion.threads import one_thread

_ENOUGH_SECONDS = 0.1


def fastest_seconds(function: Callable[..., object], *arguments: Any, repeats: int = 3) -> float:
    """The time of the fastest of several calls, on one thread.

    Whatever else runs on a machine can only slow a call down. Quick ones are repeated more often,
    for a tenth of a second in all.
    """
    with one_thread():
        times = [_seconds(function, arguments) for _ in range(repeats)]
        while sum(times) < _ENOUGH_SECONDS:
            times.append(_seconds(function, arguments))
    return min(times)


def _seconds(function: Callable[..., object], arguments: tuple[Any, ...]) -> float:
    start: float = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def peak_megabytes(function: Callable[..., object], *arguments: Any) -> float:
    """How many megabytes of new tensors are alive at once during a call, at most.

    The arguments do not count. It counts the tensors that the call's own steps return, and so it is
    the same on every machine.
    """
    living = _Living(arguments)
    with living:
        function(*arguments)
    return living.peak / 1e6


def seconds_and_megabytes(
    function: Callable[..., object], *arguments: Any, repeats: int = 1
) -> tuple[float, float]:
    """`fastest_seconds` and `peak_megabytes` of the same calls, for those that take long."""
    living = _Living(arguments)
    with living:
        seconds = fastest_seconds(function, *arguments, repeats=repeats)
    return seconds, living.peak / 1e6


class _Living(TorchFunctionMode):
    """Knows the memory of each tensor that a call makes, from when it is made until it is freed."""

    def __init__(self, known: Sequence[object]) -> None:
        super().__init__()
        tensors = [one for one in known if isinstance(one, Tensor)]
        self._sizes = {one.untyped_storage()._cdata: 0 for one in tensors}
        self._now = self.peak = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for one in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(one, Tensor):
                self._made(one.untyped_storage())
        return result

    def _made(self, storage: torch.UntypedStorage) -> None:
        name = storage._cdata
        if name not in self._sizes:
            self._sizes[name] = storage.nbytes()
            self._now += storage.nbytes()
            self.peak = max(self.peak, self._now)
            weakref.finalize(storage, self._freed, name)

    def _freed(self, name: int) -> None:
        self._now -= self._sizes.pop(name, 0)


def megabytes_kept(function: Callable[..., Tensor], *arguments: Any) -> float:
    """How many megabytes a call keeps for the backward pass, its arguments aside.

    Its floating-point arguments are given gradients, as in training.
    """
    wanted = [one.detach().requires_grad_() if _is_float(one) else one for one in arguments]
    own = {one.untyped_storage()._cdata for one in wanted if isinstance(one, Tensor)}
    sizes: dict[int, int] = {}

    def keep(kept: Tensor) -> Tensor:
        storage = kept.untyped_storage()
        if storage._cdata not in own:
            sizes[storage._cdata] = storage.nbytes()
        return kept

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda kept: kept):
        result = function(*wanted)
    total = sum(sizes.values()) / 1e6
    # Until here the graph has to live: a freed tensor's name could be given to another one.
    del result
    return total


def _is_float(one: object) -> bool:
    return isinstance(one, Tensor) and one.is_floating_point()


def growth_exponent(lengths: Sequence[float], costs: Sequence[float]) -> float:
    """The p for which costs grow like lengths to the power of p: the slope on logarithmic axes.

    A least-squares line through the logarithms: 1 where twice the length costs twice as much, 2
    where it costs four times as much.
    """
    slope, _ = np.polyfit(np.log(lengths), np.log(costs), 1)
    return float(slope)
