import numpy as np
import pytest
import torch

from companion.inputs.translation import EXAMPLE, held_out_pairs, training_pairs
from companion.models.translator import (
    Translator,
    accuracy_by_length,
    load_translator,
    split,
    weights_file,
)

GROUPS = [5, 8, 11, 14, 17, 20]


@pytest.fixture(scope="module")
def with_attention() -> Translator:
    return load_translator(attention=True)


@pytest.fixture(scope="module")
def without() -> Translator:
    return load_translator(attention=False)


def test_attention_translates_what_it_never_saw(with_attention: Translator) -> None:
    assert accuracy_by_length(with_attention, held_out_pairs(600), [0])[0] >= 0.95


def test_without_attention_long_sentences_fail(without: Translator) -> None:
    accuracy = accuracy_by_length(without, held_out_pairs(600), GROUPS)
    assert accuracy[0] > 0.7
    assert max(accuracy[3:]) < 0.1


def test_without_attention_short_sentences_fail_at_verb_or_object(without: Translator) -> None:
    """The two examples that lesson 01 quotes."""
    verb = without.translate("Ich mache den Koffer auf.")
    assert " ".join(verb.english) == "I close the suitcase ."
    found = without.translate("Der Arzt besucht wieder den kleinen Lehrer.")
    assert " ".join(found.english) == "the doctor visits the small doctor again ."


def test_example_is_translated(with_attention: Translator) -> None:
    done = with_attention.translate(EXAMPLE)
    assert " ".join(done.english) == "can you help me to translate this sentence ?"
    assert done.weights is not None
    torch.testing.assert_close(done.weights.sum(dim=1), torch.ones(9))
    assert done.german[done.weights[done.english.index("translate")].argmax()] == "übersetzen"


def test_alignment_is_no_diagonal(with_attention: Translator) -> None:
    done = with_attention.translate("Ich mache morgen das alte Fenster auf.")
    assert done.weights is not None
    seen = [done.german[place] for place in done.weights.argmax(dim=1)]
    assert seen[1] == "auf"
    assert seen[5] == "morgen"


def test_no_weights_without_attention(without: Translator) -> None:
    assert without.translate(EXAMPLE).weights is None


def test_unknown_word_is_named(with_attention: Translator) -> None:
    with pytest.raises(ValueError, match="'hund'"):
        with_attention.translate("ich sehe den hund.")


def test_sentences_are_split() -> None:
    assert split("Kannst du, ja?") == ("kannst", "du", ",", "ja", "?")
    assert split("") == ()


@pytest.mark.parametrize("attention", [True, False])
def test_shipped_weights_are_small_and_plain(attention: bool) -> None:
    path = weights_file(attention=attention)
    assert path.stat().st_size < 200_000
    with np.load(path, allow_pickle=False) as numbers:
        assert {numbers[name].dtype for name in numbers.files} == {np.dtype(np.float16)}


def test_loading_leaves_random_numbers_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_translator(attention=True)
    assert torch.equal(torch.rand(3), expected)


def test_teacher_forcing_agrees_with_writing(with_attention: Translator) -> None:
    pair = training_pairs(1)[0]
    german = with_attention.german.encode([pair.german])
    english = with_attention.english.encode([pair.english])
    with torch.no_grad():
        likeliest = with_attention(german, english).argmax(dim=-1)
    assert torch.equal(likeliest, english)


def test_length_alone_is_no_obstacle(with_attention: Translator) -> None:
    """Lesson 01's sentence of 29 words, five more than any in training."""
    done = with_attention.translate(
        "Dieser kleine Lehrer glaubt, dass der Freund heute dem neuen Arzt das Bild zeigen muss, "
        "weil diese schöne Frau wieder diesem Kind diese alte Zeitung gibt."
    )
    assert len(done.german) == 29
    assert " ".join(done.english) == (
        "this small teacher believes that the friend must show the new doctor the picture today "
        "because this beautiful woman gives this child this old newspaper again ."
    )


def test_third_clause_swallows_the_second(with_attention: Translator) -> None:
    """Lesson 01's sentence of a form that no sentence for training has."""
    done = with_attention.translate(
        "Ich lese das Buch und er schreibt den Brief und wir suchen das Bild."
    )
    assert " ".join(done.english) == "I read the book and we seek the picture ."


@pytest.mark.parametrize(("read", "written"), [(3, 30), (40, 46)])
def test_translation_may_be_a_little_longer(read: int, written: int) -> None:
    babbling = Translator(attention=True)
    with torch.no_grad():
        babbling.logits.bias[babbling.english.numbers["and"]] = 1e6
    (done,) = babbling.translate_all([("und",) * read])
    assert done.english == ("and",) * written
