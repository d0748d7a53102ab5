"""What the exams share that go over keys without a table of scores: numbers, and linear attention.

Linear attention is written here in steps, with a family of what goes wrong in it; `_other_linears`
adds to this.
"""

import zlib
from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, driven
from companion import elu_plus_one, map_features
from solutions.exams.families.family import Family
from solutions.exams.printed_numbers import numbers

FeatureMap = Callable[[Tensor], Tensor]
Mapped = tuple[Tensor, Tensor, Tensor, FeatureMap]
Triple = tuple[Tensor, Tensor, Tensor]


def printed(queries: int, keys: int, d_k: int, d_v: int, *texts: int) -> Triple:
    """Queries, keys and values to print."""
    return (
        numbers(*texts, queries, d_k),
        numbers(*texts, keys, d_k, start=200),
        numbers(*texts, keys, d_v, start=400),
    )


def drawn(draw: Draw, axes: str = "", queries: str = "queries", keys: str = "keys") -> Triple:
    """Queries, keys and values, with these axes before the others."""
    asked, offered = (draw.tensor(f"{axes} {tokens} d_k") for tokens in (queries, keys))
    return asked, offered, draw.tensor(f"{axes} {keys} d_v")


# The table of so many tokens takes 2.3 GB, more than a submission has (`memory_bytes` of `Limits`),
# and so does the half of a larger one that is left where no token sees a later one.
TOKENS = 17_000
CAUSAL_TOKENS = 24_000
# How far a context may be off, as a share of the largest. Tables of float32 would fit: what comes
# of one is off by 1e-8 or more, and what comes of float64 by 1e-13, or 3e-10 where an answer keeps
# its divisor away from 0.
_OFF = 2e-9

# Of these two keys elu + 1 makes features that are 5e-6 together, the second twice the first.
# Published code adds a millionth to the divisor, which takes a sixth from a context there; whatever
# keeps the divisor further away from 0 takes more.
FAR_BELOW = torch.tensor([[5e-6 / 3], [5e-6 * 2 / 3]], dtype=torch.float64).log()
_AT_MOST_OFF = 0.25


def too_long(queries: int, keys: int, seed: int) -> Triple:
    """Queries, keys and values, with one feature each, of a text that is too long for a table.

    They are new each time: an answer may write into what it is given.
    """
    generator = torch.Generator().manual_seed(seed)

    def drawn_for(tokens: int) -> Tensor:
        return torch.randn(tokens, 1, generator=generator, dtype=torch.float64)

    return drawn_for(queries), drawn_for(keys), drawn_for(keys)


def seed_of(queries: Tensor) -> int:
    """A seed that whoever does not know these numbers can't know."""
    return zlib.crc32(queries.numpy().tobytes())


def are_contexts(received: object, wanted: object) -> bool:
    """Whether these are the contexts of a text that is too long for a table."""
    if not isinstance(received, Tensor) or not isinstance(wanted, Tensor):
        return False
    if received.shape != wanted.shape:
        return False
    return bool((received - wanted).abs().max() <= _OFF * wanted.abs().max())


def reads_too_long(
    attention: Callable[..., object],
    right: Callable[..., Tensor],
    queries: Tensor,
    tokens: int = TOKENS,
) -> bool:
    """Whether a linear attention makes of such a text what a right one does."""
    asked, offered, values = too_long(tokens, tokens, seed_of(queries))
    # Next to their features, what is added to a divisor counts for little.
    text = 2000 + 500 * asked.abs(), 2000 + 500 * offered.abs(), values
    wanted = right(*text, elu_plus_one)
    return are_contexts(driven(map_features, attention)(*text), wanted)


def is_longest(queries: Tensor) -> bool:
    """Whether a case is the one that stands for all long texts: one try with a text is enough."""
    return queries.shape[-2] >= 60 and queries.dtype == torch.float64


def no_feature_is_too_small(
    attention: Callable[..., object], queries: Tensor, keys: Tensor, values: Tensor, *_: object
) -> bool:
    """keys have the weights that their features say, even where these are nearly 0"""
    # Whatever the case is: one try is enough.
    if keys.shape[-2] > 1:
        return True
    values = torch.stack([values[0], torch.zeros_like(values[0])]).double()
    contexts = driven(map_features, attention)(0 * FAR_BELOW, FAR_BELOW.clone(), values)
    return isinstance(contexts, Tensor) and is_a_third(contexts[-1], values[0])


def is_a_third(context: object, value: Tensor) -> bool:
    """Whether a context is a third of a value, but for what published code adds to the divisor."""
    if not isinstance(context, Tensor) or context.shape != value.shape:
        return False
    return bool(((3 * context - value).abs() <= _AT_MOST_OFF * value.abs()).all())


def softplus_and_one(x: Tensor, /) -> Tensor:
    """As many features as there were, and a 1 after them."""
    return torch.cat([torch.nn.functional.softplus(x), torch.ones_like(x[..., :1])], dim=-1)


def one_feature(x: Tensor, /) -> Tensor:
    """The exponential of the average, alone."""
    return x.mean(dim=-1, keepdim=True).exp()


class Linear:
    """Linear attention in steps: every query sees every key."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return self.attend(feature_map(queries), feature_map(keys), values)

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        """What the features of queries and keys make of the values."""
        total = (asked * self.total(offered)).sum(dim=-1, keepdim=True)
        return self.divide(self.mix(asked, offered, values), total)

    def over(self, per_key: Tensor, dim: int) -> Tensor:
        """What a query gets from its keys together, if each has this."""
        return per_key.sum(dim=dim, keepdim=True)

    def mix(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        """The values, each times its weight, before these are divided."""
        summary = self.summary(offered[..., :, None] * values[..., None, :])
        return (asked[..., :, None] * summary).sum(dim=-2)

    def summary(self, products: Tensor) -> Tensor:
        return self.over(products, -3)

    def total(self, offered: Tensor) -> Tensor:
        return self.over(offered, -2)

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed / total


class Undivided(Linear):
    """Your weights do not sum to 1: divide the mixed values by the sum of the weights, which is the
    query's features times the sum of the key features.
    """

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed


class Multiplied(Linear):
    """You multiplied by the sum of the weights. Divide by it, so that they sum to 1."""

    def divide(self, mixed: Tensor, total: Tensor) -> Tensor:
        return mixed * total


class DividedByRawKeys(Linear):
    """The values are mixed correctly, but divided by sums of the keys themselves. Sum their
    features: φ applies to the keys in the denominator, too.
    """

    raw = torch.empty(0)

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        self.raw = keys
        return super().answer(queries, keys, values, feature_map)

    def total(self, offered: Tensor) -> Tensor:
        return self.over(self.raw, -2)


class DividedByKeyFeatures(Linear):
    """You divided every query's mixture by the key features alone. Each query has its own sum: its
    features times the sum of the key features.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        total = self.total(offered).sum(dim=-1, keepdim=True)
        return self.mix(asked, offered, values) / total


class DividedByTheNumberOfKeys(Linear):
    """You divided by the number of keys, so the weights do not sum to 1. Divide by the sum of the
    weights: the query's features times the sum of the key features.
    """

    def total(self, offered: Tensor) -> Tensor:
        return self.over(torch.ones_like(offered[..., :1]), -2)

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        return self.mix(asked, offered, values) / self.total(offered)


class QueriesUnmapped(Linear):
    """Your queries go in as they are. Apply the feature map to the queries, too."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return self.attend(queries, feature_map(keys), values)


class KeysUnmapped(Linear):
    """Your keys go in as they are. Apply the feature map to the keys, too."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return self.attend(feature_map(queries), keys, values)


class NothingMapped(Linear):
    """In your result, neither queries nor keys have gone through the feature map, so weights can be
    negative. Take the features of the queries and of the keys.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return self.attend(queries, keys, values)


class ValuesMapped(Linear):
    """You took features of the values as well. Mix the values as they are: only queries and keys
    have features.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(queries, keys, feature_map(values), feature_map)


class KeysMixed(Linear):
    """You mixed the keys. Mix the values instead."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(queries, keys, keys, feature_map)


class KeyFeaturesMixed(Linear):
    """You mixed the features of the keys. Mix the values instead."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(queries, keys, feature_map(keys), feature_map)


class RolesSwapped(Linear):
    """You swapped queries and keys, so you summed over the queries. Sum over the keys, whose
    features are multiplied by the values, and multiply each query's features by the result.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(keys, queries, values, feature_map)


class QueriesOffered(Linear):
    """You took the features of the queries twice. Sum the features of the keys."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(queries, queries, values, feature_map)


class KeysAsk(Linear):
    """You took the features of the keys twice. Multiply the sums by the features of the queries."""

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(keys, keys, values, feature_map)


class ScaledFirst(Linear):
    """You divided the queries by √d_k before you took their features. Linear attention has no such
    scale: the feature map takes the queries as they are.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return super().answer(queries / queries.shape[-1] ** 0.5, keys, values, feature_map)


class ScaledFirstKeysUnmapped(Linear):
    """You divided the queries by √d_k before you took their features, and your keys go in as they
    are. Take the features of both, and leave out the scale.
    """

    def answer(
        self, queries: Tensor, keys: Tensor, values: Tensor, feature_map: FeatureMap
    ) -> Tensor:
        return self.attend(feature_map(queries / queries.shape[-1] ** 0.5), keys, values)


class SoftmaxOfFeatures(Linear):
    """There is a softmax in your answer. The features are positive, so their products only have to
    be divided by their sum to become weights.
    """

    def attend(self, asked: Tensor, offered: Tensor, values: Tensor) -> Tensor:
        return super().attend(torch.softmax(asked, dim=-1), torch.softmax(offered, dim=-2), values)


MAPPED = Family(
    Undivided,
    Multiplied,
    DividedByRawKeys,
    DividedByKeyFeatures,
    DividedByTheNumberOfKeys,
    QueriesUnmapped,
    KeysUnmapped,
    NothingMapped,
    ValuesMapped,
    KeysMixed,
    KeyFeaturesMixed,
    RolesSwapped,
    QueriesOffered,
    KeysAsk,
    ScaledFirst,
    ScaledFirstKeysUnmapped,
    SoftmaxOfFeatures,
)
