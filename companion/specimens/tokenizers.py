"""Ways to make ids of a text and a text of ids, to try a test on: some lose something on the way.

What makes ids is called as `encode(text)` and returns a list of whole numbers; what makes a text is
called as `decode(ids)`. The names of the latter begin with `from_`.
"""

import itertools
import re
import string
import unicodedata


def code_points(text: str) -> list[int]:
    """Loses nothing: each character by its number in Unicode."""
    return [ord(character) for character in text]


def from_code_points(ids: list[int]) -> str:
    """Loses nothing: each character by its number in Unicode."""
    return "".join(map(chr, ids))


def utf8_bytes(text: str) -> list[int]:
    """Loses nothing: one to four bytes for each character."""
    return list(text.encode())


def from_utf8_bytes(ids: list[int]) -> str:
    """Loses nothing: one to four bytes for each character."""
    return bytes(ids).decode()


def run_lengths(text: str) -> list[int]:
    """Loses nothing: each character once, and how often it follows itself."""
    runs = [(ord(character), len(list(run))) for character, run in itertools.groupby(text)]
    return [number for run in runs for number in run]


def from_run_lengths(ids: list[int]) -> str:
    """Loses nothing: each character as often as it followed itself."""
    return "".join(
        chr(character) * count for character, count in zip(ids[::2], ids[1::2], strict=True)
    )


def backwards(text: str) -> list[int]:
    """Loses nothing, if it is read backwards: the last character comes first."""
    return code_points(text[::-1])


def from_backwards(ids: list[int]) -> str:
    """Loses nothing of what was written backwards: the last id comes first."""
    return from_code_points(ids[::-1])


def small_letters(text: str) -> list[int]:
    """Capital letters become small ones: lossy."""
    return code_points(text.lower())


def single_spaces(text: str) -> list[int]:
    """Several spaces become one: lossy."""
    return code_points(re.sub(" +", " ", text))


def without_outer_spaces(text: str) -> list[int]:
    """Spaces and lines at both ends are cut off: lossy."""
    return code_points(text.strip())


def question_marks(text: str) -> list[int]:
    """Characters that are not in ASCII become question marks: lossy."""
    return list(text.encode("ascii", errors="replace"))


def without_strangers(text: str) -> list[int]:
    """Characters that are not in ASCII are left out: lossy."""
    return list(text.encode("ascii", errors="ignore"))


def without_accents(text: str) -> list[int]:
    """Letters lose their accents: lossy."""
    parts = unicodedata.normalize("NFD", text)
    return code_points("".join(part for part in parts if not unicodedata.combining(part)))


def composed(text: str) -> list[int]:
    """A letter and an accent become one character, which looks the same and is another: lossy."""
    return code_points(unicodedata.normalize("NFC", text))


def without_repeats(text: str) -> list[int]:
    """A letter that follows itself is left out: lossy."""
    return [ord(character) for character, _ in itertools.groupby(text)]


def without_the_last(text: str) -> list[int]:
    """The last character is missing: lossy."""
    return code_points(text[:-1])


def first_twenty(text: str) -> list[int]:
    """No more than twenty characters: lossy for a longer text."""
    return code_points(text[:20])


def sixteen_bits(text: str) -> list[int]:
    """Numbers have no more than 16 bits, so emoji become other characters: lossy."""
    return [number % 2**16 for number in code_points(text)]


def in_order(text: str) -> list[int]:
    """The characters in the order of their numbers: lossy."""
    return sorted(code_points(text))


def each_once(text: str) -> list[int]:
    """Each character at its first place only: lossy."""
    return code_points("".join(dict.fromkeys(text)))


def without_lines(text: str) -> list[int]:
    """Lines and tabulators become spaces: lossy."""
    return code_points(re.sub(r"\s", " ", text))


def latin_letters(text: str) -> list[int]:
    """One byte for each character, and an error for those that have none: lossy for these."""
    return list(text.encode("latin-1"))


def known_letters(text: str) -> list[int]:
    """Small letters by their number in the alphabet, an error for anything else: lossy for it."""
    numbers = {letter: number for number, letter in enumerate(string.ascii_lowercase)}
    return [ord("a") + numbers[letter] for letter in text]


def from_a_short_table(ids: list[int]) -> str:
    """A table of 128 characters, and an error for an id beyond: lossy for it."""
    table = [chr(number) for number in range(128)]
    return "".join(table[number] for number in ids)


def from_code_points_with_a_space(ids: list[int]) -> str:
    """A space is put in front: lossy."""
    return " " + from_code_points(ids)


def from_code_points_shouting(ids: list[int]) -> str:
    """Small letters become capital ones: lossy."""
    return from_code_points(ids).upper()


def from_all_but_the_last(ids: list[int]) -> str:
    """The last id is forgotten: lossy."""
    return from_code_points(ids[:-1])
