"""A loss is computed, and trained through."""

import torch
from torch.nn.functional import cross_entropy

from companion import try_loss

LOGITS = torch.tensor([[[1.0, 2.0], [0.0, 3.0], [1.0, 1.0]]], dtype=torch.float64)
TOKENS = torch.tensor([[0, 1, 1]])


def test_loss_and_its_gradient() -> None:
    found = try_loss(lambda logits, tokens: cross_entropy(logits[0], tokens[0]), LOGITS, TOKENS)
    expected = (LOGITS[0].softmax(dim=-1) - torch.eye(2)[TOKENS[0]]) / 3
    torch.testing.assert_close(found["gradient for logits"], expected[None])
    assert found["logits left as they were"]
    assert isinstance(found["loss"], torch.Tensor)


def test_a_loss_that_cannot_be_trained() -> None:
    found = try_loss(lambda logits, _: logits.detach().mean(), LOGITS, TOKENS)
    assert found["gradient for logits"] is None


def test_logits_that_are_written_to() -> None:
    found = try_loss(lambda logits, _: logits.mul_(2).mean(), LOGITS, TOKENS)
    assert not found["logits left as they were"]
