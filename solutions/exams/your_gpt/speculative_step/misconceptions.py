"""What goes wrong in `speculative_step`: what is accepted, and what is drawn from."""

import torch
from torch import Tensor

from solutions.exams.your_gpt.speculative_step.variant import Speculating, declared


@declared
class RatioUpsideDown(Speculating):
    """You accept a token with probability q/p, which keeps what the draft model likes too little.
    A token that is drafted too often has to be rejected sometimes: accept it with probability p/q.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u < q[token] / p[token])


@declared
class ComparedBackwards(Speculating):
    """You accept the tokens that should be rejected, and reject the others. A token is accepted
    with probability p/q, so when its number is *below* p/q.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u > p[token] / q[token])


@declared
class NeverByChance(Speculating):
    """You reject every token that the model finds less likely than the draft model does. It should
    be accepted with probability p/q: compare p/q with the token's number in `uniforms`.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(p[token] >= q[token])


@declared
class ByTheModelAlone(Speculating):
    """You accept a token with probability p, and q plays no part in it. Divide by q: a token that
    was drafted with a low probability needs no high one to be accepted.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u < p[token])


@declared
class ByTheDraftAlone(Speculating):
    """You accept a token with probability q, which does not ask the model at all. The probability
    is p/q.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u < q[token])


@declared
class ByTheDifference(Speculating):
    """You compare the number with a difference of the probabilities. A token is accepted with
    probability p/q, their ratio.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u < p[token] - q[token])


@declared
class OnlyTheMostLikely(Speculating):
    """You accept a token only if it is the model's most likely one. That belongs to a model that
    always writes the most likely token; here each is accepted with probability p/q.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return token == int(p.argmax())


@declared
class MostLikelyThroughout(OnlyTheMostLikely):
    """You keep and write the model's most likely tokens, so chance plays no part. Accept a token
    with probability p/q, and draw the last one with the last number.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted]

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return distribution.argmax()


@declared
class EverythingAccepted(Speculating):
    """You accept all drafted tokens, so the text is the draft model's. A token is accepted when its
    number is below p/q.
    """

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        return len(drafted)


@declared
class OneNumberForAll(Speculating):
    """You compare every drafted token with the first number. Each has its own: uniforms[i]."""

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        return super().accepted(p, q, drafted, uniforms[:1].expand(len(uniforms)))


@declared
class AllOrNothing(Speculating):
    """If one token is rejected, you reject them all. Those before it stay accepted."""

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        accepted = super().accepted(p, q, drafted, uniforms)
        return accepted if accepted == len(drafted) else 0


@declared
class FromTheModelInstead(Speculating):
    """After a rejection you draw from p itself, so what both models like is written too often: it
    has had its chance as a draft. Draw from what p has more than q: max(0, p − q), scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted]


@declared
class FromTheLastRow(Speculating):
    """After a rejection you draw from the distribution at the end of the draft, p[-1]. The new
    token stands in place of the rejected one: draw it from max(0, p − q) of that place, scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[-1]


@declared
class FromTheDraft(Speculating):
    """After a rejection you draw from q once more. Draw from what q has too little of:
    max(0, p − q), scaled.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted] if accepted == len(q) else q[accepted]


@declared
class WithoutTheRejected(Speculating):
    """After a rejection you draw from p without the rejected token. Others that the draft model
    likes too much have to go as well: draw from max(0, p − q), scaled.
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
    """You draw from what q has more than p. It is the other way round: max(0, p − q), scaled."""

    def residual(self, p: Tensor, q: Tensor) -> Tensor:
        return torch.clamp(q - p, min=0)


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
class NotScaled(Speculating):
    """After a rejection some high numbers draw a token that the vocabulary does not have: your
    probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """

    def scaled(self, residual: Tensor) -> Tensor:
        return residual


@declared
class NotScaledAndCutOff(NotScaled):
    """After a rejection high numbers draw the last token even where its probability is 0: your
    probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return torch.searchsorted(distribution.cumsum(0)[:-1], u, right=True)


@declared
class NotScaledByArgmax(NotScaled):
    """After a rejection high numbers draw token 0, because no running sum exceeds them: your
    probabilities sum to less than 1. Divide max(0, p − q) by its sum.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return (distribution.cumsum(0) > u).int().argmax()


@declared
class FirstPlace(Speculating):
    """After a rejection you draw from max(0, p − q) of the first place, whichever token was
    rejected. Use the two distributions at the place of the rejected one.
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        return p[accepted] if accepted == len(q) else super().distribution(p, q, 0)


@declared
class NextPlace(Speculating):
    """After a rejection you draw from the model's distribution one place too late. That of the
    rejected token drafted[i] is p[i].
    """

    def distribution(self, p: Tensor, q: Tensor, accepted: int) -> Tensor:
        if accepted == len(q):
            return p[accepted]
        return self.scaled(self.residual(p[accepted + 1], q[accepted]))
