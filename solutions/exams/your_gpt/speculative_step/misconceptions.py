"""What goes wrong in `speculative_step`: what is accepted."""

import torch
from torch import Tensor

from solutions.exams.your_gpt.speculative_step.variant import (
    Beyond,
    ByArgmax,
    Speculating,
    declared,
)


@declared
class RatioUpsideDown(Speculating):
    """You accept a token with probability q/p, which always keeps a token that is drafted too
    often. Such a token has to be rejected sometimes: accept it with probability p/q.
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
class ComparedBackwardsByArgmax(ComparedBackwards, ByArgmax):
    """You accept the tokens that should be rejected, and reject the others. A token is accepted
    with probability p/q, so when its number is *below* p/q.
    """


@declared
class NeverByChance(Speculating):
    """You reject every token that the model finds less likely than the draft model does. It should
    be accepted with probability p/q: compare p/q with the token's number in `uniforms`.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(p[token] >= q[token])


@declared
class ByTheModelAlone(Speculating):
    """You accept a token with probability p, and q plays no part in it. Divide by q: the less
    likely a token was to be drafted, the more likely it has to be accepted.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u < p[token])


@declared
class ByTheModelAloneAndArgmax(ByTheModelAlone, ByArgmax):
    """You accept a token with probability p, and q plays no part in it. Divide by q: the less
    likely a token was to be drafted, the more likely it has to be accepted.
    """


@declared
class ByTheDraftAlone(Speculating):
    """You accept a token with probability q, and p plays no part in it. The probability is p/q."""

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
class ProductOfTheRatios(Speculating):
    """You compare with the product of all ratios so far. Those tokens have been accepted already:
    each number is compared with its own ratio.
    """

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        product = torch.ones(())
        for i, token in enumerate(drafted.tolist()):
            product = product * self.factor(p[i, token] / q[i, token])
            if uniforms[i] >= product:
                return i
        return len(drafted)

    def factor(self, ratio: Tensor) -> Tensor:
        return ratio.clamp(max=1)


@declared
class ProductOfUncappedRatios(ProductOfTheRatios):
    """You compare with the product of all ratios so far. Those tokens have been accepted already:
    each number is compared with its own ratio.
    """

    def factor(self, ratio: Tensor) -> Tensor:
        return ratio


@declared
class RejectedByLowNumbers(Speculating):
    """You reject a token when its number is below 1 − p/q. That is as often as it should be, but
    here low numbers accept: a token is accepted when its number is below p/q.
    """

    def keeps(self, p: Tensor, q: Tensor, token: int, u: Tensor) -> bool:
        return bool(u >= 1 - p[token] / q[token])


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
class LastNumberForAll(Speculating):
    """You compare every drafted token with the last number. Each has its own: uniforms[i]."""

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        return super().accepted(p, q, drafted, uniforms[-1:].expand(len(uniforms)))


@declared
class NoneTakenForTheFirst(Speculating):
    """When all drafted tokens are accepted, you go on as if the first had been rejected: `argmin`
    and `argmax` give 0 there. Ask first whether one was rejected.
    """

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        return super().accepted(p, q, drafted, uniforms) % len(drafted)


@declared
class AllOrNothing(Speculating):
    """If one token is rejected, you reject them all. Those before it stay accepted."""

    def accepted(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> int:
        accepted = super().accepted(p, q, drafted, uniforms)
        return accepted if accepted == len(drafted) else 0


# Where such an answer rejects a token of which p is at least q, what is left sums to 0: divided by
# that, the sums are NaN, and what is drawn depends on how they are searched.


@declared
class ComparedBackwardsBeyond(Beyond, ComparedBackwards):
    __doc__ = ComparedBackwards.__doc__


@declared
class ByTheModelAloneBeyond(Beyond, ByTheModelAlone):
    __doc__ = ByTheModelAlone.__doc__


@declared
class ByTheDraftAloneBeyond(Beyond, ByTheDraftAlone):
    __doc__ = ByTheDraftAlone.__doc__


@declared
class ByTheDifferenceBeyond(Beyond, ByTheDifference):
    __doc__ = ByTheDifference.__doc__


@declared
class OnlyTheMostLikelyBeyond(Beyond, OnlyTheMostLikely):
    __doc__ = OnlyTheMostLikely.__doc__


@declared
class NoneTakenForTheFirstBeyond(Beyond, NoneTakenForTheFirst):
    __doc__ = NoneTakenForTheFirst.__doc__
