"""The exam of `RMSNorm`, lesson 09."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder import Draw, Exam, run_module
from solutions import transformer as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.printed_numbers import numbers
from solutions.exams.transformer._norm_in_steps import OWN_WORK, Module, Norm
from solutions.exams.transformer._norms import NORM

rms = Exam(reference.RMSNorm, use=run_module, forbids=OWN_WORK)


def printed(inputs: Tensor, eps: float | None = None) -> Module:
    d_model = inputs.shape[-1]
    chosen: dict[str, object] = {"d_model": d_model}
    weights = {"weight": numbers(d_model, start=50)}
    return chosen if eps is None else chosen | {"eps": eps}, weights, (inputs,), False, 1


@rms.example
def two_sentences() -> Module:
    """two sentences of three tokens with four features"""
    return printed(numbers(2, 3, 4))


@rms.example
def square() -> Module:
    """as many tokens as features"""
    return printed(numbers(3, 3, start=31))


@rms.example
def equal_features() -> Module:
    """the features of the first token are all 0, and those of the second all equal"""
    rows = [[0.0, 0.0, 0.0, 0.0], [1.5, 1.5, 1.5, 1.5], [0.5, -1.0, 2.0, 0.5]]
    return printed(torch.tensor(rows).double())


@rms.example
def large_eps() -> Module:
    """one token alone, with eps=0.5"""
    return printed(numbers(5, start=40) / 4, eps=0.5)


@rms.example
def as_it_starts() -> Module:
    """a new module, with the weight that it starts with"""
    return {"d_model": 4}, {}, (numbers(2, 4, start=5),), False, 1


def drawn(
    draw: Draw, axes: str, *, scale: float = 1.0, mean: float = 0.0, calls: int = 1
) -> Module:
    inputs = draw.tensor(axes, scale=scale) + mean
    return (
        {"d_model": draw.size("d_model")},
        {"weight": draw.tensor("d_model")},
        (inputs,),
        False,
        calls,
    )


@rms.case
def drawn_sentences(draw: Draw) -> Module:
    """a batch of sentences, or of heads"""
    return drawn(draw, draw.rng.choice(["batch tokens d_model", "batch heads tokens d_model"]))


@rms.case(times=1)
def drawn_token(draw: Draw) -> Module:
    """one token"""
    return drawn(draw.fix(d_model=MADE_TWICE), "d_model")


@rms.case(times=1)
def drawn_two_features(draw: Draw) -> Module:
    """two features, and an eps of 0.1"""
    settings, weights, inputs, _, _ = drawn(draw.fix(d_model=2), "tokens d_model")
    return {**settings, "eps": 0.1}, weights, inputs, False, 1


@rms.case(times=1)
def drawn_tiny(draw: Draw) -> Module:
    """tiny features, and an eps of a billionth"""
    settings, weights, inputs, _, _ = drawn(draw, "batch tokens d_model", scale=1e-4)
    return {**settings, "eps": 1e-9}, weights, inputs, False, 1


@rms.case(times=1)
def drawn_without_eps(draw: Draw) -> Module:
    """tiny features, and an eps of 0"""
    settings, weights, inputs, _, _ = drawn(draw, "batch tokens d_model", scale=1e-4)
    return {**settings, "eps": 0.0}, weights, inputs, False, 1


@rms.case(times=1)
def drawn_thousand(draw: Draw) -> Module:
    """features near 1000"""
    # Called twice, so that no gradients are asked for: in float32 little is right of them.
    return drawn(draw.fix(d_model=6), "batch tokens d_model", mean=1000, calls=2)


@rms.case(times=1)
def drawn_zeros(draw: Draw) -> Module:
    """features that are all 0, or all equal"""

    case = drawn(draw.fix(batch=3, d_model=8), "batch tokens d_model")
    (inputs,) = case[2]
    inputs[0], inputs[1, 0] = 0, 0.75
    return case


@rms.case(times=1)
def drawn_new(draw: Draw) -> Module:
    """a new module"""
    settings, _, inputs, _, _ = drawn(draw, "batch tokens d_model")
    return settings, {}, inputs, False, 1


rms.half_but_for("an eps of 0", drawn_without_eps)


rms.holds(leaves_the_generator_alone)


@rms.holds
def all_signs_turned(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: Mapping[str, Tensor],
    inputs: tuple[Tensor],
    *_: object,
) -> bool:
    """if all signs of the inputs are flipped, so are all signs of the outputs"""
    module = module_class(**settings)
    module.to(inputs[0].dtype)
    return torch.allclose(module(-inputs[0]), -module(inputs[0]), rtol=1e-4, atol=1e-5)


class Variant(Norm):
    """Division by the root mean square in steps, for misconceptions to get one of them wrong."""

    usual_eps, foreign_eps = 1e-6, 1e-5


NORM.apply(
    rms,
    Variant,
    says={
        "NoEps": "Where all features of a token are 0, your module divides 0 by 0. Add eps to the "
        "mean of the squares, under the root.",
        "Unbiased": "You divide the sum of the squares by d_model − 1. Take their mean: divide it "
        "by d_model.",
        "UnbiasedOutside": "You divide the sum of the squares by d_model − 1, and add eps to the "
        "root. Take the mean of the squares, and add eps under the root.",
    },
)


@rms.misconception
class LengthPlusEps(Variant):
    """You divide by the length of the vector plus eps. Divide by the root of the *mean* of the
    squares, under which eps is added.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        # Unlike the root of a sum, the norm of zeros has a gradient: zeros.
        return inputs / (inputs.norm(dim=-1, keepdim=True) + self.eps)


@rms.misconception
class NormalizeForTheRoot(Variant):
    """Your result does not depend on `eps`. Add it to the mean of the squares, under the root:
    `F.normalize`, for example, has a bound of its own instead.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        return functional.normalize(inputs, dim=-1) * inputs.shape[-1] ** 0.5


@rms.misconception
class LengthAtLeastEps(Variant):
    """You use eps as a lower bound of the vector's length. Add it to the mean of the squares, under
    the root, for every token.
    """

    def normalise(self, inputs: Tensor) -> Tensor:
        return functional.normalize(inputs, dim=-1, eps=self.eps) * inputs.shape[-1] ** 0.5


@rms.misconception
class Centred(Variant):
    """You subtract the mean first, which gives LayerNorm without its bias. RMSNorm divides the
    features as they are.
    """

    def centre(self, inputs: Tensor) -> Tensor:
        return inputs - self.average(inputs)


@rms.misconception
class DividedByTheDeviation(Variant):
    """You divide by the standard deviation, from which the mean has been subtracted. Take the mean
    of the squares of the features as they are.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return centred.var(dim=-1, correction=0, keepdim=True)


@rms.misconception
class DividedByTheUnbiasedDeviation(Variant):
    """You divide by the standard deviation, as `torch.var` and `torch.std` compute it, from which
    the mean has been subtracted. Take the mean of the squares of the features as they are.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return centred.var(dim=-1, keepdim=True)


@rms.misconception
class CentredAndDivided(Variant):
    """You subtract the mean from what you divide, but not from what you divide by. RMSNorm never
    subtracts it.
    """

    def divide(self, centred: Tensor, divisor: Tensor) -> Tensor:
        return (centred - self.average(centred)) / divisor


@rms.misconception
class SquareOfTheMeanSize(Variant):
    """You take the mean of the absolute values and square it. RMSNorm needs the mean of the
    squares, so square first.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return self.average(centred.abs()).square()


@rms.misconception
class SquareOfTheMean(Variant):
    """You square the mean. RMSNorm needs the mean of the squares, so square first."""

    def spread(self, centred: Tensor) -> Tensor:
        return self.average(centred).square()


@rms.misconception
class NotSquared(Variant):
    """You take the square root of the mean of the features, which may be below 0. Square them
    first.
    """

    def spread(self, centred: Tensor) -> Tensor:
        return self.average(centred)


@rms.misconception
class RootOfTheWidth(Variant):
    """Your result is √d_model times too large. The length of a vector divided by √d_model is its
    root mean square: do you multiply once too often?
    """

    def divisor(self, spread: Tensor) -> Tensor:
        return super().divisor(spread) / len(self.weight) ** 0.5


@rms.misconception
class WithABias(Variant):
    """Your module has a `bias`. RMSNorm scales and does not shift: `weight` is its only
    parameter.
    """

    def __init__(self, d_model: int, eps: float | None = None) -> None:
        super().__init__(d_model, eps)
        self.bias = nn.Parameter(torch.zeros(d_model))


@rms.accepts
class ByPower(nn.Module):
    """pow and rsqrt, computed in float32 at least."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, inputs: Tensor) -> Tensor:
        variance = inputs.pow(2).mean(-1, keepdim=True)
        return self.weight * (inputs * torch.rsqrt(variance + self.eps))


@rms.accepts
class BySums(ByPower):
    """A sum divided by d_model, and a power."""

    def forward(self, inputs: Tensor) -> Tensor:
        mean_square = torch.sum(inputs * inputs, dim=-1).unsqueeze(-1) / self.d_model
        return inputs / (mean_square + self.eps) ** 0.5 * self.weight


@rms.accepts
class TokenByToken(ByPower):
    """A loop over the tokens."""

    def forward(self, inputs: Tensor) -> Tensor:
        found = []
        for token in inputs.reshape(-1, self.d_model):
            root = torch.sqrt(torch.dot(token, token) / self.d_model + self.eps)
            found.append(token / root * self.weight)
        return torch.stack(found).reshape(inputs.shape)


@rms.accepts
class ByEinsum(ByPower):
    """einsum, and torch.div."""

    def forward(self, inputs: Tensor) -> Tensor:
        squares = torch.einsum("...d,...d->...", inputs, inputs)[..., None]
        return torch.div(inputs, (squares / self.d_model + self.eps).sqrt()).mul(self.weight)


@rms.accepts
class ByMatrix(ByPower):
    """The mean as a matrix product, the weight as a diagonal matrix."""

    def forward(self, inputs: Tensor) -> Tensor:
        share = inputs.new_full((self.d_model, 1), 1 / self.d_model)
        root = (inputs.square() @ share + self.eps).sqrt()
        return inputs / root @ torch.diag(self.weight)
