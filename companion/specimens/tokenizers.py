"""Ways to make ids of a text and a text of ids, to try a test on: some lose something on the way.

What makes ids is called as `encode(text)` and returns a list of whole numbers; what makes a text is
called as `decode(ids)`. The names of the latter begin with `from_`.
"""

import itertools
import re
import string
import unicodedata

# A test that is graded asks for the text of ids, and no question may hold large numbers.
_TABLE = string.ascii_letters + " " + string.digits + string.punctuation + "\n\téïÜ€😀\u0301"


def table_ids(text: str, /) -> list[int]:
    """Loses nothing: each character by its place in a table, and those beyond by Unicode's."""
    places = {character: place for place, character in enumerate(_TABLE)}
    return [places.get(character, len(_TABLE) + ord(character)) for character in text]


def from_table_ids(ids: list[int], /) -> str:
    """Loses nothing: each character by its place in a table, and those beyond by Unicode's."""
    return "".join(_TABLE[i] if i < len(_TABLE) else chr(i - len(_TABLE)) for i in ids)


def utf8_bytes(text: str, /) -> list[int]:
    """Loses nothing: one to four bytes for each character."""
    return list(text.encode())


def from_utf8_bytes(ids: list[int], /) -> str:
    """Loses nothing: one to four bytes for each character."""
    return bytes(ids).decode()


def run_lengths(text: str, /) -> list[int]:
    """Loses nothing: each character once, and how often it follows itself."""
    runs = [(number, len(list(run))) for number, run in itertools.groupby(table_ids(text))]
    return [number for run in runs for number in run]


def from_run_lengths(ids: list[int], /) -> str:
    """Loses nothing: each character as often as it followed itself."""
    runs = zip(ids[::2], ids[1::2], strict=True)
    return from_table_ids([number for number, count in runs for _ in range(count)])


def backwards(text: str, /) -> list[int]:
    """Loses nothing, if it is read backwards: the last character comes first."""
    return table_ids(text[::-1])


def from_backwards(ids: list[int], /) -> str:
    """Loses nothing of what was written backwards: the last id comes first."""
    return from_table_ids(ids[::-1])


def small_letters(text: str, /) -> list[int]:
    """Capital letters become small ones: lossy."""
    return table_ids(text.lower())


def single_spaces(text: str, /) -> list[int]:
    """Several spaces become one: lossy."""
    return table_ids(re.sub(" +", " ", text))


def without_outer_spaces(text: str, /) -> list[int]:
    """Spaces and lines at both ends are cut off: lossy."""
    return table_ids(text.strip())


def question_marks(text: str, /) -> list[int]:
    """Characters that are not in ASCII become question marks: lossy."""
    return table_ids(text.encode("ascii", errors="replace").decode())


def without_strangers(text: str, /) -> list[int]:
    """Characters that are not in ASCII are left out: lossy."""
    return table_ids(text.encode("ascii", errors="ignore").decode())


def without_accents(text: str, /) -> list[int]:
    """Letters lose their accents: lossy."""
    parts = unicodedata.normalize("NFD", text)
    return table_ids("".join(part for part in parts if not unicodedata.combining(part)))


def composed(text: str, /) -> list[int]:
    """A letter and an accent become one character, which looks the same and is another: lossy."""
    return table_ids(unicodedata.normalize("NFC", text))


def without_repeats(text: str, /) -> list[int]:
    """A letter that follows itself is left out: lossy."""
    return [number for number, _ in itertools.groupby(table_ids(text))]


def without_the_last(text: str, /) -> list[int]:
    """The last character is missing: lossy."""
    return table_ids(text[:-1])


def first_twenty(text: str, /) -> list[int]:
    """No more than twenty characters: lossy for a longer text."""
    return table_ids(text[:20])


def sixteen_bits(text: str, /) -> list[int]:
    """Numbers in Unicode have no more than 16 bits, so emoji become other characters: lossy."""
    return table_ids("".join(chr(ord(character) % 2**16) for character in text))


def in_order(text: str, /) -> list[int]:
    """The characters in the order of their numbers: lossy."""
    return sorted(table_ids(text))


def each_once(text: str, /) -> list[int]:
    """Each character at its first place only: lossy."""
    return table_ids("".join(dict.fromkeys(text)))


def without_lines(text: str, /) -> list[int]:
    """Lines and tabulators become spaces: lossy."""
    return table_ids(re.sub(r"\s", " ", text))


def latin_letters(text: str, /) -> list[int]:
    """One byte for each character, and an error for those that have none: lossy for these."""
    return table_ids(text.encode("latin-1").decode("latin-1"))


def known_letters(text: str, /) -> list[int]:
    """Small letters by their number in the alphabet, an error for anything else: lossy for it."""
    numbers = {letter: number for number, letter in enumerate(string.ascii_lowercase)}
    return [numbers[letter] for letter in text]


def from_a_short_table(ids: list[int], /) -> str:
    """The table without accents and emoji, and an error for an id beyond: lossy for it."""
    table = [character for character in _TABLE if character.isascii()]
    return "".join(table[number] for number in ids)


def from_table_ids_with_a_space(ids: list[int], /) -> str:
    """A space is put in front: lossy."""
    return " " + from_table_ids(ids)


def from_table_ids_shouting(ids: list[int], /) -> str:
    """Small letters become capital ones: lossy."""
    return from_table_ids(ids).upper()


def from_all_but_the_last(ids: list[int], /) -> str:
    """The last id is forgotten: lossy."""
    return from_table_ids(ids[:-1])
