"""What exams share whose docstring says that a result has the dtype of what it is made of."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

Answer = Callable[..., Any]

# How long the last axis is in the case that is tried in bfloat16 as well, and in no other.
TRIED_TWICE = 23


def bfloat16_stays(answer: Answer, *given: object) -> bool:
    """of numbers in bfloat16, the result is in bfloat16"""
    # In 64 bits, where who computes in 32 is wrong already, and in nothing but the dtype.
    if not any(one.dtype == torch.float64 for one in _tensors(given)):
        return True
    found = [*_tensors(answer(*map(_rounded, given)))]
    return bool(found) and all(one.dtype == torch.bfloat16 for one in found)


def bfloat16_stays_once(answer: Answer, *given: Any) -> bool:
    """of numbers in bfloat16, the result is in bfloat16"""
    # Where a mask, a matrix or a window that is made in 32 bits is right in everything else.
    return given[0].shape[-1] != TRIED_TWICE or bfloat16_stays(answer, *given)


def bfloat16_is_near(
    sentence: str, last_axis: int, *, rtol: float = 0, atol: float = 0
) -> Callable[..., bool]:
    """The same of a case, whose numbers have to be nearly those that it makes in 64 bits as well.

    Args:
        sentence: what holds.
        last_axis: how long the last axis of the first argument is in that case, and in no other.
        rtol: how far numbers may be off, next to their size. bfloat16 keeps 8 bits, of what is
            given and of all sums on the way.
        atol: how far they may be off, whatever their size.
    """

    def is_near(answer: Answer, *given: Tensor) -> bool:
        if given[0].shape[-1] != last_axis:
            return True
        found, exact = answer(*map(_rounded, given)), answer(*given)
        if exact.dtype != given[0].dtype:
            return True  # It is refused for that, and is right in everything else.
        is_close = torch.allclose(found.to(exact.dtype), exact, rtol=rtol, atol=atol)
        return found.dtype == torch.bfloat16 and is_close

    is_near.__doc__ = sentence
    return is_near


def _rounded(value: Any) -> Any:
    """The same in bfloat16, if it has floating-point numbers."""
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    is_rounded = isinstance(value, Tensor) and value.is_floating_point()
    return value.bfloat16() if is_rounded else value


def _tensors(value: object) -> Iterator[Tensor]:
    """Those among some values."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _tensors(one)
