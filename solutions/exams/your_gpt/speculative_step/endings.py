"""What goes wrong in `speculative_step`: what is drawn at the end, and what is returned."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.your_gpt.speculative_step.variant import (
    Beyond,
    ByArgmax,
    Speculating,
    declared,
)


@declared
class NothingReturned(Speculating):
    """Your function returns None. Return the tokens: the accepted ones, and one more."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return None


@declared
class BonusForgotten(Speculating):
    """When all drafted tokens are accepted, one more is missing. The model has already computed
    what comes after them, so draw from p[-1].
    """

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return drafted if accepted == len(drafted) else super().returned(drafted, accepted, token)


@declared
class NothingDrawn(Speculating):
    """These are the accepted tokens alone. One more follows them each time, also after a rejection,
    so that every call of the model adds at least one token.
    """

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return drafted[:accepted]


@declared
class OnlyAfterAll(Speculating):
    """After a rejection one token is missing: the one in place of the rejected token. Draw it from
    max(0, p − q) at its position, scaled.
    """

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        if accepted == len(drafted):
            return super().returned(drafted, accepted, token)
        return drafted[:accepted]


@declared
class RejectedKept(Speculating):
    """The rejected token is still there, in front of the one that should replace it."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return torch.cat([drafted[: accepted + 1], token.view(1)])


@declared
class TheRestKept(Speculating):
    """You replace the rejected token and keep what was drafted after it. All of that was drafted to
    follow the rejected token, so drop it.
    """

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return torch.cat([drafted[:accepted], token.view(1), drafted[accepted + 1 :]])


@declared
class BonusOnly(Speculating):
    """This is only the last token. Return the accepted ones in front of it."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return token.view(1)


@declared
class AcceptedCounted(Speculating):
    """In front of the last token is the number of accepted ones. Return the tokens themselves."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return torch.stack([torch.tensor(accepted), token])


@declared
class NumberOfTheRejected(Speculating):
    """After a rejection you draw with the number that has rejected the token, which is mostly a
    high one. Draw with the last one, uniforms[-1].
    """

    def number(self, uniforms: Tensor, accepted: int) -> Tensor:
        return uniforms[accepted]


@declared
class NumberAfterTheRejected(Speculating):
    """After a rejection you draw with the number that comes next, which belongs to a drafted token.
    Draw with the last one, uniforms[-1].
    """

    def number(self, uniforms: Tensor, accepted: int) -> Tensor:
        return uniforms[min(accepted + 1, len(uniforms) - 1)]


@declared
class NumberOfTheLastCompared(Speculating):
    """You draw the last token with the number of the drafted token that was compared last, which
    has decided on that one already. Draw with uniforms[-1].
    """

    def number(self, uniforms: Tensor, accepted: int) -> Tensor:
        return uniforms[min(accepted, len(uniforms) - 2)]


@declared
class FirstNumberDraws(Speculating):
    """You draw the last token with the first number. It decides on drafted[0]: draw with
    uniforms[-1].
    """

    def number(self, uniforms: Tensor, accepted: int) -> Tensor:
        return uniforms[0]


@declared
class MostLikelyDrawn(Speculating):
    """Your last token is always the most likely one. Draw it: the first token at which the running
    sum of the probabilities exceeds uniforms[-1].
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return distribution.argmax()


@declared
class ProbabilityAbove(Speculating):
    """Your last token is the first whose own probability exceeds the number. Compare the number
    with the running sum of the probabilities, `cumsum(0)`.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return (distribution > u).int().argmax()


@declared
class SumReached(Speculating):
    """With the number 0 you draw token 0 even where its probability is 0. The running sum has to
    *exceed* the number, which is what `right=True` says to `torch.searchsorted`.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return torch.searchsorted(distribution.cumsum(0)[:-1], u)


@declared
class BeyondTheVocabulary(Beyond):
    """Where rounding leaves the sum of the probabilities below the number, you draw a token that
    the vocabulary does not have. Draw the last token then: search in all sums but the last.
    """


@declared
class FirstTokenBeyondTheSum(ByArgmax):
    """Where rounding leaves the sum of the probabilities below the number, you draw token 0, as
    `argmax` does where nothing is true. Draw the last token then.
    """


@declared
class OneBefore(Speculating):
    """The last token is one too low. It is the first at which the running sum, its own probability
    included, exceeds the number.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return super().drawn(distribution, u) - 1


@declared
class OneAfter(Speculating):
    """The last token is one too high. It is the first at which the running sum exceeds the number,
    counted from 0.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        return super().drawn(distribution, u) + 1


@declared
class InAnotherOrder(Speculating):
    """You draw the last token from probabilities in another order, such as sorted ones. Add them up
    in the order of the vocabulary.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        ordered, order = distribution.sort(descending=True)
        return order[super().drawn(ordered, u)]


@declared
class DrawnAtTheSum(Speculating):
    """Where a running sum is exactly the last number, you draw the token there. The sum has to
    *exceed* the number: compare with `>`.
    """

    def drawn(self, distribution: Tensor, u: Tensor) -> Tensor:
        # A token with probability 0 is left out, so that the number 0 draws none of these.
        reached = (distribution.cumsum(0)[:-1] >= u) & (distribution[:-1] > 0)
        return torch.cat([reached, reached.new_ones(1)]).int().argmax()


@declared
class AList(Speculating):
    """The tokens are right, but in a list. Return a tensor, (accepted + 1,)."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        # An answer that is a list counts as this tuple; as a list, tensors and arrays would too.
        return (*drafted[:accepted].tolist(), int(token))


@declared
class AnArray(Speculating):
    """The tokens are right, but in a NumPy array. Return a tensor, (accepted + 1,)."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return super().returned(drafted, accepted, token).numpy()


@declared
class FloatTokens(Speculating):
    """The tokens are right, but not of int64. `torch.Tensor(…)` always makes float32;
    `torch.tensor(…)` makes int64 of whole numbers.
    """

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return super().returned(drafted, accepted, token).float()


@declared
class ShortTokens(Speculating):
    """The tokens are right, but not of int64. Keep the dtype of `drafted`."""

    def returned(self, drafted: Tensor, accepted: int, token: Tensor) -> Any:
        return super().returned(drafted, accepted, token).int()


@declared
class AsTheProbabilities(Speculating):
    """The tokens are right, but not of int64. Keep the dtype of `drafted`."""

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        return super().__call__(p, q, drafted, uniforms).to(p.dtype)


class GoesOn(Speculating):
    """An answer that does not stop at a rejected token."""

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        tokens = []
        for i, token in enumerate(drafted.tolist()):
            if self.keeps(p[i], q[i], token, uniforms[i]):
                tokens.append(token)
            else:
                tokens.extend(self.replaced(p[i], q[i], uniforms))
        return torch.tensor([*tokens, int(self.drawn(p[-1], uniforms[-1]))])

    def replaced(self, p: Tensor, q: Tensor, uniforms: Tensor) -> list[int]:
        raise NotImplementedError


@declared
class OnlyTheRejectedLeftOut(GoesOn):
    """After a rejected token you go on with the next one, which was drafted to follow it. Nothing
    after the first rejection is kept: draw a token in its place, and stop.
    """

    def replaced(self, p: Tensor, q: Tensor, uniforms: Tensor) -> list[int]:
        return []


@declared
class EachRejectedReplaced(GoesOn):
    """You put another token in place of each rejected one and go on. What follows was drafted after
    the rejected token: return right after the first rejection.
    """

    def replaced(self, p: Tensor, q: Tensor, uniforms: Tensor) -> list[int]:
        return [int(self.drawn(self.scaled(self.residual(p, q)), uniforms[-1]))]


class StepsOver(Speculating):
    """An answer that drops the rejected tokens alone."""

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        kept = torch.tensor(
            [self.keeps(*them) for them in zip(p, q, drafted, uniforms, strict=False)]
        )
        rejected = (~kept).nonzero()[:, 0].tolist()
        n = self.drawn_at(rejected) if rejected else len(drafted)
        token = self.drawn(self.distribution(p, q, n), uniforms[-1])
        return torch.cat([self.left(drafted, kept), token.view(1)])

    def drawn_at(self, rejected: list[int]) -> int:
        return rejected[0]

    def left(self, drafted: Tensor, kept: Tensor) -> Tensor:
        return drafted[kept]


@declared
class FirstRejectionDraws(StepsOver):
    """You go on after a rejection. What follows was drafted after the rejected token: stop at the
    first rejection.
    """


@declared
class LastRejectionDraws(StepsOver):
    """You go on after a rejection. What follows was drafted after the rejected token: stop at the
    first rejection.
    """

    def drawn_at(self, rejected: list[int]) -> int:
        return rejected[-1]


class Counts(StepsOver):
    """An answer that takes the number of all tokens that are not rejected."""

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        self.drafted = len(drafted)
        return super().__call__(p, q, drafted, uniforms)

    def drawn_at(self, rejected: list[int]) -> int:
        return self.drafted - len(rejected)


@declared
class CountedAndLeft(Counts):
    """You go on after a rejection. What follows was drafted after the rejected token: stop at the
    first rejection.
    """


@declared
class AllCounted(Counts):
    """You count all tokens below their ratios, those after a rejection as well. What follows was
    drafted after the rejected token: count up to the first rejection.
    """

    def left(self, drafted: Tensor, kept: Tensor) -> Tensor:
        return drafted[: int(kept.sum())]


@declared
class OneMoreAfterTheReplaced(Speculating):
    """After a rejection there are two more tokens: the one in place of the rejected token, and one
    after it. The second belongs only to a draft that is accepted as a whole.
    """

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        tokens = super().__call__(p, q, drafted, uniforms)
        accepted = len(tokens) - 1
        if accepted == len(drafted):
            return tokens
        return torch.cat([tokens, self.drawn(p[accepted + 1], uniforms[-1]).view(1)])


@declared
class BonusEachTime(Speculating):
    """After a rejection there are two more tokens: the one in place of the rejected token, and one
    from p[-1]. The second belongs only to a draft that is accepted as a whole.
    """

    def __call__(self, p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Any:
        tokens = super().__call__(p, q, drafted, uniforms)
        if self.accepted(p, q, drafted, uniforms) == len(drafted):
            return tokens
        return torch.cat([tokens, self.drawn(p[-1], uniforms[-1]).view(1)])
