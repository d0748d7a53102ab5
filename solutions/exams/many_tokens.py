"""What exams of modules that take texts of any length share: a text that is long."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from autograder import driven, run_module

_TOKENS = 70
_TOLERANCE = 1e-3


def right_for_many_tokens(reference: Callable[..., object]) -> Callable[..., bool]:
    """What holds of every right answer, and of none with a mask for as many as its author tried."""

    def many_tokens_are_right(
        module_class: Callable[..., object],
        settings: Mapping[str, Any],
        weights: Mapping[str, torch.Tensor],
        inputs: tuple[torch.Tensor | None, ...],
        training: bool,
        calls: int,
        *_: object,
    ) -> bool:
        """a text of 70 tokens comes out as it should"""
        # In double precision, PyTorch 2.13 misreads a float32 mask on a CPU, which is no mistake.
        if training or calls > 1 or torch.float32 not in {one.dtype for one in _tensors(inputs)}:
            return True
        case = (settings, weights, tuple(map(_long, inputs)), False)
        # First, since an answer may write to what it is given.
        wanted: Any = driven(run_module, reference)(*case)
        received: Any = driven(run_module, module_class)(*case)
        output = received.get("output") if isinstance(received, dict) else None
        expected: torch.Tensor = wanted["output"].detach()
        if not isinstance(output, torch.Tensor) or output.shape != expected.shape:
            return False
        off = (output.detach() - expected).abs().max()
        return bool(off <= _TOLERANCE * (1 + expected.abs().max()))

    return many_tokens_are_right


def _tensors(inputs: tuple[torch.Tensor | None, ...]) -> list[torch.Tensor]:
    return [one for one in inputs if one is not None]


def _long(one: torch.Tensor | None) -> torch.Tensor | None:
    """The first text of a batch, again and again until it is long; so are the words it reads."""
    if one is None:
        return None
    axis = -1 if one.dtype == torch.bool else -2
    return one[:1].index_select(axis, torch.arange(_TOKENS) % one.shape[axis])
