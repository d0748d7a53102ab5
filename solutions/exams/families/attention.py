"""Attention in steps, and what goes wrong in every attention: scale, softmax, roles, gradient."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.families.family import Family


class Attention:
    """Scaled dot-product attention in steps."""

    # The width of what is projected, where an exercise projects.
    d_in = 0

    def answer(self, *arguments: Any, **keywords: Any) -> Any:
        """What the exercise asks for, if it is a function."""
        raise NotImplementedError

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        """All steps in their order: (…, queries, d_v)."""
        return self.mix(self.drop(self.weigh(self.score(queries, keys), hidden)), values)

    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Scores, queries on rows and keys on columns."""
        return self.product(queries, keys) / self.divisor(queries, keys)

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Every query times every key."""
        return queries @ keys.mT

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        """What the scores are divided by: the root of the width of a key."""
        return float(keys.shape[-1] ** 0.5)

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        """The weights of what is not hidden."""
        if hidden is None:
            return self.normalise(scores)
        return self.clean(self.normalise(self.hide(scores, hidden)), hidden)

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        """Scores of which the softmax makes nothing where `hidden` is True."""
        return scores.masked_fill(hidden, -torch.inf)

    def normalise(self, scores: Tensor) -> Tensor:
        """Weights that sum to 1 over the keys."""
        return torch.softmax(scores, dim=-1)

    def clean(self, weights: Tensor, hidden: Tensor) -> Tensor:
        """Weights where a row may be all hidden; here none is."""
        return weights

    def drop(self, weights: Tensor) -> Tensor:
        """Weights after dropout; here there is none."""
        return weights

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        """Contexts: the values, each as much as its weight says."""
        return weights @ values


# --- the scale -----------------------------------------------------------------------------------


class Unscaled(Attention):
    """The scores reach your softmax unscaled. Divide them by the square root of d_k first; d_k is
    the width of a key, and with several heads that of one head.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return 1.0


class DividedByTheWidth(Attention):
    """In effect, your scores are divided by the width of a key itself, so the weights are too even.
    Divide by its square root, once.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return keys.shape[-1]


class DividedByTheSquare(Attention):
    """Your scores are divided by the square of the width of a key. Divide by its square *root*."""

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return keys.shape[-1] ** 2


class BracketsMissingInThePower(Attention):
    """Your scores are divided by twice the width of a key, as by `/ d_k ** 1 / 2`: there the power
    is taken first, and then the 2 divides once more. A square root is `** 0.5` or `** (1 / 2)`.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return 2 * keys.shape[-1]


class MultipliedByTheRoot(Attention):
    """Your scores are multiplied by the square root of the width of a key, as by `* d_k ** 0.5` or
    `/ d_k ** -0.5`. They should be divided by it: they are too large, not too small.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(keys.shape[-1] ** -0.5)


class RootTakenTwice(Attention):
    """Your scores are divided by the fourth root of the width of a key, as when the square root is
    taken twice. Take it only once.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(keys.shape[-1] ** 0.25)


class RootOfTheKeys(Attention):
    """Your scores are divided by the square root of the number of keys, which in self-attention is
    the number of tokens. Take the square root of the width of a key: the number of its features,
    the size of the last axis if the keys are not transposed.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(keys.shape[-2] ** 0.5)


class RootOfTheQueries(Attention):
    """Your scores are divided by the square root of the number of queries. Take the square root of
    their width: the number of features of a query, the size of the last axis.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(queries.shape[-2] ** 0.5)


class RootOfTheValues(Attention):
    """Your scores are divided by the square root of the width of a value. The scores come from the
    keys, so take the width of a key.
    """

    width = 1

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        self.width = values.shape[-1]
        return super().attend(queries, keys, values, hidden)

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(self.width**0.5)


class RootOfTheInputWidth(Attention):
    """Your scores are divided by the square root of d_in, the width of the inputs. The scores come
    from the keys, so take the width of a key.
    """

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        return float(self.d_in**0.5)


class ScaledAfterwards(Attention):
    """Your results are divided by √d_k after the softmax, and not the scores before it: in effect,
    your weights sum to 1/√d_k. Divide the scores, before the softmax.
    """

    root = 1.0

    def divisor(self, queries: Tensor, keys: Tensor) -> float:
        self.root = super().divisor(queries, keys)
        return 1.0

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return super().weigh(scores, hidden) / self.root


SCALE = Family(
    Unscaled,
    DividedByTheWidth,
    DividedByTheSquare,
    BracketsMissingInThePower,
    MultipliedByTheRoot,
    RootTakenTwice,
    RootOfTheKeys,
    RootOfTheQueries,
    RootOfTheValues,
    RootOfTheInputWidth,
    ScaledAfterwards,
)
# What to say where the keys of printed examples have two features, and some divisors are equal.
WITH_TWO_FEATURES = {
    "Unscaled": "The scores reach your softmax unscaled, or divided by 1: `(d_k ** 1 / 2)` is 1 "
    "where d_k is 2. Divide them by the square root of d_k; d_k is the width of a key, and with "
    "several heads that of one head.",
    "DividedByTheSquare": "Your scores are divided by 4 where a key has two features: by its width "
    "squared, or by twice its width, as `/ d_k ** 1 / 2` does. Divide by the square *root*, "
    "`d_k ** 0.5`.",
}

# --- the softmax ---------------------------------------------------------------------------------


class SoftmaxOverQueries(Attention):
    """Your softmax runs over the queries. It should run over the keys, so that the weights of each
    query sum to 1: with queries on the rows, that is the last axis.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-2)


class SoftmaxOverTheFirstAxis(Attention):
    """Your softmax runs over the first axis, which in a batch is that of the sentences. It should
    run over the keys, the last axis, so that the weights of each query sum to 1.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=0)


class NoSoftmax(Attention):
    """Your weights are the scores themselves, as if there were no softmax. The softmax over the
    keys turns scores into weights, which sum to 1; if you call it, use its result.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return scores


class SharesOfTheScores(Attention):
    """Your weights are the scores, divided by their sum. The softmax takes exponentials first."""

    def normalise(self, scores: Tensor) -> Tensor:
        return scores / scores.sum(dim=-1, keepdim=True)


class ExponentialsAlone(Attention):
    """Your weights are exponentials of the scores, and those of a query do not sum to 1. Divide
    them by their sum over the keys, or use `torch.softmax`, which does both.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.exp(scores)


class LargestWeightOfOne(Attention):
    """The largest weight of each query is 1, and its weights sum to more: these are exponentials
    divided by the largest of them, or those of the scores less the largest score. Divide them by
    their sum over the keys, or use `torch.softmax`.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


SOFTMAX = Family(
    SoftmaxOverQueries,
    SoftmaxOverTheFirstAxis,
    NoSoftmax,
    SharesOfTheScores,
    ExponentialsAlone,
    LargestWeightOfOne,
)


class Overflowing(Attention):
    """Exponentials of large scores overflow, and inf / inf is NaN; those of very low scores are all
    0, and 0 / 0 is NaN too. Subtract each row's largest score first, or use `torch.softmax`.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores)
        return exponentials / exponentials.sum(dim=-1, keepdim=True)


class OneMaximumForAll(Attention):
    """A row whose scores are far below those of another gives NaN, as when the largest of all the
    scores is subtracted: every exponential there is 0, and 0 / 0 is NaN. Subtract each row's own
    largest score, or use `torch.softmax`.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores - scores.max())
        return exponentials / exponentials.sum(dim=-1, keepdim=True)


class DividedByTheLargest(Attention):
    """The largest weight of each query is 1, or NaN where exponentials overflow: you divide the
    exponentials by the largest of them. Divide them by their sum over the keys; and subtract each
    row's largest score first, or use `torch.softmax`, which does both.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores)
        return exponentials / exponentials.amax(dim=-1, keepdim=True)


STABILITY = Family(Overflowing, OneMaximumForAll, DividedByTheLargest)

# --- who asks whom -------------------------------------------------------------------------------


class RolesSwapped(Attention):
    """In effect, your scores are K Qᵀ: keys stand where queries should, in the product or before
    it, or a table is transposed. Row i of the scores should be for query i, and column j for key j.
    """

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().product(keys, queries)


class QueriesCompared(Attention):
    """Your scores compare the queries with the queries: the keys are not used, or they are the
    queries once more. Compare the queries with the keys.
    """

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        return super().attend(queries, queries, values, hidden)


class KeysMixed(Attention):
    """Your weights mix the keys: the values are not used, or they are the keys once more. Mix the
    values.
    """

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None
    ) -> Tensor:
        return super().attend(queries, keys, keys, hidden)


ROLES = Family(RolesSwapped, QueriesCompared, KeysMixed)


class KeysReshaped(Attention):
    """Your keys have the shape of their transpose, but not its entries, as after `reshape` or
    `view`: these read on from row to row, so a column is not a key. Swap the last two axes.
    """

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])


TURNED = Family(KeysReshaped)

# --- the gradient --------------------------------------------------------------------------------


class WeightsDetached(Attention):
    """The numbers are right, but no gradient gets back to the queries and the keys, so they can't
    be trained: something cuts the weights off from the graph, such as `.detach()`, `.data`,
    `.item()` or `torch.no_grad()`.
    """

    def normalise(self, scores: Tensor) -> Tensor:
        return super().normalise(scores).detach()


class KeysDetached(Attention):
    """The numbers are right, but no gradient gets back to the keys, so they can't be trained:
    something cuts them off from the graph, such as `.detach()`, `.data` or `torch.no_grad()`.
    """

    def product(self, queries: Tensor, keys: Tensor) -> Tensor:
        return super().product(queries, keys.detach())


class ValuesDetached(Attention):
    """The numbers are right, but no gradient gets back to the values, so they can't be trained:
    something cuts them off from the graph, such as `.detach()`, `.data` or `torch.no_grad()`.
    """

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        return super().mix(weights, values.detach())


class ContextsDetached(Attention):
    """The numbers are right, but no gradient gets back to the queries, keys and values, so none of
    them can be trained: leave out what cuts them off from the graph, such as `torch.no_grad()`,
    `.detach()` or `.data`.
    """

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        return super().mix(weights, values).detach()


GRADIENT = Family(WeightsDetached, KeysDetached, ValuesDetached, ContextsDetached)
