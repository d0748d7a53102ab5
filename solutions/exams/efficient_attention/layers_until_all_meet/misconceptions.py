"""The known wrong answers to `layers_until_all_meet`, lesson 08."""

from collections.abc import Iterable
from math import ceil, inf, log2

import torch
from torch import Tensor

from solutions.exams.efficient_attention.layers_until_all_meet.exam import meeting
from solutions.exams.families.family import Family


class Meeting:
    """Layer after layer, each step for a slip to get wrong."""

    def answer(self, hidden: Tensor, causal: bool = False) -> object:
        """All steps in their order."""
        seen = self.seen(hidden)
        received, needed = self.start(seen), self.needed(len(hidden), causal)
        for layers in self.counts(len(hidden)):
            if self.enough(received, needed):
                return layers
            received = self.grown(seen, received)
        return self.never(len(hidden))

    def seen(self, hidden: Tensor) -> Tensor:
        """1 where a key is visible."""
        return (~hidden).double()

    def start(self, seen: Tensor) -> Tensor:
        """What each token has received before the first count."""
        return torch.eye(len(seen), dtype=torch.double)

    def needed(self, size: int, causal: bool) -> Tensor:
        """1 where something has to be received."""
        everything = torch.ones(size, size, dtype=torch.double)
        return everything.tril() if causal else everything

    def counts(self, size: int) -> Iterable[int]:
        """The numbers of layers to try."""
        return range(size + 1)

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        """Whether everything needed is received."""
        return bool((received >= needed).all())

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        """What has been received after one more layer."""
        return ((seen @ received) > 0).double()

    def never(self, size: int) -> object:
        """What is returned if no number of layers is enough."""
        return None


class CausalIgnored(Meeting):
    """You wait for later tokens, which never arrive in a causal pattern. With `causal`, each token
    only has to receive something of the tokens before it and of itself: the lower triangle.
    """

    def needed(self, size: int, causal: bool) -> Tensor:
        return super().needed(size, False)


class AlwaysCausal(Meeting):
    """You stop before your tokens have received something of those after them, as when you check
    the lower triangle, or token 0, alone. Unless `causal` is True, later tokens count as well.
    """

    def needed(self, size: int, causal: bool) -> Tensor:
        return super().needed(size, True)


class CausalTurnedRound(Meeting):
    """You check only for the past where `causal` is False, and for everything where it is True. It
    should be the other way round.
    """

    def needed(self, size: int, causal: bool) -> Tensor:
        return super().needed(size, not causal)


class ExactlyTheNeeded(Meeting):
    """With `causal` you wait until each token has received the past and *nothing else*. It may have
    received something of later tokens: compare with `>=`.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool((received == needed).all())


class FutureCutOff(Meeting):
    """With `causal` you hide the future before you follow what is passed on. What is visible stays
    visible, and the past may arrive through a later token: ask for less, in `needed` alone.
    """

    def answer(self, hidden: Tensor, causal: bool = False) -> object:
        cut = hidden | torch.ones_like(hidden).triu(1) if causal else hidden
        return super().answer(cut, causal)


class BothWays(Meeting):
    """Your tokens also receive from those that see *them*. Query i sees key j where `hidden[i, j]`
    is False, and only i then receives something: follow the rows of the table alone.
    """

    def seen(self, hidden: Tensor) -> Tensor:
        return super().seen(hidden & hidden.T)


class OneTooMany(Meeting):
    """Your number is too large by one. Before the first layer each token has received itself; after
    one layer, everything that it sees.
    """

    def counts(self, size: int) -> Iterable[int]:
        return range(1, size + 2)


class OneTooFew(Meeting):
    """Your number is too small by one: a token has received what it sees after one layer, not
    before.
    """

    def start(self, seen: Tensor) -> Tensor:
        return seen


class SingleTokenNeedsOne(OneTooFew):
    """A single token already has itself, so no layer is needed, and the answer is 0. Check before
    the first layer, too.
    """

    def counts(self, size: int) -> Iterable[int]:
        return range(1, size + 2)


class OneProductAhead(Meeting):
    """Where one layer suffices, or none, you return 1, and otherwise one too few. You start with
    the pattern, which is one layer already, and multiply before you check, so your first number
    stands for two. Start with what each token has before the first layer, itself, and check then.
    """

    def start(self, seen: Tensor) -> Tensor:
        return self.grown(seen, seen)

    def counts(self, size: int) -> Iterable[int]:
        return range(1, size + 1)


class Doubled(SingleTokenNeedsOne):
    """You multiply what was received by itself, so each round doubles the number of layers: 1, 2,
    4, 8. Each layer is one more product with the pattern.
    """

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return ((received @ received) > 0).double()


class DoubledFromTwoTokens(Doubled):
    """You multiply what was received by itself, so each round doubles the number of layers: 1, 2,
    4, 8. Each layer is one more product with the pattern.
    """

    def answer(self, hidden: Tensor, causal: bool = False) -> object:
        return super().answer(hidden, causal) if len(hidden) > 1 else 0


class PowersOfTwo(SingleTokenNeedsOne):
    """You try 1, 2, 4, 8 … layers only, as multiplying what was received by itself does. The answer
    may be a number between: take one more product with the pattern for each layer.
    """

    def answer(self, hidden: Tensor, causal: bool = False) -> object:
        return super().answer(hidden, causal) if len(hidden) > 1 else 0

    def counts(self, size: int) -> Iterable[int]:
        return (2**k for k in range(2 * size) if 2**k <= 2 * size)

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return ((received @ received) > 0).double()


class NothingPassedOn(Meeting):
    """Your answer is None for more than one token. Is nothing passed on? At first each token has
    received only itself, and the square of that, or its product with the pattern entry by entry
    (`*`), does not change it: take seen @ received. Or does your loop return None in its first
    round?
    """

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return ((received @ received) > 0).double()


class HiddenFollowed(Meeting):
    """You follow what is hidden. True in the mask means hidden, so invert the mask with ~ first."""

    def seen(self, hidden: Tensor) -> Tensor:
        return hidden.double()


class HiddenFollowedAndKept(HiddenFollowed):
    __doc__ = HiddenFollowed.__doc__

    # No token sees itself there, so it makes a difference whether it keeps what it has received.
    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return ((received + seen @ received) > 0).double()


class HiddenFollowedFurther(HiddenFollowed):
    __doc__ = HiddenFollowed.__doc__

    def counts(self, size: int) -> Iterable[int]:
        return range(size**2 + 1)


class EntryByEntryFromOne(SingleTokenNeedsOne):
    """You look at a single layer: your answer is 1 or None. `*` and `**` work entry by entry; you
    need a matrix product to collect what the keys pass on. Or does your loop return in its first
    round?
    """

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return seen


class PathsCounted(Meeting):
    """You compare with 1, but the product counts in how many ways something arrives, which may be
    more. Check whether it is above 0.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool((received == needed).all())

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return seen @ received


class AnyIsEnough(Meeting):
    """Your answer is always 0, as when you stop as soon as *something* is received: each token has
    itself. *All* that is needed has to be received.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool(((received > 0) & (needed > 0)).any())


class AnyIsEnoughFromOne(SingleTokenNeedsOne):
    """Your answer is always 1, as when you stop as soon as *something* is received, after one
    layer. *All* that is needed has to be received.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool(((received > 0) & (needed > 0)).any())


class FirstTokenAlone(Meeting):
    """You check only the first token. Every token has to have received everything."""

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool((received[0] >= needed[0]).all())


class FirstTokenFollowedAlone(Meeting):
    """You follow only what token 0 passes on, and stop when all tokens have received it. What the
    other tokens pass on has to arrive as well.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool((received[:, 0] >= needed[:, 0]).all())


class LastTokenAlone(Meeting):
    """You check only the last token. Every token has to have received everything."""

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool((received[-1] >= needed[-1]).all())


class OneTokenIsEnough(Meeting):
    """You stop as soon as *one* token has received everything. Every token has to."""

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool((received >= needed).all(dim=-1).any())


class EndsAlone(Meeting):
    """You check only whether the last token has received something of the first. Every pair has to
    meet, and others can be further apart in this pattern.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool(received[-1, 0] > 0)


class OtherEndAlone(Meeting):
    """You check only whether the first token has received something of the last. Every pair has to
    meet; in a causal pattern this one never does.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool(received[0, -1] > 0)


class BothEndsAlone(Meeting):
    """You ask only whether the first token and the last one have received something of each other.
    Every pair has to meet, and others can be further apart in this pattern.
    """

    def enough(self, received: Tensor, needed: Tensor) -> bool:
        return bool(received[-1, 0] > 0 and received[0, -1] >= needed[0, -1])


class WithinTheLayer(Meeting):
    """Later tokens receive what earlier ones received in one layer. Pass on what was before it."""

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        received = received.clone()
        for query, keys in enumerate(seen):
            received[query] += keys @ received
        return (received > 0).double()


class EndsTooSoon(Meeting):
    """You give up too early. In a chain of n tokens that see their neighbours it takes n - 1
    layers: try that many, too.
    """

    def counts(self, size: int) -> Iterable[int]:
        return range(max(1, size - 1))


class EndsAtTen(EndsTooSoon):
    """You give up after ten layers. In a chain of n tokens that see their neighbours it takes n - 1
    layers: try that many.
    """

    def counts(self, size: int) -> Iterable[int]:
        return range(min(size, 10) + 1)


class EndsAfterTheLogarithm(Meeting):
    """You give up after about log₂ n layers. Tokens that see only their neighbours need a layer for
    every step, n - 1 in a chain of n tokens: try that many.
    """

    def counts(self, size: int) -> Iterable[int]:
        return range(ceil(log2(size)) + 2)


class MinusOneForNever(Meeting):
    """Where no number of layers is enough, you return -1. The exercise asks for None."""

    def never(self, size: int) -> object:
        return -1


class ZeroForNever(Meeting):
    """Where no number of layers is enough, you return 0, which would mean that none is needed.
    Return None.
    """

    def never(self, size: int) -> object:
        return 0


class AllTriedForNever(Meeting):
    """Where no number of layers is enough, you return the number of tokens, perhaps because your
    loop ended there. Return None.
    """

    def never(self, size: int) -> object:
        return size


class OneMoreForNever(Meeting):
    """Where no number of layers is enough, you return one more than the number of tokens, perhaps
    because your loop ended there. Return None.
    """

    def never(self, size: int) -> object:
        return size + 1


class InfinityForNever(Meeting):
    """Where no number of layers is enough, you return ∞. The exercise asks for None."""

    def never(self, size: int) -> object:
        return inf


class CountsThatOverflow(Meeting):
    """In a long text your answer is None, because you count in how many ways each token is reached,
    and these counts outgrow their dtype. After each layer, keep only whether a token was reached.
    """

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return seen.float() @ received.float()


class ProductOfTruths(Meeting):
    """`@` does not multiply matrices of True and False. Turn them into numbers first, with .float()
    or .double().
    """

    def grown(self, seen: Tensor, received: Tensor) -> Tensor:
        return seen.bool() @ received.bool()


Family(
    CausalIgnored,
    AlwaysCausal,
    CausalTurnedRound,
    ExactlyTheNeeded,
    FutureCutOff,
    BothWays,
    OneTooMany,
    OneTooFew,
    SingleTokenNeedsOne,
    OneProductAhead,
    Doubled,
    DoubledFromTwoTokens,
    PowersOfTwo,
    NothingPassedOn,
    HiddenFollowed,
    HiddenFollowedAndKept,
    HiddenFollowedFurther,
    EntryByEntryFromOne,
    PathsCounted,
    AnyIsEnough,
    AnyIsEnoughFromOne,
    FirstTokenAlone,
    FirstTokenFollowedAlone,
    LastTokenAlone,
    OneTokenIsEnough,
    EndsAlone,
    OtherEndAlone,
    BothEndsAlone,
    WithinTheLayer,
    EndsTooSoon,
    EndsAtTen,
    EndsAfterTheLogarithm,
    MinusOneForNever,
    ZeroForNever,
    AllTriedForNever,
    OneMoreForNever,
    InfinityForNever,
    CountsThatOverflow,
    ProductOfTruths,
).apply(meeting, Meeting)
