"""What exams of modules with dropout share: how often something is dropped."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from autograder import driven, run_module

# So seldom that no right answer ever does. With 0, an answer would be asked nothing that takes its
# rate from anywhere else, as long as it drops nothing without dropout.
ALMOST_NEVER = 1e-9

_TEXTS = 6000
_RATE = 0.3
# So many standard deviations from its mean, no average is ever found.
_DEVIATIONS = 6
_ROUNDING = 1e-5


def averages_as(reference: Callable[..., object]) -> Callable[..., bool]:
    """What holds of every right answer: how often each of its outputs comes in training.

    Which outputs there are tells by what an answer divides, and nothing of how often it drops.
    """

    def averages_are_right(
        module_class: Callable[..., object],
        settings: Mapping[str, Any],
        weights: Mapping[str, torch.Tensor],
        inputs: tuple[torch.Tensor | None, ...],
        training: bool,
        *_: object,
    ) -> bool:
        """in training, the outputs of many equal texts have the average that they should have"""
        if not training or settings["dropout"] != ALMOST_NEVER:
            return True
        case = ({**settings, "dropout": _RATE}, weights, tuple(map(_many, inputs)), True)
        found = [_output(driven(run_module, one)(*case)) for one in (module_class, reference)]
        received, wanted = found
        if received is None or wanted is None or received.shape != wanted.shape:
            return False
        chance = ((received.var(dim=0) + wanted.var(dim=0)) / _TEXTS).sqrt()
        off = (received.mean(dim=0) - wanted.mean(dim=0)).abs()
        return bool((off <= _DEVIATIONS * chance + _ROUNDING * wanted.abs().max()).all())

    return averages_are_right


def _many(one: torch.Tensor | None) -> torch.Tensor | None:
    """The first text of a batch, many times."""
    return None if one is None else one[:1].repeat(_TEXTS, *(1 for _ in one.shape[1:]))


def _output(found: object) -> torch.Tensor | None:
    output = found.get("output") if isinstance(found, dict) else None
    return output.detach().double() if isinstance(output, torch.Tensor) else None
