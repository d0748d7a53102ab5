"""The exam of `fit`, lesson 00b."""

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder import Draw, Exam
from companion import try_fit
from solutions import tensors_and_modules as reference
from solutions.exams.in_steps import declares
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


class Fitting:
    """A training loop in steps, for misconceptions to get one of them wrong."""

    def __call__(
        self, module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
    ) -> Any:
        """Train."""
        optimizer = self.optimizer(module, learning_rate)
        losses: list[float] = []
        for _ in range(self.turns(steps)):
            loss = self.loss(module(inputs), targets)
            self.change(optimizer, loss)
            losses.append(self.noted(loss, module, inputs, targets))
        return self.returned(losses)

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(module.parameters(), lr=learning_rate)

    def turns(self, steps: int) -> int:
        return steps

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.mse_loss(outputs, targets)

    def change(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()

    def noted(self, loss: Tensor, module: nn.Module, inputs: Tensor, targets: Tensor) -> Any:
        return loss.item()

    def returned(self, losses: list[float]) -> Any:
        return losses


declared = declares(fitting)


@declared
class TensorsForLosses(Fitting):
    """You keep each loss as a tensor, and with it the graph of its step. Keep `loss.item()`."""

    def noted(self, loss: Tensor, module: nn.Module, inputs: Tensor, targets: Tensor) -> Any:
        return loss


@declared
class GradientsPileUp(Fitting):
    """The first step is right, but later ones are not, because each follows the gradients of all
    the steps so far. Call `optimizer.zero_grad()` in every pass of the loop, before `backward()`.
    """

    def change(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        torch.autograd.backward(loss)
        optimizer.step()


@declared
class NothingMoves(Fitting):
    """The loss does not change, and neither do the parameters. Either `optimizer.step()` is
    missing, or there are no gradients when it is called: `backward()` has to come before it, with
    no `zero_grad()` between the two.
    """

    def change(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        torch.autograd.backward(loss)


@declared
class OneStepBehind(Fitting):
    """The first step changes nothing, and each later one follows the gradients of the pass before:
    you call `step()` before `backward()`. Call it afterwards.
    """

    def change(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        optimizer.step()
        optimizer.zero_grad()
        torch.autograd.backward(loss)


@declared
class Uphill(Fitting):
    """The loss grows: you go along the gradient instead of against it. Is there one minus sign too
    many, or `maximize=True`?
    """

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(module.parameters(), lr=learning_rate, maximize=True)


@declared
class OwnLearningRate(Fitting):
    """Your learning rate is always 0.1. Pass on the one that you are given."""

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(module.parameters(), lr=0.1)


@declared
class SmallLearningRate(Fitting):
    """Your learning rate is always 0.01. Pass on the one that you are given: lr=learning_rate."""

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(module.parameters(), lr=0.01)


@declared
class ThousandthLearningRate(Fitting):
    """Your learning rate is always 0.001, which is the default of `torch.optim.SGD`. Pass on the
    one that you are given: lr=learning_rate.
    """

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(module.parameters())


@declared
class ByAdam(Fitting):
    """You use Adam, which scales each gradient by its size. Use `torch.optim.SGD`."""

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.Adam(module.parameters(), lr=learning_rate)


@declared
class WithMomentum(Fitting):
    """The first step is right, but later ones keep going in its direction: this is a momentum of
    0.9, which should be left out.
    """

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD(module.parameters(), lr=learning_rate, momentum=0.9)


@declared
class WeightsOnly(Fitting):
    """The bias does not change, as when the optimiser only knows the weights. Give it
    `module.parameters()`, which has everything.
    """

    def optimizer(self, module: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        return torch.optim.SGD([next(module.parameters())], lr=learning_rate)


@declared
class SumOfSquares(Fitting):
    """Your loss is the sum of the squared errors. Take their mean."""

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.mse_loss(outputs, targets, reduction="sum")


@declared
class SumOverFeatures(Fitting):
    """Your loss is the mean over the examples only: the squared errors of each example are summed.
    Take the mean of them all.
    """

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return (outputs - targets).square().sum(dim=-1).mean()


@declared
class HalfTheSquares(Fitting):
    """Your loss is half the mean squared error. Leave out the factor."""

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.mse_loss(outputs, targets) / 2


@declared
class AbsoluteErrors(Fitting):
    """Your loss is the mean of the absolute errors. Square them."""

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.l1_loss(outputs, targets)


@declared
class RootOfTheSquares(Fitting):
    """Your loss is the square root of the mean squared error. Leave out the square root."""

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.mse_loss(outputs, targets).sqrt()


@declared
class LossesAfterwards(Fitting):
    """The module is trained as it should be, but your losses are those after each update. Record
    them before the update.
    """

    def noted(self, loss: Tensor, module: nn.Module, inputs: Tensor, targets: Tensor) -> Any:
        return functional.mse_loss(module(inputs), targets).item()


@declared
class OneStepMore(Fitting):
    """There is one step too many: `range(steps)` gives you exactly `steps` passes."""

    def turns(self, steps: int) -> int:
        return steps + 1


@declared
class OneStepLess(Fitting):
    """There is one step too few: `range(steps)` gives you exactly `steps` passes."""

    def turns(self, steps: int) -> int:
        return max(steps - 1, 0)


@declared
class OneStepOnly(Fitting):
    """There is only one step. Is `return` inside the loop?"""

    def turns(self, steps: int) -> int:
        return min(steps, 1)


@declared
class ReturnForgotten(Fitting):
    """The module is trained as it should be, and nothing is returned. Return the losses."""

    def returned(self, losses: list[float]) -> Any:
        return None


@declared
class NoLosses(Fitting):
    """The module is trained as it should be, but your list of losses is empty. Create it before the
    loop, append to it in every pass, and return it.
    """

    def returned(self, losses: list[float]) -> Any:
        return []


@declared
class LastLossOnly(Fitting):
    """The module is trained as it should be, but you return a single number, the last loss. Collect
    the losses of all steps in a list.
    """

    def returned(self, losses: list[float]) -> Any:
        return losses[-1]


@declared
class TotalOfLosses(Fitting):
    """The module is trained as it should be, but you return a single number, the sum of the losses.
    Collect them in a list.
    """

    def returned(self, losses: list[float]) -> Any:
        return sum(losses)


@declared
class MeanOfLosses(Fitting):
    """The module is trained as it should be, but you return a single number, the mean of the
    losses. Return all of them, in a list.
    """

    def returned(self, losses: list[float]) -> Any:
        return sum(losses) / len(losses)


@declared
class CopyTrained(Fitting):
    """The losses are right, but the module that you were given has not changed: you train a copy of
    it.
    """

    def __call__(
        self, module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
    ) -> Any:
        return super().__call__(copy.deepcopy(module), inputs, targets, steps, learning_rate)


@declared
class OneStepPerExample(Fitting):
    """The parameters are updated once for each example, and each loss is that of the last example.
    A step takes the mean over all the examples and updates the parameters once, so you need no loop
    over the examples.
    """

    def __call__(
        self, module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
    ) -> Any:
        optimizer = self.optimizer(module, learning_rate)
        losses: list[float] = []
        for _ in range(steps):
            for example, target in zip(inputs, targets, strict=True):
                loss = self.loss(module(example), target)
                self.change(optimizer, loss)
            losses.append(loss.item())
        return losses


@declared
class NotTracked(Fitting):
    """PyTorch says that nothing requires a gradient. The outputs or the loss were computed within
    `torch.no_grad()`, or cut off from the graph by `.detach()`, `.data` or `.item()`.
    """

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.mse_loss(outputs.detach(), targets)


@fitting.accepts
def by_hand(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """No optimiser: each parameter moved by hand."""
    losses = []
    for _ in range(steps):
        loss = (module(inputs) - targets).square().mean()
        found = torch.autograd.grad(loss, list(module.parameters()))
        with torch.no_grad():
            for parameter, slope in zip(module.parameters(), found, strict=True):
                parameter.sub_(learning_rate * slope)
        losses.append(float(loss))
    return losses


@fitting.accepts
def cleared_by_the_module(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """The module clears its gradients, in training mode."""
    module.train()
    optimizer = torch.optim.SGD(module.parameters(), lr=learning_rate, momentum=0)
    losses: list[float] = []
    while len(losses) < steps:
        module.zero_grad()
        loss = nn.MSELoss()(module(inputs), targets)
        torch.autograd.backward(loss)
        optimizer.step()
        losses += [loss.detach().item()]
    return losses


@fitting.accepts
def cleared_afterwards(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """Gradients cleared at the end of each turn."""
    optimizer = torch.optim.SGD(module.parameters(), learning_rate)
    losses = []
    for _step in range(steps):
        outputs = module(inputs)
        loss = torch.mean((targets - outputs) ** 2)
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


@fitting.accepts
def by_data(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[Tensor]:
    """Parameters moved through their data, losses as tensors without axes."""
    losses = []
    for _ in range(steps):
        for parameter in module.parameters():
            parameter.grad = None
        loss = functional.mse_loss(module(inputs), targets)
        torch.autograd.backward(loss)
        for parameter in module.parameters():
            assert parameter.grad is not None
            parameter.data -= learning_rate * parameter.grad
        losses.append(loss.detach())
    return losses
