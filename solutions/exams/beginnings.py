"""What weights a module begins with, for exams of modules."""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import torch

from companion.beside import made_beside
from companion.gpt.parts import TwoLayers

# A size of a module that is made again and again, and of none that is drawn.
MADE_TWICE = 9
# The context_length of the case in which it is asked, and of no other.
FRESH = 13


def begins_at_random(
    module_class: Callable[..., Any],
    settings: Mapping[str, Any],
    weights: Mapping[str, torch.Tensor],
    inputs: tuple[torch.Tensor],
    *_: object,
) -> bool:
    """modules that are made one after another begin with different weights, and so do the heads of
    each: nothing sets a seed, copies a head or fills a matrix with one number
    """
    if settings["context_length"] != FRESH:
        return True
    names = {name.rpartition(".")[2] for name, weight in weights.items() if weight.ndim == 2}
    found: list[tuple[str, torch.Tensor]] = []
    # Three, since a seed that is set at the end makes all but the first equal.
    for module in [module_class(**settings) for _ in range(3)]:
        # Lazy layers have no weights before the first call.
        module.float()(inputs[0].float())
        for place, value in module.state_dict().items():
            name = next((part for part in place.split(".") if part in names), "")
            # Some begin with an output projection of zeros.
            if name and name != "out_proj" and value.ndim == 2:
                found.append((name, value))
    return not any(one == other and a.equal(b) for (one, a), (other, b) in combinations(found, 2))


def leaves_the_generator_alone(
    module_class: Callable[..., Any], settings: Mapping[str, object], *_: object
) -> bool:
    """making a module does not seed PyTorch's random numbers"""
    if MADE_TWICE not in settings.values():
        return True
    drawn = []
    for _time in range(2):
        module_class(**settings)
        drawn.append(made_beside(module_class, TwoLayers, 2, 2).state_dict()["0.weight"])
    return not torch.equal(*drawn)
