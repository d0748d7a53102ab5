"""What goes wrong in `learn_merges` where several pairs are equally frequent."""

from collections import Counter
from typing import Any

from companion import merge_pair
from solutions.exams.transformer.learn_merges.variant import Merging, Pair, declared


@declared
class LastOfEquals(Merging):
    """If several pairs are equally frequent, you take the last one. Take the one that comes first
    in the text: if you search for the highest count yourself, compare with `>`, not with `>=`.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(reversed(counts), key=counts.__getitem__)


@declared
class FirstByAlphabet(Merging):
    """If several pairs are equally frequent, you take the first in alphabetical order. Take the one
    that comes first in the text.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(sorted(counts), key=counts.__getitem__)


@declared
class LastByAlphabet(Merging):
    """If several pairs are equally frequent, you take the last in alphabetical order, as `max` does
    with tuples (count, pair). Take the one that comes first in the text.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], pair))


@declared
class LongestOfEquals(Merging):
    """If several pairs are equally frequent, you take the longest. Take the one that comes first in
    the text, whatever its length.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], len("".join(pair))))


@declared
class ShortestOfEquals(Merging):
    """If several pairs are equally frequent, you take the shortest. Take the one that comes first
    in the text, whatever its length.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], -len("".join(pair))))


@declared
class FirstEverSeen(Merging):
    """If several pairs are equally frequent, you take the one that was seen first, in this round or
    an earlier one, as a dict does whose old keys stay in it. Take the one that comes first in the
    text as it is now: begin each round with a new count.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        pieces, merges = list(text), list[Pair]()
        counts: Counter[Pair] = Counter()
        for _ in range(num_merges):
            counts.subtract(+counts)
            counts.update(self.pairs(pieces))
            if not counts or counts[self.chosen(counts)] < self.least():
                break
            merges.append(self.chosen(counts))
            pieces = merge_pair(pieces, merges[-1])
        return merges
