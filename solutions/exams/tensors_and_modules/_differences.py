"""Gradients by differences: what nobody should need in `gradient_of`, lesson 00b."""

from collections.abc import Callable

import torch
from torch import Tensor

from solutions.exams.families.family import Family

Function = Callable[[Tensor], Tensor]


class Differences:
    """The gradient by steps from each number, as far back as ahead."""

    step: float
    back = 1.0

    def answer(self, function: Function, x: Tensor) -> Tensor:
        found = torch.zeros_like(x)
        for index in range(x.numel()):
            step = self.step_at(float(x.view(-1)[index]))
            above, below = x.detach().clone(), x.detach().clone()
            above.view(-1)[index] += step
            below.view(-1)[index] -= self.back * step
            change = function(above) - function(below)
            found.view(-1)[index] = change / ((1 + self.back) * step)
        return found

    def step_at(self, number: float) -> float:
        return self.step


class TenThousandthSteps(Differences):
    """Your gradient is made of differences between values of the function at places that are close
    together. In float32, rounding leaves few digits of them, and none where a step is lost beside a
    large number: let PyTorch compute the gradient, with `backward()`.
    """

    step = 1e-4


class HundredThousandthSteps(TenThousandthSteps):
    __doc__ = TenThousandthSteps.__doc__

    step = 1e-5


class MillionthSteps(TenThousandthSteps):
    __doc__ = TenThousandthSteps.__doc__

    step = 1e-6


class HundredthSteps(Differences):
    """Your gradient is made of differences between values of the function at places on both sides
    of `x`. Where the function is curved, they are off by more the longer the step is, and in
    float32 rounding leaves few digits of them: let PyTorch compute the gradient, with `backward()`.
    """

    step = 1e-2


class ThousandthSteps(HundredthSteps):
    __doc__ = HundredthSteps.__doc__

    step = 1e-3


class TenThousandthStepsAhead(Differences):
    """Your gradient is made of differences between values of the function at `x` and a small step
    away from it. Where the function is curved, they are off by more the longer the step is, and in
    float32 rounding leaves few digits of them: let PyTorch compute the gradient, with `backward()`.
    """

    step = 1e-4
    back = 0.0


class HundredthStepsAhead(TenThousandthStepsAhead):
    __doc__ = TenThousandthStepsAhead.__doc__

    step = 1e-2


class ThousandthStepsAhead(TenThousandthStepsAhead):
    __doc__ = TenThousandthStepsAhead.__doc__

    step = 1e-3


class HundredThousandthStepsAhead(TenThousandthStepsAhead):
    __doc__ = TenThousandthStepsAhead.__doc__

    step = 1e-5


class MillionthStepsAhead(TenThousandthStepsAhead):
    __doc__ = TenThousandthStepsAhead.__doc__

    step = 1e-6


class StepsInDouble(Differences):
    """Your gradient is made of differences between values of the function on both sides of `x`. At
    a corner, such as that of a ReLU at 0, they give the mean of two slopes, where PyTorch's
    gradient has one rule for all: let PyTorch compute it, with `backward()`.
    """

    step = 1e-5

    def answer(self, function: Function, x: Tensor) -> Tensor:
        return super().answer(function, x.double()).to(x.dtype)

    def step_at(self, number: float) -> float:
        return self.step * max(1.0, abs(number))


class StepsAheadInDouble(StepsInDouble):
    """Your gradient is made of differences between values of the function at `x` and a small step
    away from it. At a corner, such as that of a ReLU at 0, they give the slope of one side, where
    PyTorch's gradient has one rule for all: let PyTorch compute it, with `backward()`.
    """

    step = 1e-7
    back = 0.0


DIFFERENCES = Family(
    StepsInDouble,
    StepsAheadInDouble,
    HundredthSteps,
    ThousandthSteps,
    TenThousandthSteps,
    HundredThousandthSteps,
    MillionthSteps,
    HundredthStepsAhead,
    ThousandthStepsAhead,
    TenThousandthStepsAhead,
    HundredThousandthStepsAhead,
    MillionthStepsAhead,
)
