"""How else a driver uses an answer: arguments in order, tensors laid out otherwise, and whether it
seeds PyTorch's own random numbers.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from companion.beside import made_beside

_EXCHANGED = (
    "made of the same arguments in order, without their names, your class does not do what it does "
    "with them: have `__init__` take them in the order that the exercise gives"
)

# A seed that nobody chooses.
_SELDOM = 7_160_243_985


class OrderMismatch(Exception):
    """A class takes its arguments in another order than its exercise says. The message says so."""


def refuse_another_order(
    answer: Callable[..., Any], settings: Mapping[str, Any], is_well: Callable[[Any], bool]
) -> None:
    """Make something of arguments in order, and if all is not well with it, of the same by name.

    Args:
        answer: the class, or whatever is called to make something.
        settings: its arguments by name, in the order in which the exercise gives them.
        is_well: whether all is well with what is made; an exception says that it is not.

    Raises:
        OrderMismatch: when all is well with what is made by name alone.
    """
    try:
        is_right = is_well(answer(*settings.values()))
    except Exception:
        is_right = False
    if not is_right and is_well(answer(**settings)):
        raise OrderMismatch(_EXCHANGED)


def laid_apart(x: torch.Tensor) -> torch.Tensor:
    """The same numbers, which lie in memory as those of a slice of something transposed.

    It is made beside an answer, because what is sent to another process is contiguous there.
    """
    if x.ndim == 0:
        return x
    if x.ndim == 1:
        return torch.stack([x, x], dim=1)[:, 0]
    *others, last = range(x.ndim)
    order = (*reversed(others), last)
    wide = torch.cat([x, x], dim=-1).permute(order).contiguous().permute(order)
    return wide[..., : x.shape[-1]]


def begin_own_numbers() -> None:
    """Have PyTorch's own random numbers begin with a seed that nobody chooses."""
    torch.manual_seed(_SELDOM)


def own_seed() -> int:
    """What PyTorch's own random numbers began with."""
    return torch.initial_seed()


def is_seeded_anew(answer: object) -> bool:
    """Whether something has seeded PyTorch's own random numbers since, where the answer is."""
    return bool(made_beside(answer, own_seed) != _SELDOM)


def is_same(output: object, other: object) -> bool:
    """Whether two outputs are tensors that differ by no more than rounding, or none and of a type.

    Sums in another layout are taken in another order.
    """
    if not (isinstance(output, torch.Tensor) and isinstance(other, torch.Tensor)):
        return type(output) is type(other)
    if output.dtype != other.dtype or output.shape != other.shape:
        return False
    return torch.equal(output, other) or torch.allclose(output, other, rtol=1e-5, atol=1e-6)
