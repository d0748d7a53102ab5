"""The driver that notes how a language model is trained."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from companion.trials.text_training_trial import logits_after_training, try_training

TEXT = 3 * torch.arange(20) % 20
STEPS, BATCH, CONTEXT = 4, 3, 6


def by_adam(
    model: nn.Module,
    loss_of: Any,
    text: Tensor,
    steps: int,
    batch_size: int,
    context_length: int,
    learning_rate: float,
) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        starts = torch.randint(len(text) - context_length + 1, (batch_size, 1))
        pieces = text[starts + torch.arange(context_length)]
        loss = loss_of(model(pieces), pieces)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(loss.item())
    return losses


def only_called(model: nn.Module, loss_of: Any, text: Tensor, *_: Any) -> None:
    loss_of(model(text[None].flip(1)), text[None])


def test_right_training() -> None:
    found = try_training(by_adam, "gpt", TEXT, STEPS, BATCH, CONTEXT, 4e-3)
    assert found.pop("returned") == "a list of 4, each of them a float"
    assert found.pop("calls of the model") == STEPS
    assert found.pop("shapes of its inputs") == [(BATCH, CONTEXT)]
    assert found.pop("parameters that never change") == []
    assert found == dict.fromkeys(found, True)


@pytest.mark.parametrize("cleared_in", ["each step", "no step"])
def test_gradients_that_one_step_adds_up(cleared_in: str) -> None:
    """Of excerpts that are given one by one, those of a step belong together."""

    def one_by_one(
        model: nn.Module, loss_of: Any, text: Tensor, steps: int, batch_size: int,
        context_length: int, learning_rate: float,
    ) -> list[float]:  # fmt: skip
        optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
        for _ in range(steps):
            if cleared_in == "each step":
                optimizer.zero_grad()
            for start in range(batch_size):
                piece = text[None, start : start + context_length]
                torch.autograd.backward(loss_of(model(piece), piece) / batch_size)
            optimizer.step()
        return []

    found = try_training(one_by_one, "gpt", TEXT, STEPS, BATCH, CONTEXT, 4e-3)
    assert found["gradients are cleared before each step"] == (cleared_in == "each step")


def test_places_and_losses_of_many_steps() -> None:
    found = try_training(by_adam, "table", TEXT, 30, 10, CONTEXT, 0.1)
    assert found["places at which pieces begin"] == list(range(15))
    assert found["the loss"] == "falls"


def test_no_training() -> None:
    found = try_training(only_called, "gpt", TEXT, STEPS, BATCH, CONTEXT, 4e-3)
    assert found["returned"] == "a NoneType"
    assert found["calls of the model"] == 1
    assert not found["pieces are parts of the text"]
    assert not found["the loss is given the same ids"]
    assert "tokens.weight" in found["parameters that never change"]  # type: ignore[operator]


def test_logits_of_the_next_token() -> None:
    text = torch.arange(400) % 7
    prompts = text.unfold(0, 8, 1)[:5]
    logits = logits_after_training(by_adam, text, prompts, 40, 4e-3, 0)
    assert torch.equal(logits.argmax(dim=-1), text[8:13])
