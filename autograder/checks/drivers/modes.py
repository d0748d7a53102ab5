"""Is an answer right however a model calls it? Asked of every module, and of functions of tensors.

A model is trained in one mode and evaluated in the other, and whoever evaluates it asks for no
gradients. Where the reference computes the same in all of these, so has an answer.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from autograder.checks.drivers.run_module import run_module
from autograder.checks.drivers.second_call import said_of_writing
from autograder.checks.values.as_json import made_where
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.tensors import is_function

if TYPE_CHECKING:
    import torch

OTHER_MODE = "in the other mode, training or evaluation"
NO_GRADIENTS = "under no_grad"
_IN_ONE = (
    "Your module is right in evaluation and wrong in training, or the other way round. Only a "
    "dropout may depend on the mode: a mask, a scale or a table of positions is needed in both. "
    "Look for `self.training`."
)
_WITH_GRADIENTS = (
    "Your code is right while PyTorch keeps a graph for gradients, and wrong inside "
    "`torch.no_grad()`, in which models are evaluated. Look for what hangs on gradients, such as "
    "`requires_grad`, `torch.is_grad_enabled()` and `torch.autograd.grad`."
)


def in_the_other_mode(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: "Mapping[str, torch.Tensor]",
    inputs: tuple[object, ...],
    training: bool = False,
    calls: int = 1,
    buffer: tuple[int, ...] = (),
) -> dict[str, Any]:
    """As `run_module`, in evaluation where training is asked for, and in training where not."""
    return run_module(module_class, settings, weights, inputs, not training, calls, buffer)


def module_without_gradients(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: "Mapping[str, torch.Tensor]",
    inputs: tuple[object, ...],
    training: bool = False,
    *_: object,
) -> dict[str, Any]:
    """As `run_module`, of two calls in this mode, of which it asks for no gradients."""
    return run_module(module_class, settings, weights, inputs, training, calls=2)


def without_gradients(answer: Callable[..., Any], *given: object) -> object:
    """Call an answer where PyTorch keeps no graph."""
    import torch

    lent = [made_where(answer, value) if is_function(value) else value for value in given]
    with torch.no_grad():
        return answer(*lent)


def is_one_call(arguments: Collection[object]) -> bool:
    """Whether a module is called once."""
    _, _, _, *others = arguments
    _, calls, _ = (*others, False, 1, ())[:3]
    return calls == 1


def what_hangs_on_the_mode(expected: object, found: Outcome) -> str:
    """A sentence for whoever is wrong in one mode alone."""
    return _IN_ONE


def what_hangs_on_gradients(expected: object, found: Outcome) -> str:
    """A sentence for whoever is wrong where no gradients are asked for, and nowhere else."""
    return said_of_writing(found) or _WITH_GRADIENTS
