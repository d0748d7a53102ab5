"""Right answers to `fit` in other styles, lesson 00b."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.tensors_and_modules.fit.exam import fitting


@fitting.accepts
def by_hand(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """No optimiser: each parameter moved by hand."""
    losses = []
    for _ in range(steps):
        loss = (module(inputs) - targets).square().mean()
        found = torch.autograd.grad(loss, list(module.parameters()))
        with torch.no_grad():
            for parameter, slope in zip(module.parameters(), found, strict=True):
                parameter.sub_(learning_rate * slope)
        losses.append(float(loss))
    return losses


@fitting.accepts
def cleared_by_the_module(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """The module clears its gradients, in training mode."""
    module.train()
    optimizer = torch.optim.SGD(module.parameters(), lr=learning_rate, momentum=0)
    losses: list[float] = []
    while len(losses) < steps:
        module.zero_grad()
        loss = nn.MSELoss()(module(inputs), targets)
        torch.autograd.backward(loss)
        optimizer.step()
        losses += [loss.detach().item()]
    return losses


@fitting.accepts
def cleared_afterwards(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """Gradients cleared at the end of each turn."""
    optimizer = torch.optim.SGD(module.parameters(), learning_rate)
    losses = []
    for _step in range(steps):
        outputs = module(inputs)
        loss = torch.mean((targets - outputs) ** 2)
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


@fitting.accepts
def by_data(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[Tensor]:
    """Parameters moved through their data, losses as tensors without axes."""
    losses = []
    for _ in range(steps):
        for parameter in module.parameters():
            parameter.grad = None
        loss = functional.mse_loss(module(inputs), targets)
        torch.autograd.backward(loss)
        for parameter in module.parameters():
            assert parameter.grad is not None
            parameter.data -= learning_rate * parameter.grad
        losses.append(loss.detach())
    return losses
