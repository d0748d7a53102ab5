"""A sentence that a learner types, from words whose features were chosen by hand."""

import re

import numpy as np

from companion.inputs.sentences import Sentence

TOPICS = ("water", "money", "music", "animals", "sport")
# Words of one topic get a long vector, words of two topics a short one, and the last ones, which
# belong to none, zeros: each of them looks at all words alike.
_WORDS = {
    "water": "river sea boat lake waves rows swims sails fisherman",
    "money": "coins cash loan wallet pays lends saves banker price",
    "music": "song guitar drum piano sings plays concert singer tune",
    "animals": "fish bird cat dog feathers hunts feeds owl wings",
    "sport": "ball team game goal throws wins runner coach match",
    "water money": "bank float",
    "money music": "note",
    "music animals": "bass",
    "animals sport": "bat",
    "water sport": "dive",
    "": "a the this my her his she he it they and or in on at to of by with from along into near "
    "sees finds is was has old big small",
}
_LENGTH = {1: 2.5, 2: 1.0, 0: 0.0}
_VECTORS = {
    word: [_LENGTH[len(topics.split())] * (topic in topics.split()) for topic in TOPICS]
    for topics, words in _WORDS.items()
    for word in words.split()
}


class UnknownWord(ValueError):
    """A text has a word without a vector. In a notebook, the message is all that is shown."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def typed_sentence(text: str) -> Sentence:
    """The words of a text with their vectors: how much each of them belongs to each topic.

    Punctuation and capitals make no difference.

    Args:
        text: words of which each is in the list that `known_words` returns.

    Raises:
        UnknownWord: when there is no word in the text, or one that is not in the list.
    """
    words = re.findall(r"[^\W\d_]+", text.lower())
    unknown = [word for word in dict.fromkeys(words) if word not in _VECTORS]
    if unknown or not words:
        what = " and ".join(repr(word) for word in unknown) if unknown else "a text without words"
        known = ", ".join(known_words())
        raise UnknownWord(f"There is no vector for {what}; the words that have one are: {known}.")
    return Sentence(tuple(words), np.array([_VECTORS[word] for word in words]))


def known_words() -> list[str]:
    """All words that `typed_sentence` has a vector for, by topic."""
    return list(_VECTORS)
