"""The known wrong answers to `fit`, lesson 00b."""

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.in_steps import declares
from solutions.exams.tensors_and_modules.fit.exam import fitting


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
