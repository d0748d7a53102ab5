"""What goes wrong in `RotaryAttention` with its positions and its projections."""

import torch
from torch import Tensor

from companion import Cache, rope
from solutions.exams.your_gpt.rotary_attention.exam import rotary
from solutions.exams.your_gpt.rotary_attention.variant import Pair, Variant


@rotary.misconception
class KeysRotatedBackwards(Variant):
    """Your keys are rotated by minus their positions, so a score depends on the sum of two
    positions. It has to depend on their difference: rotate queries and keys in the same direction.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return rope(queries, positions), rope(keys, -positions)


@rotary.misconception
class PositionsFromTheEnd(Variant):
    """Your positions count down: within a call, the last token has the lowest one. They count up
    from the beginning of the text.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        return super().rotate(queries, keys, positions.flip(0))


@rotary.misconception
class ValuesOfTheKeys(Variant):
    """Your values come from W_key, so W_value is never used. Compute the values with W_value."""

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        other, self.W_value = self.W_value, self.W_key
        try:
            return super().forward(inputs, cache)
        finally:
            self.W_value = other


@rotary.misconception
class QueriesOfOneLength(Variant):
    """You scale every query to the same length, so a long one attends no more sharply than a short
    one. Some models normalise their queries, but here they are only rotated.
    """

    def rotate(self, queries: Tensor, keys: Tensor, positions: Tensor) -> Pair:
        queries, keys = super().rotate(queries, keys, positions)
        lengths = queries.norm(dim=-1, keepdim=True)
        return queries / lengths * self.head_dim**0.5, keys


@rotary.misconception
class RememberedWithItsMask(Variant):
    """With a cache, a text starts at the position where the previous text ended, as if your module
    counted all tokens that it has ever seen, and your mask has more columns than there are keys.
    Each text has its own cache: read `cache.length`.
    """

    seen, start = 0, 0

    def first_position(self, cache: Cache | None) -> int:
        self.start = 0 if cache is None else self.seen
        return self.start

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        self.seen = self.start + keys.shape[2]
        return super().remember(keys, values, cache)

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        columns = self.start + queries
        return torch.ones(queries, columns, dtype=torch.bool).triu(self.start + 1)

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return super().hide(scores, hidden.expand(scores.shape))
