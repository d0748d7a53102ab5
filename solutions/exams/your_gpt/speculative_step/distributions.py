"""What goes wrong in `speculative_step`: what the last token is drawn from."""

import torch
from torch import Tensor

from solutions.exams.your_gpt.speculative_step.variant import (
    Beyond,
    ByArgmax,
    Speculating,
    declared,
)


@declared
class FromTheModelInstead(Speculating):
    """After a rejection you draw from p itself, so every token whose q is at least its p is written
    too often. Draw from the excess of p over q: max(0, p − q), scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted]


@declared
class FromTheLastRow(Speculating):
    """After a rejection you draw from the distribution at the end of the draft, p[-1]. The new
    token stands in place of the rejected one: draw it from max(0, p − q) at its position, scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[-1]


@declared
class FromTheNextRow(Speculating):
    """After a rejection you draw from the model's distribution of the next position. The new token
    stands in place of the rejected one: draw it from max(0, p − q) at its position, scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[min(accepted + 1, len(q))]


@declared
class BonusOneEarly(Speculating):
    """When all drafted tokens are accepted, you draw one more from the model's distribution of the
    last drafted token. Draw it from the next one, p[-1].
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[-2] if accepted == len(q) else super().distribution(p, q, accepted)


@declared
class FromTheDraft(Speculating):
    """After a rejection you draw from q once more. Draw from the excess of p over q: max(0, p − q),
    scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted] if accepted == len(q) else q[accepted]


@declared
class WithoutTheRejected(Speculating):
    """After a rejection you draw from p without the rejected token. Every other token whose q is
    above its p has to go as well: draw from max(0, p − q), scaled.
    """

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        self.tokens = drafted
        return super().accepted(p, q, drafted, uniforms)

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        if accepted == len(q):
            return p[accepted]
        left = p[accepted].clone()
        left[self.tokens[accepted]] = 0
        return self.scaled(left)


@declared
class ResidualReversed(Speculating):
    """You draw from the excess of q over p. Draw from that of p over q: max(0, p − q), scaled."""

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return torch.clamp(q - p, min=0)


@declared
class FromTheRatios(Speculating):
    """After a rejection you draw from the ratios min(1, p/q), scaled. They decide whether a drafted
    token is accepted; in its place, draw from the excess of p over q: max(0, p − q), scaled.
    """

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return (p / q).clamp(max=1)


@declared
class ExcessAsARatio(Beyond):
    """After a rejection you draw from max(0, p/q − 1), scaled: how far p is above q as a share of
    q. Draw from the difference itself, max(0, p − q), scaled.
    """

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return torch.clamp(p / q - 1, min=0)


@declared
class ExcessAsARatioCutOff(Speculating):
    __doc__ = ExcessAsARatio.__doc__

    # Where q is 0 the sums are NaN, and what is drawn depends on how they are searched.
    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return torch.clamp(p / q - 1, min=0)


@declared
class AbsoluteDifference(Speculating):
    """You draw from the absolute difference of p and q, so tokens that were drafted too often are
    drawn again. Where q is the larger one, the probability is 0: max(0, p − q), scaled.
    """

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return (p - q).abs()


@declared
class SoftmaxOfTheDifference(Speculating):
    """You put the difference through a softmax, which gives every token some probability. Set what
    is below 0 to 0, and divide by the sum.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        if accepted == len(q):
            return p[accepted]
        return torch.softmax(p[accepted] - q[accepted], dim=0)


@declared
class NotScaled(Beyond):
    """After a rejection some high numbers draw a token that the vocabulary does not have: your
    probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """

    def scaled(self, residual: Tensor) -> Tensor:
        return residual


@declared
class NotScaledAndCutOff(Speculating):
    """After a rejection high numbers draw the last token even where its probability is 0: your
    probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """

    def scaled(self, residual: Tensor) -> Tensor:
        return residual


@declared
class NotScaledByArgmax(ByArgmax, NotScaledAndCutOff):
    """After a rejection high numbers draw token 0, because no running sum exceeds them: your
    probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """


@declared
class NotScaledByNonzero(NotScaled):
    """After a rejection no running sum exceeds a high number, so there is no first token to take:
    your probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return (distribution.cumsum(0) > u).nonzero()[0]


@declared
class NegativeLeft(NotScaled):
    """Where q is larger than p, the difference is negative. Set it to 0: max(0, p − q), divided by
    its sum.
    """

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return p - q


@declared
class NegativeLeftByArgmax(ByArgmax, NegativeLeft):
    """Where q is larger than p, the difference is negative. Set it to 0: max(0, p − q), divided by
    its sum.
    """


@declared
class NegativeLeftAndDivided(Beyond):
    """Where q is larger than p, the difference is negative. Set it to 0: max(0, p − q), divided by
    its sum.
    """

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return p - q


@declared
class NegativeLeftAndDividedByArgmax(ByArgmax, NegativeLeftAndDivided):
    """Where q is larger than p, the difference is negative. Set it to 0: max(0, p − q), divided by
    its sum.
    """


@declared
class FirstPosition(Speculating):
    """After a rejection you draw from max(0, p − q) of the first position, whichever token was
    rejected. Use the two distributions at the position of the rejected one.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted] if accepted == len(q) else super().distribution(p, q, 0)


@declared
class LastPosition(Speculating):
    """After a rejection you draw from max(0, p[-1] − q[-1]), whichever token was rejected. Use the
    two distributions at the position of the rejected one.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[-1] if accepted == len(q) else self.scaled(self.residual(p[-1], q[-1]))


@declared
class LastDraft(Speculating):
    """After a rejection you subtract the draft model's last distribution, q[-1]. Subtract that at
    the position of the rejected token.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        if accepted == len(q):
            return p[accepted]
        return self.scaled(self.residual(p[accepted], q[-1]))


@declared
class NextPosition(Speculating):
    """After a rejection you draw from the model's distribution one position too late. That of the
    rejected token drafted[i] is p[i].
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        if accepted == len(q):
            return p[accepted]
        return self.scaled(self.residual(p[accepted + 1], q[accepted]))


@declared
class NextPositionThroughout(Speculating):
    """You take the model's distributions one position too late, for accepting and for drawing. That
    of the drafted token drafted[i] is p[i].
    """

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        return super().accepted(p[1:], q, drafted, uniforms)

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[-1] if accepted == len(q) else super().distribution(p[1:], q, accepted)
