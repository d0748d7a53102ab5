"""The Transformer that lesson 09 loads translates, also through blocks of another make."""

import pytest
import torch

from companion import (
    EXAMPLE,
    accuracy_by_length,
    chained_pairs,
    held_out_pairs,
    load_transformer_translator,
)
from companion.transformer.translator import Stacks
from solutions.transformer import DecoderBlock, EncoderBlock


@pytest.mark.long
def test_new_sentences_are_right() -> None:
    (right,) = accuracy_by_length(load_transformer_translator(), held_out_pairs(100), [0])
    assert right > 0.95


def test_through_the_lessons_blocks() -> None:
    own = load_transformer_translator(Stacks(EncoderBlock, DecoderBlock))
    library = load_transformer_translator()
    pairs = held_out_pairs(20)
    german = library.german.encode([pair.german for pair in pairs])
    english = library.english.encode([pair.english for pair in pairs])
    with torch.no_grad():
        torch.testing.assert_close(
            own(german, english), library(german, english), rtol=1e-3, atol=1e-3
        )


def test_maps_have_a_row_for_each_word() -> None:
    translation = load_transformer_translator().translate(EXAMPLE)
    assert " ".join(translation.english) == "can you help me to translate this sentence ?"
    assert translation.weights is not None
    assert translation.weights.shape == (len(translation.english), len(translation.german))
    torch.testing.assert_close(translation.weights.sum(dim=1), torch.ones(9))
    row = translation.weights[translation.english.index("translate")]
    assert translation.german[int(row.argmax())] == "übersetzen"


@pytest.mark.long
def test_more_clauses_than_ever_fail() -> None:
    translator = load_transformer_translator()
    right = [accuracy_by_length(translator, chained_pairs(40, n), [0])[0] for n in (2, 4)]
    assert right[0] > 0.9
    assert right[1] < 0.3


def test_chained_sentences() -> None:
    for clauses in (1, 3):
        for pair in chained_pairs(10, clauses):
            assert pair.german.count("und") == pair.english.count("and") == clauses - 1
            assert (pair.german[-1], pair.english[-1]) == (".", ".")
            assert "." not in pair.german[:-1]
    assert chained_pairs(3, 2) == chained_pairs(3, 2) != chained_pairs(3, 2, seed=5)
