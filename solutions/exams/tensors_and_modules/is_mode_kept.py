"""The exam of `is_mode_kept`, lesson 00b."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from companion import try_mode_test
from solutions import tensors_and_modules as reference

kept = Exam(reference.is_mode_kept, use=try_mode_test)

Predictor = Callable[[nn.Module, Tensor], Any]
Trial = tuple[str, bool]

_KEEP = ("restores_the_mode", "restores_training", "never_switches")
_LOSE = ("stays_in_evaluation", "ends_in_training", "switches_once")


def _declare_example(predictor: str, training: bool) -> None:
    def trial() -> Trial:
        return predictor, training

    mode = "training" if training else "evaluation"
    trial.__doc__ = f"{predictor}, given a module in {mode} mode"
    kept.example(trial)


for _predictor in (*_KEEP, *_LOSE):
    for _training in (True, False):
        _declare_example(_predictor, _training)


@kept.case(times=2)
def a_copy(draw: Draw) -> Trial:
    """a predictor that uses a copy of the module"""
    return "switches_a_copy", draw.in_turn((True, False))


@kept.case(times=2)
def there_and_back(draw: Draw) -> Trial:
    """a predictor that switches twice"""
    return "switches_twice", draw.in_turn((True, False))


@kept.case(times=2)
def evaluation_for_good(draw: Draw) -> Trial:
    """a predictor that switches to evaluation for good"""
    return "stays_in_evaluation", draw.in_turn((True, False))


@kept.case(times=2)
def training_for_good(draw: Draw) -> Trial:
    """a predictor that switches to training for good"""
    return "ends_in_training", draw.in_turn((True, False))


@kept.case(times=2)
def the_other_mode(draw: Draw) -> Trial:
    """a predictor that switches once"""
    return "switches_once", draw.in_turn((True, False))


def keeps(predict: Predictor, module: nn.Module, inputs: Tensor, mode: bool) -> bool:
    """Whether one mode is kept."""
    module.train(mode)
    predict(module, inputs)
    return module.training == mode


@kept.misconception
def always_true(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Your test returns True for everything. Does it compare the mode with itself, or only look at
    the mode before `predict` is called?
    """
    return True


@kept.misconception
def always_false(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Your test returns False for everything. Check what it compares, and with what."""
    return False


@kept.misconception
def turned_round(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Your answer is the wrong way round: return True when the mode is kept."""
    return not all(keeps(predict, module, inputs, mode) for mode in (True, False))


@kept.misconception
def as_it_comes(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Your test only tries the mode that the module is in when it arrives, so it misses a predictor
    that always ends in that mode. Set both modes yourself, one after the other.
    """
    return keeps(predict, module, inputs, module.training)


@kept.misconception
def the_other_mode_only(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Your test only tries the mode that the module is not in when it arrives. Try both, one after
    the other.
    """
    return keeps(predict, module, inputs, not module.training)


@kept.misconception
def training_only(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """A predictor that always ends in training mode passes your test: only the verdict for training
    mode counts. Try evaluation mode, too; if you do, check whether you return the first verdict
    before the second is known.
    """
    return keeps(predict, module, inputs, True)


@kept.misconception
def evaluation_only(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """A predictor that always ends in evaluation mode passes your test: only the verdict for
    evaluation mode counts. Try training mode, too; if you do, check whether the second verdict
    replaces the first.
    """
    return keeps(predict, module, inputs, False)


@kept.misconception
def modes_not_set(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Even functions that keep the mode are rejected: you compare with a mode that the module was
    not in. Set it before each call, with `module.train(mode)`.
    """
    for mode in (True, False):
        predict(module, inputs)
        if module.training != mode:
            return False
    return True


@kept.misconception
def one_is_enough(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Your test is satisfied when one of the two modes is kept. Both have to be: use `and`, or
    `all`.
    """
    return any(keeps(predict, module, inputs, mode) for mode in (True, False))


@kept.misconception
def in_training_afterwards(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """You return the mode that the module is in after the call. Compare it with the mode before."""
    predict(module, inputs)
    return module.training


@kept.misconception
def in_evaluation_afterwards(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """You return whether the module is in evaluation mode after the call. Compare its mode with the
    one before.
    """
    predict(module, inputs)
    return not module.training


@kept.misconception
def two_verdicts(predict: Predictor, module: nn.Module, inputs: Tensor) -> Any:
    """These are two verdicts, one for each mode. Return True if both are True, and False
    otherwise.
    """
    return tuple(keeps(predict, module, inputs, mode) for mode in (True, False))


@kept.misconception
def return_forgotten(predict: Predictor, module: nn.Module, inputs: Tensor) -> Any:
    """Your test returns nothing, in some cases or in all. Return True or False every time."""
    return None


@kept.misconception
def nothing_if_kept(predict: Predictor, module: nn.Module, inputs: Tensor) -> Any:
    """Your test returns False where it should, but nothing where it should return True. Add `return
    True` at the end.
    """
    return None if all(keeps(predict, module, inputs, mode) for mode in (True, False)) else False


@kept.accepts
def one_after_the_other(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """Both modes, written out.

    Both modes are written out one below the other, which for two cases is as clear as a loop.
    """
    module.train()
    predict(module, inputs)
    training_kept = module.training
    module.eval()
    predict(module, inputs)
    return training_kept and not module.training


@kept.accepts
def by_all(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """All modes that are kept."""
    return all(keeps(predict, module, inputs, mode) for mode in (False, True))


@kept.accepts
def from_where_it_is(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """The mode that it has, then the other one."""
    first = module.training
    if not keeps(predict, module, inputs, first):
        return False
    return keeps(predict, module, inputs, not first)


@kept.accepts
def modes_listed(predict: Predictor, module: nn.Module, inputs: Tensor) -> bool:
    """The modes afterwards, as a list.

    The modes that are found afterwards go into a list, which is compared at the end. If the test
    fails, that list says in which mode it did.
    """
    modes = []
    for mode in (True, False):
        module.train(mode)
        with torch.no_grad():
            predict(module, inputs)
        modes.append(module.training)
    return modes == [True, False]
