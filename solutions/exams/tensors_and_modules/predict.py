"""The exam of `predict`, lesson 00b."""

import copy
from typing import Any

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from companion import try_predict
from solutions import tensors_and_modules as reference
from solutions.exams.tensors_and_modules._specimens import wave

predicting = Exam(reference.predict, use=try_predict, forbids=("companion",))

Trial = tuple[Tensor, Tensor, bool]


@predicting.example
def in_training() -> Trial:
    """a module in training mode"""
    return wave(3, 4), wave(5, 3, shift=1), True


@predicting.example
def in_evaluation() -> Trial:
    """a module in evaluation mode"""
    return wave(3, 4, shift=2), wave(5, 3, shift=3), False


@predicting.case
def drawn_in_training(draw: Draw) -> Trial:
    """drawn weights and inputs, in training mode"""
    fixed = draw.fix(examples=9)
    return fixed.tensor("d_in d_out"), fixed.tensor("examples d_in"), True


@predicting.case(times=1)
def drawn_in_evaluation(draw: Draw) -> Trial:
    """drawn weights and inputs, in evaluation mode"""
    fixed = draw.fix(examples=9)
    return fixed.tensor("d_in d_out"), fixed.tensor("examples d_in"), False


@predicting.case(times=1)
def drawn_and_bent(draw: Draw) -> tuple[Tensor, Tensor, bool, bool]:
    """a module that takes the tanh of what its layers return, in training mode"""
    fixed = draw.fix(examples=9)
    return fixed.tensor("d_in d_out"), fixed.tensor("examples d_in"), True, True


def quietly(module: nn.Module, inputs: Tensor) -> Tensor:
    with torch.no_grad():
        outputs: Tensor = module(inputs)
    return outputs


def in_evaluation_mode(module: nn.Module, inputs: Tensor) -> Tensor:
    """What is right."""
    was_training = module.training
    outputs = quietly(module.eval(), inputs)
    module.train(was_training)
    return outputs


@predicting.misconception
def as_it_is(module: nn.Module, inputs: Tensor) -> Any:
    """In training mode the outputs differ from call to call, because dropout is active, and a graph
    is built in both modes. Two things are missing: `eval()` for the first, `torch.no_grad()` for
    the second.
    """
    return module(inputs)


@predicting.misconception
def no_grad_only(module: nn.Module, inputs: Tensor) -> Tensor:
    """No graph is built, but in training mode the outputs differ from call to call:
    `torch.no_grad()` leaves dropout on. Switch the module to evaluation mode with `eval()` before
    you call it.
    """
    return quietly(module, inputs)


@predicting.misconception
def eval_only(module: nn.Module, inputs: Tensor) -> Any:
    """The outputs and the mode are right, but a graph is built: evaluation mode does not prevent
    that. Call the module within `torch.no_grad()`.
    """
    was_training = module.training
    outputs = module.eval()(inputs)
    module.train(was_training)
    return outputs


@predicting.misconception
def eval_only_and_stays(module: nn.Module, inputs: Tensor) -> Any:
    """The outputs are right, but a graph is built, and a module in training mode stays in
    evaluation mode. Call it within `torch.no_grad()`, and switch back afterwards.
    """
    return module.eval()(inputs)


@predicting.misconception
def eval_only_and_trains(module: nn.Module, inputs: Tensor) -> Any:
    """The outputs are right, but a graph is built, and a module in evaluation mode ends up in
    training mode. Call it within `torch.no_grad()`, and restore the mode that it had.
    """
    outputs = module.eval()(inputs)
    module.train()
    return outputs


@predicting.misconception
def stays_in_evaluation(module: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs are right, but a module that was in training mode stays in evaluation mode, so it
    would go on training without dropout. Save `module.training` first, and switch back.
    """
    return quietly(module.eval(), inputs)


@predicting.misconception
def ends_in_training(module: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs are right, but a module that was in evaluation mode is in training mode
    afterwards. Save `module.training` before you change it, and pass it to `module.train`.
    """
    outputs = quietly(module.eval(), inputs)
    module.train()
    return outputs


@predicting.misconception
def remembered_too_late(module: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs are right, but each time the module ends up in the opposite mode. Switch back to
    the mode that it had.
    """
    was_training = module.training
    outputs = quietly(module.eval(), inputs)
    module.train(not was_training)
    return outputs


@predicting.misconception
def in_training_mode(module: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs differ from call to call in both modes: dropout is active, because the module is
    in training mode when you call it. `eval()` switches dropout off.
    """
    was_training = module.training
    outputs = quietly(module.train(), inputs)
    module.train(was_training)
    return outputs


@predicting.misconception
def outer_mode_alone(module: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs are right, but only the module itself gets its mode back: the layers inside stay
    in evaluation mode. `module.train(…)` reaches them too, `module.training = …` does not.
    """
    was_training = module.training
    outputs = quietly(module.eval(), inputs)
    module.training = was_training
    return outputs


@predicting.misconception
def always_training_mode(module: nn.Module, inputs: Tensor) -> Tensor:
    """The outputs differ from call to call in both modes, and the module ends up in training mode.
    Call it in evaluation mode, after `eval()`, and restore the mode that it had.
    """
    return quietly(module.train(), inputs)


@predicting.misconception
def detached(module: nn.Module, inputs: Tensor) -> Any:
    """The outputs and the mode are right, and the outputs have no graph, but one was built and
    thrown away, as by `.detach()` or `.data`. Within `torch.no_grad()`, none is built in the first
    place.
    """
    return in_a_graph(module, inputs).detach()


def in_a_graph(module: nn.Module, inputs: Tensor) -> Any:
    was_training = module.training
    outputs = module.eval()(inputs)
    module.train(was_training)
    return outputs


@predicting.misconception
def frozen(module: nn.Module, inputs: Tensor) -> Any:
    """The outputs are right and no graph is built, but the parameters no longer require gradients,
    so the module can't be trained afterwards. Use `torch.no_grad()` instead of
    `requires_grad_(False)`.
    """
    was_training = module.training
    outputs = module.eval().requires_grad_(False)(inputs)
    module.train(was_training)
    return outputs


@predicting.misconception
def switched_off_for_good(module: nn.Module, inputs: Tensor) -> Any:
    """The outputs are right, but from now on nothing at all builds a graph: gradients are switched
    off for good. `with torch.no_grad():` switches them on again at the end of its block.
    """
    torch.set_grad_enabled(False)
    return in_a_graph(module, inputs)


@predicting.misconception
def as_an_array(module: nn.Module, inputs: Tensor) -> Any:
    """The numbers are right, but this is a NumPy array. Return the tensor."""
    return in_evaluation_mode(module, inputs).numpy()


@predicting.misconception
def as_a_list(module: nn.Module, inputs: Tensor) -> Any:
    """The numbers are right, but this is a list. Return the tensor."""
    return in_evaluation_mode(module, inputs).tolist()


@predicting.misconception
def return_forgotten(module: nn.Module, inputs: Tensor) -> None:
    """Nothing is returned, although no graph is built and the mode is kept. Return the outputs."""
    in_evaluation_mode(module, inputs)


@predicting.misconception
def largest_only(module: nn.Module, inputs: Tensor) -> Tensor:
    """These are the positions of the largest outputs. Return the outputs themselves."""
    return in_evaluation_mode(module, inputs).argmax(dim=-1)


@predicting.misconception
def inputs_returned(module: nn.Module, inputs: Tensor) -> Tensor:
    """These are the inputs. Return the module's outputs for them."""
    in_evaluation_mode(module, inputs)
    return inputs


@predicting.accepts
def switched_back_if_needed(module: nn.Module, inputs: Tensor) -> Tensor:
    """Switched only where there is something to switch."""
    if not module.training:
        return quietly(module, inputs)
    outputs = quietly(module.eval(), inputs)
    module.train()
    return outputs


@predicting.accepts
def with_a_copy(module: nn.Module, inputs: Tensor) -> Tensor:
    """A copy, whose mode nobody minds."""
    return quietly(copy.deepcopy(module).eval(), inputs)


@predicting.accepts
def safely(module: nn.Module, inputs: Tensor) -> Any:
    """Switched back even after an error, all of it in `no_grad`.

    `finally` switches the module back even if the call fails, so an error never leaves it in
    evaluation mode. In code that others will use, this is worth its two lines.
    """
    was_training = module.training
    with torch.no_grad():
        try:
            return module.eval()(inputs)
        finally:
            module.train(was_training)


@predicting.accepts
def by_train_false(module: nn.Module, inputs: Tensor) -> Any:
    """`train(False)`, and gradients switched off and on again.

    `train(False)` is what `eval()` calls, and gradients are switched off and on by hand. After an
    error, they would stay off, which the `with` of `torch.no_grad()` prevents.
    """
    was_training, were_enabled = module.training, torch.is_grad_enabled()
    module.train(False)
    torch.set_grad_enabled(False)
    outputs = module(inputs)
    torch.set_grad_enabled(were_enabled)
    module.train(was_training)
    return outputs
