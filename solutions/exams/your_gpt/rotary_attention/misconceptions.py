"""The known wrong answers to `RotaryAttention`, lesson 10."""

import torch
from torch import Tensor, nn

from companion import Cache, rope
from solutions.exams.families import (
    FUTURE,
    GRADIENT,
    HEADS,
    MASK,
    MERGE,
    OFFSET,
    OUTPUT,
    ROLES,
    SCALE,
    SHARED,
    SOFTMAX,
    SPLIT,
    later,
)
from solutions.exams.families.masks import InvertedMask
from solutions.exams.your_gpt.rotary_attention.exam import rotary
from solutions.exams.your_gpt.rotary_attention.variant import Pair, Variant

(SHARED + HEADS + SPLIT + MERGE + OUTPUT + SCALE + SOFTMAX + ROLES + GRADIENT).apply(
    rotary,
    Variant,
    called={"Unscaled": "RotaryNotScaled", "Tiled": "KeyHeadsInTurn"},
    says={
        "ScaledByAllFeatures": "You divided by the square root of d_model. A score is a sum of "
        "head_dim products: divide by the square root of the width of one head.",
    },
    without=("RootOfTheValues", "RootOfTheInputWidth", "SharesOfTheScores"),
)
(MASK + FUTURE + OFFSET).apply(
    rotary,
    Variant,
    called={"NothingHidden": "NothingHiddenAtAll"},
    says={
        "AlignedToTheStart": "Behind a cache, your new tokens see the oldest tokens only: the mask "
        "is aligned to the first key, as `triu(1)` and `is_causal=True` align it. The queries are "
        "the last tokens of the text, so shift the mask by the number of cached ones.",
    },
    without=("ScoreOfMinusHundred", "DividedOnceMore", "MaskOfFloats"),
)


@rotary.misconception
class InvertedAndCleaned(Variant):
    # The last token sees all keys, so that none is left to it.
    __doc__ = InvertedMask.__doc__

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        if hidden is None:
            return self.normalise(scores)
        return self.normalise(self.hide(scores, ~hidden)).masked_fill(~hidden, 0.0)


@rotary.misconception
class PositionsRestart(Variant):
    """Behind a cache your positions start at 0 again, so a new token is rotated as if the text
    began with it. Count on from the number of tokens that the cache holds already.
    """

    def first_position(self, cache: Cache | None) -> int:
        return 0


@rotary.misconception
class PositionsFromOne(Variant):
    """Your outputs are right, since only distances count, but the cached keys are rotated by one
    position too far. Positions count from 0, and at position 0 nothing is rotated.
    """

    def first_position(self, cache: Cache | None) -> int:
        return 1 + super().first_position(cache)


@rotary.misconception
class QueriesBehindThemselves(Variant):
    """With a cache, your queries are rotated too far, as when `cache.length` is read after the new
    keys have been appended. A query has the position of its own token, the same as the key.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return queries, rope(keys, positions)

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        further = positions if cache is None else positions + len(positions)
        return rope(queries, further), keys


@rotary.misconception
class CachedBeforeRotation(Variant):
    """Your outputs are right, but the cache holds keys that are not rotated, so all of them have to
    be rotated again at each step. Rotate the new keys first, and then append them.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return rope(queries, positions), keys

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        return queries, rope(keys, torch.arange(keys.shape[2]))


@rotary.misconception
class RotatedAfterAppending(CachedBeforeRotation):
    """With a cache, your queries are rotated too far, and the cached keys not at all, as when the
    line that appends stands before those that read `cache.length` and rotate. Read the length, and
    rotate queries and new keys by their positions, before you append.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return queries, keys

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        further = positions if cache is None else positions + len(positions)
        return rope(queries, further), rope(keys, torch.arange(keys.shape[2]))


@rotary.misconception
class RotatedAfterwardsAsNew(CachedBeforeRotation):
    """With a cache, your code rotates all keys by the positions of the new tokens, and there are
    more keys than positions. Rotate the new keys before you append them: the cached ones are
    rotated already.
    """

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        return queries, rope(keys, positions)


@rotary.misconception
class RotatedOnceMore(Variant):
    """With a cache, your keys are rotated twice: before they are cached, and once more with all
    that the cache returns. Keys from the cache are rotated already.
    """

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        return queries, keys if cache is None else rope(keys, torch.arange(keys.shape[2]))


@rotary.misconception
class KeysAlwaysRotatedTwice(RotatedOnceMore):
    """Your keys are rotated twice, with and without a cache: each of them once before and once
    after the line that appends. Rotate the new ones before they are cached, and none after that.
    """

    def rotate_later(
        self, queries: Tensor, keys: Tensor, positions: Tensor, cache: Cache | None
    ) -> Pair:
        return queries, rope(keys, torch.arange(keys.shape[2]))


@rotary.misconception
class KeysAndValuesExchanged(Variant):
    """Your keys come from W_value, and your values from W_key. Exchange them."""

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        self.W_key, self.W_value = self.W_value, self.W_key
        try:
            return super().forward(inputs, cache)
        finally:
            self.W_key, self.W_value = self.W_value, self.W_key


@rotary.misconception
class ValuesRotated(Variant):
    """You rotated the values as well. The information that a token passes on does not depend on its
    position: rotate queries and keys only.
    """

    def valued(self, values: Tensor, positions: Tensor) -> Tensor:
        return rope(values, positions)


@rotary.misconception
class QueriesNotRotated(Variant):
    """Only the keys are rotated. It is the difference of two angles that counts: rotate the
    queries, too. `apply_rope` returns a new tensor, so use what it returns.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return queries, rope(keys, positions)


@rotary.misconception
class KeysNotRotated(Variant):
    """Only the queries are rotated. It is the difference of two angles that counts: rotate the
    keys, too. `apply_rope` returns a new tensor, so use what it returns.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return rope(queries, positions), keys


@rotary.misconception
class NothingRotated(Variant):
    """This is attention without positions: neither queries nor keys are rotated. `apply_rope`
    returns a new tensor, so use what it returns.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return queries, keys


def in_halves(x: Tensor, positions: Tensor) -> Tensor:
    """RoPE of features that lie half of the width apart."""
    pairs = rope(torch.unflatten(x, -1, (2, -1)).mT.flatten(-2), positions)
    return torch.unflatten(pairs, -1, (-1, 2)).mT.flatten(-2)


@rotary.misconception
class RotatedInHalves(Variant):
    """This is RoPE in the half-split layout, which pairs feature i with feature i + head_dim / 2.
    In this course neighbours are a pair, 2i and 2i + 1.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return in_halves(queries, positions), in_halves(keys, positions)


@rotary.misconception
class RotatedBeforeTheSplit(Variant):
    """You rotated queries and keys before they were split into heads, so the frequencies are those
    of one wide head. Split first: each head has the same head_dim / 2 frequencies.
    """

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        # The values are the third.
        self.turns = [True, True, False]
        return super().forward(inputs, cache)

    def in_heads(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.split(rope(x, positions) if self.turns.pop(0) else x)

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return queries, keys


@rotary.misconception
class RotatedBeforeTheSwap(Variant):
    """`apply_rope` takes the last axis but one for the tokens, and there you have the heads. Swap
    axes 1 and 2 first, so that queries and keys are (batch, heads, tokens, head_dim).
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        turned = (rope(x.transpose(1, 2), positions).transpose(1, 2) for x in (queries, keys))
        first, second = turned
        return first, second


@rotary.misconception
class SquareMask(Variant):
    """Behind a cache there are more keys than queries, and your mask has a row and a column for
    each new token only. It needs a column for each cached one as well.
    """

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        return later(queries, queries)


@rotary.misconception
class NoMaskWithCache(Variant):
    """With a cache you hide nothing. That is right for one new token, but the first tokens of a
    chunk see the later ones: they need the mask, too.
    """

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        return super().hidden(queries, keys, cache) if cache is None else None


@rotary.misconception
class NoMaskBehindAPast(Variant):
    """With tokens in the cache you hide nothing. That is right for one new token, but the first
    tokens of a chunk see the later ones: they need the mask, too.
    """

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        return super().hidden(queries, keys, cache) if queries == keys else None


@rotary.misconception
class ChunksMaskedFromTheStart(Variant):
    """A single new token is right, but in a chunk behind a past your tokens see the oldest tokens
    only: triu(1) begins at the first key. Shift the mask by the number of cached tokens.
    """

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        from_the_start = torch.ones(queries, keys, dtype=torch.bool).triu(1)
        return from_the_start if queries > 1 else None


@rotary.misconception
class KeysAsWideAsQueries(Variant):
    """W_key has as many outputs as W_query. It produces num_kv_heads heads, and each of them is
    as wide as a query head: d_model / num_heads features. The same goes for W_value.
    """

    def find_kv_width(self, num_kv_heads: int) -> int:
        return self.d_in


@rotary.misconception
class HeadsPerShare(Variant):
    """W_key has as many outputs as num_heads / num_kv_heads heads have features. It should produce
    num_kv_heads heads, however many query heads share one of them, and so should W_value.
    """

    def find_kv_width(self, num_kv_heads: int) -> int:
        return self.num_heads // num_kv_heads * self.head_dim


@rotary.misconception
class HeadsSwapped(Variant):
    """W_key is too wide: its number of outputs is num_heads · d_model / num_kv_heads, as when
    num_heads and num_kv_heads are swapped. A head has d_model / num_heads features, and W_key
    produces num_kv_heads heads.
    """

    def find_kv_width(self, num_kv_heads: int) -> int:
        return self.num_heads * self.d_in // num_kv_heads


@rotary.misconception
class OneHeadForAll(Variant):
    """W_key has only as many outputs as a single head has features. It should produce num_kv_heads
    heads, side by side, and so should W_value.
    """

    def find_kv_width(self, num_kv_heads: int) -> int:
        return self.head_dim


@rotary.misconception
class BiasesKept(Variant):
    """An `nn.Linear` has a bias unless it is told bias=False. None of the four projections has
    one here.
    """

    bias, out_bias = True, True


@rotary.misconception
class OutputBiasKept(Variant):
    """`out_proj` has a bias, as an `nn.Linear` has unless it is told bias=False. Here it has none,
    like the other three projections.
    """

    out_bias = True


@rotary.misconception
class NoOutProj(Variant):
    """There is no `out_proj`. It mixes the features of the heads after they were merged:
    nn.Linear(d_model, d_model, bias=False).
    """

    def __init__(
        self, d_model: int, num_heads: int, num_kv_heads: int, parts: object = None
    ) -> None:
        super().__init__(d_model, num_heads, num_kv_heads)
        self.out_proj = nn.Identity()  # type: ignore[assignment]


@rotary.misconception
class RememberedBetweenTexts(Variant):
    """With a cache, a text starts at the position where the previous text ended, as if your module
    counted all tokens that it has ever seen. Each text has its own cache: read `cache.length`.
    """

    seen = 0

    def first_position(self, cache: Cache | None) -> int:
        return 0 if cache is None else self.seen

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        if cache is not None:
            self.seen += keys.shape[2]
        return super().remember(keys, values, cache)
