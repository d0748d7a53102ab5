"""Self-attention of arrays in steps, with nothing to train, and what goes wrong in it.

Its scores are symmetric, so that a transposed table of weights and a softmax over the queries give
the same numbers: a hint that stands for both says what is seen of them.
"""

from typing import Any

import numpy as np

from solutions.exams.families.family import Family


class ArrayAttention:
    """Attention of the words of a sentence, or of each sentence of a batch, to one another."""

    def attend(self, inputs: np.ndarray) -> Any:
        """All steps in their order: contexts and weights."""
        scores = self.score(inputs)
        weights = self.weigh(scores)
        return self.mix(scores, weights, inputs), self.shown(scores, weights)

    def answer(self, inputs: np.ndarray) -> Any:
        """What the exercise asks for."""
        return self.attend(inputs)

    def score(self, inputs: np.ndarray) -> np.ndarray:
        """Every word times every word."""
        return inputs @ inputs.swapaxes(-2, -1)

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        """Weights that sum to 1 over the keys."""
        return _softmax(scores, -1)

    def mix(self, scores: np.ndarray, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """The words, each as much as its weight says."""
        return weights @ inputs

    def shown(self, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """What is returned as weights."""
        return weights


def _softmax(scores: np.ndarray, axis: int | tuple[int, ...]) -> Any:
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


# --- the softmax ---------------------------------------------------------------------------------


class OverTheQueries(ArrayAttention):
    """In your weights each column sums to 1, as after a softmax over the queries, or in a
    transposed table. Each row should sum to 1: the softmax runs over the keys, the last axis, and
    row i holds the weights of query i.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        return _softmax(scores, -2)


class OverEverything(ArrayAttention):
    """All the weights of a sentence together sum to 1. Each word has its own softmax when it is the
    query, so every row should sum to 1.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        return _softmax(scores, (-2, -1))


class OverTheQueriesUnshifted(ArrayAttention):
    """In your weights each column sums to 1, as after a softmax over the queries, or in a
    transposed table. Each row should sum to 1: the softmax runs over the keys, the last axis, and
    row i holds the weights of query i. Also, the exponentials overflow for long words: subtract
    each row's maximum first, or call the given `softmax`.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores)
        return exponentials / exponentials.sum(axis=-2, keepdims=True)


class OverEverythingUnshifted(ArrayAttention):
    """All the weights of a sentence together sum to 1. Each word has its own softmax when it is the
    query, so every row should sum to 1. Also, the exponentials overflow for long words: subtract
    each row's maximum first, or call the given `softmax`.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores)
        return exponentials / exponentials.sum(axis=(-2, -1), keepdims=True)


class BySharesOfTheScores(ArrayAttention):
    """You divided the scores by their sum, so a weight can come out below zero. Take the
    exponential of each score first.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        return scores / scores.sum(axis=-1, keepdims=True)


class NeverDivided(ArrayAttention):
    """Your weights are the exponentials themselves. Divide each by the sum of its row, so that
    every row sums to 1.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(scores)


class LargestWeightOfOne(ArrayAttention):
    """The largest weight of each row is 1, and the row sums to more: these are exponentials divided
    by the largest of them, or those of the scores less the largest score. Divide them by the sum of
    their row.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(scores - scores.max(axis=-1, keepdims=True))


class DividedByTheLargest(ArrayAttention):
    """You divide the exponentials by the largest of their row, so that the largest weight is 1, or
    NaN where they overflow. Divide them by their sum, and subtract each row's maximum before you
    take the exponential; or call the given `softmax`.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores)
        return exponentials / exponentials.max(axis=-1, keepdims=True)


class OverflowingWeights(ArrayAttention):
    """For long words your softmax overflows and gives NaN. Subtract each row's maximum before you
    take the exponential, or call the given `softmax`.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores)
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


class OneMaximumForAllWords(ArrayAttention):
    """A row whose scores are far below the largest of all becomes NaN (0 / 0), as when this largest
    score is subtracted everywhere: subtract each row's own maximum.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


class NothingWeighed(ArrayAttention):
    """You mixed the words by their scores and returned the scores as weights. The softmax between
    the two steps is missing.
    """

    def weigh(self, scores: np.ndarray) -> np.ndarray:
        return scores


ARRAY_SOFTMAX = Family(
    OverTheQueries,
    OverTheQueriesUnshifted,
    OverEverything,
    OverEverythingUnshifted,
    BySharesOfTheScores,
    NeverDivided,
    LargestWeightOfOne,
    DividedByTheLargest,
    OverflowingWeights,
    OneMaximumForAllWords,
    NothingWeighed,
)

# --- the scores ----------------------------------------------------------------------------------


class ScaledScores(ArrayAttention):
    """Your scores are divided by the square root of the dimension. That scaling comes in lesson 03;
    here, leave the scores as they are.
    """

    def score(self, inputs: np.ndarray) -> np.ndarray:
        return super().score(inputs) / np.sqrt(inputs.shape[-1]).astype(inputs.dtype)


class CosineScores(ArrayAttention):
    """These weights come from cosines. In this lesson the scores are dot products, not divided by
    any length.
    """

    def score(self, inputs: np.ndarray) -> np.ndarray:
        return super().score(inputs / np.linalg.norm(inputs, axis=-1, keepdims=True))


class FeaturesCompared(ArrayAttention):
    """You compared the features with each other. Compare the words: it is the array on the right
    that has to be transposed.
    """

    def attend(self, inputs: np.ndarray) -> Any:
        weights = self.weigh(inputs.swapaxes(-2, -1) @ inputs)
        return inputs @ weights, weights


class FeaturesComparedThenMixed(ArrayAttention):
    """You compared the features with each other, and such weights rarely fit the words. Compare the
    words: it is the array on the right that has to be transposed.
    """

    def score(self, inputs: np.ndarray) -> np.ndarray:
        return inputs.swapaxes(-2, -1) @ inputs


class NothingTransposed(ArrayAttention):
    """You multiplied the words by themselves without a transpose. The shapes rarely fit, and where
    they do, features are paired with words. On the right, the last two axes have to be swapped.
    """

    def score(self, inputs: np.ndarray) -> np.ndarray:
        return inputs @ inputs


ARRAY_SCORES = Family(
    ScaledScores, CosineScores, FeaturesCompared, FeaturesComparedThenMixed, NothingTransposed
)

# --- the results ---------------------------------------------------------------------------------


class MixedByTheScores(ArrayAttention):
    """These contexts mix the words by their scores. Mix them by the weights that you return."""

    def mix(self, scores: np.ndarray, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return scores @ inputs


class MixedByTheTransposed(ArrayAttention):
    """The weights are right, but you mixed with their transpose. Row i holds the weights of query i
    and gives context i, so no transpose is needed.
    """

    def mix(self, scores: np.ndarray, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return weights.swapaxes(-2, -1) @ inputs


class WeightsMixed(ArrayAttention):
    """You multiplied the weights by the weights. The weighted sum is over the words: multiply the
    weights by the inputs.
    """

    def mix(self, scores: np.ndarray, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return weights @ weights


class MixedFromTheLeft(ArrayAttention):
    """The inputs are on the left of the weights. Put the weights first, so that each weight
    multiplies the word that it belongs to.
    """

    def mix(self, scores: np.ndarray, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return inputs @ weights


class WordsUnmixed(ArrayAttention):
    """The weights are right, but these contexts are the words as they came in. Mix them by the
    weights.
    """

    def mix(self, scores: np.ndarray, weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return inputs


class ScoresReturned(ArrayAttention):
    """The contexts are right. The second result should be the weights that they were mixed with,
    but these are the scores, from before the softmax.
    """

    def shown(self, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return scores


class TransposedReturned(ArrayAttention):
    """The contexts are right, but the weights you return are transposed: row i should hold the
    weights of query i, and sum to 1.
    """

    def shown(self, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return weights.swapaxes(-2, -1)


ARRAY_MIX = Family(
    MixedByTheScores,
    MixedByTheTransposed,
    WeightsMixed,
    MixedFromTheLeft,
    WordsUnmixed,
    ScoresReturned,
    TransposedReturned,
)
