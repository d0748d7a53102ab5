"""Training on random pieces of a text, in the sight of whoever waits for it."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from companion.models.training import progress

LossOf = Callable[[Tensor, Tensor], Tensor]


class Watched:
    """A loss function that keeps its losses, and draws how far the training is.

    Attributes:
        losses: one for each call.

    Args:
        loss_of: takes logits and ids, and returns the loss.
        steps: how many calls the training consists of.
        label: stands before the bar.
    """

    def __init__(self, loss_of: LossOf, steps: int, label: str = "your GPT") -> None:
        self.losses: list[float] = []
        self._loss_of, self._steps = loss_of, steps
        self._bar = progress(range(steps), label, note=lambda: f"loss {self.losses[-1]:.2f}")

    def __call__(self, logits: Tensor, ids: Tensor) -> Tensor:
        loss = self._loss_of(logits, ids)
        self.losses.append(loss.item())
        next(self._bar, None)
        if len(self.losses) == self._steps:
            next(self._bar, None)  # the bar is full when one asks for what follows the last step
        return loss


def fit_text(
    model: nn.Module,
    loss_of: LossOf,
    text: Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """What lesson 10's `train` does, with Adam, whose learning rate falls along a line."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        starts = torch.randint(len(text) - context_length + 1, (batch_size,))
        ids = torch.stack([text[start : start + context_length] for start in starts.tolist()])
        loss = loss_of(model(ids), ids)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(loss.item())
    return losses
