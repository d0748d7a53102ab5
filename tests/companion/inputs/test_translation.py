import pytest

from companion.inputs import lexicon
from companion.inputs.translation import (
    EXAMPLE,
    LONGEST,
    Pair,
    held_out_pairs,
    is_reserved,
    training_pairs,
    vocabulary,
)
from companion.models.translator import split


@pytest.fixture(scope="module")
def trained_on() -> list[Pair]:
    return training_pairs(12_000)


@pytest.fixture(scope="module")
def held_out() -> list[Pair]:
    return held_out_pairs(3000)


def test_thousands_of_distinct_pairs(trained_on: list[Pair]) -> None:
    assert len({pair.german for pair in trained_on}) == 12_000
    assert max(len(pair.german) for pair in trained_on) == LONGEST


def test_nothing_is_in_both_sets(trained_on: list[Pair], held_out: list[Pair]) -> None:
    assert not {pair.german for pair in trained_on} & {pair.german for pair in held_out}


def test_reserved_verbs_meet_no_reserved_object(trained_on: list[Pair]) -> None:
    """Translating and sentences are both known from training, but never together in a request."""
    asked = [pair.english for pair in trained_on if pair.english[-1] == "?"]
    assert any("translate" in english for english in asked)
    assert any("sentence" in english for english in asked)
    assert not any("translate" in english and "sentence" in english for english in asked)


def test_every_verb_has_reserved_and_free_objects() -> None:
    for verb in lexicon.VERBS:
        reserved = [is_reserved(verb, noun) for noun in verb.objects]
        assert any(reserved), verb
        assert not all(reserved), verb


def test_example_is_held_out(trained_on: list[Pair]) -> None:
    words = split(EXAMPLE)
    assert words not in {pair.german for pair in trained_on}
    found = {pair.german: pair.english for pair in held_out_pairs(20, seed=13)}
    assert " ".join(found[words]) == "can you help me to translate this sentence ?"


def test_all_words_are_known(trained_on: list[Pair], held_out: list[Pair]) -> None:
    german, english = map(set, vocabulary())
    for pair in (*trained_on, *held_out):
        assert german.issuperset(pair.german)
        assert english.issuperset(pair.english)


def test_one_translation_each(trained_on: list[Pair], held_out: list[Pair]) -> None:
    translations: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for pair in (*trained_on, *held_out, *training_pairs(12_000, seed=5)):
        translations.setdefault(pair.german, set()).add(pair.english)
    assert {len(english) for english in translations.values()} == {1}


def test_same_seed_same_pairs() -> None:
    assert training_pairs(50, seed=4) == training_pairs(50, seed=4)
    assert training_pairs(50, seed=4) != training_pairs(50, seed=5)


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("er schreibt den Brief ab .", "he copies the letter ."),
        ("wir kaufen wieder diese Lampe .", "we buy this lamp again ."),
        (
            "dieser Freund glaubt , dass ich dieses Buch schreibe .",
            "this friend believes that I write this book .",
        ),
        ("wieder bringt er das Buch mit .", "he brings the book again ."),
    ],
)
def test_known_sentences(trained_on: list[Pair], german: str, english: str) -> None:
    assert Pair(tuple(german.split()), tuple(english.split())) in trained_on


def test_verbs_wait_at_the_end(trained_on: list[Pair]) -> None:
    """Behind "dass" and "weil" a verb is last; a separable one in front of them is apart."""
    finite = {verb.joined(person) for verb in lexicon.VERBS for person in ("ich", "er", "wir")}
    finite |= {getattr(verb, person) for verb in lexicon.MODALS for person in ("er", "wir")}
    last = [pair.german[-2] for pair in trained_on if "weil" in pair.german]
    assert len(last) > 1000
    assert finite.issuperset(last)
