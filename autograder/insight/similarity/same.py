"""Who handed in the same: answers in words that agree word for word, and code that agrees in all.

`pairs` asks what chance explains, and in a small class that is nearly everything. Nobody needs a
figure for this: a few sentences with the same words are not written twice. What everybody has is
set aside: the text of the lesson, usual right code, and answers that are short.

Each text becomes one key, so a class takes as long as its texts, and not as long as its pairs.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.grading.submitted_files import listed
from autograder.insight.similarity.normal import size_of
from autograder.insight.similarity.usual import Usual

Key = TypeVar("Key")

# Fewer words, or characters of a script without blanks, may agree by chance.
_WORDS, _CHARACTERS = 12, 100
# So many words and signs of code that is not usual: two lines of a loop.
_CODE = 20
# A page names so many of a group.
_NAMED = 12
_NOTHING = Usual()


@dataclass(frozen=True)
class Same:
    """Students who handed in the same.

    `words` are the questions that they answered in the same words. `code` are the exercises that
    they answered, where all of these answers are the same.
    """

    students: tuple[str, ...]
    words: tuple[str, ...] = ()
    code: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        """Their names, or the first of them."""
        return listed(self.students, _NAMED)


def digest_of_words(text: str, lesson: str, stub: str = "") -> str:
    """What two answers in words share if they are the same; "" for one that says nothing.

    Args:
        text: the answer.
        lesson: the text of the lesson, as `plain_words` makes it: to quote it says nothing.
        stub: what stood in the cell before, in the same form.
    """
    words = plain_words(text)
    if stub:
        words = plain_words(words.replace(stub, " "))
    is_short = len(words.split(" ")) < _WORDS and len(words) < _CHARACTERS
    if is_short or words in lesson:
        return ""
    return hashlib.sha256(words.encode(errors="replace")).hexdigest()


def plain_words(text: str) -> str:
    """A text without capitals, and with single blanks."""
    return " ".join(text.casefold().split())


def same_words(answers: Mapping[str, Mapping[str, str]]) -> list[Same]:
    """Who answered questions in the same words, by each student's digests."""
    keys = (((name, one), who) for who, own in answers.items() for name, one in own.items() if one)
    found = defaultdict[tuple[str, ...], list[str]](list)
    for (name, _), group in _groups(keys):
        found[group].append(name)
    return [Same(group, words=tuple(sorted(names))) for group, names in found.items()]


def same_code(
    forms: Mapping[str, Mapping[str, frozenset[str]]], usual: Mapping[str, Usual]
) -> list[Same]:
    """Whose answers in code are all the same, by the lines of each in their normal form."""
    keys = ((frozenset(own.items()), who) for who, own in forms.items() if own)
    return [
        Same(group, code=tuple(sorted(name for name, _ in form)))
        for form, group in _groups(keys)
        if sum(_unusual(lines, usual.get(name, _NOTHING)) for name, lines in form) >= _CODE
    ]


def together(found: Iterable[Same]) -> list[Same]:
    """What is found of the same students as one, the largest groups last."""
    by_group = defaultdict[tuple[str, ...], list[Same]](list)
    for one in found:
        by_group[one.students].append(one)
    joined = [
        Same(
            group,
            tuple(name for one in each for name in one.words),
            tuple(name for one in each for name in one.code),
        )
        for group, each in by_group.items()
    ]
    return sorted(joined, key=lambda one: (not one.code, len(one.students), one.students))


def _groups(keys: Iterable[tuple[Key, str]]) -> Sequence[tuple[Key, tuple[str, ...]]]:
    having = defaultdict[Key, list[str]](list)
    for key, student in keys:
        having[key].append(student)
    return [(key, tuple(sorted(group))) for key, group in having.items() if len(group) > 1]


def _unusual(lines: frozenset[str], usual: Usual) -> int:
    """How much of an answer everybody who errs writes on their own, in words and signs."""
    return 0 if usual.is_right(lines) else sum(map(size_of, lines - usual.right))
