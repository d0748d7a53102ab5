"""Models to write with: they keep their rules, and no position sees what comes after it."""

import inspect

import pytest
import torch

from companion.specimens import language_models

MODELS = [
    made
    for name, made in inspect.getmembers(language_models, inspect.isfunction)
    if made.__module__ == language_models.__name__ and not name.startswith("_")
]
TOKENS = torch.tensor([[3, 1, 4], [9, 2, 6]])


def test_rules() -> None:
    found = {model.__name__: model(TOKENS).argmax(dim=-1).tolist() for model in MODELS}
    assert found == {
        "counts_on": [[4, 2, 5], [0, 3, 7]],
        "adds_up": [[4, 5, 9], [0, 2, 8]],
        "counts_what_it_sees": [[1, 2, 3], [1, 2, 3]],
        "alternates": [[0, 0, 1], [0, 1, 1]],
        "hesitates": [[4, 2, 5], [0, 3, 7]],
        "has_five_positions": [[3, 2, 6], [9, 3, 8]],
    }


@pytest.mark.parametrize("model", MODELS)
def test_logits(model) -> None:
    logits = model(TOKENS)
    assert logits.shape == (2, 3, 10)
    assert torch.equal(model(TOKENS[:, :2]), logits[:, :2])
    assert all(len(set(row.tolist())) == 10 for row in logits.flatten(0, 1))


def test_five_positions() -> None:
    with pytest.raises(IndexError, match="5 positions, and was given 6"):
        language_models.has_five_positions(torch.zeros(1, 6, dtype=torch.int64))
