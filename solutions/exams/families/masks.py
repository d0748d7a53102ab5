"""What goes wrong with a mask: how it is put on, and which keys a causal one hides."""

import torch
from torch import Tensor

from solutions.exams.families.attention import Attention
from solutions.exams.families.family import Family


class Causal(Attention):
    """Attention that hides the future."""

    def future(self, queries: int, keys: int) -> Tensor:
        """True where a key comes after its query; the last query stands at the last key."""
        return later(queries, keys)


def later(queries: int, keys: int, by: int = 1) -> Tensor:
    """True where a key comes after its query, by at least so many positions."""
    return torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + by)


# --- putting it on -------------------------------------------------------------------------------


class NothingHidden(Attention):
    """Nothing is hidden: these are the results without a mask. `masked_fill` returns a new tensor,
    so if you call it, assign its result to a name. If you add a mask of numbers, check them: −1e-9
    is nearly 0, whereas −∞ hides a key.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return self.normalise(scores)


class InvertedMask(Attention):
    """What should be visible is hidden, and what should be hidden is visible. In this course, True
    in a mask means hidden; in PyTorch's `scaled_dot_product_attention`, it means visible.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return super().weigh(scores, None if hidden is None else ~hidden)


class ScoreOfZero(Attention):
    """Hidden keys enter your softmax with an ordinary score, such as 0, and exp(0) is 1, so they
    still get some weight. Fill with −∞.
    """

    fill = 0.0

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return self.normalise(scores if hidden is None else scores.masked_fill(hidden, self.fill))


class ScoreOfMinusTen(ScoreOfZero):
    """Hidden keys enter your softmax with a score of −10. That leaves them a little weight, and
    next to low scores a lot of it. Fill with −∞.
    """

    fill = -10.0


class ScoreOfMinusHundred(ScoreOfZero):
    """Hidden keys enter your softmax with a low score, such as −100 or −10,000, but it is not below
    all scores: next to lower ones they get a lot of weight. Only −∞ is always low enough.
    """

    fill = -100.0


class ScoreOfMinusTenThousand(ScoreOfMinusHundred):
    __doc__ = ScoreOfMinusHundred.__doc__

    fill = -1e4


class PlusInfinity(ScoreOfZero):
    """In rows where some keys are hidden you get NaN, as after a score of +∞: ∞ − ∞ is NaN. Is
    there one minus too many, as in `-float("-inf")`, or when a mask of −∞ is subtracted? Hidden
    keys need the score −∞.
    """

    fill = torch.inf


class TimesInfinity(Attention):
    """Your results are NaN, as after a mask times −∞: 0 · (−∞) is NaN. Fill with −∞ where the mask
    is True.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores + hidden * -torch.inf


class MaskAdded(Attention):
    """In effect, the scores of hidden keys are higher by 1, as when the mask itself is added to
    them, so these keys get more weight instead of none. Give them the score −∞.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return self.normalise(scores if hidden is None else scores + hidden)


class MaskSubtracted(Attention):
    """In effect, the scores of hidden keys are only lower by 1, as when the mask itself is
    subtracted from them, so these keys still get some weight. Give them the score −∞.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return self.normalise(scores if hidden is None else scores - hidden.to(scores.dtype))


class MaskedAfterwards(Attention):
    """The weights of hidden keys are 0, but the softmax has counted these keys, so the other
    weights sum to less than 1. Hide the scores, before the softmax.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        weights = self.normalise(scores)
        return weights if hidden is None else weights.masked_fill(hidden, 0.0)


class InfinityAfterwards(Attention):
    """There is −∞ among your weights, and no softmax after that to turn it into 0. Fill the scores,
    before the softmax.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        weights = self.normalise(scores)
        return weights if hidden is None else weights.masked_fill(hidden, -torch.inf)


class DividedOnceMore(MaskedAfterwards):
    """Where hidden scores are far above the others, this gives NaN: hidden keys still took part
    before you divided, as when they are hidden only after a softmax. Then the exponentials of the
    others are rounded to 0, or their own overflow to ∞, and both 0 / 0 and 0 · ∞ are NaN. Hide the
    scores before any other step.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        weights = super().weigh(scores, hidden)
        return weights / weights.sum(dim=-1, keepdim=True)


class ScoresOfZeroHidden(Attention):
    """You hide every score that is 0, but a visible key can also have a score of 0. The mask alone
    decides what is hidden: fill where it is True.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        if hidden is None:
            return self.normalise(scores)
        kept = scores.masked_fill(hidden, 0.0)
        return self.clean(self.normalise(kept.masked_fill(kept == 0, -torch.inf)), hidden)


MASK = Family(
    NothingHidden,
    InvertedMask,
    ScoreOfZero,
    ScoreOfMinusTen,
    ScoreOfMinusHundred,
    PlusInfinity,
    TimesInfinity,
    MaskAdded,
    MaskSubtracted,
    MaskedAfterwards,
    InfinityAfterwards,
    DividedOnceMore,
)


class ScoresLowered(Attention):
    """You lower the scores of hidden keys by a number such as 100 or 10,000. Where the visible
    scores are lower than the hidden ones by even more than that, the hidden keys get the weight.
    Only −∞ is always low enough.
    """

    by = 100.0

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        return self.normalise(scores if hidden is None else scores - self.by * hidden)


class LoweredByTenThousand(ScoresLowered):
    __doc__ = ScoresLowered.__doc__

    by = 1e4


class DividedByALittle(MaskedAfterwards):
    """Where hidden scores are far above the visible ones, all your weights are 0. The softmax
    included the hidden keys, which left nothing for the others, and then their weights were set to
    0; no division brings the others back. Give the hidden keys the score −∞ before the softmax.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        weights = super().weigh(scores, hidden)
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)


# For exercises that try a hidden score so far above the visible ones that these get no weight.
FAR_ABOVE = Family(ScoresLowered, DividedByALittle)
# For exercises that try it with scores which lie tens of thousands apart.
FURTHER_ABOVE = Family(LoweredByTenThousand, ScoreOfMinusTenThousand)
# For exercises that try a visible score of exactly 0.
ZERO_SCORES = Family(ScoresOfZeroHidden)

# --- rows that are all hidden --------------------------------------------------------------------


class NotCleaned(Attention):
    """A row in which every key is hidden is NaN, since a softmax over −∞ alone is 0 / 0. Set the
    weights of hidden keys to 0 after the softmax as well. If you do so by multiplying: 0 · NaN is
    NaN. Use masked_fill or torch.where. If you ask `hidden.all()`, ask it of each row: dim=-1,
    keepdim=True.
    """

    def clean(self, weights: Tensor, hidden: Tensor) -> Tensor:
        return weights


class LargeNegativeNumber(ScoreOfZero):
    """Where all keys are hidden, they all get equal weight, as when they all have the same large
    negative score, such as −10⁹. The weights of such a row should be 0.
    """

    fill = -1e9


class LoweredByALargeNumber(ScoresLowered):
    """Where all keys are hidden, your weights still sum to 1, as when all scores of a row are
    lowered by the same large number, such as 10⁹: the softmax does not notice that. The weights of
    such a row should be 0.
    """

    by = 1e9


class LoweredBeyondAllDigits(LoweredByALargeNumber):
    __doc__ = LoweredByALargeNumber.__doc__

    by = 1e30


class ScoreOfZeroCleaned(Attention):
    """Hidden keys enter your softmax with an ordinary score, such as 0, and exp(0) is 1: they take
    weight away from the others, even if their own is set to 0 afterwards. Fill with −∞.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, 0.0)


class HiddenRowUnmasked(Attention):
    """A row in which every key is hidden has the weights that it would have without a mask, as when
    the mask is lifted there, or when all scores of the row are lowered by the same number. The
    weights of such a row should be 0.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        seen = None if hidden is None else hidden & ~hidden.all(dim=-1, keepdim=True)
        return super().weigh(scores, seen)


class InvertedUncleaned(Attention):
    """What should be visible is hidden, which gives NaN where every key should be visible. In this
    course, True in a mask means hidden; in PyTorch's `scaled_dot_product_attention`, it means
    visible.
    """

    def weigh(self, scores: Tensor, hidden: Tensor | None = None) -> Tensor:
        if hidden is None:
            return self.normalise(scores)
        return self.normalise(self.hide(scores, ~hidden))


class InvertedOnce(Attention):
    """No weight is left, as when the mask is inverted in one of two steps. The mask is True where a
    key is hidden: fill the scores there, and set the weights to 0 there.
    """

    def hide(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return super().hide(scores, ~hidden)


EMPTY_ROWS = Family(
    NotCleaned,
    LargeNegativeNumber,
    LoweredByALargeNumber,
    LoweredBeyondAllDigits,
    ScoreOfZeroCleaned,
    HiddenRowUnmasked,
    InvertedUncleaned,
    InvertedOnce,
)

# --- the future ----------------------------------------------------------------------------------


class PastHidden(Causal):
    """You hid the past. With queries on the rows, the future is above the diagonal, as in triu; the
    past is below it, as in tril.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries - 1)


class DiagonalHidden(Causal):
    """You hid the diagonal as well, so no token sees itself, and a token that sees nothing at all
    becomes NaN. Start the mask one position away from the diagonal.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return later(queries, keys, by=0)


class NextVisible(Causal):
    """Each token still sees the next one: what you hide starts one position too far from the
    diagonal.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return later(queries, keys, by=2)


class MaskOfFloats(Causal):
    """`masked_fill` only takes True and False, but your mask consists of floats: add .bool()."""

    def future(self, queries: int, keys: int) -> Tensor:
        return super().future(queries, keys).float()


class AlignedToTheStart(Causal):
    """Your mask is aligned to the first key, so the new tokens see only the oldest ones. The new
    tokens are the last ones: shift the mask by the number of tokens before them.
    """

    def future(self, queries: int, keys: int) -> Tensor:
        return torch.ones(queries, keys, dtype=torch.bool).triu(1)


FUTURE = Family(PastHidden, DiagonalHidden, NextVisible, MaskOfFloats)
OFFSET = Family(AlignedToTheStart)
