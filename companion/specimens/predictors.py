"""Functions that use a module, to try a test on: some leave its mode as it was, and some do not.

Each is called as `predictor(module, inputs)` and returns the module's outputs.
"""

import torch
from torch import Tensor, nn

import companion.beside


def restores_the_mode(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Kept: switches to evaluation, and back to what it was."""
    before = module.training
    module.eval()
    outputs = _outputs(module, inputs)
    module.train(before)
    return outputs


def restores_training(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Kept: switches back only where there is something to switch back."""
    if not module.training:
        return _outputs(module, inputs)
    outputs = _outputs(module.eval(), inputs)
    module.train()
    return outputs


def never_switches(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Kept: the module is used in whatever mode it is."""
    return _outputs(module, inputs)


def switches_a_copy(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Kept: a copy of the module is used."""
    return _outputs(
        companion.beside.made_beside(module, companion.beside.duplicate, module).eval(), inputs
    )


def switches_twice(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Kept: the other mode, and the first one again."""
    module.train(not module.training)
    outputs = _outputs(module, inputs)
    module.train(not module.training)
    return outputs


def stays_in_evaluation(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Not kept: evaluation mode, for good."""
    return _outputs(module.eval(), inputs)


def ends_in_training(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Not kept: training mode afterwards, whatever it was."""
    outputs = _outputs(module.eval(), inputs)
    module.train()
    return outputs


def switches_once(module: nn.Module, inputs: Tensor, /) -> Tensor:
    """Not kept: each mode becomes the other one."""
    module.train(not module.training)
    return _outputs(module, inputs)


def _outputs(module: nn.Module, inputs: Tensor) -> Tensor:
    with torch.no_grad():
        outputs: Tensor = module(inputs)
    return outputs
