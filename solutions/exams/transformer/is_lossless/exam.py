"""The exam of `is_lossless`, lesson 09."""

from collections.abc import Callable, Mapping

import companion.specimens.tokenizers as specimens
from autograder import Draw, Exam
from companion.specimens.tokenizers import from_table_ids
from solutions import transformer as reference

lossless = Exam(reference.is_lossless)

Ids = list[int]
Encode = Callable[[str], Ids]
Decode = Callable[[Ids], str]

for _encode, _decode, _texts in (
    (specimens.table_ids, from_table_ids, ["Hello, world!", "naïve", "😀", ""]),
    (specimens.utf8_bytes, specimens.from_utf8_bytes, ["Hello, world!", "naïve", "😀"]),
    (specimens.run_lengths, specimens.from_run_lengths, ["balloon", "aaaa  b"]),
    (specimens.backwards, specimens.from_backwards, ["one two", "three"]),
    (specimens.small_letters, from_table_ids, ["no capitals", "none here"]),
    (specimens.small_letters, from_table_ids, ["hello", "Hello", "hi"]),
    (specimens.single_spaces, from_table_ids, ["one two", "one  two"]),
    (specimens.without_outer_spaces, from_table_ids, ["    return x", "one two"]),
    (specimens.without_lines, from_table_ids, ["one\ntwo", "one two"]),
    (specimens.question_marks, from_table_ids, ["over", "5 €", "cafe"]),
    (specimens.without_strangers, from_table_ids, ["5 €", "cafe"]),
    (specimens.without_accents, from_table_ids, ["resume", "résumé"]),
    (specimens.composed, from_table_ids, ["resume", "re\u0301sume\u0301"]),
    (specimens.without_repeats, from_table_ids, ["balloon", "world"]),
    (specimens.without_the_last, from_table_ids, ["", "cat"]),
    (specimens.first_twenty, from_table_ids, ["twelve signs", "twenty signs or less"]),
    (specimens.first_twenty, from_table_ids, ["short", "more than twenty characters", "one"]),
    (specimens.sixteen_bits, from_table_ids, ["good 😀", "good"]),
    (specimens.in_order, from_table_ids, ["act", "cat"]),
    (specimens.in_order, from_table_ids, ["abc", "best"]),
    (specimens.each_once, from_table_ids, ["noon", "cat"]),
    (specimens.latin_letters, from_table_ids, ["café", "cafe"]),
    (specimens.latin_letters, from_table_ids, ["café", "5 €", "cafe"]),
    (specimens.known_letters, from_table_ids, ["abc", "a b"]),
    (specimens.table_ids, specimens.from_a_short_table, ["café", "cafe"]),
    (specimens.table_ids, specimens.from_table_ids_with_a_space, ["one", "two", ""]),
    (specimens.table_ids, specimens.from_table_ids_shouting, ["ONE", "two"]),
    (specimens.without_outer_spaces, specimens.from_table_ids_with_a_space, [" one ", "two"]),
    (specimens.table_ids, specimens.from_all_but_the_last, ["two", "one"]),
):
    # Two trials may be of the same pair: the texts tell them apart.
    _on = f"{_decode.__name__}, on {', '.join(map(repr, _texts))}"
    lossless.tries([_encode], (_decode, _texts), on=_on)

LETTERS = list("abcdefgh")


def some_words(draw: Draw, count: int = 4) -> list[str]:
    """Words of small letters, none of which follows itself and which are in no order."""
    return ["".join(draw.rng.permutation(LETTERS)[:6].tolist()) for _ in range(count)]


def harmed(word: str) -> str:
    """A word with all that one of the specimens loses."""
    return f"  {word[::-1]}oo  Ü\ne\u0301 € 😀 {word} "


def one_harmed(draw: Draw) -> tuple[Decode, list[str]]:
    """Words, and among them a text that has everything."""
    words = some_words(draw)
    place = int(draw.rng.integers(len(words)))
    words[place] = harmed(words[place])
    return from_table_ids, words


LOSSY = (
    specimens.small_letters,
    specimens.single_spaces,
    specimens.without_outer_spaces,
    specimens.without_lines,
    specimens.question_marks,
    specimens.without_strangers,
    specimens.without_accents,
    specimens.composed,
    specimens.without_repeats,
    specimens.first_twenty,
    specimens.latin_letters,
    specimens.known_letters,
)
lossless.tries(LOSSY, one_harmed, on="one text of several", times=1)


def one_far_up(draw: Draw) -> tuple[Decode, list[str]]:
    """Words, and among them one with a sign whose last 16 bits are those of a letter."""
    words = some_words(draw)
    place = int(draw.rng.integers(len(words)))
    # Not an emoji, what is left of which is a large number: nothing as large may be asked about.
    words[place] += chr(2**16 + ord(words[place][0]))
    return from_table_ids, words


lossless.tries([specimens.sixteen_bits], one_far_up, on="one text of several", times=1)


def first_letters_harmed(draw: Draw) -> tuple[Decode, list[str]]:
    """Words that lose something everywhere."""
    return from_table_ids, [word + word for word in some_words(draw)]


lossless.tries(
    (specimens.in_order, specimens.each_once, specimens.without_the_last),
    first_letters_harmed,
    on="all texts",
    times=1,
)


def becoming(others: Mapping[str, str]) -> Encode:
    """What encodes all texts without loss but these, and of each of these another one."""

    def some_become_others(text: str, /) -> Ids:
        return specimens.table_ids(others.get(text, text))

    return some_become_others


def exchanged_at(place: int, word: str) -> Encode:
    """What encodes all texts but one without loss; in this one two letters change places."""
    return becoming({word: f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}"})


@lossless.case(times=4)
def two_letters_exchanged(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """two letters within one of the words change places"""
    words = some_words(draw, 5)
    return exchanged_at(draw.in_turn(range(1, 5)), draw.in_turn(words)), from_table_ids, words


@lossless.case(times=3)
def two_letters_of_many_exchanged(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """two letters within one of several long texts change places"""
    texts = ["".join(some_words(draw, 25)) for _ in range(5)]
    # Between the ends of two words the same letter may stand twice: not there.
    place = 6 * draw.in_turn(range(25)) + int(draw.rng.integers(5))
    return exchanged_at(place, draw.in_turn(texts)), from_table_ids, texts


@lossless.case(times=3)
def one_of_many_texts_harmed(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """two letters within one of many texts change places"""
    words = some_words(draw, 40)
    return exchanged_at(int(draw.rng.integers(5)), draw.in_turn(words)), from_table_ids, words


@lossless.case(times=1)
def late_letters_exchanged(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """two letters near the end of one of the last of still more texts, a long one, change places"""
    texts = some_words(draw, int(draw.rng.integers(150, 200)))
    # Not longer: the sum of its ids is bounded in what a graded test may ask about.
    texts.append("".join(some_words(draw, 120)))
    place = 6 * int(draw.rng.integers(117, 119)) + 2
    return exchanged_at(place, texts[-1]), from_table_ids, texts


def nothing_harmed(draw: Draw) -> tuple[Decode, list[str]]:
    """Words that have nothing to lose."""
    return from_table_ids, some_words(draw)


lossless.tries(
    (specimens.table_ids, specimens.small_letters, specimens.first_twenty, specimens.each_once),
    nothing_harmed,
    on="texts without any harm",
    times=1,
)


def words_of_all_kinds(decode: Decode) -> Callable[[Draw], tuple[Decode, list[str]]]:
    """Words, and among them a text that has everything, for another way to decode."""

    def texts(draw: Draw) -> tuple[Decode, list[str]]:
        return decode, one_harmed(draw)[1]

    return texts


for _encode, _decode in (
    (specimens.utf8_bytes, specimens.from_utf8_bytes),
    (specimens.run_lengths, specimens.from_run_lengths),
    (specimens.backwards, specimens.from_backwards),
    (specimens.table_ids, specimens.from_a_short_table),
    (specimens.table_ids, specimens.from_table_ids_with_a_space),
    (specimens.table_ids, specimens.from_table_ids_shouting),
    (specimens.table_ids, specimens.from_all_but_the_last),
):
    lossless.tries([_encode], words_of_all_kinds(_decode), on=_decode.__name__, times=1)


def capitals_that_change_places(draw: Draw) -> tuple[Decode, list[str]]:
    """Texts that a codec exchanges for one another, so that all of them sorted stay the same."""
    first, second = some_words(draw, 2)
    return exchanged_capitals, [first, second.upper(), first.upper(), second]


def exchanged_capitals(ids: Ids, /) -> str:
    """Capitals for small letters, and the other way round."""
    return from_table_ids(ids).swapcase()


lossless.tries(
    [specimens.table_ids], capitals_that_change_places, on="texts that change places", times=1
)


def spaces_that_move(draw: Draw) -> tuple[Decode, list[str]]:
    """Words that lose a space each to the next one, so that all of them joined stay the same."""
    first, *others, last = some_words(draw)
    return specimens.from_table_ids_with_a_space, [
        f" {first} ",
        *(f"{word} " for word in others),
        last,
    ]


lossless.tries(
    [specimens.without_outer_spaces], spaces_that_move, on="spaces that move on", times=1
)


# What an answer may put between texts before it compares them; each has a small id.
BETWEEN = (
    *("", " ", "\n", "\t", "\r\n", "\0", "\x1f", "|", ",", ", ", "; ", " | "),
    *("\n\n", "\x01", "\x1e", "##", "@@", "||", "</w>", "<sep>", "<|endoftext|>"),
    *("\u2581", "\ue000", "\uffff", "\U0010ffff"),
)


@lossless.case(times=len(BETWEEN))
def ends_that_move(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """the end of one text moves to the next, so that all of them joined stay the same"""
    first, second, *others = some_words(draw)
    between = draw.in_turn(BETWEEN)
    head, tail = first[:3], first[3:]
    moved = {f"{head}{between}{tail}": head, second: f"{tail}{between}{second}"}
    return becoming(moved), from_table_ids, [*moved, *others]


# What an answer may clean texts of, with what stands in its place afterwards.
FAINT = (
    ("\t", " "), ("\xa0", " "), ("\n", ""), ("\r\n", "\n"), ("\0", ""), ("\u200b", ""),
    ("\ufeff", ""), ("\u2019", "'"), ("\ufb01", "fi"), ("7", "0"),
)  # fmt: skip
# Anywhere else, an answer that strips the texts of it would notice.
ENDS = [(one, at) for one in FAINT for at in (0, 6)]


@lossless.case(times=len(ENDS))
def faint_losses(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """one character at an end of one of the words becomes another, or nothing"""
    words = some_words(draw)
    (lost, instead), at = draw.in_turn(ENDS)
    place = int(draw.rng.integers(len(words)))
    word = words[place]
    words[place] = word[:at] + lost + word[at:]
    return becoming({words[place]: word[:at] + instead + word[at:]}), from_table_ids, words


@lossless.case(times=1)
def a_tuple(draw: Draw) -> tuple[Encode, Decode, tuple[str, ...]]:
    """a tuple of texts, none of which is harmed"""
    return specimens.table_ids, from_table_ids, tuple(some_words(draw))


@lossless.case(times=1)
def an_empty_text_harmed(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """an empty text, of which something comes back"""
    first, *others = some_words(draw)
    return becoming({"": first}), from_table_ids, [*others, "", first]


class Unheard(Exception):
    """An error that is in no list of Python's own."""


@lossless.case(times=2)
def errors_of_their_own(draw: Draw) -> tuple[Encode, Decode, list[str]]:
    """an error of a kind of its own, for one of the words"""
    words = some_words(draw)
    refused = words[int(draw.rng.integers(len(words)))]

    def no_ids_for_one(text: str, /) -> Ids:
        if text == refused:
            raise Unheard
        return specimens.table_ids(text)

    def no_text_for_one(ids: Ids, /) -> str:
        if from_table_ids(ids) == refused:
            raise Unheard
        return from_table_ids(ids)

    if draw.in_turn([True, False]):
        return no_ids_for_one, from_table_ids, words
    return specimens.table_ids, no_text_for_one, words
