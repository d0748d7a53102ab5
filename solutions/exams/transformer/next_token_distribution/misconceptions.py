"""What goes wrong in `next_token_distribution`."""

from typing import Any

import torch
from torch import Tensor

from solutions.exams.in_steps import declares
from solutions.exams.transformer.next_token_distribution.exam import distribution


class Choosing:
    """Temperature, top-k and top-p in steps, for misconceptions to get one of them wrong."""

    def __call__(
        self,
        logits: Tensor,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> Any:
        """The distribution."""
        return self.chosen(logits, temperature, top_k, top_p)

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        shares = self.softmax(self.tempered(logits, temperature))
        if top_k is not None:
            shares = self.rescaled(self.first_k(shares, top_k))
        if top_p is not None:
            shares = self.first_p(shares, top_p)
        return self.finished(shares)

    def tempered(self, logits: Tensor, temperature: float) -> Tensor:
        return logits / temperature

    def softmax(self, logits: Tensor) -> Tensor:
        return torch.softmax(logits, dim=-1)

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        kept = torch.zeros_like(shares)
        order = shares.argsort(descending=True)[: max(top_k, 0)]
        kept[order] = shares[order]
        return kept

    def rescaled(self, shares: Tensor) -> Tensor:
        return shares / shares.sum()

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        ordered, order = shares.sort(descending=True)
        kept = torch.zeros_like(shares)
        number = self.how_many(ordered, top_p)
        kept[order[:number]] = ordered[:number]
        return kept

    def how_many(self, ordered: Tensor, top_p: float) -> int:
        return int((ordered.cumsum(dim=0) - ordered < top_p).sum())

    def finished(self, shares: Tensor) -> Any:
        return shares / shares.sum()


declared = declares(distribution)


@declared
class NothingReturned(Choosing):
    """Your function returns None. Return the probabilities."""

    def finished(self, shares: Tensor) -> Any:
        return None


@declared
class TemperatureIgnored(Choosing):
    """The temperature changes nothing. Divide the logits by it before the softmax: if you divide
    probabilities by it and rescale them to sum to 1, they are the same as before.
    """

    def tempered(self, logits: Tensor, temperature: float) -> Tensor:
        return logits


@declared
class TemperatureMultiplied(Choosing):
    """A low temperature evens your probabilities out, and a high one sharpens them, which is the
    wrong way round. Divide the logits by it.
    """

    def tempered(self, logits: Tensor, temperature: float) -> Tensor:
        return logits * temperature


@declared
class TemperatureAfterwards(Choosing):
    """Your top-p uses probabilities without the temperature. The temperature comes first: divide
    the logits by it before anything else.
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        kept = super().chosen(logits, 1.0, top_k, top_p) > 0
        return torch.softmax((logits / temperature).masked_fill(~kept, -torch.inf), dim=-1)


@declared
class LogitsReturned(Choosing):
    """These are the logits, divided by the temperature. The softmax is missing."""

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        return logits / temperature


@declared
class LogProbabilities(Choosing):
    """These are logarithms of probabilities: use softmax, not log_softmax, and no `log`."""

    def finished(self, shares: Tensor) -> Any:
        return (shares / shares.sum()).log()


@declared
class WithoutShift(Choosing):
    """Large logits give NaN: their exponentials overflow. Use `torch.softmax`, or subtract the
    largest logit before `exp`.
    """

    def softmax(self, logits: Tensor) -> Tensor:
        return logits.exp() / logits.exp().sum()


@declared
class TopKIgnored(Choosing):
    """`top_k` changes nothing. Keep that many of the most likely tokens, and set the others to
    0.
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        return shares


@declared
class OnlyTheFirstK(Choosing):
    """With `top_k`, only the probabilities of those tokens come back, and nothing says which tokens
    they are. Return one for each token of the vocabulary: 0 for the others.
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        return shares.topk(min(max(top_k, 0), len(shares))).values


@declared
class TopPIgnored(Choosing):
    """`top_p` changes nothing. Keep only the most likely tokens until their probabilities reach
    it, and set the others to 0.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return shares


@declared
class BothIgnored(Choosing):
    """The temperature is right, but `top_k` and `top_p` change nothing yet."""

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        return shares

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return shares


@declared
class OneOfTheTwo(Choosing):
    """Where both `top_k` and `top_p` are given, the second changes nothing. Apply both: is there an
    `elif`, or a `return` in between?
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        return super().chosen(logits, temperature, top_k, None if top_k else top_p)


@declared
class TopPNeedsTopK(Choosing):
    """`top_p` changes nothing where `top_k` is None. Is it indented too far?"""

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        return super().chosen(logits, temperature, top_k, top_p if top_k else None)


@declared
class NotRescaled(Choosing):
    """The probabilities that are kept do not sum to 1. Divide them by their sum."""

    def rescaled(self, shares: Tensor) -> Tensor:
        return shares

    def finished(self, shares: Tensor) -> Any:
        return shares


@declared
class NotRescaledAfterTopP(Choosing):
    """The probabilities that top-p keeps do not sum to 1. Divide them by their sum."""

    def finished(self, shares: Tensor) -> Any:
        return shares


@declared
class NotRescaledBetween(Choosing):
    """Where top-k has left tokens out, top-p keeps too many: it adds up probabilities as they were
    before top-k. Apply top-k first, and divide what it keeps by its sum.
    """

    def rescaled(self, shares: Tensor) -> Tensor:
        return shares


@declared
class LeastLikelyKept(Choosing):
    """Your top-k keeps the least likely tokens. Sort with the highest first: `descending=True`."""

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        order = shares.argsort()[:top_k]
        return torch.zeros_like(shares).index_put((order,), shares[order])


@declared
class LeastLikelyKeptByBoth(Choosing):
    """Your top-k and top-p keep the least likely tokens. Sort with the highest first:
    `descending=True`.
    """

    def chosen(
        self, logits: Tensor, temperature: float, top_k: int | None, top_p: float | None
    ) -> Any:
        probabilities, order = torch.softmax(logits / temperature, dim=-1).sort()
        if top_k is not None:
            probabilities[top_k:] = 0
            probabilities = probabilities / probabilities.sum()
        if top_p is not None:
            before = probabilities.cumsum(dim=-1) - probabilities
            probabilities = probabilities.masked_fill(before >= top_p, 0)
        kept = torch.zeros_like(probabilities).scatter(0, order, probabilities)
        return kept / kept.sum()


@declared
class FirstOfTheVocabulary(Choosing):
    """Your top-k keeps the first tokens of the vocabulary. Keep the most likely ones: sort
    first.
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        kept = shares.clone()
        kept[top_k:] = 0
        return kept


@declared
class OneTokenTooMany(Choosing):
    """Your top-k keeps one token too many. In sorted order, the first k tokens end at index k −
    1.
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        return super().first_k(shares, top_k + 1)


@declared
class OneTokenTooFew(Choosing):
    """Your top-k keeps one token too few. If you compare with the k-th highest, keep that one as
    well.
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        return super().first_k(shares, top_k - 1)


@declared
class MoreThanThereAre(Choosing):
    """If top_k is larger than the vocabulary, `topk` raises an error. Ask for at most as many as
    there are: min(top_k, len(logits)).
    """

    def first_k(self, shares: Tensor, top_k: int) -> Tensor:
        values, order = torch.topk(shares, top_k)
        return torch.zeros_like(shares).index_put((order,), values)


@declared
class LastOneDropped(Choosing):
    """The token with which the sum reaches `top_p` is missing, and where the first one reaches it,
    nothing is left at all. Drop a token only if those *before* it have reached `top_p`.
    """

    def how_many(self, ordered: Tensor, top_p: float) -> int:
        return int((ordered.cumsum(dim=0) < top_p).sum())


@declared
class LastOneDroppedUnlessExact(Choosing):
    """The token with which the sum reaches `top_p` is missing, and where the first one exceeds it,
    nothing is left at all. Drop a token only if those *before* it have reached `top_p`.
    """

    def how_many(self, ordered: Tensor, top_p: float) -> int:
        return int((ordered.cumsum(dim=0) <= top_p).sum())


@declared
class LastOneDroppedButTheFirst(Choosing):
    """The token with which the sum reaches `top_p` is missing, unless it is the first. It is kept
    as well: drop a token only if those *before* it have reached `top_p`.
    """

    def how_many(self, ordered: Tensor, top_p: float) -> int:
        return max(int((ordered.cumsum(dim=0) < top_p).sum()), 1)


@declared
class OneMoreThanNeeded(Choosing):
    """Your top-p keeps one token more than it needs to reach `top_p`. If you shift a mask by one,
    is the sum that it is made from shifted already?
    """

    def how_many(self, ordered: Tensor, top_p: float) -> int:
        return super().how_many(ordered, top_p) + 1


@declared
class CumulatedUnsorted(Choosing):
    """Your top-p adds up the probabilities in the order of the vocabulary. Begin with the most
    likely token: sort first.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return shares.masked_fill(shares.cumsum(dim=0) - shares >= top_p, 0.0)


@declared
class CumulatedFromTheSmallest(Choosing):
    """Your top-p adds up the probabilities from the lowest, and keeps the least likely tokens.
    Begin with the most likely one: `descending=True`.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        ordered, order = shares.sort()
        kept = ordered.masked_fill(ordered.cumsum(dim=0) - ordered >= top_p, 0.0)
        return torch.zeros_like(shares).scatter(0, order, kept)


@declared
class EachAboveP(Choosing):
    """You keep tokens whose own probability is at least `top_p`. Their sum has to reach it,
    beginning with the most likely one.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return shares.masked_fill(shares < top_p, 0.0)


@declared
class EachAboveTheOtherShare(Choosing):
    """You keep tokens whose own probability is at least 1 − top_p. What counts is the sum of the
    most likely ones: keep them until it reaches `top_p`.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return shares.masked_fill(shares < 1 - top_p, 0.0)


@declared
class MinP(Choosing):
    """You keep what is at least `top_p` times the highest probability. Keep the most likely tokens
    until their sum reaches `top_p`.
    """

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return shares.masked_fill(shares < top_p * shares.max(), 0.0)


@declared
class TheOtherShare(Choosing):
    """Your top-p keeps tokens until their sum reaches 1 − top_p. It has to reach `top_p`."""

    def first_p(self, shares: Tensor, top_p: float) -> Tensor:
        return super().first_p(shares, 1 - top_p + 1e-9)


@declared
class AllAlike(Choosing):
    """All kept tokens get the same probability. Divide each token's own probability by the sum."""

    def finished(self, shares: Tensor) -> Any:
        return (shares > 0).to(shares.dtype) / (shares > 0).sum()


@declared
class MostLikelyToken(Choosing):
    """This is the most likely token. Return the probabilities of all tokens."""

    def finished(self, shares: Tensor) -> Any:
        return shares.argmax()


@declared
class KeptOnesOnly(Choosing):
    """These are the probabilities of only the tokens that are kept. Return one for each token of
    the vocabulary, and 0 for the others.
    """

    def finished(self, shares: Tensor) -> Any:
        return shares[shares > 0] / shares.sum()


@declared
class WhetherKept(Choosing):
    """This shows which tokens are kept. Return their probabilities."""

    def finished(self, shares: Tensor) -> Any:
        return shares > 0
