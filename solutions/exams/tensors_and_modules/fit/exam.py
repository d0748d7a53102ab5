"""The exam of `fit`, lesson 00b: what it is tried on."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_fit
from companion.beside import made_beside
from companion.gpt.parts import TwoLayers
from solutions import tensors_and_modules as reference
from solutions.exams.tensors_and_modules._specimens import wave

fitting = Exam(reference.fit, use=try_fit, forbids=("companion",))

Trial = tuple[Tensor, Tensor, Tensor, Tensor, int, float]
BentTrial = tuple[Tensor, Tensor, Tensor, Tensor, int, float, bool]


@fitting.example
def three_steps() -> Trial:
    """three steps, five examples, three features in, two out"""
    inputs = 2 * wave(5, 3, shift=2)
    return wave(3, 2), wave(2, shift=1), inputs, wave(5, 2, shift=3), 3, 0.25


@fitting.example
def one_step() -> Trial:
    """one step, two examples, one feature in, one out"""
    inputs = torch.tensor([[1.0], [-2.0]], dtype=torch.float64)
    targets = torch.tensor([[3.0], [1.0]], dtype=torch.float64)
    return torch.zeros(1, 1).double(), torch.zeros(1).double(), inputs, targets, 1, 0.5


@fitting.example
def no_step() -> Trial:
    """no step at all"""
    return wave(2, 2), wave(2, shift=1), wave(3, 2, shift=2), wave(3, 2, shift=3), 0, 0.1


@fitting.case
def drawn_examples(draw: Draw) -> Trial:
    """four steps, examples drawn at random"""
    inputs, targets = draw.tensor("examples d_in"), draw.tensor("examples d_out")
    return draw.tensor("d_in d_out"), draw.tensor("d_out"), inputs, targets, 4, 0.1


@fitting.case(times=1)
def many_steps(draw: Draw) -> Trial:
    """20 steps"""
    inputs, targets = draw.tensor("examples d_in"), draw.tensor("examples d_out")
    return draw.tensor("d_in d_out"), draw.tensor("d_out"), inputs, targets, 20, 0.05


@fitting.case(times=1)
def a_bent_layer(draw: Draw) -> BentTrial:
    """a module that takes the tanh of a linear layer"""
    inputs, targets = draw.tensor("examples d_in"), draw.tensor("examples d_out")
    return draw.tensor("d_in d_out"), draw.tensor("d_out"), inputs, targets, 3, 0.1, True


@fitting.case(times=1)
def one_example(draw: Draw) -> Trial:
    """a single example"""
    fixed = draw.fix(examples=1)
    inputs, targets = fixed.tensor("examples d_in"), fixed.tensor("examples d_out")
    return fixed.tensor("d_in d_out"), fixed.tensor("d_out"), inputs, targets, 3, 0.1


@fitting.holds
def every_parameter_is_trained(fit: Callable[..., Any], *arguments: Any) -> bool:
    """it updates all the parameters of a module that has several layers"""
    _, _, inputs, _, steps, learning_rate, *bent = arguments
    if not bent:
        return True
    inputs, d_in, d_hidden = inputs.float(), inputs.shape[1], 4
    begin = {
        "0.weight": wave(d_hidden, d_in).float(),
        "0.bias": wave(d_hidden, shift=1).float(),
        "2.weight": wave(d_in, d_hidden, shift=2).float(),
        "2.bias": wave(d_in, shift=3).float(),
    }
    theirs, right = made_beside(fit, TwoLayers, d_in, d_hidden), TwoLayers(d_in, d_hidden)
    for module, train in ((theirs, fit), (right, reference.fit)):
        module.float().load_state_dict(begin)
        train(module, inputs, -inputs, steps, learning_rate)
    found, expected = theirs.state_dict(), right.state_dict()
    return all(torch.allclose(found[name], expected[name], atol=1e-4) for name in begin)
