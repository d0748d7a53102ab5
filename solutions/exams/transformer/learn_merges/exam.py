"""The exam of `learn_merges`, lesson 09."""

from collections.abc import Callable

from autograder import Draw, Exam
from solutions import transformer as reference

merging = Exam(reference.learn_merges, forbids=("frequent_pairs",))

Call = tuple[str, int]

for _text, _num_merges, _what in (
    ("low lower lowest", 3, "three merges"),
    ("aaabdaaabac", 4, "four merges, letters that are repeated"),
    ("dcdcabab", 2, "a tie, two merges"),
    ("dede ababab", 3, "a tie between a pair of letters and a pair of longer pieces"),
    ("to be or not to be", 3, "three merges across the borders of words"),
    ("xaxaxabxabab", 4, "four merges, a piece that ends like another"),
    ("xa1xa2xa3xab4xab5ab6ab7ab", 3, "three merges, a pair that begins in a longer piece too"),
    ("Da da Da dada", 2, "two merges, capital letters"),
    ("banana bandana", 99, "as many merges as there are"),
    ("aabaababc", 3, "three merges, pairs that overlap"),
    ("aaaaaaa", 5, "seven times the same letter"),
    ("cat", 5, "no pair twice"),
    ("", 3, "an empty text"),
    ("noon noon", 0, "no merges"),
):

    def _example(text: str = _text, num_merges: int = _num_merges) -> Call:
        return text, num_merges

    _example.__doc__ = _what
    merging.example(_example)


def drawn_text(draw: Draw, letters: str, length: int) -> str:
    """A text of some letters, drawn at random."""
    return "".join(draw.rng.choice(list(letters), length).tolist())


# All of Latin-1, and what else an answer may take for a mark of its own, or clean a text of.
CHARACTERS = (
    *map(chr, range(0x100)),
    *"\u2003\u2009\u200b\u200c\u200d\u200e\u200f\u2013\u2014\u2016\u2018\u2019\u201c\u201d\u2022\u2026",
    *"\u2028\u2029\u202f\u2060\u2061\u2062\u2063\u2064\u2400\u241e\u241f\u2423\u2424",
    *"\u0100\u0120\u061c\u1680\u180e\u2190\u2192\u21b5\u2502\u2581\u2588\u25a1\u25cf\u2605\u2e31\u3000",
    *"\ud7ff\ue000\uf000\uf8ff\ufdd0\ufdef\ufeff\ufff9\ufffa\ufffb\ufffc\ufffd\ufffe\uffff",
    *"\U000e0001\U000f0000\U000fffff\U00100000\U0010ffff",
    *"€İΣςЖ漢日😀ﬁＡ①",
    *("e\u0301", "\r\n", "@@", "##", "</w>", "<sep>", "[SEP]", "<|endoftext|>"),
    *("<s>", "</s>", "<unk>", "<pad>", "<eow>", "[UNK]", "->"),
    # Between two of them, whatever the mark, there is an empty piece more often than anything else.
    *("\0\0", "\t\t", "\n\n", "||", ",,", ";;", "__", "//", "~~", "\x1f\x1f"),
)


# What some answers cut off, in front and at the end.
ENDS = (("\ufeff", "\n"), (" ", "\0"))


def text_of_all_kinds(draw: Draw, ends: tuple[str, str]) -> str:
    """Each of these characters, in any order, between two ends."""
    front, end = ends
    # NumPy's own texts lose a zero at their end.
    order = draw.rng.permutation(len(CHARACTERS)).tolist()
    return front + "".join(CHARACTERS[place] for place in order) + end


@merging.holds
def pairs_are_tuples(
    learn_merges: Callable[..., list[tuple[str, str]]], text: str, num_merges: int
) -> bool:
    """each merged pair is a tuple"""
    return all(type(pair) is tuple for pair in learn_merges(text, num_merges))


@merging.case
def few_letters(draw: Draw) -> Call:
    """a text of three letters, drawn at random"""
    return drawn_text(draw, "abc", 40), int(draw.rng.integers(3, 9))


@merging.case
def words(draw: Draw) -> Call:
    """words drawn at random"""
    chosen = draw.rng.choice(["the", "then", "other", "Theo", "hen", "he"], 12).tolist()
    return " ".join(chosen), int(draw.rng.integers(3, 9))


@merging.case
def all_there_are(draw: Draw) -> Call:
    """as many merges as there are"""
    return drawn_text(draw, "abcd ", 60), 1000


@merging.case
def a_letter_repeated(draw: Draw) -> Call:
    """letters that are repeated"""
    lengths = draw.rng.integers(1, 8, size=12).tolist()
    return "".join("ab"[place % 2] * n for place, n in enumerate(lengths)), 6


@merging.case(times=1)
def other_characters(draw: Draw) -> Call:
    """accents, emoji and lines"""
    return drawn_text(draw, "éeE😀\n", 40), 5


@merging.case(times=2)
def characters_of_all_kinds(draw: Draw) -> Call:
    """characters of all kinds, each of them twice or more"""
    return 2 * text_of_all_kinds(draw, draw.in_turn(ENDS)), 1000


@merging.case(times=1)
def one_character(draw: Draw) -> Call:
    """a text of one character"""
    return drawn_text(draw, "abc", 1), 3


@merging.case(times=1)
def once_each(draw: Draw) -> Call:
    """a text in which nothing occurs twice"""
    return "".join(draw.rng.permutation(list("abcdefgh")).tolist()), 4


@merging.case(times=1)
def late_pairs(draw: Draw) -> Call:
    """a long text whose most frequent pairs are at the end"""
    often = "xy" * int(draw.rng.integers(30, 40))
    return drawn_text(draw, "abcdefgh", int(draw.rng.integers(200, 250))) + often, 6
