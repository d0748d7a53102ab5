"""The softmax of an array, written out: what goes wrong in it."""

from typing import Any

import numpy as np

from solutions.exams.families.family import Family


class Softmax:
    """The softmax in steps, each for a slip to get wrong."""

    def shift(self, x: np.ndarray, axis: int) -> Any:
        """What is subtracted from the scores, so that no exponential overflows."""
        return x.max(axis=axis, keepdims=True)

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        """What the exponentials are divided by."""
        return exponentials.sum(axis=axis, keepdims=True)

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        """All steps in their order."""
        exponentials = np.exp(x - self.shift(x, axis))
        return exponentials / self.total(exponentials, axis)


# --- the axis ------------------------------------------------------------------------------------


class OverEverything(Softmax):
    """All your weights together sum to 1. They should sum to 1 along the axis, separately for each
    row or column.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.max()

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        return exponentials.sum()


class OneSumForAll(Softmax):
    """All your weights together sum to 1: the exponentials were divided by one sum of them all.
    Each row or column has a sum of its own, along the axis.
    """

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        return exponentials.sum()


class OneMaximumForAll(Softmax):
    """A row whose scores are far below the largest of the whole array becomes NaN (0 / 0), as when
    this largest score is subtracted everywhere. Take the maximum along the axis.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.max()


class KeepdimsForgotten(Softmax):
    """Once an axis has been summed away, row i's sum lines up with column i. Keep that axis, with
    length 1, in both the maximum and the sum.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.max(axis=axis)

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        return exponentials.sum(axis=axis)


class MaximumWithoutKeepdims(Softmax):
    """The sum has kept its axis, but the maximum has not, so row i's maximum lines up with column
    i. Keep the axis there too.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.max(axis=axis)


class SumWithoutKeepdims(Softmax):
    """The sum has lost its axis, so row i's sum divides column i. Keep the axis, with length 1."""

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        return exponentials.sum(axis=axis)


SOFTMAX_AXIS = Family(
    OverEverything,
    OneSumForAll,
    OneMaximumForAll,
    KeepdimsForgotten,
    MaximumWithoutKeepdims,
    SumWithoutKeepdims,
)

# --- the axis, and no shift of its own -----------------------------------------------------------


class OverEverythingUnshifted(OverEverything):
    """All your weights together sum to 1. They should sum to 1 along the axis, separately for each
    row or column. Also, exponentials of large scores overflow: subtract the largest score first.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return 0


class KeepdimsForgottenUnshifted(SumWithoutKeepdims):
    """The sum has lost its axis, so row i's sum divides column i: keep the axis, with length 1.
    Also, exponentials of large scores overflow: subtract the largest score first.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return 0


class KeepdimsForgottenWithOneMaximum(SumWithoutKeepdims):
    """The sum has lost its axis, so row i's sum divides column i: keep the axis, with length 1. And
    take the maximum along the axis as well: in a row far below the largest score of all, every
    exponential is 0.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.max()


SOFTMAX_BARE = Family(
    OverEverythingUnshifted, KeepdimsForgottenUnshifted, KeepdimsForgottenWithOneMaximum
)

# --- the shift -----------------------------------------------------------------------------------


class Overflowing(Softmax):
    """`exp` of a large score is inf, and inf / inf is NaN; in float32 that starts at 89. Subtract
    the largest score first: the weights stay the same.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return 0


class ShiftedByTheMinimum(Softmax):
    """You subtracted the smallest score, so the largest one still overflows. Subtract the
    largest.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.min(axis=axis, keepdims=True)


class ShiftedByTheMean(Softmax):
    """Scores far above the others still overflow, as when the mean is subtracted, and a score of −∞
    makes the mean −∞ as well. Subtract the largest score.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.mean(axis=axis, keepdims=True)


class ShiftedByThePlace(Softmax):
    """Large scores overflow, and float64 came out where float32 went in, as when the position of
    the largest score is subtracted, which `argmax` returns. Subtract the score itself, `max`, and
    keep the dtype of the input.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return x.argmax(axis=axis, keepdims=True)


class Clipped(Softmax):
    """1000 and 1001 got the same weight, as when scores or exponentials are clipped at some bound.
    Subtract the largest score instead, which keeps their differences.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        return super().answer(np.clip(x, -80, 80), axis)


class TurnedRound(Softmax):
    """The smallest score got the largest weight, as when the scores are subtracted from their
    maximum. Subtract the maximum from the scores.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        return super().answer(-x, axis)


class WrittenInPlace(Softmax):
    """The numbers are right, but your function also writes into the array that it was given, as `x
    -= …` and `x[i] = …` do. Leave that array as it is, and write into a new one.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        x -= x.max(axis=axis, keepdims=True)
        return super().answer(x, axis)


SOFTMAX_SHIFT = Family(
    Overflowing,
    ShiftedByTheMinimum,
    ShiftedByTheMean,
    ShiftedByThePlace,
    Clipped,
    TurnedRound,
    WrittenInPlace,
)

# --- something else than a softmax ---------------------------------------------------------------


class NeverDivided(Softmax):
    """These are the exponentials, and they do not sum to 1. Divide them by their sum along the
    axis.
    """

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        return 1


class NeitherShiftedNorDivided(NeverDivided):
    """These are the exponentials, and they do not sum to 1: divide them by their sum along the
    axis. Also, exponentials of large scores overflow: subtract the largest score first.
    """

    def shift(self, x: np.ndarray, axis: int) -> Any:
        return 0


class DividedByTheLargest(NeitherShiftedNorDivided):
    """You divide the exponentials by the largest of them, so that the largest weight is 1, or NaN
    where they overflow. Divide them by their sum along the axis, and subtract the largest score
    first.
    """

    def total(self, exponentials: np.ndarray, axis: int) -> Any:
        return exponentials.max(axis=axis, keepdims=True)


class Shares(Softmax):
    """You divided the scores by their sum, so some weights came out below zero. Take the
    exponential of each score first.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        return x / x.sum(axis=axis, keepdims=True)


class SharesAboveTheSmallest(Softmax):
    """The smallest score got a weight of 0, as when it is subtracted from all scores and the rest
    is divided by its sum. Take the exponential of each score before you divide.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        above = x - x.min(axis=axis, keepdims=True)
        return above / above.sum(axis=axis, keepdims=True)


class SharesBelowTheLargest(Softmax):
    """The largest score got a weight of 0, as when it is subtracted from all scores and the rest is
    divided by its sum. Take the exponential of each score before you divide.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        below = x - x.max(axis=axis, keepdims=True)
        return below / below.sum(axis=axis, keepdims=True)


class SizesAsShares(Softmax):
    """The signs of the scores are lost: a score far below zero gets as much weight as one far above
    it. Take the exponential instead.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        return np.abs(x) / np.abs(x).sum(axis=axis, keepdims=True)


class WinnerTakesAll(Softmax):
    """The largest score got a weight of 1, and all others 0. The softmax gives some weight to
    smaller scores, too.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        return (x == x.max(axis=axis, keepdims=True)).astype(x.dtype)


class Logarithms(Softmax):
    """These are the logarithms of the weights: none is above zero. Return the weights."""

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        shifted = x - x.max(axis=axis, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


class PowersOfTwo(Softmax):
    """These are the weights that you get with powers of 2. The softmax takes powers of e, which is
    what `np.exp` computes.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        powers = 2 ** (x - x.max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)


class Sigmoids(Softmax):
    """These are sigmoids, divided by their sum: two large scores get nearly the same weight,
    although one is larger. The softmax divides the exponentials themselves.
    """

    def answer(self, x: np.ndarray, axis: int = -1) -> object:
        sigmoids = 1 / (1 + np.exp(-x))
        return sigmoids / sigmoids.sum(axis=axis, keepdims=True)


NO_SOFTMAX = Family(
    NeverDivided,
    NeitherShiftedNorDivided,
    DividedByTheLargest,
    Shares,
    SharesAboveTheSmallest,
    SharesBelowTheLargest,
    SizesAsShares,
    WinnerTakesAll,
    Logarithms,
    PowersOfTwo,
    Sigmoids,
)
