"""Worksheets: what goes wrong on paper.

Where a worksheet goes from scores to weights and from weights to a context, these are its steps,
and a slip gets one of them wrong. What is mistyped is mistyped in any worksheet.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from solutions.exams.families.family import Answer, Family


class Worksheet:
    """Attention on paper in steps; what is worked with is an array or a tensor."""

    def score(self) -> Any:
        """The scores, those of one query in each row."""
        raise NotImplementedError

    def weigh(self, scores: Any) -> Any:
        """Weights that sum to 1 in each row."""
        exponentials = _exp(scores)
        return exponentials / exponentials.sum(-1)[..., None]

    def mix(self, weights: Any) -> Any:
        """The context that these weights make."""
        raise NotImplementedError

    def filled(self, scores: Any, weights: Any, context: Any) -> dict[str, object]:
        """The lines of the worksheet."""
        raise NotImplementedError

    def answer(self) -> object:
        """All steps in their order."""
        scores = self.score()
        weights = self.weigh(scores)
        return self.filled(scores, weights, self.mix(weights))


def _exp(scores: Any) -> Any:
    return scores.exp() if isinstance(scores, torch.Tensor) else np.exp(scores)


def _even(scores: Any) -> Any:
    return 0 * scores + 1 / scores.shape[-1]


# --- the weights ---------------------------------------------------------------------------------


class SharesOfTheScores(Worksheet):
    """You divided each score by the sum of the scores. The softmax takes the exponential of each
    score first, and divides by the sum of those.
    """

    def weigh(self, scores: Any) -> Any:
        return scores / scores.sum(-1)[..., None]


class Exponentials(Worksheet):
    """These weights are the exponentials themselves. Divide each one by their sum, so that they add
    up to 1.
    """

    def weigh(self, scores: Any) -> Any:
        return _exp(scores)


class ScoresForWeights(Worksheet):
    """These weights are the scores. Take the softmax of them first: the exponential of each score,
    divided by the sum of all the exponentials.
    """

    def weigh(self, scores: Any) -> Any:
        return scores


class EvenWeights(Worksheet):
    """You gave every word the same weight. The weight of each depends on its score."""

    def weigh(self, scores: Any) -> Any:
        return _even(scores)


WEIGHTS = Family(SharesOfTheScores, Exponentials, ScoresForWeights, EvenWeights)

# --- the context ---------------------------------------------------------------------------------


class Unweighted(Worksheet):
    """This context is a plain average. Multiply each vector by its weight before you add."""

    def mix(self, weights: Any) -> Any:
        return super().mix(_even(weights))


class PlainSum(Worksheet):
    """This context is a plain sum. Multiply each vector by its weight before you add."""

    def mix(self, weights: Any) -> Any:
        return super().mix(0 * weights + 1)


class ScoresInPlaceOfWeights(Worksheet):
    """This context is mixed with the scores. Mix with the weights, which add up to 1."""

    def mix(self, weights: Any) -> Any:
        return super().mix(self.score())


CONTEXT = Family(Unweighted, PlainSum, ScoresInPlaceOfWeights)

# --- decimals ------------------------------------------------------------------------------------


class WeightsWithTwoDecimals(Worksheet):
    """You rounded before the last step: this is the result for weights with two decimals. Keep at
    least five until the end, and type four.
    """

    def weigh(self, scores: Any) -> Any:
        return super().weigh(scores).round(decimals=2)


class WeightsWithThreeDecimals(Worksheet):
    """You rounded before the last step: this is the result for weights with three decimals. Keep at
    least five until the end, and type four.
    """

    def weigh(self, scores: Any) -> Any:
        return super().weigh(scores).round(decimals=3)


class EverythingWithTwoDecimals(Worksheet):
    """These numbers have two decimals. Carry at least five through all steps, and type four."""

    def score(self) -> Any:
        return super().score().round(decimals=2)

    def weigh(self, scores: Any) -> Any:
        return super().weigh(scores).round(decimals=2)

    def mix(self, weights: Any) -> Any:
        return super().mix(weights).round(decimals=2)


class EverythingWithThreeDecimals(Worksheet):
    """These numbers have three decimals. Carry at least five through all steps, and type four."""

    def score(self) -> Any:
        return super().score().round(decimals=3)

    def weigh(self, scores: Any) -> Any:
        return super().weigh(scores).round(decimals=3)

    def mix(self, weights: Any) -> Any:
        return super().mix(weights).round(decimals=3)


CARRIED = Family(
    WeightsWithTwoDecimals,
    WeightsWithThreeDecimals,
    EverythingWithTwoDecimals,
    EverythingWithThreeDecimals,
)


def _each(change: Callable[[float], float], value: Any) -> Any:
    """Change every number of a worksheet."""
    if isinstance(value, dict):
        return {name: _each(change, entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_each(change, entry) for entry in value]
    return change(value)


class TypedWithTwoDecimals(Answer):
    """As far as they go, your numbers are right. Type them with four decimals, not two."""

    def answer(self, *arguments: Any) -> object:
        return _each(lambda number: round(number, 2), self.right())


class TypedWithThreeDecimals(Answer):
    """As far as they go, your numbers are right. Type them with four decimals, not three."""

    def answer(self, *arguments: Any) -> object:
        return _each(lambda number: round(number, 3), self.right())


class CutOff(Answer):
    """Your numbers are cut off after four decimals, or were rounded on the way. Carry all digits,
    and round at the end: look at the fifth decimal.
    """

    def answer(self, *arguments: Any) -> object:
        return _each(lambda number: math.trunc(number * 10**4) / 10**4, self.right())


TYPED = Family(TypedWithTwoDecimals, TypedWithThreeDecimals, CutOff)
