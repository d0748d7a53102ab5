"""A training in steps, for misconceptions to get one of them wrong."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from solutions.exams.in_steps import declares
from solutions.exams.your_gpt.train.exam import training

LossOf = Callable[[Tensor, Tensor], Tensor]


class Training:
    """An answer of which each step can be another one."""

    def __call__(
        self,
        model: nn.Module,
        loss_of: LossOf,
        text: Tensor,
        steps: int,
        batch_size: int = 16,
        context_length: int = 64,
        learning_rate: float = 4e-3,
    ) -> Any:
        """Train."""
        optimizer = self.optimizer(model, learning_rate)
        losses: list[Any] = []
        for _ in range(self.turns(steps)):
            excerpts = self.excerpts(text, batch_size, context_length)
            loss = self.loss(loss_of, model, excerpts)
            self.change(optimizer, loss)
            losses.append(self.noted(loss, loss_of, model, excerpts))
            optimizer = self.kept(optimizer, model, learning_rate)
        return self.returned(losses)

    def optimizer(self, model: nn.Module, learning_rate: float) -> Optimizer:
        return AdamW(model.parameters(), lr=learning_rate)

    def kept(self, optimizer: Optimizer, model: nn.Module, learning_rate: float) -> Optimizer:
        return optimizer

    def turns(self, steps: int) -> int:
        return steps

    def excerpts(self, text: Tensor, batch_size: int, context_length: int) -> Tensor:
        starts = self.starts(len(text), batch_size, context_length)
        return torch.stack([text[start : start + context_length] for start in starts.tolist()])

    def starts(self, num_tokens: int, batch_size: int, context_length: int) -> Tensor:
        return torch.randint(num_tokens - context_length + 1, (batch_size,))

    def loss(self, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Tensor:
        return loss_of(model(excerpts), excerpts)

    def change(self, optimizer: Optimizer, loss: Tensor) -> None:
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()

    def noted(self, loss: Tensor, loss_of: LossOf, model: nn.Module, excerpts: Tensor) -> Any:
        return loss.item()

    def returned(self, losses: list[Any]) -> Any:
        return losses


declared = declares(training)
