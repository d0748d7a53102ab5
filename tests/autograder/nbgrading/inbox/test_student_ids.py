"""Who may be called a student, and that nobody is called what looks like another."""

import sys
import unicodedata
from pathlib import Path

import pytest

from autograder.nbgrading.inbox.student_ids import NOBODY, is_student_id, why_nobody

STUDENTS = [
    *("ada", "Ada.Lovelace", "ada_lovelace@uni.example", "s1234567", "1234567", "_ada", "@ada"),
    *("müller", "José", "Łukasz-2", "ğüneş", "straße", "Ørsted", "đặng"),
    *("ада", "Олена.7", "αδα", "王小明", "さとう", "佐藤ケンター", "김철수", "עדה", "علي"),
]
OTHERS = {
    "Cyrillic among Latin": "\u0430da",
    "Latin among Cyrillic": "\u0430\u0434a",
    "Greek among Latin": "\u03b1da",
    "Greek among Latin, at the end": "ad\u03b1",
    "Armenian among Latin": "\u0578ada",
    "Han among Latin": "ada\u4e00",
    "digits of another script": "ada\u0661",
    "full width": "\uff41\uff44\uff41",
    "mathematical": "\U0001d41a\U0001d41d\U0001d41a",
    "ligature": "\ufb01nn",
    "superscript": "ada\u00b2",
    "ordinal": "\u00aada",
    "decomposed": unicodedata.normalize("NFD", "José"),
    "not seen": "ada\u200b",
    "not seen, of Hangul": "ada\u3164",
    "not seen, in Hangul": "\uae40\u1160",
    "an apostrophe that is a letter": "ada\u02bc",
    "a folder": "..",
    "an option": "-ada",
    "nothing": "",
    "a path": "ada/bob",
    "long": "a" * 101,
    "long in bytes": "界" * 81,
    "longer in bytes": "𠀀" * 61,
}


@pytest.mark.parametrize("name", STUDENTS)
def test_students(name: str) -> None:
    assert is_student_id(unicodedata.normalize("NFC", name))


@pytest.mark.parametrize("name", OTHERS.values(), ids=OTHERS)
def test_others(name: str) -> None:
    assert not is_student_id(name)


@pytest.mark.parametrize("letter", ["a", "é", "界", "𠀀"])
def test_whoever_is_a_student_can_have_a_folder(tmp_path: Path, letter: str) -> None:
    students = [name for length in range(1, 130) if is_student_id(name := letter * length)]
    assert len(students) >= 60
    for name in students:
        (tmp_path / name).mkdir()


def test_no_letter_passes_for_one_of_ada() -> None:
    """Whatever is put in the place of a letter: nothing but Latin ones pass, in their own form."""
    for code in range(128, sys.maxunicode + 1):
        letter = chr(code)
        if is_student_id(f"ad{letter}"):
            assert unicodedata.name(letter).startswith("LATIN ")
            assert unicodedata.normalize("NFKC", letter) == letter


def test_one_sentence_says_so() -> None:
    assert NOBODY.startswith("nobody can be called that: ")
    assert "one script" in NOBODY


@pytest.mark.parametrize(
    ("known", "others", "advice"),
    [
        (["obrien", "ada"], [], "if obrien is meant, rename the folder to that"),
        (["OBrien", "o-brien"], ["o-brien"], "if OBrien is meant, rename the folder to that"),
        (["obrien", "o-brien"], [], "for example to o_brien"),
        (["obrien"], ["obrien", "o_brien"], "as the student is called in the gradebook"),
    ],
)
def test_who_is_probably_meant_is_named(known: list[str], others: list[str], advice: str) -> None:
    assert why_nobody("o'brien", others, known).endswith(advice)
