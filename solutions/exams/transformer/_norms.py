"""What goes wrong in `LayerNorm` as in `RMSNorm`, lesson 09."""

import torch
from torch import Tensor

from solutions.exams.families.family import Family
from solutions.exams.transformer._norm_in_steps import Norm


class OverTokens(Norm):
    """You average over the tokens, so a token's result depends on its neighbours. Each token is
    normalised by itself, over its features: axis −1.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (-2,)


class OverAxisOne(Norm):
    """You average over axis 1, which is the features only if there is one axis before them. They
    are always the last axis: −1.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (1,)


class OverAxisTwo(Norm):
    """You average over axis 2, but there may be fewer axes, or more. The features are always the
    last axis: −1.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (2,)


class OverTheBatch(Norm):
    """You average over the first axis, so the result of one sentence depends on the others. Each
    token is normalised by itself, over its features: axis −1.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (0,)


class OverEverything(Norm):
    """You average over all numbers at once. Each token is normalised by itself: average over axis
    −1 alone, with keepdim=True.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return tuple(range(inputs.ndim))


class OverTheSentence(Norm):
    """You average over the tokens and the features of a sentence together. Each token is normalised
    by itself: average over axis −1 alone.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (-2, -1)


class OverTheSentenceWhereThereIsOne(OverTheSentence):
    __doc__ = OverTheSentence.__doc__

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (-2, -1)[-inputs.ndim :]


class OverAxesOneAndTwo(Norm):
    """You average over the axes 1 and 2, which are the tokens and the features of a sentence where
    there are three axes. Each token is normalised by itself: average over axis −1 alone.
    """

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return (1, 2)


class OverAllButTheBatch(OverTheSentence):
    __doc__ = OverTheSentence.__doc__

    def axes(self, inputs: Tensor) -> tuple[int, ...]:
        return tuple(range(1, inputs.ndim)) or (0,)


class AxisNotKept(Norm):
    """An average has lost its last axis, which keepdim=True would keep. Where there are as many
    tokens as features, it is broadcast along the wrong axis without an error; in most other cases
    its shape does not fit.
    """

    kept = False


class NoEps(Norm):
    """Where the features leave nothing to divide by, your module divides 0 by 0. Add eps inside the
    square root.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread)


class EpsOutsideTheRoot(Norm):
    """You add eps to the square root. Add it inside the root, which makes a difference where what
    it is added to is close to 0.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread) + self.eps


class EpsBesideTheSize(EpsOutsideTheRoot):
    __doc__ = EpsOutsideTheRoot.__doc__

    def normalise(self, inputs: Tensor) -> Tensor:
        centred = self.centre(inputs)
        # Unlike the root of a mean of squares, the norm of zeros has a gradient: zeros.
        length = centred.norm(dim=-1, keepdim=True)
        return centred / (length / centred.shape[-1] ** 0.5 + self.eps)


class EpsAfterTheDivision(Norm):
    """You add eps to the quotient, as `x / torch.sqrt(v) + eps` does. It goes inside the square
    root, within the brackets.
    """

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        return centred / torch.sqrt(self.spread(centred)) + self.eps


class EpsSquared(Norm):
    """You square eps, or take the square root before eps is added. Add eps as it is, inside the
    square root.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread + self.eps**2)


class EpsSubtracted(Norm):
    """You subtract eps. Add it, so that you take the square root of a number above 0."""

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread - self.eps)


class EpsAsALowerBound(Norm):
    """You use eps as a lower bound inside the square root. Add it instead, for every token."""

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread.clamp(min=self.eps))


class EpsBelowTheRoot(Norm):
    """You use eps as a lower bound of the square root. Add it inside the root instead, for every
    token.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread).clamp(min=self.eps)


class EpsBelowTheSize(EpsBelowTheRoot):
    __doc__ = EpsBelowTheRoot.__doc__

    def normalise(self, inputs: Tensor) -> Tensor:
        centred = self.centre(inputs)
        # As in `EpsBesideTheSize`, zeros have a gradient here.
        size = centred.norm(dim=-1, keepdim=True) / centred.shape[-1] ** 0.5
        return centred / size.clamp(min=self.eps)


class EpsOfItsOwn(Norm):
    """Your eps is always the usual one. Use the one that is passed to __init__."""

    def chosen(self, eps: float) -> float:
        return self.usual_eps


class EpsOfAnother(EpsOfItsOwn):
    """Your eps is always the same one, and not even the usual one of this exercise. Use the one
    that is passed to __init__.
    """

    def chosen(self, eps: float) -> float:
        return self.foreign_eps


class EpsOfZeroReplaced(Norm):
    """With eps=0 your module uses the usual eps, as `eps or 1e-5` does, where 0 counts as False.
    Use eps as it is passed.
    """

    def chosen(self, eps: float) -> float:
        return eps or self.usual_eps


class NoRoot(Norm):
    """You divide by the mean of the squares itself. Divide by its square root."""

    def divisor(self, spread: Tensor) -> Tensor:
        return spread + self.eps


class MultipliedByTheRoot(Norm):
    """You multiply by the square root, so tokens of different sizes end up even further apart.
    Divide by it.
    """

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        return centred * divisor


class NotDivided(Norm):
    """The features are never divided by the square root, so the tokens still differ in size."""

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        return centred


class SumOfSquares(Norm):
    """You divide by the length of the vector, the square root of the *sum* of the squares. Take
    their mean: divide the sum by d_model.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return centred.square().sum(dim=-1, keepdim=True)


class Unbiased(Norm):
    """You divide the sum of the squares by d_model − 1, as `torch.var` and `torch.std` do unless
    you pass correction=0. Divide by d_model.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return centred.square().sum(dim=-1, keepdim=True) / (centred.shape[-1] - 1)


class UnbiasedOutside(Unbiased):
    """You divide by a standard deviation plus eps, as some published code does. That differs from
    the task in two ways: it divides by d_model − 1, as `torch.std` does unless you pass
    correction=0, and eps goes inside the square root.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return torch.sqrt(spread) + self.eps


class MeanOfSizes(Norm):
    """You average absolute values. Square first, take the average, and take the square root
    last.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return spread + self.eps

    def spread(self, centred: Tensor) -> Tensor:
        return self.average(centred.abs())


class WeightUnused(Norm):
    """Your module does not multiply by `weight`: multiply the normalised features by it."""

    def scale(self, normed: Tensor) -> Tensor:
        return self.shift(normed)


class WeightPlusOne(Norm):
    """You multiply by 1 + weight, as some models do whose weight starts as zeros. Here it starts as
    ones, so multiply by the weight itself.
    """

    def scale(self, normed: Tensor) -> Tensor:
        return self.shift(normed * (1 + self.weight))


class WeightPlusOneFromZero(WeightPlusOne):
    """You multiply by 1 + weight, and start the weight as zeros, as some models do. Here it starts
    as ones, and you multiply by the weight itself.
    """

    def first_weight(self, d_model: int) -> Tensor:
        return torch.zeros(d_model)


class NoParameters(Norm):
    """Your module has no parameters, so an optimiser finds nothing to train. A plain tensor is not
    one, not even with requires_grad=True: wrap it in nn.Parameter.
    """

    def __init__(self, d_model: int, eps: float | None = None) -> None:
        super().__init__(d_model, eps)
        for name, parameter in [*self.named_parameters()]:
            delattr(self, name)
            self.keep(name, parameter.detach())

    def keep(self, name: str, start: Tensor) -> None:
        setattr(self, name, start)


class Buffers(NoParameters):
    """Your module has no parameters, but buffers, which no optimiser trains. Make an nn.Parameter
    of each instead of `register_buffer`.
    """

    def keep(self, name: str, start: Tensor) -> None:
        self.register_buffer(name, start)


class WeightStartsAtZero(Norm):
    """A new module returns zeros, because `weight` starts as zeros. Start it as ones, which change
    nothing.
    """

    def first_weight(self, d_model: int) -> Tensor:
        return torch.zeros(d_model)


class WeightFirst(Norm):
    """You multiply by `weight` before you normalise, and the division takes its overall size away
    again. Normalise first.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return self.shift(self.normalise(inputs * self.weight))


class Detached(Norm):
    """The outputs are right, but the gradients are not, because what you divide by depends on the
    inputs as well. Leave out `.detach()`, `.data` and `torch.no_grad()`.
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return super().divisor(spread).detach()


class InPlace(Norm):
    """You write into `inputs`, for example with `/=`, `-=` or a method that ends in `_`. PyTorch
    does not allow that where gradients are needed, and the caller still needs the numbers. Make a
    new tensor.
    """

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        centred /= divisor
        return centred

    def centre(self, inputs: Tensor) -> Tensor:
        inputs -= 0 * inputs.mean(dim=-1, keepdim=True)
        return inputs


NORM = Family(
    OverTokens,
    OverAxisOne,
    OverAxisTwo,
    OverTheBatch,
    OverEverything,
    OverTheSentence,
    OverTheSentenceWhereThereIsOne,
    OverAllButTheBatch,
    OverAxesOneAndTwo,
    AxisNotKept,
    NoEps,
    EpsOutsideTheRoot,
    EpsBesideTheSize,
    EpsAfterTheDivision,
    EpsSquared,
    EpsSubtracted,
    EpsAsALowerBound,
    EpsBelowTheRoot,
    EpsBelowTheSize,
    EpsOfItsOwn,
    EpsOfAnother,
    EpsOfZeroReplaced,
    NoRoot,
    MultipliedByTheRoot,
    NotDivided,
    SumOfSquares,
    Unbiased,
    UnbiasedOutside,
    MeanOfSizes,
    WeightUnused,
    WeightPlusOne,
    WeightPlusOneFromZero,
    NoParameters,
    Buffers,
    WeightStartsAtZero,
    WeightFirst,
    Detached,
    InPlace,
)
