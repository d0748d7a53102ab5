"""What goes wrong in `learn_merges`."""

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

from companion import merge_pair
from solutions.exams.transformer.learn_merges.variant import Merging, Pair, declared


@declared
class NothingReturned(Merging):
    """Your function returns None. Return the list of merged pairs after the loop."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return None


@declared
class NothingCollected(Merging):
    """Your list is always empty. Either no pair is appended to it, or the loop ends before, as it
    does if you count each pair only once: count every place where it occurs.
    """

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return []


@declared
class CountedOnce(Merging):
    """These are the most frequent pairs of characters in the original text. Count again after each
    merge, because pieces that were made before can be merged further.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        counts = Counter(self.pairs(list(text)))
        return [pair for pair, count in counts.most_common(num_merges) if count > 1]


@declared
class CountedOnceToTheEnd(Merging):
    """These are the most frequent pairs of characters in the original text, even pairs that occur
    only once. Count again after each merge, and stop when no pair occurs twice.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        return [pair for pair, _ in Counter(self.pairs(list(text))).most_common(num_merges)]


@declared
class NeverMerged(Merging):
    """You get the same pair again and again, because each round counts the same pairs. Call
    `merge_pair` in each round, keep what it returns, since it does not change the list that you
    give it, and count the pairs of these pieces in the next round.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return pieces


@declared
class MergesSingles(Merging):
    """You also merge pairs that occur only once in the text. Stop when the highest count is below
    2.
    """

    def least(self) -> int:
        return 1


@declared
class NeverStops(Merging):
    """You go on when no pair occurs twice in the text, and even when there are no pairs at all.
    Leave the loop at that point.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        pieces = list(text)
        merges: list[Any] = []
        for _ in range(num_merges):
            counts = Counter(itertools.pairwise(pieces))
            pair: Any = max(counts, key=counts.__getitem__, default=None)
            merges.append(pair)
            pieces = merge_pair(pieces, pair)
        return merges


@declared
class NeverStopsAndStays(Merging):
    """You get the same pair again and again, because each round counts the same pairs, and you go
    on when no pair occurs twice in the text. Keep what `merge_pair` returns, count the pairs of
    these pieces in the next round, and check the count before you merge.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        counts = Counter(itertools.pairwise(text))
        return [max(counts, key=counts.__getitem__)] * num_merges if counts else []


@declared
class StopsAtTwo(Merging):
    """You stop too early: a pair that occurs twice in the text should still be merged."""

    def least(self) -> int:
        return 3


@declared
class RarestPair(Merging):
    """You merge the rarest of the pairs that occur at least twice in the text. Merge the most
    frequent one.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return min(
            (pair for pair in counts if counts[pair] > 1),
            key=counts.__getitem__,
            default=next(iter(counts)),
        )


@declared
class MinimumTaken(Merging):
    """You take a pair with the lowest count. Take the one with the highest."""

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return min(counts, key=counts.__getitem__)


@declared
class LargestPair(Merging):
    """You take the pair that is largest as a tuple, which is the last one in alphabetical order, as
    `max` does without a key: it compares the pairs themselves. Compare their counts.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts)


@declared
class FirstRepeatedPair(Merging):
    """You take the first pair that occurs twice in the text. Count all pairs, and take the most
    frequent one.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return next((pair for pair in counts if counts[pair] > 1), next(iter(counts)))


@declared
class FirstPairEachTime(Merging):
    """You merge the first pair of the text each time, as happens when every count stays at 1. Count
    every place where a pair occurs, merge the most frequent one, and stop when none occurs twice.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return next(iter(counts))

    def least(self) -> int:
        return 1


@declared
class OneTooMany(Merging):
    """There is one merge too many: you should return at most `num_merges`."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges + 1


@declared
class OneTooFew(Merging):
    """The last merge is missing: you should return `num_merges` of them, if there are that many."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges - 1


@declared
class AsManyAsThereAre(Merging):
    """You go on until no pair occurs twice in the text. Stop after `num_merges` merges."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return 1000


@declared
class TurnsNotCounted(Merging):
    """You go on until no pair occurs twice in the text. Stop after `num_merges` merges."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return 1000 if num_merges else 0


@declared
class OneMerge(Merging):
    """Only the first merge is in your result. Does your loop return, or end, after it? Collect the
    pairs in a list, and return it after the loop.
    """

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return min(num_merges, 1)


@declared
class SizeOfTheVocabulary(Merging):
    """You stop as soon as there are `num_merges` different pieces, including those of the original
    text. `num_merges` is the number of merges only.
    """

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges - len(set(pieces))


@declared
class SecondPairsOnly(Merging):
    """You count only every second pair, because your pairs do not overlap. Each piece is the right
    half of one pair and the left half of the next.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return zip(pieces[::2], pieces[1::2], strict=False)


@declared
class WithoutOverlaps(Merging):
    """For a letter that occurs three times in a row, you count one pair, since two would overlap.
    Here all neighbours count: "aaa" contains the pair ("a", "a") twice.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        left = nowhere = -2
        for place, pair in enumerate(itertools.pairwise(pieces)):
            if pair[0] == pair[1] and left == place - 1 and pair[0] == pieces[left]:
                left = nowhere
                continue
            left = place
            yield pair


@declared
class LastPairForgotten(Merging):
    """You do not count the last pair of the text. Its pieces are at −2 and −1: does your loop end
    one round too soon?
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return itertools.pairwise(pieces[:-1])


@declared
class FirstPairForgotten(Merging):
    """You do not count the first pair of the text. Does your loop begin at 1 instead of 0?"""

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return itertools.pairwise(pieces[1:])


@declared
class InLowerCase(Merging):
    """You converted the text to lower case. "D" and "d" are different characters, because the model
    has to be able to write both.
    """

    def cut(self, text: str) -> list[str]:
        return list(text.lower())


@declared
class FirstPlaceOnly(Merging):
    """You merge only the first occurrence of a pair. Merge all of them: does your loop end, or
    return, after the first merge?
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        at = list(itertools.pairwise(pieces)).index(pair)
        return [*pieces[:at], "".join(pair), *pieces[at + 2 :]]


@declared
class PartnerKept(Merging):
    """When you merge a pair, its right piece stays in the text as well. Skip both pieces."""

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        joined = ["".join(two) if two == pair else two[0] for two in itertools.pairwise(pieces)]
        return [*joined, pieces[-1]]


@declared
class PairVanishes(Merging):
    """When you merge a pair, both of its pieces disappear from the text. Put the joined piece in
    their place.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return [piece for piece in merge_pair(pieces, pair) if piece != "".join(pair)]


@declared
class MergedFromTheRight(Merging):
    """You merge from right to left, which makes a difference where a letter is repeated: from left
    to right, "aaa" becomes "aa", "a".
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        turned = merge_pair([piece[::-1] for piece in pieces[::-1]], (pair[1][::-1], pair[0][::-1]))
        return [piece[::-1] for piece in turned[::-1]]


@declared
class ReplacedInJoinedText(Merging):
    """You join the pieces with spaces and replace in that text. There, a piece that only ends or
    begins like one of the pair is mistaken for it, and the spaces of the text are lost: use
    `merge_pair`.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return " ".join(pieces).replace(" ".join(pair), "".join(pair)).split()


@declared
class ReplacedAndSplitAgain(Merging):
    """You join the pieces with spaces and replace in that text. There, a piece that only ends or
    begins like one of the pair is mistaken for it, and a space of the text becomes two pieces with
    nothing in them: use `merge_pair`.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return " ".join(pieces).replace(" ".join(pair), "".join(pair)).split(" ")


@declared
class ReplacedBetweenBars(Merging):
    """You join the pieces and replace in that text. There, a longer piece that only ends like the
    first of the pair, as "xa" ends like "a", is merged with the piece behind it as well: compare
    whole pieces, or use `merge_pair`.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return "|".join(pieces).replace("|".join(pair), "".join(pair)).split("|")


@declared
class CountedInTheText(Merging):
    """You count how often the two pieces follow each other in the text, even inside other pieces.
    Count pairs of neighbouring pieces, as merged so far.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        pieces, merges = list(text), []
        for _ in range(num_merges):
            counts = {pair: text.count("".join(pair)) for pair in itertools.pairwise(pieces)}
            pair = max(counts, key=counts.__getitem__, default=None)
            if pair is None or counts[pair] < 2:
                break
            merges.append(pair)
            pieces = merge_pair(pieces, pair)
        return merges


@declared
class JoinedPairs(Merging):
    """These are the merged pieces. Return the pairs, as tuples, because `encode` has to know where
    each piece divides.
    """

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return ["".join(pair) for pair in merges]


@declared
class PiecesReturned(Merging):
    """You return the pieces of the text. Return the merged pairs."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return pieces


@declared
class BothReturned(Merging):
    """You return the pieces of the text as well. Return only the merged pairs."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return merges, pieces


@declared
class LatestFirst(Merging):
    """The merges are right, but the latest merge comes first. Return merges in the order in which
    they were made.
    """

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return merges[::-1]


@declared
class PairsSwapped(Merging):
    """In each pair the right piece comes first. Put the left one first, as in the text."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return [(right, left) for left, right in merges]
