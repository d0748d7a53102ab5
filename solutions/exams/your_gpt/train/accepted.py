"""Right answers to `train` in other styles."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.optim import Adam, AdamW, RMSprop
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

from solutions.exams.your_gpt.train.exam import training

LossOf = Callable[[Tensor, Tensor], Tensor]


@training.accepts
def adam_at_one_rate(
    model: nn.Module,
    loss_of: LossOf,
    text: Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """Adam with a constant learning rate, slices stacked."""
    optimizer = Adam(model.parameters(), learning_rate)
    losses = []
    for _ in range(steps):
        starts = torch.randint(0, len(text) - context_length + 1, (batch_size,)).tolist()
        batch = torch.stack([text[start : start + context_length] for start in starts])
        loss = loss_of(model(batch), batch)
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss))
    return losses


@training.accepts
def falling_along_a_line(
    model: nn.Module,
    loss_of: LossOf,
    text: Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """All windows of the text by unfold, a learning rate set by hand that ends at 0, and an
    optimiser for each parameter.
    """
    windows = text.unfold(0, context_length, 1)
    optimizers = [AdamW([one], lr=learning_rate, weight_decay=0.0) for one in model.parameters()]
    losses: list[float] = []
    model.train()
    while len(losses) < steps:
        for optimizer in optimizers:
            optimizer.param_groups[0]["lr"] = learning_rate * (1 - len(losses) / steps)
        model.zero_grad()
        ids = windows[torch.randint(len(windows), (batch_size,))]
        loss = loss_of(model(ids), ids)
        torch.autograd.backward(loss)
        for optimizer in optimizers:
            optimizer.step()
        losses += [loss.item()]
    return losses


@training.accepts
def warm_up_from_zero(
    model: nn.Module,
    loss_of: LossOf,
    text: Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """A tenth of the steps to warm up from 0, then a cosine; beginnings from NumPy's own kind."""
    optimizer = AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.98))
    warm_up = max(1, steps // 10)

    def factor(step: int) -> float:
        if step < warm_up:
            return step / warm_up
        # Of a single step, the last one is one of warming up.
        return (1 + math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up))) / 2

    schedule = LambdaLR(optimizer, factor)
    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(steps):
        last = text.numel() - context_length
        starts = (torch.rand(batch_size, generator=generator) * (last + 1)).long()
        ids = text[starts[:, None] + torch.arange(context_length)[None]]
        loss = loss_of(model(ids), ids)
        losses.append(loss.item())
        optimizer.zero_grad(set_to_none=False)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return losses


@training.accepts
def adam_by_hand(
    model: nn.Module,
    loss_of: LossOf,
    text: Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """Adam written anew, with gradients that are never added up."""
    parameters = list(model.parameters())
    means = [torch.zeros_like(one) for one in parameters]
    squares = [torch.zeros_like(one) for one in parameters]
    losses = []
    for step in range(1, steps + 1):
        places = torch.randint(len(text) - context_length + 1, (batch_size, 1))
        ids = torch.take(text, places + torch.arange(context_length))
        loss = loss_of(model(ids), ids)
        gradients = torch.autograd.grad(loss, parameters)
        losses.append(loss.detach().item())
        with torch.no_grad():
            for one, gradient, mean, square in zip(
                parameters, gradients, means, squares, strict=True
            ):
                mean.lerp_(gradient, 0.1)
                square.lerp_(gradient**2, 0.001)
                size = (square / (1 - 0.999**step)).sqrt() + 1e-8
                one.sub_(learning_rate * mean / (1 - 0.9**step) / size)
    return losses


@training.accepts
def rms_prop_along_a_cosine(
    model: nn.Module,
    loss_of: LossOf,
    text: Tensor,
    steps: int,
    batch_size: int = 16,
    context_length: int = 64,
    learning_rate: float = 4e-3,
) -> list[float]:
    """RMSprop, a cosine down to 0, and every place once before any comes twice."""
    optimizer = RMSprop(model.parameters(), lr=learning_rate)
    schedule = CosineAnnealingLR(optimizer, T_max=steps)
    left = torch.empty(0, dtype=torch.int64)
    losses = []
    for _ in range(steps):
        while len(left) < batch_size:
            left = torch.cat([left, torch.randperm(len(text) - context_length + 1)])
        starts, left = left[:batch_size], left[batch_size:]
        ids = torch.cat([text[None, s : s + context_length] for s in starts.tolist()])
        optimizer.zero_grad()
        loss = loss_of(model(ids), ids)
        torch.autograd.backward(loss)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses
