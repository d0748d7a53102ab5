"""The exam of `encode`, lesson 09."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from autograder import Draw, Exam
from solutions import transformer as reference
from solutions.exams.transformer.learn_merges.exam import (
    CHARACTERS,
    ENDS,
    drawn_text,
    text_of_all_kinds,
)

cutting = Exam(reference.encode, forbids=("merged_pieces",))

Pair = tuple[str, str]
Merges = Sequence[Pair]
Call = tuple[str, list[Pair]]

LOW = [("l", "o"), ("lo", "w"), ("e", "r")]
ABC = [("a", "b"), ("b", "c"), ("ab", "ab"), ("c", "ab")]

for _text, _merges, _what in (
    ("lower low", LOW, "three merges"),
    ("slow Lowell: 10 %", LOW, "characters that are not in the merges"),
    ("abcabab bcab", ABC, "four merges that compete"),
    ("xaxabaxa", [("x", "a"), ("a", "b"), ("a", "xa")], "pieces that end like others"),
    ("aaaaa", [("a", "a")], "a letter repeated, one merge"),
    ("aaaaaaa", [("a", "a"), ("aa", "aa"), ("aa", "a")], "a letter repeated, three merges"),
    ("to be to be", [("o", " "), ("t", "o "), ("b", "e")], "merges across the borders of words"),
    ("abc ab", [("b", "c"), ("ab", "c"), ("a", "b")], "two pieces that join like a pair"),
    ("lol", LOW, "the first merge alone fits"),
    ("wer", LOW, "the last merge alone fits"),
    ("noon", [], "no merges"),
    (" lower ", LOW, "a text with a space at either end"),
    ("", LOW, "an empty text"),
):

    def _example(text: str = _text, merges: Merges = _merges) -> Call:
        return text, list(merges)

    _example.__doc__ = _what
    cutting.example(_example)


def learnt(text: str, num_merges: int) -> list[Pair]:
    """Merges of a text, all of which make another piece."""
    merges = reference.learn_merges(text, num_merges)
    pieces = {"".join(pair): pair for pair in reversed(merges)}
    return [pair for pair in merges if pieces["".join(pair)] == pair]


@cutting.case
def another_text(draw: Draw) -> Call:
    """merges learnt from one text, another one cut"""
    return drawn_text(draw, "abc", 30), learnt(drawn_text(draw, "abc", 60), 8)


@cutting.case
def new_characters(draw: Draw) -> Call:
    """a text with characters that the merges don't know"""
    return drawn_text(draw, "abcdXY😀é ", 40), learnt(drawn_text(draw, "abc ", 60), 8)


@cutting.case
def letters_repeated(draw: Draw) -> Call:
    """letters that are repeated"""
    lengths = draw.rng.integers(1, 9, size=10).tolist()
    text = "".join("ab"[place % 2] * n for place, n in enumerate(lengths))
    return text, [("a", "a"), ("b", "b"), ("aa", "aa"), ("a", "b"), ("bb", "aa")]


@cutting.case
def words(draw: Draw) -> Call:
    """words drawn at random"""
    words = ["the", "then", "other", "Theo", "hen", "he"]
    one, other = (" ".join(draw.rng.choice(words, 12).tolist()) for _ in range(2))
    return one, learnt(other, 12)


@cutting.case(times=1)
def pieces_that_join_alike(draw: Draw) -> Call:
    """two pieces that join like a pair, but are not the pair"""
    first, middle, last = draw.rng.permutation(list("abcd"))[:3].tolist()
    whole = first + middle + last
    merges = [(middle, last), (first + middle, last), (first, middle)]
    return drawn_text(draw, whole, 12) + 2 * whole, merges


@cutting.case(times=1)
def characters_of_all_kinds(draw: Draw) -> Call:
    """characters of all kinds, and as many merges"""
    text = text_of_all_kinds(draw, ENDS[0])
    pairs = list(pairwise(text))
    others = [pairs[place] for place in draw.rng.permutation(len(pairs))]
    # First what puts marks of several characters together: as a piece, each is taken for one.
    marks = [(one[:end], one[end]) for one in CHARACTERS for end in range(1, len(one))]
    return text, list(dict.fromkeys([*marks, *others]))


@cutting.case(times=1)
def merged_twice(draw: Draw) -> Call:
    """a merge that comes twice, and meets new pieces the second time"""
    first, second, third = draw.rng.permutation(list("abcdefgh"))[:3].tolist()
    joined = first + second
    merges = [(joined, third), (first, second), (joined, third)]
    return first + joined + third + joined, merges


@cutting.case(times=1)
def long_pieces(draw: Draw) -> Call:
    """characters of all kinds, and merges that make ever longer pieces of them"""
    text = text_of_all_kinds(draw, ENDS[1])
    return text + text[1:], learnt(2 * text, 1000)


@cutting.case(times=1)
def one_character(draw: Draw) -> Call:
    """a text of one character"""
    return drawn_text(draw, "abc", 1), learnt(drawn_text(draw, "abc", 40), 4)


@cutting.case(times=1)
def nothing_fits(draw: Draw) -> Call:
    """a text in which no pair occurs"""
    return drawn_text(draw, "xyz", 12), learnt(drawn_text(draw, "abc", 40), 4)


@cutting.holds
def characters_without_merges(answer: Any, text: str, merges: Merges) -> bool:
    """Without merges, the same text is split into its characters."""
    answer(text, merges)
    return list(answer(text, [])) == list(text)


@cutting.holds
def nothing_is_lost(answer: Any, text: str, merges: Merges) -> bool:
    """The pieces, joined, are the text."""
    return "".join(answer(text, merges)) == text
