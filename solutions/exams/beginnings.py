"""What weights a module begins with, for exams of modules."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import torch

from companion.beside import made_beside
from companion.gpt.parts import TwoLayers

# A size of a module that is made again and again, and of none that is drawn.
MADE_TWICE = 9
# The context_length of the case in which it is asked, and of no other.
FRESH = 13
_RATE = 0.5


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
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: Mapping[str, torch.Tensor],
    inputs: Sequence[torch.Tensor | None],
    *_: object,
) -> bool:
    """neither making nor calling a module seeds PyTorch's random numbers"""
    if "context_length" in settings:
        is_asked = settings["context_length"] == FRESH
    else:
        is_asked = MADE_TWICE in settings.values()
    return not is_asked or seeds_nothing(module_class, settings, inputs)


def seeds_nothing(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    inputs: Sequence[torch.Tensor | None],
) -> bool:
    """Whether random numbers go on after a module is made, and after it is called in each mode."""
    # Some set a seed where something is to be dropped, and nowhere else.
    chosen = {name: _RATE if name == "dropout" else value for name, value in settings.items()}
    modules, drawn = [], []
    for _time in range(2):
        modules.append(module_class(**chosen))
        drawn.append(_drawn_beside(module_class))
    return not torch.equal(*drawn) and calls_seed_nothing(modules, inputs)


def calls_seed_nothing(modules: Sequence[Any], inputs: Sequence[torch.Tensor | None]) -> bool:
    """Whether random numbers go on when each of two new modules is called, in each mode."""
    for module in modules:
        for one in inputs:
            if one is not None and one.is_floating_point():
                module.to(one.dtype)
    for training in (False, True):
        drawn = []
        for module in modules:
            module.train(training)
            module(*inputs)
            drawn.append(_drawn_beside(module))
        if torch.equal(*drawn):
            return False
    return True


def _drawn_beside(answer: object) -> torch.Tensor:
    """What is drawn next where the answer is."""
    drawn: torch.Tensor = made_beside(answer, TwoLayers, 2, 2).state_dict()["0.weight"]
    return drawn
