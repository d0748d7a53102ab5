"""Features of other kinds, as they are published, in the place of `positive_random_features`."""

import torch
from torch import Tensor

from solutions.exams.efficient_attention.positive_random_features.steps import Steps


class WavesForExponentials(Steps):
    """These are cosines, as in random Fourier features, and some are negative. Positive features
    are exponentials of the products, times exp of minus half of the square.
    """

    def answer(self, x: Tensor, directions: Tensor) -> Tensor:
        scaled = x / self.root(x, directions)
        grown = self.waves(self.along(scaled, directions)) * self.half(x, scaled).exp()
        return grown / self.norm(directions)

    def waves(self, products: Tensor) -> Tensor:
        return products.cos()


class WavesOnBothSides(WavesForExponentials):
    """These are a cosine and a sine for each direction, as in random Fourier features. Take one
    exponential for each instead: that of the product, less half of the square.
    """

    def waves(self, products: Tensor) -> Tensor:
        return torch.cat([products.cos(), products.sin()], dim=-1)


class ShiftedByTheMaximum(Steps):
    """You subtracted the largest exponent, as one does in a softmax. That multiplies each token's
    features by a different number, so their dot products no longer estimate exp(q · k / √d): leave
    the exponent as it is.
    """

    def grow(self, exponent: Tensor) -> Tensor:
        return (exponent - exponent.amax(dim=-1, keepdim=True)).exp()


class ProductsBelowTheirMaximum(Steps):
    """You subtracted a token's largest product with a direction in the exponent, as Performers do.
    That multiplies each token's features by a different number, so their dot products no longer
    estimate exp(q · k / √d): leave the exponent as it is.
    """

    over: tuple[int, ...] = (-1,)
    raised = 0.0

    def along(self, scaled: Tensor, directions: Tensor) -> Tensor:
        products = super().along(scaled, directions)
        return products - products.amax(dim=self.over, keepdim=True)

    def grow(self, exponent: Tensor) -> Tensor:
        return super().grow(exponent) + self.raised


class QueriesOfThePerformer(ProductsBelowTheirMaximum):
    """These are the features that the Performer's code makes of queries: it subtracts a token's
    largest product with a direction in the exponent, and adds a small number to the exponential.
    Here the dot products have to estimate exp(q · k / √d): leave out both.
    """

    raised = 1e-4


class ProductsBelowTheMaximumOfAll(ProductsBelowTheirMaximum):
    """You subtracted the largest product of any token of a text with a direction in the exponent,
    as Performers do for keys. That makes all features smaller, so their dot products no longer
    estimate exp(q · k / √d): leave the exponent as it is.
    """

    over = (-2, -1)


class KeysOfThePerformer(ProductsBelowTheMaximumOfAll):
    """These are the features that the Performer's code makes of keys: it subtracts the largest
    product of a text with a direction in the exponent, and adds a small number to the exponential.
    Here the dot products have to estimate exp(q · k / √d): leave out both.
    """

    raised = 1e-4


class BothSigns(Steps):
    """You have two features for each direction, one with it and one with its opposite, as a variant
    of the Performer's features has. Take one for each direction: exp of the product, less half of
    the square.
    """

    doubled = 2

    def along(self, scaled: Tensor, directions: Tensor) -> Tensor:
        products = super().along(scaled, directions)
        return torch.cat([products, -products], dim=-1)

    def norm(self, directions: Tensor) -> float:
        return float((self.doubled * len(directions)) ** 0.5)


class BothSignsDividedAsOne(BothSigns):
    """You have two features for each direction, one with it and one with its opposite, and divide
    by the square root of the number of directions. Take one for each direction: exp of the product,
    less half of the square.
    """

    doubled = 1
