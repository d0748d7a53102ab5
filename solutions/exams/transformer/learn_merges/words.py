"""What goes wrong in `learn_merges` where a text is taken apart into words."""

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

from solutions.exams.transformer.learn_merges.variant import Merging, Pair, declared

# One character, which is in no text, in place of the mark, which has four.
_END = "\U000f0000"


@declared
class WithinWords(Merging):
    """You merge only within words, as many tokenisers do. Here a space is a piece like any
    other.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return (pair for pair in itertools.pairwise(pieces) if " " not in "".join(pair))


@declared
class SplitAtWhitespace(WithinWords):
    """You split the text into words, at spaces or at any whitespace, and merge only within these,
    as many tokenisers do. Here a space or the end of a line is a piece like any other.
    """

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return (
            pair
            for pair in itertools.pairwise(pieces)
            if not any(letter.isspace() for letter in "".join(pair))
        )


@declared
class WithinWordsToTheEnd(SplitAtWhitespace):
    """You merge only within words, as many tokenisers do, and you go on when no pair occurs twice.
    Here a space is a piece like any other, and the loop ends when the highest count is below 2.
    """

    def least(self) -> int:
        return 1


@declared
class JoinedBySpaces(Merging):
    """You keep the pieces in one text, with a space between each two, so that a space of the text
    itself is none of them. Keep a list of pieces.
    """

    gap: str | None = " "

    def __call__(self, text: str, num_merges: int) -> Any:
        joined = " ".join(text)
        merges: list[Pair] = []
        for _ in range(num_merges):
            counts = Counter(itertools.pairwise(joined.split(self.gap)))
            if not counts or max(counts.values()) < 2:
                break
            merges.append(max(counts, key=counts.__getitem__))
            joined = joined.replace(" ".join(merges[-1]), "".join(merges[-1]))
        return merges


@declared
class JoinedAndSplit(JoinedBySpaces):
    """You keep the pieces in one text, with a space between each two, and split it at whitespace,
    so that the spaces and ends of lines of the text itself are lost. Keep a list of pieces.
    """

    gap = None


@declared
class EndsOfWords(Merging):
    """You merge only within words, and mark their ends, as Sennrich and others do. Here a space is
    a piece like any other, and there are no marks.
    """

    def __call__(self, text: str, num_merges: int) -> Any:
        return super().__call__(" ".join(f"{word}{_END}" for word in text.split()), num_merges)

    def cut(self, text: str) -> list[str]:
        return ["</w>" if letter == _END else letter for letter in text]

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return (pair for pair in itertools.pairwise(pieces) if " " not in pair)


@declared
class SpacesLeftOut(Merging):
    """You leave out the spaces before you count. Here a space is a piece like any other."""

    def cut(self, text: str) -> list[str]:
        return [letter for letter in text if letter != " "]


@declared
class WordsAsPieces(Merging):
    """Your first pieces are words. Start with characters: list(text)."""

    def cut(self, text: str) -> list[str]:
        return text.split()
