"""Text in pieces: frequent words as a whole, other words in several parts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from companion.writing.pieces import merge_pair

START = "<start>"
_CHARACTERS = [chr(number) for number in range(32, 127)]
_WORD = re.compile(r" ?[A-Za-z]+| ?[0-9]| ?[^\sA-Za-z0-9]+| ")


class Pieces:
    """A vocabulary of pieces and their numbers; piece 0 stands before every text.

    A piece that begins a word has the space before it, so " in" is another piece than the "in" of
    "begin".

    Args:
        pieces: all pieces, START first; every printable character of ASCII is among them.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = list(pieces)
        self.numbers = {piece: number for number, piece in enumerate(self.pieces)}
        self._longest = max(map(len, self.pieces))

    def __len__(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> list[int]:
        """The numbers of a text's pieces, START first, always taking the longest piece that fits.

        Space of any length counts as one blank, and a character that is not ASCII is read as "?".
        """
        return [0, *(number for word in _words(plain(text)) for number in self._encode(word))]

    def _encode(self, word: str) -> Iterator[int]:
        at = 0
        while at < len(word):
            ends = range(min(len(word), at + self._longest), at, -1)
            end = next(end for end in ends if word[at:end] in self.numbers)
            yield self.numbers[word[at:end]]
            at = end


def plain(text: str) -> str:
    """The text in printable ASCII, with one blank before each word."""
    text = "".join(c if c.isascii() or c.isspace() else "?" for c in text)
    return "".join(f" {word}" for word in "".join(filter(_known, text)).split())


def learn_pieces(text: str, count: int) -> list[str]:
    """Pieces for a text, by byte-pair encoding (Sennrich et al. 2016).

    It begins with single characters, and makes a new piece of the two neighbours that most often
    stand beside each other, again and again.

    Args:
        text: what to learn from.
        count: how many pieces there will be.
    """
    words = {tuple(word): times for word, times in Counter(_words(plain(text))).items()}
    pieces = [START, *_CHARACTERS]
    while len(pieces) < count:
        pairs: Counter[tuple[str, str]] = Counter()
        for parts, times in words.items():
            for pair in pairwise(parts):
                pairs[pair] += times
        # Of pairs that are equally frequent, the last in the alphabet: always the same one.
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        pieces.append("".join(best))
        words = {tuple(merge_pair(parts, best)): times for parts, times in words.items()}
    return pieces


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _known(character: str) -> bool:
    return character.isspace() or character.isprintable()
