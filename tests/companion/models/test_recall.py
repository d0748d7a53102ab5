import pytest
import torch

from companion.models.recall import LETTERS, SHOWN, learn_two_lookups

SIX = range(len(SHOWN))


def test_one_head_answers_one_question() -> None:
    recall = learn_two_lookups(1)
    worse, better = sorted([recall.left, recall.mirrored])
    assert better > 0.85
    assert worse < 0.7
    assert recall.losses[-1] > 0.2


@pytest.mark.long
def test_one_head_is_hardly_better_after_600_steps() -> None:
    recall = learn_two_lookups(1, steps=600)
    assert min(recall.left, recall.mirrored) < 0.7


@pytest.mark.parametrize("seed", [1, 2])
def test_two_heads_divide_the_work(seed: int) -> None:
    recall = learn_two_lookups(2, seed=seed)
    assert min(recall.left, recall.mirrored) > 0.99
    left = [recall.weights[:, i, i - 1] for i in SIX]
    mirrored = [recall.weights[:, i, -1 - i] for i in SIX]
    found = {torch.stack(column).mean(dim=0).argmax().item() for column in (left, mirrored)}
    assert found == {0, 1}


def test_weights_are_of_the_text() -> None:
    recall = learn_two_lookups(4, steps=2)
    assert recall.weights.shape == (4, len(SHOWN), len(SHOWN))
    torch.testing.assert_close(recall.weights.sum(dim=-1), torch.ones(4, len(SHOWN)))
    assert "".join(recall.letters) == SHOWN
    assert set(SHOWN) <= set(LETTERS)


def test_random_numbers_are_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    learn_two_lookups(1, steps=1)
    assert torch.equal(torch.rand(1), expected)
