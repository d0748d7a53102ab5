import io

import pytest
import torch

from companion.inputs.translation import training_pairs
from companion.models.training import progress, train_translator, translation_batches
from companion.models.translator import Translator


@pytest.mark.long
def test_training_is_seeded_and_learns(capsys) -> None:
    first, again = (train_translator(attention=True, pairs=300, epochs=2) for _ in range(2))
    for one, other in zip(first.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    seeded = train_translator(attention=True, pairs=300, epochs=1, seed=1)
    assert not torch.equal(first.logits.weight, seeded.logits.weight)
    assert "100%" in capsys.readouterr().out
    torch.manual_seed(0)
    assert loss(first) < loss(Translator(attention=True).eval()) - 1


def loss(translator: Translator) -> float:
    (pair,) = training_pairs(1)
    german = translator.german.encode([pair.german])
    english = translator.english.encode([pair.english])
    with torch.no_grad():
        logits = translator(german, english)
    return torch.nn.functional.cross_entropy(logits[0], english[0]).item()


def test_training_leaves_torch_as_it_was(capsys) -> None:
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    train_translator(attention=False, pairs=50, epochs=1)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)


def test_progress_is_one_line() -> None:
    drawn = io.StringIO()
    assert list(progress([1, 2, 3], "reading", note=lambda: "so far", to=drawn)) == [1, 2, 3]
    text = drawn.getvalue()
    assert text.count("\n") == 1
    assert text.startswith("\rreading ░")
    assert "█ 100%" in text.rsplit("\r", 1)[-1]
    assert "so far" in text


def test_progress_of_nothing() -> None:
    drawn = io.StringIO()
    assert list(progress([], "reading", to=drawn)) == []
    assert "100%" in drawn.getvalue()


def test_batches_hold_every_pair_and_no_padding() -> None:
    pairs = training_pairs(100)
    batches = translation_batches(pairs, size=8, epochs=2)
    assert all(len(german) == len(english) <= 8 and german.all() for german, english in batches)
    assert sum(len(german) for german, _ in batches) == 200
    again, other = (translation_batches(pairs, size=8, epochs=2, seed=seed) for seed in (0, 1))
    assert [german.tolist() for german, _ in again] == [german.tolist() for german, _ in batches]
    assert [german.tolist() for german, _ in other] != [german.tolist() for german, _ in batches]
