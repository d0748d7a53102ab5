"""The known wrong answers to `positive_random_features`, lesson 08."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention.positive_random_features.exam import features
from solutions.exams.efficient_attention.positive_random_features.other_features import (
    BothSigns,
    BothSignsDividedAsOne,
    KeysOfThePerformer,
    ProductsBelowTheirMaximum,
    ProductsBelowTheMaximumOfAll,
    QueriesOfThePerformer,
    ShiftedByTheMaximum,
    WavesForExponentials,
    WavesOnBothSides,
)
from solutions.exams.efficient_attention.positive_random_features.steps import Steps
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.families.family import Family


class Unscaled(Steps):
    """Your features are those of exp(q · k), without the scale. Divide x by the fourth root of d
    first: once in the query and once in the key makes √d.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return 1.0


class DividedByTheSquareRoot(Steps):
    """You divided x by √d, so queries and keys together are divided by d. Each takes half of the
    scale: the fourth root of d.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return float(x.shape[-1] ** 0.5)


class DividedByTheWidth(Steps):
    """You divided x by d. Divide it by the fourth root of d, so that queries and keys together are
    divided by √d.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return x.shape[-1]


class BracketsMissingInThePower(Steps):
    """You divided x by a quarter of d, as `/ (d ** 1 / 4)` does: the power comes first. A fourth
    root is `** 0.25`.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return x.shape[-1] / 4


class MultipliedByTheRoot(Steps):
    """You multiplied x by the fourth root of d. Divide by it."""

    def root(self, x: Tensor, directions: Tensor) -> float:
        return float(x.shape[-1] ** -0.25)


class RootOfTheFeatures(Steps):
    """You divided x by the fourth root of the number of directions. Take that of d, the number of
    features of a token in x.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return float(len(directions) ** 0.25)


class RootOfTheTokens(Steps):
    """You divided x by the fourth root of the number of tokens. d is the number of features of a
    token, the last axis of x.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return float(x.shape[-2] ** 0.25)


class RootOfTheFirstAxis(Steps):
    """You divided x by the fourth root of its first axis, which in a batch is the number of texts.
    d is the number of features of a token, the last axis of x.
    """

    def root(self, x: Tensor, directions: Tensor) -> float:
        return float(len(x) ** 0.25)


class OnlyTheDirectionsScaled(Steps):
    """The product with the directions is scaled, but the square is not. Divide x by the fourth root
    of d before both.
    """

    def half(self, x: Tensor, scaled: Tensor) -> Tensor:
        return super().half(x, x)


class OnlyTheSquareScaled(Steps):
    """The square is scaled, but the product with the directions is not. Divide x by the fourth root
    of d before both.
    """

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        scaled = x / self.root(x, directions)
        exponent = self.along(x, directions) - self.half(x, scaled)
        return self.grow(exponent) / self.norm(directions)


class NoSquare(Steps):
    """You left out the square. Without it, the features of long vectors are too large: subtract
    half of x · x, scaled, in the exponent.
    """

    def half(self, x: Tensor, scaled: Tensor) -> Tensor:
        return torch.zeros_like(scaled[..., :1])


class WholeSquare(Steps):
    """You subtracted the whole square. Subtract half of it."""

    def half(self, x: Tensor, scaled: Tensor) -> Tensor:
        return self.square(scaled)


class SquareAdded(Steps):
    """You added the square. Subtract it: it compensates for what the directions add on average."""

    def half(self, x: Tensor, scaled: Tensor) -> Tensor:
        return -super().half(x, scaled)


class LengthForSquare(Steps):
    """You subtracted half of the length. Subtract half of the *square* of the length, x · x."""

    def square(self, scaled: Tensor) -> Tensor:
        return super().square(scaled).sqrt()


class MeanOfSquares(Steps):
    """You took the average of the squares. The square of a length is their sum."""

    def square(self, scaled: Tensor) -> Tensor:
        return scaled.square().mean(dim=-1, keepdim=True)


class SquareOverTheTokens(Steps):
    """You summed the squares over the tokens. Each token has its own length: sum over its features,
    the last axis.
    """

    def square(self, scaled: Tensor) -> Tensor:
        return scaled.square().sum(dim=-2, keepdim=True)


class SquareOfAll(Steps):
    """You summed the squares of all tokens together. Each token has its own length: sum over the
    last axis, and keep it.
    """

    def square(self, scaled: Tensor) -> Tensor:
        return scaled.square().sum()


class SquareLostItsAxis(Steps):
    """The squares have lost their axis, so a token's square is subtracted from a column, or fits
    nowhere. Keep the axis, with length 1.
    """

    def square(self, scaled: Tensor) -> Tensor:
        return scaled.square().sum(dim=-1)


class SquareOfTheSum(Steps):
    """You summed a token's numbers first, and took the square of that. Square each number, and sum
    the squares.
    """

    def square(self, scaled: Tensor) -> Tensor:
        return scaled.sum(dim=-1, keepdim=True).square()


class SquaresOfTheProducts(Steps):
    """You subtracted half of the square of each product with a direction. Subtract half of the
    square of x, which is the same for all directions.
    """

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        along = self.along(x / self.root(x, directions), directions)
        return self.grow(along - along.square() / 2) / self.norm(directions)


class SquareOfTheDirections(Steps):
    """You subtracted half of the squares of the directions. Subtract the square of x instead."""

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        along = self.along(x / self.root(x, directions), directions)
        half = directions.square().sum(dim=-1) / 2
        return self.grow(along - half) / self.norm(directions)


class SquareAfterwards(Steps):
    """You subtracted the square from the exponential. Subtract it in the exponent, before exp."""

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        scaled = x / self.root(x, directions)
        grown = self.grow(self.along(scaled, directions))
        return (grown - self.half(x, scaled)) / self.norm(directions)


class NoExponential(Steps):
    """There is no exponential, so features can be negative. Take exp of the product with the
    directions minus half of the square.
    """

    def grow(self, exponent: Tensor) -> Tensor:
        return exponent


class Rectified(Steps):
    """Your features are 0 where an exponential would be small: that is a ReLU. Take exp."""

    def grow(self, exponent: Tensor) -> Tensor:
        return exponent.relu()


class SoftmaxOfTheExponents(Steps):
    """Your features sum to 1, as those of a softmax do. They should be exponentials, each divided
    by the square root of their number.
    """

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        scaled = x / self.root(x, directions)
        exponent = self.along(scaled, directions) - self.half(x, scaled)
        return torch.softmax(exponent, dim=-1)


class NotDividedByTheRoot(Steps):
    """You did not divide by the square root of the number of features, so the dot product is a sum
    over the directions. Divided by √m in the query and in the key, it is an average.
    """

    def norm(self, directions: Tensor) -> float:
        return 1.0


class DividedByTheNumber(Steps):
    """You divided the features by their number. Query and key are both divided, so divide by the
    square root.
    """

    def norm(self, directions: Tensor) -> float:
        return len(directions)


class MultipliedByTheNumber(Steps):
    """You multiplied the features by the square root of their number. Divide by it."""

    def norm(self, directions: Tensor) -> float:
        return float(len(directions) ** -0.5)


class DividedByTheRootOfD(Steps):
    """You divided the features by √d. Divide them by the square root of the number of features, of
    which there is one for each direction.
    """

    def norm(self, directions: Tensor) -> float:
        return float(directions.shape[-1] ** 0.5)


class DividedInTheExponent(Steps):
    """You divided by the square root of the number of features before you took exp. Divide the
    exponentials.
    """

    def grow(self, exponent: Tensor) -> Tensor:
        return (exponent / self.count).exp() * self.count

    count = 1.0

    def norm(self, directions: Tensor) -> float:
        return self.count

    def along(self, scaled: Tensor, directions: Tensor) -> Tensor:
        self.count = float(len(directions) ** 0.5)
        return super().along(scaled, directions)


class RootSubtractedInTheExponent(DividedInTheExponent):
    """You subtracted √m before you took exp. Divide the exponentials by it."""

    def grow(self, exponent: Tensor) -> Tensor:
        return (exponent - self.count).exp() * self.count


class DirectionsOnColumns(Steps):
    """You multiplied by the directions as if each were a column. They are rows: transpose them."""

    def along(self, scaled: Tensor, directions: Tensor) -> Tensor:
        return scaled @ directions


class DirectionsOfLengthOne(Steps):
    """You scaled the directions to length 1. Their lengths matter: use them as they were drawn."""

    def along(self, scaled: Tensor, directions: Tensor) -> Tensor:
        return super().along(scaled, torch.nn.functional.normalize(directions, dim=-1))


Family(
    Unscaled,
    DividedByTheSquareRoot,
    DividedByTheWidth,
    BracketsMissingInThePower,
    MultipliedByTheRoot,
    RootOfTheFeatures,
    RootOfTheTokens,
    RootOfTheFirstAxis,
    OnlyTheDirectionsScaled,
    OnlyTheSquareScaled,
    NoSquare,
    WholeSquare,
    SquareAdded,
    LengthForSquare,
    MeanOfSquares,
    SquareOverTheTokens,
    SquareOfAll,
    SquareLostItsAxis,
    SquareOfTheSum,
    SquaresOfTheProducts,
    SquareOfTheDirections,
    SquareAfterwards,
    NoExponential,
    Rectified,
    WavesForExponentials,
    WavesOnBothSides,
    BothSigns,
    BothSignsDividedAsOne,
    ShiftedByTheMaximum,
    ProductsBelowTheirMaximum,
    QueriesOfThePerformer,
    ProductsBelowTheMaximumOfAll,
    KeysOfThePerformer,
    SoftmaxOfTheExponents,
    NotDividedByTheRoot,
    DividedByTheNumber,
    MultipliedByTheNumber,
    DividedByTheRootOfD,
    DividedInTheExponent,
    RootSubtractedInTheExponent,
    DirectionsOnColumns,
    DirectionsOfLengthOne,
).apply(features, Steps)
(LOOP + TENSOR_DTYPE).apply(features)
