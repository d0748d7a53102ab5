"""What exams of modules with dropout share: how often something is dropped."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from autograder import driven, run_module

# So seldom that no right answer ever does. With 0, an answer would be asked nothing that takes its
# rate from anywhere else, as long as it drops nothing without dropout.
ALMOST_NEVER = 1e-9

# Few enough for answers that go through a batch in a loop.
_TEXTS = 400
_RATE = 0.5
_DIRECTIONS = 8
# So many standard deviations from its mean, no average is ever found.
_DEVIATIONS = 6
_ROUNDING = 1e-5
_SEED = 1


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
        calls: int,
        *_: object,
    ) -> bool:
        """in training, the outputs of many equal texts average and spread as they should"""
        dtypes = {one.dtype for one in inputs if one is not None}
        is_asked = training and calls == 1 and torch.float64 in dtypes
        if not is_asked or settings["dropout"] != ALMOST_NEVER:
            return True
        case = ({**settings, "dropout": _RATE}, weights, tuple(map(_many, inputs)), True)
        # An answer in another process draws its numbers there, and finds none of them drawn here.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_SEED)
            # First, since an answer may write to what it is given.
            wanted = driven(run_module, reference)(*case)
        return _average_alike(driven(run_module, module_class)(*case), wanted)

    return averages_are_right


def _average_alike(received: object, wanted: object) -> bool:
    """Whether two modules' outputs spread alike around the same mean, with finite gradients."""
    if not isinstance(received, dict) or not isinstance(wanted, dict):
        return False
    tensors = [one for one in received.values() if isinstance(one, torch.Tensor)]
    if not all(bool(one.isfinite().all()) for one in tensors):
        return False
    output, other = received.get("output"), wanted["output"]
    if not isinstance(output, torch.Tensor) or output.shape != other.shape:
        return False
    found, expected = (one.detach().double().flatten(1) for one in (output, other))
    # Few numbers for each text: along the average, and along what dropout changes most.
    average = expected.mean(dim=0, keepdim=True)
    *_, most = torch.linalg.svd(expected - average, full_matrices=False)
    directions = torch.cat([average, most[:_DIRECTIONS]])
    found, expected = (one @ directions.mT for one in (found, expected))
    middle = expected.mean(dim=0)
    # What is dropped together, for several words or heads, spreads further around the same mean.
    return _mean_alike(found, expected) and _mean_alike(
        (found - middle).square(), (expected - middle).square()
    )


def _mean_alike(found: torch.Tensor, expected: torch.Tensor) -> bool:
    chance = ((found.var(dim=0) + expected.var(dim=0)) / _TEXTS).sqrt()
    off = (found.mean(dim=0) - expected.mean(dim=0)).abs()
    # Along what dropout does not change there is nothing but rounding, of the largest numbers too.
    return bool((off <= _DEVIATIONS * chance + _ROUNDING * expected.abs().max()).all())


def _many(one: torch.Tensor | None) -> torch.Tensor | None:
    """The first text of a batch, many times."""
    return None if one is None else one[:1].repeat(_TEXTS, *(1 for _ in one.shape[1:]))
