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
    """Your list is empty each time. Is every pair appended to it, and is there no way out of the
    loop before that?
    """

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return []


@declared
class CountedOnce(Merging):
    """These are the most frequent pairs of characters of the text as it came. Count anew after each
    merge: pieces that were made before can be merged further.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        counts = Counter(self.pairs(list(text)))
        return [pair for pair, count in counts.most_common(num_merges) if count > 1]


@declared
class CountedOnceToTheEnd(Merging):
    """These are the most frequent pairs of characters of the text as it came, even pairs that stand
    there once. Count anew after each merge, and stop where no pair stands there twice.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        return [pair for pair, _ in Counter(self.pairs(list(text))).most_common(num_merges)]


@declared
class NeverMerged(Merging):
    """It is the same pair again and again: the pieces stay as they are. Call `merge_pair` in each
    turn, and keep what it returns, since it does not change the list that you give it.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return pieces


@declared
class MergesSingles(Merging):
    """You also merge pairs that stand in the text only once. Stop where the largest count is below
    2.
    """

    def least(self) -> int:
        return 1


@declared
class NeverStops(Merging):
    """You go on when no pair stands in the text twice, and even when there is no pair at all. Leave
    the loop there.
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
    """It is the same pair again and again: the pieces stay as they are, and you go on where no pair
    stands in the text twice. Keep what `merge_pair` returns, and look at the count before.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        counts = Counter(itertools.pairwise(text))
        return [max(counts, key=counts.__getitem__)] * num_merges if counts else []


@declared
class StopsAtTwo(Merging):
    """You stop too early: a pair that stands in the text twice is still merged."""

    def least(self) -> int:
        return 3


@declared
class LastOfEquals(Merging):
    """Of several pairs that are equally frequent, you take the last one. Take the one that comes
    first in the text: compare with `>`, not with `>=`, if you look for the largest yourself.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(reversed(counts), key=counts.__getitem__)


@declared
class FirstByAlphabet(Merging):
    """Of several pairs that are equally frequent, you take the one that comes first in the
    alphabet. Take the one that comes first in the text.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(sorted(counts), key=counts.__getitem__)


@declared
class LastByAlphabet(Merging):
    """Of several pairs that are equally frequent, you take the one that comes last in the
    alphabet, as `max` does of tuples (count, pair). Take the one that comes first in the text.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], pair))


@declared
class RarestPair(Merging):
    """You merge the rarest pair that stands in the text twice. Merge the most frequent one."""

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return min(
            (pair for pair in counts if counts[pair] > 1),
            key=counts.__getitem__,
            default=next(iter(counts)),
        )


@declared
class MinimumTaken(Merging):
    """You take a pair with the smallest count. It is the largest that is asked for."""

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return min(counts, key=counts.__getitem__)


@declared
class LargestPair(Merging):
    """You take the pair that is largest as a tuple, that is, the last in the alphabet: `max` of
    something that is counted compares the pairs. Tell it to compare their counts.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts)


@declared
class FirstRepeatedPair(Merging):
    """You take the first pair that stands in the text twice. Count all pairs, and take the most
    frequent one.
    """

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return next((pair for pair in counts if counts[pair] > 1), next(iter(counts)))


@declared
class OneTooMany(Merging):
    """There is one merge too many: `num_merges` of them are asked for at most."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges + 1


@declared
class OneTooFew(Merging):
    """The last merge is missing: `num_merges` of them are asked for, if there are so many."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges - 1


@declared
class AsManyAsThereAre(Merging):
    """You go on until no pair stands in the text twice. Stop after `num_merges` merges."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return 1000


@declared
class TurnsNotCounted(Merging):
    """You go on until no pair stands in the text twice. Stop after `num_merges` merges."""

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return 1000 if num_merges else 0


@declared
class OneMerge(Merging):
    """You return after the first merge. Collect the pairs in a list, and return it after the
    loop.
    """

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return min(num_merges, 1)


@declared
class SizeOfTheVocabulary(Merging):
    """You stop where there are `num_merges` different pieces, those of the text counted with them.
    `num_merges` is the number of merges alone.
    """

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges - len(set(pieces))


@declared
class SecondPairsOnly(Merging):
    """You count every second pair: your pairs do not overlap. Each piece is the right one of a pair
    and the left one of the next.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return zip(pieces[::2], pieces[1::2], strict=False)


@declared
class WithoutOverlaps(Merging):
    """Of a letter that stands three times in a row you count one pair, since two would overlap.
    Here all neighbours are counted: "aaa" has the pair ("a", "a") twice.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        left = -1
        for place, pair in enumerate(itertools.pairwise(pieces)):
            if pair[0] == pair[1] and left == place - 1 and pair[0] == pieces[left]:
                left = -1
                continue
            left = place
            yield pair


@declared
class LastPairForgotten(Merging):
    """You do not count the last pair of the text. Its pieces stand at −2 and −1: does your loop end
    one turn too soon?
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return itertools.pairwise(pieces[:-1])


@declared
class FirstPairForgotten(Merging):
    """You do not count the first pair of the text. Does your loop begin at 1 instead of 0?"""

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return itertools.pairwise(pieces[1:])


@declared
class WithinWords(Merging):
    """You merge within words only, as many tokenisers do. Here a space is a piece like any
    other.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return (pair for pair in itertools.pairwise(pieces) if " " not in "".join(pair))


@declared
class SpacesLeftOut(Merging):
    """You leave out the spaces before you count. Here a space is a piece like any other."""

    def cut(self, text: str) -> list[str]:
        return [letter for letter in text if letter != " "]


@declared
class WordsAsPieces(Merging):
    """Your first pieces are words. Begin with characters: list(text)."""

    def cut(self, text: str) -> list[str]:
        return text.split()


@declared
class InLowerCase(Merging):
    """You made the text lower case. "D" and "d" are different characters, as the model has to write
    both.
    """

    def cut(self, text: str) -> list[str]:
        return list(text.lower())


@declared
class FirstPlaceOnly(Merging):
    """You merge a pair at the first place where it stands. Merge it everywhere: does your loop
    end, or return, after the first merge?
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
    """When you merge a pair, both of its pieces leave the text. Put the joined piece in their
    place.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return [piece for piece in merge_pair(pieces, pair) if piece != "".join(pair)]


@declared
class MergedFromTheRight(Merging):
    """You merge from right to left, which makes a difference where a letter is repeated: "aaa"
    becomes "aa", "a".
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        turned = merge_pair([piece[::-1] for piece in pieces[::-1]], (pair[1][::-1], pair[0][::-1]))
        return [piece[::-1] for piece in turned[::-1]]


@declared
class ReplacedInJoinedText(Merging):
    """You replace in a text that joins the pieces with spaces. There a piece that only ends or
    begins like one of the pair is taken for it, and spaces of the text are lost: use `merge_pair`.
    """

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return " ".join(pieces).replace(" ".join(pair), "".join(pair)).split()


@declared
class CountedInTheText(Merging):
    """You count how often the two pieces follow each other in the text, even where they lie inside
    of other pieces. Count pairs of neighbouring pieces, as they are merged so far.
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
    """These are the merged pieces. Return the pairs, as tuples: `encode` has to know where each
    piece is cut.
    """

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return ["".join(pair) for pair in merges]


@declared
class PiecesReturned(Merging):
    """You return the pieces of the text. The merged pairs are asked for."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return pieces


@declared
class BothReturned(Merging):
    """You return the pieces of the text as well. The merged pairs alone are asked for."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return merges, pieces


@declared
class LatestFirst(Merging):
    """The merges are right, but the latest stands first. Return them in the order in which they
    were merged.
    """

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return merges[::-1]


@declared
class PairsSwapped(Merging):
    """In each pair the right piece stands first. The left one comes first, as in the text."""

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return [(right, left) for left, right in merges]
