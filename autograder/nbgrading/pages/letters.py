"""Letters that a browser sets in no time and where they stand, whatever a student wrote.

A browser sets each stretch of one script by itself, and each letter with all of its accents at
once. So a letter with a hundred thousand accents, or as many letters of ever other scripts, keep it
from showing anything of a page for minutes, and whoever opened it from going on.

Some letters have no shape and turn what stands around them: `pay 100` behind one of them reads as
`001 yap`. What a tutor reads would not be what has run, so they are shown by their numbers. Words
of a script that runs from right to left need none of them.
"""

import functools
import re
import unicodedata

# What people write has two or three at most; more of them are drawn over one another.
_MARKS = 20
# A page wholly in Japanese has some ten thousand changes between its scripts.
_CHANGES = 30_000
_NOT_SHOWN = "?"
# All that Unicode calls Bidi_Control.
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# From one letter beyond ASCII to the last before one within it.
_OTHERS = re.compile(r"[^\x00-\x7f](?:[^A-Za-z]*[^\x00-\x7f])?")


def soon_set(html: str) -> str:
    """A page whose letters are soon set, each where it stands.

    Accents beyond some on one letter are left out; letters beyond too many changes of script are
    shown as ? where they are no Latin ones, and letters that turn others by their numbers.
    """
    if html.isascii():
        return html
    html = _TURNING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", html)
    letters = _Letters()
    return _OTHERS.sub(lambda found: letters.soon_set(found[0]), html)


class _Letters:
    """The letters of a page from its beginning on."""

    def __init__(self) -> None:
        self._changes = 0

    def soon_set(self, text: str) -> str:
        """A stretch of letters, in front of which stood Latin ones or none."""
        shown, marks, last = [], 0, "LATIN"
        for letter in text:
            kind = _kind_of(letter)
            marks = marks + 1 if kind == "MARK" else 0
            if marks > _MARKS:
                continue
            if kind and kind not in ("MARK", last):
                self._changes += 1
                last = kind
            too_many = self._changes > _CHANGES and kind not in ("", "LATIN")
            shown.append(_NOT_SHOWN if too_many else letter)
        return "".join(shown)


@functools.cache
def _kind_of(letter: str) -> str:
    """The script of a letter, by the name that Unicode gives it; MARK for accents; else ""."""
    category = unicodedata.category(letter)
    if category.startswith("M"):
        return "MARK"
    return unicodedata.name(letter, "?").partition(" ")[0] if category.startswith("L") else ""
