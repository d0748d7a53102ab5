"""The sentence that a learner types in lesson 02."""

import numpy as np
import pytest

from companion import TOPICS, attention_map, known_words, typed_sentence
from companion.inputs.typed import UnknownWord


def test_capitals_and_punctuation_make_no_difference():
    typed = typed_sentence("She rows the boat, along the BANK.")
    assert typed.words == ("she", "rows", "the", "boat", "along", "the", "bank")
    assert typed.vectors.shape == (7, len(TOPICS))


def test_each_word_has_one_vector():
    words = known_words()
    assert len(words) == len(set(words))
    lengths = {word: np.count_nonzero(typed_sentence(word).vectors) for word in words}
    assert set(lengths.values()) == {0, 1, 2}


@pytest.mark.parametrize("text", ["the xylophone", "", "123"])
def test_what_has_no_vector_is_told_in_one_sentence(text):
    with pytest.raises(UnknownWord, match="There is no vector for") as told:
        typed_sentence(text)
    assert "guitar" in str(told.value)
    assert "\n" not in str(told.value)
    assert told.value._render_traceback_() == [str(told.value)]


@pytest.mark.parametrize(
    ("text", "word", "topic"),
    [
        ("She rows the boat along the bank", "bank", "water"),
        ("The banker saves coins at the bank", "bank", "money"),
        ("The bass sings a song", "bass", "music"),
    ],
)
def test_neighbours_decide_what_a_word_means(text, word, topic):
    typed = typed_sentence(text)
    contexts = attention_map(typed.vectors) @ typed.vectors
    assert TOPICS[contexts[typed.words.index(word)].argmax()] == topic


def test_order_decides_nothing():
    typed = typed_sentence("He rows to the bank and pays the bank")
    contexts = attention_map(typed.vectors) @ typed.vectors
    first, last = (i for i, word in enumerate(typed.words) if word == "bank")
    np.testing.assert_allclose(contexts[first], contexts[last])
    water, money = contexts[first][:2]
    assert water == pytest.approx(money)
