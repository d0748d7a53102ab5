"""Training on random excerpts of a text, with a bar that shows its progress."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from companion.models.training import progress

LossOf = Callable[[Tensor, Tensor], Tensor]


class Watched:
    """A loss function that keeps its losses and shows the progress of the training.

    Attributes:
        losses: one for each call.
        measured: what `measure` returned at the first call, and at each `every`-th call after it.

    Args:
        loss_of: takes logits and ids, and returns the loss.
        steps: how many calls the training consists of.
        label: the text before the bar.
        every: how many calls there are from one measurement to the next.
        measure: measures something on the way, such as losses on other texts.
    """

    def __init__(
        self,
        loss_of: LossOf,
        steps: int,
        label: str = "your GPT",
        every: int = 1,
        measure: Callable[[], Iterable[float]] = tuple,
    ) -> None:
        self.losses: list[float] = []
        self.measured: list[list[float]] = []
        self._every, self._measure = every, measure
        self._loss_of, self._steps = loss_of, steps
        self._bar = progress(range(steps), label, note=lambda: f"loss {self.losses[-1]:.2f}")

    def __call__(self, logits: Tensor, ids: Tensor) -> Tensor:
        loss = self._loss_of(logits, ids)
        if len(self.losses) % self._every == 0:
            self.measured.append([*self._measure()])
        self.losses.append(loss.item())
        next(self._bar, None)
        if len(self.losses) == self._steps:
            next(self._bar, None)  # the bar fills up when asked for what follows the last step
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
    """What lesson 10's `train` does, with Adam and a learning rate that falls linearly."""
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
