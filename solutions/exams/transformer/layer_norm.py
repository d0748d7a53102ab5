"""The exam of `LayerNorm`, lesson 09."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograder import Draw, Exam, run_module
from solutions import transformer as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.printed_numbers import numbers
from solutions.exams.transformer._norm_in_steps import OWN_WORK, Module, Norm
from solutions.exams.transformer._norms import NORM

norm = Exam(reference.LayerNorm, use=run_module, forbids=OWN_WORK)


def printed(inputs: Tensor, eps: float | None = None) -> Module:
    d_model = inputs.shape[-1]
    weights = {"weight": numbers(d_model, start=50), "bias": numbers(d_model, start=70)}
    chosen: dict[str, object] = {"d_model": d_model}
    return chosen if eps is None else chosen | {"eps": eps}, weights, (inputs,), False, 1


@norm.example
def two_sentences() -> Module:
    """two sentences of three tokens with four features"""
    return printed(numbers(2, 3, 4))


@norm.example
def square() -> Module:
    """as many tokens as features"""
    return printed(numbers(3, 3, start=31))


@norm.example
def equal_features() -> Module:
    """the features of the first token are all equal"""
    return printed(torch.tensor([[1.5, 1.5, 1.5, 1.5], [0.5, -1.0, 2.0, 0.5]]).double())


@norm.example
def large_eps() -> Module:
    """one token alone, with eps=0.5"""
    return printed(numbers(5, start=40) / 4, eps=0.5)


# In float32 the squares of these numbers have no digits left for what is behind the point, and all
# sums of them are exact, in any order.
@norm.example
def far_from_zero() -> Module:
    """features near 10,000"""
    inputs = torch.tensor([[10001.0, 9999.0, 10001.0, 9999.0]]).double()
    # Called twice, so that no gradients are asked for: of them, rounding leaves nothing.
    return (*printed(inputs)[:-1], 2)


@norm.example
def as_it_starts() -> Module:
    """a new module, with the weight and the bias that it starts with"""
    return {"d_model": 4}, {}, (2 * numbers(2, 4, start=5),), False, 1


def drawn(draw: Draw, axes: str, *, scale: float = 1.0) -> Module:
    inputs = draw.tensor(axes, scale=scale)
    weights = {"weight": draw.tensor("d_model"), "bias": draw.tensor("d_model")}
    return {"d_model": draw.size("d_model")}, weights, (inputs,), False, 1


def widely(draw: Draw, axes: str, *, scale: float = 1.0) -> Module:
    """So many features that no token's are all near each other: its variance is no rounding."""
    return drawn(draw.fix(d_model=int(draw.rng.integers(6, 10))), axes, scale=scale)


@norm.case
def drawn_sentences(draw: Draw) -> Module:
    """a batch of sentences, or of heads"""
    return widely(draw, draw.rng.choice(["batch tokens d_model", "batch heads tokens d_model"]))


@norm.case(times=1)
def drawn_token(draw: Draw) -> Module:
    """one token"""
    return drawn(draw.fix(d_model=MADE_TWICE), "d_model")


@norm.case(times=1)
def drawn_two_features(draw: Draw) -> Module:
    """two features, and an eps of 0.1"""
    settings, weights, inputs, _, _ = drawn(draw.fix(d_model=2), "tokens d_model")
    return {**settings, "eps": 0.1}, weights, inputs, False, 1


@norm.case(times=1)
def drawn_tiny(draw: Draw) -> Module:
    """tiny features, and an eps of a billionth"""
    settings, weights, inputs, _, _ = widely(draw, "batch tokens d_model", scale=1e-4)
    return {**settings, "eps": 1e-9}, weights, inputs, False, 1


@norm.case(times=1)
def drawn_without_eps(draw: Draw) -> Module:
    """tiny features, and an eps of 0"""
    settings, weights, inputs, _, _ = widely(draw, "batch tokens d_model", scale=1e-4)
    return {**settings, "eps": 0.0}, weights, inputs, False, 1


@norm.case(times=1)
def drawn_far(draw: Draw) -> Module:
    """features near 10,000"""
    draw = draw.fix(d_model=6)
    settings, weights, (inputs,), training, _ = drawn(draw, "batch tokens d_model")
    # Numbers of which float32 rounds all squares alike, and adds them up exactly in any order.
    middle = 64 * draw.rng.integers(140, 175, size=(*inputs.shape[:-1], 1))
    signs = draw.rng.permuted(np.broadcast_to([1, 1, 1, -1, -1, -1], inputs.shape), axis=-1)
    return settings, weights, (torch.from_numpy(middle + signs).double().contiguous(),), training, 2


@norm.case(times=1)
def drawn_large(draw: Draw) -> Module:
    """features a hundred times as large"""
    return widely(draw, "batch tokens d_model", scale=100)


@norm.case(times=1)
def drawn_equal(draw: Draw) -> Module:
    """features that are all equal, or all 0"""

    case = drawn(draw.fix(batch=3, d_model=8), "batch tokens d_model")
    (inputs,) = case[2]
    inputs[0], inputs[1, 0] = 0, 0.75
    return case


@norm.case(times=1)
def drawn_new(draw: Draw) -> Module:
    """a new module"""
    settings, _, inputs, _, _ = widely(draw, "batch tokens d_model")
    return settings, {}, inputs, False, 1


norm.half_but_for("features far from 0, in float32", far_from_zero, drawn_far)
norm.half_but_for("an eps of 0", drawn_without_eps)
norm.half_but_for("what a new module starts with", as_it_starts, drawn_new)


norm.holds(leaves_the_generator_alone)


@norm.holds
def one_number_more(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: Mapping[str, Tensor],
    inputs: tuple[Tensor],
    *_: object,
) -> bool:
    """the same number added to all features of a token changes nothing"""
    module = module_class(**settings)
    module.to(inputs[0].dtype)
    # As many digits are lost as the numbers are large.
    number = float(inputs[0].abs().max())
    close = 1e-4 * (1 + number)
    flat = (inputs[0].amax(dim=-1) == inputs[0].amin(dim=-1)).unsqueeze(-1)
    moved = (module(inputs[0] + number) - module(inputs[0])).masked_fill(flat, 0)
    return bool((moved.abs() < close).all())


class Variant(Norm):
    """Layer normalisation in steps, for misconceptions to get one of them wrong."""

    def __init__(self, d_model: int, eps: float | None = None) -> None:
        super().__init__(d_model, eps)
        self.bias = nn.Parameter(self.first_bias(d_model))

    def first_bias(self, d_model: int) -> Tensor:
        return torch.zeros(d_model)

    def centre(self, inputs: Tensor) -> Tensor:
        return inputs - self.average(inputs)

    def shift(self, scaled: Tensor) -> Tensor:
        return scaled + self.bias


NORM.apply(
    norm,
    Variant,
    says={
        "NoEps": "Where all features of a token are equal, your module divides 0 by 0. Add eps to "
        "the variance, under the root.",
        "NoRoot": "You divide by the variance itself. Divide by its square root.",
        "SumOfSquares": "You divide by the root of the *sum* of the squared deviations. The "
        "variance is their mean: divide the sum by d_model.",
        "EpsBesideTheSize": "You add eps to the standard deviation. Add it to the variance, inside "
        "the root, which makes a difference where the variance is close to 0.",
        "EpsAsALowerBound": "You use eps as a lower bound of the variance. Add it to the variance "
        "of every token.",
        "EpsBelowTheRoot": "You use eps as a lower bound of the standard deviation. Add it to the "
        "variance, inside the root, for every token.",
        "EpsBelowTheSize": "You use eps as a lower bound of the standard deviation. Add it to the "
        "variance, inside the root, for every token.",
        "MeanOfSizes": "You average the absolute deviations. Square them first, average, and take "
        "the root at the end.",
        "WeightFirst": "You multiply by `weight` before you normalise, and the division takes its "
        "overall size away again. Normalise first, then scale, then shift.",
    },
)


@norm.misconception
class NotCentred(Variant):
    """The mean is not subtracted from what you divide. A token's features should lie around 0
    before they are scaled and shifted.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        return inputs / self.divisor(self.spread(self.centre(inputs)))


@norm.misconception
class DividedByTheRootMeanSquare(Variant):
    """You divide by the square root of the mean of the squared features. The variance is the mean
    of the squared *deviations*: subtract the mean before you square.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        return self.centre(inputs) / self.divisor(self.spread(inputs))


@norm.misconception
class NeitherCentred(Variant):
    """You never subtract the mean, which gives RMSNorm. Subtract it first, and then take the
    variance.
    """

    def centre(self, inputs: Tensor) -> Tensor:
        return inputs


@norm.misconception
class CentredAlone(Variant):
    """You subtract the mean and add eps, but you apply `weight` and `bias` to features that were
    not divided by the square root of the variance.
    """

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        return centred + self.eps


@norm.misconception
class CentredTwice(Variant):
    """You also subtract an average from the variances, or from the squared deviations. The variance
    is just the mean of the squared deviations.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return super().spread(centred) - self.average(centred.square()).mean()


@norm.misconception
class DifferenceOfSquares(Variant):
    """Your variance is the mean of the squares minus the square of the mean. For large features,
    the squares use up all the digits of float32, and their difference is mostly rounding error.
    Subtract the mean first, and then square.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        mean = self.average(inputs)
        spread = self.average(inputs.square()) - mean.square()
        return (inputs - mean) / self.divisor(spread)


@norm.misconception
class EpsBesideTheSampleDeviation(Variant):
    """You divide by the standard deviation of a sample plus eps, as some published code does. Here,
    divide the sum of the squares by d_model, not by d_model − 1, and add eps to the variance,
    inside the root.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        # Unlike the root of a variance, `std` of equal numbers has a gradient: zeros.
        return self.centre(inputs) / (inputs.std(dim=-1, keepdim=True) + self.eps)


@norm.misconception
class ForeignEpsBesideTheSampleDeviation(EpsBesideTheSampleDeviation):
    """You divide by the standard deviation of a sample plus a fixed number such as 1e-6, as some
    published code does. Divide the sum of the squares by d_model, not by d_model − 1, and add the
    eps that is passed to __init__ to the variance, inside the root.
    """

    def chosen(self, eps: float) -> float:
        return self.foreign_eps


@norm.misconception
class ShiftLeftOut(Variant):
    """Your module does not add `bias`. Add it at the end."""

    def shift(self, scaled: Tensor) -> Tensor:
        return scaled


@norm.misconception
class NeitherScaledNorShifted(Variant):
    """The features are normalised, but `weight` and `bias` do nothing. Multiply by `weight`, and
    then add `bias`.
    """

    def scale(self, normed: Tensor) -> Tensor:
        return normed


@norm.misconception
class ShiftedFirst(Variant):
    """You add `bias` before you multiply by `weight`. Scale first, then shift."""

    def scale(self, normed: Tensor) -> Tensor:
        return (normed + self.bias) * self.weight


@norm.misconception
class ShiftScaled(Variant):
    """`weight` multiplies `bias` alone: `*` comes before `+`. Multiply the normalised features by
    `weight`, and then add `bias`.
    """

    def scale(self, normed: Tensor) -> Tensor:
        return normed + self.bias * self.weight


@norm.misconception
class StatisticsWithoutGradients(Variant):
    """The outputs are right, but mean and variance are cut off from back-propagation, as by
    `torch.no_grad()` or `.detach()`. The gradient flows through them as well.
    """

    def average(self, inputs: Tensor) -> Tensor:
        return super().average(inputs).detach()


@norm.misconception
class ShiftSubtracted(Variant):
    """You subtract `bias`. Add it."""

    def shift(self, scaled: Tensor) -> Tensor:
        return scaled - self.bias


@norm.misconception
class PlacesExchanged(Variant):
    """You multiply by `bias` and add `weight`. It is `weight` that multiplies."""

    def scale(self, normed: Tensor) -> Tensor:
        return normed * self.bias + self.weight


@norm.misconception
class ShiftStartsAtOne(Variant):
    """In a new module, `bias` starts as ones. Start it as zeros, which change nothing."""

    def first_bias(self, d_model: int) -> Tensor:
        return torch.ones(d_model)


@norm.misconception
class StartExchanged(ShiftStartsAtOne):
    """A new module returns ones for any input, because `weight` starts as zeros and `bias` as ones.
    Exchange them.
    """

    def first_weight(self, d_model: int) -> Tensor:
        return torch.zeros(d_model)


@norm.accepts
class ByVarMean(nn.Module):
    """torch.var_mean with correction=0, and rsqrt."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, inputs: Tensor) -> Tensor:
        variance, mean = torch.var_mean(inputs, dim=-1, correction=0, keepdim=True)
        return (inputs - mean) * torch.rsqrt(variance + self.eps) * self.weight + self.bias


@norm.accepts
class BySums(ByVarMean):
    """Sums divided by d_model, and a power."""

    def forward(self, inputs: Tensor) -> Tensor:
        deviation = inputs - inputs.sum(-1).unsqueeze(-1) / self.d_model
        variance = (deviation**2).sum(-1).unsqueeze(-1) / self.d_model
        return self.bias + self.weight * deviation / (variance + self.eps) ** 0.5


@norm.accepts
class TokenByToken(ByVarMean):
    """A loop over the tokens."""

    def forward(self, inputs: Tensor) -> Tensor:
        found = []
        for token in inputs.reshape(-1, self.d_model):
            deviation = token - token.mean()
            variance = torch.dot(deviation, deviation) / self.d_model
            found.append(self.weight * deviation / (variance + self.eps).sqrt() + self.bias)
        return torch.stack(found).reshape(inputs.shape)


@norm.accepts
class ByMatrix(ByVarMean):
    """A matrix that subtracts the mean, and einsum."""

    def forward(self, inputs: Tensor) -> Tensor:
        share = torch.full((self.d_model, self.d_model), 1 / self.d_model, dtype=inputs.dtype)
        # As a difference, or the large numbers of a product would cost digits.
        deviation = inputs - inputs.mean(-1, keepdim=True)
        deviation = deviation - deviation @ share
        variance = torch.einsum("...d,...d->...", deviation, deviation)[..., None] / self.d_model
        return torch.addcmul(self.bias, self.weight, deviation / (variance + self.eps).sqrt())


@norm.accepts
class ByVariance(ByVarMean):
    """var(unbiased=False)."""

    def forward(self, inputs: Tensor) -> Tensor:
        mean = inputs.mean(-1, True)
        var = inputs.var(-1, unbiased=False, keepdim=True)
        return self.weight * ((inputs - mean) / torch.sqrt(var + self.eps)) + self.bias
